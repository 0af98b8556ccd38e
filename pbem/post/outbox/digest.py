"""The digest: a seat that wants it (`letters digest 7`) is told what is new once a day, at that hour of its own zone.

What it is asked comes at once, as to everybody. When a digest goes follows from the clock and from the seat's settings.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from pbem.report.times import zone_of
from pbem.save import SeatInfo

DIGEST = "digest"
HOUR = 7
"""The hour of a digest if none is said."""


def is_due(seat: SeatInfo, now: datetime) -> bool:
    """Whether the hour of a seat's digest has come since the last one."""
    if not seat.letters.startswith(DIGEST) or not seat.told.digest:
        return False
    return seat.told.digest < last_hour(seat, now)


def settle(seat: SeatInfo, now: datetime) -> None:
    """Note up to which hour a seat's news is settled; for a seat that has just asked for digests, from now on."""
    if not seat.letters.startswith(DIGEST):
        seat.told.digest = None
    elif not seat.told.digest or is_due(seat, now):
        seat.told.digest = last_hour(seat, now)


def last_hour(seat: SeatInfo, now: datetime) -> datetime:
    """When that hour last struck in the seat's zone."""
    word = seat.letters.partition(" ")[2]
    hour = int(word) if word.isdigit() and int(word) < 24 else HOUR
    local = now.astimezone(zone_of(seat.zone))
    struck = local.replace(hour=hour, minute=0, second=0, microsecond=0)
    return struck if struck <= local else struck - timedelta(days=1)
