"""Points in time: in memory aware UTC `datetime`s, in text ISO 8601 with whole seconds."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(text: str) -> datetime:
    """A time in text, in UTC if it names no offset, as an aware UTC datetime. Raises ValueError."""
    at = datetime.fromisoformat(text)
    if not 1 < at.year < 9999:
        raise ValueError(f"'{text}' does not fit every time zone")
    return aware(at)


def aware(at: datetime) -> datetime:
    """A time in UTC; one that names no offset is taken as UTC."""
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)


def stamp(at: datetime | None) -> str:
    """The text of a time: 2026-05-01T12:00:00Z; "" for none."""
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z") if at is not None else ""


def now() -> datetime:
    """This moment, in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)
