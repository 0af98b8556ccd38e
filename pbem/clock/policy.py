"""A save's clock: timetable, deadlines of open questions, what is due when. Pure; time is an argument.

Who has answered a sealed question plays no part: the deadline and its effect are the same for all seats asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import TYPE_CHECKING

import msgspec

from pbem.clock.timetable import WEEK, Span, Timetable
from pbem.save.settings import POLICIES

if TYPE_CHECKING:
    from pbem.save import ClockSettings, PendingInfo, Save, SeatInfo
from datetime import time

from pbem.clock.timetable import ONE_DAY, instant, stopped_spans

# The deadline of a question: a pure function of timetable, question and announcements.


class OpenDeadline(msgspec.Struct, frozen=True):
    """An open question: number, pace, seats asked, start, and the deadline already announced."""

    q: int
    pace: str
    seats: tuple[str, ...]
    since: datetime
    announced: datetime | None = None


def deadline(question: OpenDeadline, table: Timetable, *, earlier: bool = False) -> datetime:
    """Return when the answer is due (UTC).

    The hours of the pace run from `since` while the clock runs. The result is the nearest grid hour of a playing day
    that leaves everybody the least thinking time. Extensions are added. It is never earlier than announced unless
    `earlier` is set. Raises ValueError if no day is a playing day.
    """
    if not table.days:
        raise ValueError("the timetable has no playing day; name at least one of mon … sun")
    seats, more = question.seats, timedelta(hours=extended(question.q, table))
    hours = timedelta(hours=table.hours_for(question.pace))
    due = add_running_time(question.since, hours, table, seats)
    # Rounding to a fixed hour takes away at most half of the hours, even if `least` is small.
    least = add_running_time(question.since, max(timedelta(hours=table.least), hours / 2), table, seats)
    due = nearest(due, least, table, seats)
    if more:
        due = round_to_deadline_hour(add_running_time(due, more, table, seats), table, seats)
    if question.announced is not None and not earlier:
        due = max(due, question.announced)
    return due.astimezone(UTC)


def extended(q: int, table: Timetable) -> int:
    """Return the extra hours of question `q`; an extension with the same id counts once."""
    return sum({e.id: e.hours for e in table.extensions if e.q == q}.values())


def add_running_time(since: datetime, length: timedelta, table: Timetable, seats: tuple[str, ...]) -> datetime:
    """Return when the clock has run for `length` since `since`, without stopped time."""
    at, left = since.astimezone(UTC), length
    for still in stopped_spans(table, seats, at):
        if still.since > at:
            gap = still.since - at
            if gap >= left:
                break
            left -= gap
        at = max(at, still.until)
    return at + left


def round_to_deadline_hour(due: datetime, table: Timetable, seats: tuple[str, ...]) -> datetime:
    """Move `due` forward to the next grid hour at which the clock runs; unchanged without a grid."""
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


def nearest(due: datetime, least: datetime, table: Timetable, seats: tuple[str, ...]) -> datetime:
    """Return the grid hour nearest to `due` and not before `least`; of two equally near, the later."""
    after = round_to_deadline_hour(max(due, least), table, seats)
    if table.grid is None or after == due:
        return after
    from zoneinfo import ZoneInfo

    zone = ZoneInfo(table.zone)
    first, day = least.astimezone(zone).date(), due.astimezone(zone).date()
    while day >= first and due - instant(day, time(table.grid), zone) < after - due:
        at = instant(day, time(table.grid), zone)
        if least <= at <= due and table.runs_on(day) and not _still(at, table, seats):
            return at
        day -= ONE_DAY
    return after


def _still(at: datetime, table: Timetable, seats: tuple[str, ...]) -> bool:
    return any(span.since <= at < span.until for span in table.breaks(seats))


WAIT, GRACE, DEFAULT, MODERATOR, BOT = POLICIES
"""What may happen at the deadline: nothing; grace period, then default; default; moderator; bot answers."""

AT_FIRST = {"turn": GRACE, "reaction": GRACE, "negotiation": DEFAULT, "ballot": GRACE}
"""What happens at the deadline in a new game: no game stops because a player is silent."""

RESERVE = 72
"""Hours that each player has in reserve in a new game."""

STEP = 12
"""Hours of the reserve that a question takes at a time, when its deadline passes."""

_NEAR = timedelta(hours=3)
"""How near a deadline is if emails about it don't wait for the end of quiet hours."""

LATE = "late"
"""The stage of the reminder that says the deadline has passed."""

_HOUR = timedelta(hours=1)


class Stage(msgspec.Struct, frozen=True):
    """A reminder due to a seat about a question: `name` is `24h`, `2h`, `late`…; `due` is the deadline."""

    q: int
    seat: str
    name: str
    due: datetime


