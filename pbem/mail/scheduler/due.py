"""What is due in a game, found out from its header alone.

Most ticks find nothing due. They read headers, open no game, and import neither rules nor email code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from pbem.atomic_files import append, lines
from pbem.clock import heartbeat
from pbem.clock.beacon import beacon_of
from pbem.clock.heartbeat import Heartbeat
from pbem.clock.policy import Stage, asked, expires_at, is_quiet, paused, reserve_for, stages
from pbem.file_locks import Busy, lock
from pbem.mail.header_cache import is_untold
from pbem.mail.notices import Notices, said_of
from pbem.mail.presence import here_and_left
from pbem.mail.save_index import UNSEEN, Progress, SaveIndex, home_of
from pbem.mail.scheduler.needs import may_be_due, needs, players_emails
from pbem.mail.scheduler.reaching import Reach, standing
from pbem.save import Delegate, Locked, Save, SeatInfo

if TYPE_CHECKING:
    from pbem.mail.outbox.mime_message import Outbox


class ReminderKey(msgspec.Struct, frozen=True):
    """The subject of one reminder: a stage of a seat's question in a game (`epoch`: of its dice), and the address."""

    game: str
    epoch: int
    q: int
    seat: str
    stage: str
    to: str


class JournalLine(msgspec.Struct):
    """A line of the journal: a reminder is recorded, is in the outbox (`done`), or never got there (`void`).

    `skip` has rows that need no reminder. `to` is the address; `file` the name in the outbox. A reminder that is
    withdrawn is `void` too, and its `rows` are then due again.
    """

    do: Literal["write", "done", "void", "skip"]
    id: str = ""
    at: str = ""
    to: str = ""
    file: str = ""
    rows: list[ReminderKey] = []


