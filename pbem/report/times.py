"""Points in time for a reader: always with their zone, the game's zone first, then the reader's own."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pbem.report.messages import Catalogue


def zone_of(name: str) -> tzinfo:
    """Return the zone of an IANA name; UTC if this machine doesn't know it."""
    try:
        return ZoneInfo(name) if name else UTC
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def when(at: datetime, zone: str, catalogue: Catalogue) -> str:
    """Return a time as read in `zone`: Thu 6 Mar 2025 18:00 CET (Europe/Berlin)."""
    local = at.astimezone(zone_of(zone))
    short, place = _offset(local), str(local.tzinfo)
    return catalogue.text(
        "time.at",
        weekday=catalogue.text("time.weekdays").split()[local.weekday()],
        day=local.day,
        month=catalogue.text("time.months").split()[local.month - 1],
        year=local.year,
        clock=f"{local:%H:%M}",
        zone=short if place in (short, "UTC") or place.startswith(_BARE) else f"{short} ({place})",
    )


_BARE = "Etc/"
"""Zones without a place, whose names suggest the opposite of what they mean: Etc/GMT+2 is UTC-2."""


def _offset(local: datetime) -> str:
    """Return the short name of a zone at that time: CEST, UTC+03."""
    short = local.tzname() or ""
    return f"UTC{short}" if short[:1] in "+-" else short


def deadline(due: datetime | None, zone: str, reader_zone: str, catalogue: Catalogue) -> list[str]:
    """Return the deadline in the game's zone, then in the reader's if that differs; [] without a deadline."""
    if due is None:
        return []
    zones = [zone, reader_zone] if reader_zone else [zone]
    return list(dict.fromkeys(when(due, zone_name, catalogue) for zone_name in zones))


def short_time(at: datetime, zone: str, catalogue: Catalogue, form: str = "short") -> str:
    """Return a short time: Sun 3 May 14:00 (Berlin); with `form` "day" as in a subject: Sun 14:00."""
    local = at.astimezone(zone_of(zone))
    name = str(local.tzinfo)
    own = f"time.zone.{name}"
    place = catalogue.text(own) if catalogue.has(own) else name.rpartition("/")[2].replace("_", " ")
    if name.startswith(_BARE):
        place = _offset(local)
    elif local.replace(fold=1 - local.fold).utcoffset() != local.utcoffset():  # an hour that comes twice
        place = f"{place}, {_offset(local)}"
    return catalogue.text(
        f"time.{form}",
        weekday=catalogue.text("time.weekdays").split()[local.weekday()],
        day=local.day,
        month=catalogue.text("time.months").split()[local.month - 1],
        clock=f"{local:%H:%M}",
        place=place,
    )