def timetable(clock: ClockSettings) -> Timetable:
    """Return the game's time rules. A pause without end is left out: see `paused`."""
    return Timetable(
        zone=clock.zone,
        hours=clock.hours,
        days=tuple(clock.days) or WEEK,
        quiet=tuple(sorted(date.fromisoformat(day) for day in clock.quiet)),
        grid=clock.grid if clock.grid >= 0 else None,
        least=clock.least,
        pauses=tuple(Span(p.since, p.until) for p in clock.pauses if p.until),
        absences=tuple(clock.absences),
        extensions=tuple(clock.extensions),
    )


def paused(clock: ClockSettings, now: datetime) -> bool:
    """Check whether the moderator has stopped the clock."""
    return any(p.since <= now and (p.until is None or now < p.until) for p in clock.pauses)


def announce(save: Save, *, earlier: bool = False) -> bool:
    """Enter the deadline of every open question in `save.pending`; return True if an announced one moved.

    All seats of a question share one deadline. It never moves earlier unless `earlier` is set, and is removed if its
    pace no longer has hours. During a pause without end nothing is announced.
    """
    if any(not pause.until for pause in save.clock.pauses):
        return False
    table, moved = timetable(save.clock), False
    for pending in save.pending:
        if not pending.since:
            continue
        if not save.clock.hours.get(pending.pace):
            if pending.due:
                pending.due, pending.moved, moved = None, pending.moved + 1, True
            continue
        seats = tuple(p.seat for p in save.pending if p.q == pending.q)
        told = max((p.due for p in save.pending if p.q == pending.q and p.due), default=None)
        since = min(p.since for p in save.pending if p.q == pending.q and p.since)
        question = OpenDeadline(pending.q, pending.pace, seats, _full_hour(since, table), told)
        due = deadline(question, table, earlier=earlier).astimezone(UTC)
        if pending.due and pending.due != due:
            pending.moved, moved = pending.moved + 1, True
        pending.due = due
    return moved


def overdue(save: Save, q: int, now: datetime) -> int:
    """Return how many running hours ago the deadline of a question passed: more time that is given counts from now."""
    if paused(save.clock, now) or not asked(save):
        return 0  # its deadline isn't known before the clock runs
    rows = [pending for pending in save.pending if pending.q == q]
    due = max((pending.due for pending in rows if pending.due), default=now)
    table, seats = timetable(save.clock), tuple(pending.seat for pending in rows)
    return next(hours for hours in count() if add_running_time(due, hours * _HOUR, table, seats) >= now)


def give_time(save: Save, seat: str, now: datetime) -> dict[int, datetime]:
    """Give a seat's replacement player at least the least thinking time; return the deadlines that move."""
    table, moved = timetable(save.clock), dict[int, datetime]()
    for q in {pending.q for pending in save.pending if pending.seat == seat and pending.due}:
        rows = [pending for pending in save.pending if pending.q == q]
        seats = tuple(pending.seat for pending in rows)
        least = add_running_time(_full_hour(now, table), timedelta(hours=table.least), table, seats)
        for pending in rows:
            if pending.due and pending.due < least:
                pending.due, pending.moved = round_to_deadline_hour(least, table, seats), pending.moved + 1
                moved[q] = pending.due
    return moved


def _full_hour(since: datetime, table: Timetable) -> datetime:
    """Round a time without a grid to a full hour: 18:00 is easier to remember than 17:43."""
    whole = since.replace(minute=0, second=0, microsecond=0)
    return since if table.grid is not None or whole == since else whole + _HOUR


def expires_at(save: Save, one: PendingInfo, seat: str | None = None) -> datetime | None:
    """Return when the deadline expires for good, grace period included. None: never by itself.

    A player whose answer in time was rejected gets at least the least hours from then on. With `seat`, only that
    seat's rejections count, because a reader must not learn of others' ("": of none).
    """
    clock = save.clock
    policy = clock.time_up.get(one.pace, WAIT)
    if not one.due or policy not in (GRACE, DEFAULT, BOT) or not asked(save):
        return None
    seats = tuple(p.seat for p in save.pending if p.q == one.q)
    end = add_running_time(one.due, clock.grace * _HOUR, timetable(clock), seats) if policy == GRACE else one.due
    rows = [p for p in save.pending if p.q == one.q and seat in (None, p.seat)]
    refused = [min(p.refused, end) for p in rows if p.refused]
    return max([end, *(add_running_time(at, clock.least * _HOUR, timetable(clock), seats) for at in refused)])


def reserve(save: Save, seat: SeatInfo) -> int:
    """Return the hours that a seat has in reserve."""
    return max(0, save.clock.bank_hours - seat.bank)


def heard_from(save: Save) -> set[str]:
    """Return the seats whose players have ever written."""
    return {seat for entry in save.intake for seat in entry.seat.split(",")}