class ReminderJournal:
    """The reminders of one folder of saves. The lock of the tick is held while it is used."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "reminders.jsonl"
        self.open: dict[str, JournalLine] = {}
        self.written: dict[str, JournalLine] = {}
        self.settled: set[ReminderKey] = set()
        self.sent = 0
        for line in lines(self.path, JournalLine):
            self._know(line)

    def has(self, row: ReminderKey) -> bool:
        return row in self.settled

    def write(self, line: JournalLine) -> None:
        """Append a line durably; it counts even if the run dies then."""
        append(self.path, line)
        self._know(line)

    def _know(self, line: JournalLine) -> None:
        if line.do == "write":
            self.open[line.id] = self.written[line.id] = line
        elif line.do == "skip":
            self.settled.update(line.rows)
        else:
            written = self.open.pop(line.id, None)
            if line.rows:
                self.settled.difference_update(line.rows)
                self.written[line.id] = line
            if line.do == "done" and written is not None:
                self.settled.update(written.rows)
                self.sent += 1


def reminder_id(to: str, rows: Iterable[ReminderKey], key: bytes = b"") -> str:
    """Return the id of a reminder of these rows; with a `key`, the part of its Message-ID that nobody can guess."""
    parts = [to, *sorted(f"{r.game} {r.epoch} {r.q} {r.seat} {r.stage}" for r in rows)]
    return hashlib.blake2b("\0".join(parts).encode(), key=key[:64], digest_size=8).hexdigest()


PATIENCE = 60.0
"""Seconds that a run waits for another one over the same folder."""

_BRIEFLY = 5.0
"""Seconds that a run waits to write to the moderators: another one does it, too."""


class IdleRun(msgspec.Struct):
    """The result of a run without anything due: the headers that it read, and the folder of the outbox."""

    index: SaveIndex
    home: Path


def run_if_idle(
    saves: list[Path], now: datetime, progress: Progress = UNSEEN, *, remind: bool = True
) -> IdleRun | None:
    """Do a whole run if nothing is due in the saves (files or folders): record that cron ran.

    Returns None, and records nothing, if something is due or may be: then call `tick.tick_games`. Raises `Locked` if
    another run is active and doesn't end.
    """
    home = home_of(saves)
    with exclusive_run(home):
        index = SaveIndex(saves, progress)
        heart = heartbeat.load(home)
        heart.beat(heartbeat.TICK, now)
        try:
            reach = Reach(home)
            journal = ReminderJournal(home) if remind else None
            if index.broken or any_due(index, heart, journal, reach, now):
                return None
            notices = Notices(home, now)
            if notices.due([*needs(index, heart, reach, now), *notices.troubles()]):
                return None
        except Exception:  # one faulty header must not hold up the other games
            return None
        heartbeat.store(home, heart)
    return IdleRun(index, home)


def tell_moderators(
    index: SaveIndex,
    outbox: Outbox,
    now: datetime,
    sender: str,
    *,
    heart: Heartbeat | None = None,
    printed: bool = True,
) -> list[str]:
    """Write to the moderators about what needs them, and return what no email brings: it is to be `printed`.

    Every run over a folder ends with it, as it may be the only one that is scheduled. Raises `OSError`.
    """
    home, needed = outbox.folder.parent, list[str]()
    with suppress(Locked), exclusive_run(home, _BRIEFLY):  # the other run tells them
        if index.partial:
            index = SaveIndex([home, *(path for path in index.paths.values() if path.parent != home)], known=index)
        notices = Notices(home, now)
        items = [*needs(index, heart or heartbeat.load(home), Reach(home), now), *notices.troubles()]
        if notices.due(items):
            headers, strangers = [*index.headers.values()], players_emails(index, home)[1]
            unheard = notices.write(outbox, items, headers, sender, strangers=strangers, printed=printed)
            needed += [f"{need.save.header.name}: {said_of(need, need.save)}" for need in unheard if need.save]
    return needed


@contextmanager
def exclusive_run(folder: Path, patience: float = PATIENCE) -> Iterator[None]:
    """Keep other runs over a folder out. Raises `Locked`."""
    with ExitStack() as held:
        try:
            held.enter_context(lock(folder / "tick.lock", patience))
        except Busy:
            raise Locked("another tick is running in this folder", path=folder) from None
        yield


def any_due(index: SaveIndex, heart: Heartbeat, journal: ReminderJournal | None, reach: Reach, now: datetime) -> bool:
    """Return whether a run has anything to do or to announce. Without a journal, no reminders are sent."""
    if journal is not None and journal.open:
        return True
    for name, save in may_be_due(index, heart, reach, now):
        here, left = here_and_left(index.paths[name])
        if left or game_due(save, heart, reach, now, here):
            return True
        if journal is not None and any(not journal.has(row) for _, row in occasions(save, now, here)):
            return True
    return False


def game_due(save: Save, heart: Heartbeat, reach: Reach, now: datetime, here: Collection[str] = ()) -> bool:
    """Return whether a game has anything to do besides reminders; `here` are the seats at its live table."""
    return has_due_event(save, heart, reach, now) or has_unsent_news(save, now, here)


def has_due_event(save: Save, heart: Heartbeat, reach: Reach, now: datetime) -> bool:
    """Return whether a clock event is due in a game, even if it waits for mail or a beacon's round."""
    return bool(
        beacon_round(save, now)
        or stands(save, heart, reach, now)
        or delegate_expired(save, now)
        or settles(save, now)
        or takes_reserve(save, heart, now)
        or time_up(save, heart, now) is not None
    )


def stands(save: Save, heart: Heartbeat, reach: Reach, now: datetime) -> bool:
    """Return whether the clock is to stop or start, for an outage of ours or a question that hasn't arrived."""
    paused_for = heartbeat.unapplied(save, heart) or heartbeat.mistaken(save, heart)
    return bool(paused_for) or standing(save) is not None or reach.changes(save, now)


