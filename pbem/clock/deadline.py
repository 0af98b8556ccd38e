"""The deadline of a question: one pure function of the timetable, the question and what has been announced."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

import msgspec

from pbem.clock.timetable import ONE_DAY, Timetable, instant, standstills


class Open(msgspec.Struct, frozen=True):
    """An open question: its number, pace, the seats it is put to, since when, and the deadline already announced."""

    q: int
    pace: str
    seats: tuple[str, ...]
    since: datetime
    announced: datetime | None = None


def deadline(question: Open, table: Timetable, *, earlier: bool = False) -> datetime:
    """When the answer is due (UTC).

    The hours of the pace and all extensions run from `since` while the clock is not standing still; the result moves
    forward to the grid hour of a playing day, leaves everybody the least thinking time, and is never earlier than what
    was announced, unless the moderator says so (`earlier`). Raises ValueError if no day is a playing day.
    """
    if not table.days:
        raise ValueError("the timetable has no playing day; name at least one of mon … sun")
    hours = table.hours_for(question.pace) + extended(question.q, table)
    due = run(question.since, timedelta(hours=hours), table, question.seats)
    due = max(due, run(question.since, timedelta(hours=table.least), table, question.seats))
    due = on_grid(due, table, question.seats)
    if question.announced is not None and not earlier:
        due = max(due, question.announced)
    return due.astimezone(UTC)


def extended(q: int, table: Timetable) -> int:
    """The extra hours of question `q`; an extension told twice (same id) counts once."""
    return sum({e.id: e.hours for e in table.extensions if e.q == q}.values())


def run(since: datetime, length: timedelta, table: Timetable, seats: tuple[str, ...]) -> datetime:
    """The instant at which the clock has run for `length` since `since`, standstills left out."""
    at, left = since.astimezone(UTC), length
    for still in standstills(table, seats, at):
        if still.since > at:
            gap = still.since - at
            if gap >= left:
                break
            left -= gap
        at = max(at, still.until)
    return at + left


def on_grid(due: datetime, table: Timetable, seats: tuple[str, ...]) -> datetime:
    """`due` moved forward to the next grid hour at which the clock runs; unchanged without a grid."""
    if table.grid is None:
        return due
    from zoneinfo import ZoneInfo

    zone = ZoneInfo(table.zone)
    day = due.astimezone(zone).date()
    while True:
        at = instant(day, time(table.grid), zone)
        if at >= due and table.runs_on(day) and not _still(at, table, seats):
            return at
        day += ONE_DAY


def _still(at: datetime, table: Timetable, seats: tuple[str, ...]) -> bool:
    spans = [*table.pauses, *(a.span for a in table.absences if a.seat in seats)]
    return any(span.since <= at < span.until for span in spans)