def reserve_for(save: Save, pending: PendingInfo) -> int:
    """Return the hours of its reserve that a seat has for a question at its deadline; 0 if none are spent for it.

    A negotiation ends on time. A player who has never written is probably not there: their reserve is kept.
    """
    if (
        not pending.due
        or pending.pace == "negotiation"
        or save.clock.time_up.get(pending.pace, WAIT) in (WAIT, MODERATOR)
    ):
        return 0
    seat = save.seat(pending.seat)
    left = reserve(save, seat)
    return left if left >= STEP and seat.id in heard_from(save) and not seat.understudy else 0


def note_refused(save: Save, q: int, seat: str, at: datetime) -> None:
    """Record that a seat's answer to a question was rejected."""
    for pending in save.pending:
        if (pending.q, pending.seat) == (q, seat):
            pending.refused = max(at, pending.refused or at)


def asked(save: Save) -> bool:
    """Check whether the open question was put: its emails are neither held back nor undelivered. Else no time runs."""
    return not save.header.unasked and all(pending.undelivered is None for pending in save.pending)


def stages(save: Save, now: datetime) -> Iterator[Stage]:
    """Yield the latest due reminder stage of each open question and seat; nothing during a pause.

    A stage is useful until the deadline (`late`: until it expires for good). A later stage covers missed earlier
    ones. A stage that passed before the question was put isn't due.
    """
    if save.header.over or paused(save.clock, now) or not asked(save):
        return
    for pending in save.pending:
        name = _stage(save, pending, now)
        if name and pending.due:
            yield Stage(pending.q, pending.seat, name, pending.due)


def _stage(save: Save, one: PendingInfo, now: datetime) -> str:
    if not one.due:
        return ""
    clock, due = save.clock, one.due
    if now >= due:
        last = expires_at(save, one, one.seat)
        decides = clock.time_up.get(one.pace, WAIT) == MODERATOR and one.seat != MODERATOR
        return LATE if not decides and (last is None or now < last) else ""
    since = one.since or due
    passed = [hours for hours in reminded(save, one.seat) if since < due - hours * _HOUR <= now]
    return f"{min(passed)}h" if passed else ""


def reminded(save: Save, seat: str) -> list[int]:
    """Return the hours before a deadline at which a seat is reminded: by its own setting, or that of the game."""
    own = next((info.reminders for info in save.seats if info.id == seat), "")
    return [int(hours) for hours in own.split()] if own and own != "off" else save.clock.remind


def quiet_until(seat: SeatInfo, now: datetime) -> datetime | None:
    """Return until when a seat wants no emails; None if it isn't in its quiet hours."""
    if not seat.quiet:
        return None
    from zoneinfo import ZoneInfo

    first, last = map(int, seat.quiet.split("-"))
    zone = ZoneInfo(seat.zone)
    local = now.astimezone(zone)
    if (local.hour - first) % 24 >= (last - first) % 24:
        return None
    day = local.date() + (ONE_DAY if local.hour >= last else timedelta())
    return instant(day, time(last), zone)


def is_quiet(save: Save, seat: SeatInfo, now: datetime) -> bool:
    """Return whether emails to a seat wait: it has quiet hours, and no deadline of its own is near."""
    near = now + _NEAR
    return quiet_until(seat, now) is not None and not any(
        asked.seat == seat.id and asked.due and now < asked.due <= near for asked in save.pending
    )


def state(save: Save, now: datetime) -> tuple[str, datetime | None]:
    """Return the state of the open question's time: a word, and until or since when.

    `due` before the deadline, `grace` in the grace period, `waits` or `moderator` where nothing happens by itself,
    `up` where it is about to. Also `paused`, `unasked` (not everybody has been reached), "" without a deadline.
    """
    one = min((pending for pending in save.pending if pending.due), key=lambda p: p.due or now, default=None)
    if save.header.over or one is None or one.due is None:
        return "", None
    if paused(save.clock, now) or not asked(save):
        return ("paused" if paused(save.clock, now) else "unasked"), None
    if now < one.due:
        return "due", one.due
    last = expires_at(save, one, "")
    if last is None:
        decides = save.clock.time_up.get(one.pace, WAIT) == MODERATOR
        return ("moderator" if decides else "waits"), one.due
    return ("grace", last) if now < last else ("up", one.due)


STATES = {
    "due": "{at}",
    "grace": "grace until {at}",
    "waits": "waits since {at}",
    "moderator": "moderator decides since {at}",
    "up": "time is up since {at}",
    "paused": "paused",
    "unasked": "stands: not asked yet",
}
"""The text of each state in the moderator's commands."""


def next_change(save: Save, now: datetime) -> datetime | None:
    """Return when something is next due in this game, None if nothing is."""
    coming = []
    for pending in save.pending:
        if pending.due:
            due = pending.due
            coming += [due, *(due - hours * _HOUR for hours in save.clock.remind)]
            last = expires_at(save, pending, "")
            coming += [last] if last is not None else []
    return min((at for at in coming if at > now), default=None)
