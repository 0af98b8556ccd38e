"""When the clock of a game runs: zone, hours per pace, playing days, quiet days, absences, pauses.

All instants are aware datetimes; days and grid hours are in the game's IANA zone. Only `instant` computes with local
time; it handles both changes of daylight saving.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

import msgspec

from pbem.save.schema import AbsenceEntry, ExtensionEntry
from pbem.save.settings import DAYS

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

WEEK = DAYS
HOURS = {"turn": 72, "reaction": 48, "negotiation": 48, "ballot": 48}
"""Hours to answer by pace, unless the moderator or the game sets others."""

ONE_DAY = timedelta(days=1)


class Span(msgspec.Struct, frozen=True):
    """A period from `since` (included) to `until` (excluded)."""

    since: datetime
    until: datetime


class Timetable(msgspec.Struct, frozen=True):
    """The game's time rules.

    - `zone`: IANA name; `hours`: pace → hours to answer;
    - `days`: weekdays on which the clock runs; `quiet`: dates on which it doesn't;
    - `grid`: local hour (0–23) to which a deadline moves forward, None for the exact minute;
    - `least`: hours of thinking that everybody gets in any case;
    - `pauses`: by the moderator; `absences`: of players; `extensions`: more time for a question.
    """

    zone: str = "UTC"
    hours: dict[str, int] = {}
    days: tuple[str, ...] = WEEK
    quiet: tuple[date, ...] = ()
    grid: int | None = None
    least: int = 12
    pauses: tuple[Span, ...] = ()
    absences: tuple[AbsenceEntry, ...] = ()
    extensions: tuple[ExtensionEntry, ...] = ()

    def hours_for(self, pace: str) -> int:
        return self.hours.get(pace, HOURS.get(pace, HOURS["turn"]))

    def runs_on(self, day: date) -> bool:
        return WEEK[day.weekday()] in self.days and day not in self.quiet

    def breaks(self, seats: Sequence[str]) -> list[Span]:
        """Return the pauses, and the absences of these seats: they may overlap."""
        return [*self.pauses, *(Span(a.since, a.until) for a in self.absences if a.seat in seats)]


def instant(day: date, at: time, zone: ZoneInfo) -> datetime:
    """Convert a local wall time to UTC; one skipped by daylight saving moves forward, of a doubled one the second."""
    late = datetime.combine(day, at, zone).replace(fold=1)
    early = late.replace(fold=0)
    skipped = early.astimezone(UTC).astimezone(zone).replace(tzinfo=None) != early.replace(tzinfo=None)
    return (early if skipped else late).astimezone(UTC)


def stopped_spans(table: Timetable, seats: tuple[str, ...], since: datetime) -> Iterator[Span]:
    """Yield the periods from `since` on in which the clock of a question to `seats` is stopped, by start.

    Endless if the timetable has days off. A question to several seats waits for all of them.
    """
    fixed = sorted((s for s in table.breaks(seats) if s.until > since and s.until > s.since), key=lambda s: s.since)
    for off in _days_off(table, since):
        while fixed and fixed[0].since <= off.since:
            yield fixed.pop(0)
        yield off
    yield from fixed


def _days_off(table: Timetable, since: datetime) -> Iterator[Span]:
    """Yield each local day without clock, from midnight on. Ends after the last quiet date if every weekday plays."""
    from zoneinfo import ZoneInfo  # a tick in which nothing is due reads no timetable

    zone = ZoneInfo(table.zone)
    day = since.astimezone(zone).date()
    every = set(table.days) >= set(WEEK)
    last = max(table.quiet, default=day - ONE_DAY)
    while not every or day <= last:
        if not table.runs_on(day):
            yield Span(instant(day, time(0), zone), instant(day + ONE_DAY, time(0), zone))
        day += ONE_DAY
