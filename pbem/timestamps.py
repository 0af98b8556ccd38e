"""Points in time: aware UTC `datetime`s in memory, ISO 8601 with whole seconds in text."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(text: str) -> datetime:
    """Parse an ISO time as an aware UTC datetime; without an offset it is UTC. Raises ValueError."""
    at = datetime.fromisoformat(text)
    if not 1 < at.year < 9999:
        raise ValueError(f"'{text}' does not fit every time zone")
    return aware(at)


def aware(at: datetime) -> datetime:
    """Convert a time to UTC; a naive one is UTC already."""
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)


def stamp(at: datetime | None) -> str:
    """Format a time as 2026-05-01T12:00:00Z; None as ""."""
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z") if at is not None else ""


def now() -> datetime:
    """Return the current UTC time in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)