def beacon_round(save: Save, now: datetime) -> int:
    """Return the round of a public beacon that a game needs now; 0 if there is none, or it has it."""
    if not save.post.beacon or save.header.over:
        return 0
    named = beacon_of(save.post.beacon).named(now.date())
    return named if named > save.dice.beacon else 0


def delegate_expired(save: Save, now: datetime) -> bool:
    """Return whether a delegate's time is over."""
    return any(over(seat, now) for seat in save.seats)


def over(seat: SeatInfo, now: datetime) -> list[Delegate]:
    """Return the delegates of a seat whose time is over."""
    return [delegate for delegate in seat.delegates if not delegate.plays(now)]


def settles(save: Save, now: datetime) -> bool:
    """Return whether a vote ends, the time to confirm or to stop a new address, or that of a bot."""
    ends = [save.header.vote_at, *(seat.bot_until for seat in save.seats)]
    ends += [seat.told.moving.until for seat in save.seats if seat.told.moving]
    return any(end is not None and end <= now for end in ends)


def is_expired(save: Save, heart: Heartbeat, now: datetime) -> bool:
    """Return whether the deadline has expired, and nobody's email can have been missed."""
    end = time_up(save, heart, now)
    return end is not None and _mail_was_read(save, heart, end, now)


def takes_reserve(save: Save, heart: Heartbeat, now: datetime) -> bool:
    """Return whether a deadline has passed that late players have hours in reserve for."""
    ends = (row.due for row in save.pending if row.due and row.due <= now and reserve_for(save, row))
    return (
        any(_mail_was_read(save, heart, end, now) for end in ends)
        and not (save.header.over or paused(save.clock, now) or heartbeat.unapplied(save, heart))
        and asked(save)
    )


def waits_for_mail(save: Save, heart: Heartbeat, now: datetime) -> bool:
    """Return whether the deadline has expired, but an email that came in time may still be unread."""
    end = time_up(save, heart, now)
    return end is not None and not _mail_was_read(save, heart, end, now)


def time_up(save: Save, heart: Heartbeat, now: datetime) -> datetime | None:
    """Return when the last of the past deadlines expired; None if none has."""
    if save.header.over or paused(save.clock, now) or heartbeat.unapplied(save, heart):
        return None
    ends = (expires_at(save, pending) for pending in save.pending)
    return max((at for at in ends if at is not None and at <= now), default=None)


def _mail_was_read(save: Save, heart: Heartbeat, end: datetime, now: datetime) -> bool:
    return heart.read_since(end, save.header.name) and not heart.down(now, save.clock.outage)


def occasions(save: Save, now: datetime, here: Collection[str] = ()) -> Iterator[tuple[Stage, ReminderKey]]:
    """Yield the stages that are due, each with every address to remind; none of seats that are `here`."""
    for stage in stages(save, now):
        seat = next((seat for seat in save.seats if seat.id == stage.seat), None)
        if seat is None or seat.id in here or seat.reminders == "off" or is_quiet(save, seat, now):
            continue
        playing = [delegate.address for delegate in seat.delegates if delegate.plays(now)]
        for to in dict.fromkeys([*seat.addresses[:1], *playing]):
            yield stage, ReminderKey(save.header.name, save.dice.epoch, stage.q, stage.seat, stage.name, to)


def has_unsent_news(save: Save, now: datetime, here: Collection[str] = ()) -> bool:
    """Return whether news or a digest is due to a seat that isn't at the live table (`here`)."""
    header = save.header
    if header.release_at is not None and header.release_at <= now:
        return True
    reached = [seat for seat in save.seats if seat.addresses and seat.id not in here and not is_quiet(save, seat, now)]
    return header.unsent or any(is_untold(save, seat) or _daily(save, seat, now) for seat in reached)


def _daily(save: Save, seat: SeatInfo, now: datetime) -> bool:
    if seat.seen >= save.header.lines or not seat.told.digest:
        return False
    from pbem.mail.outbox import release

    return release.is_due(seat, now)
