"""What is due in a game, found out from its header alone.

Most ticks find nothing due. They read headers, open no game, and import neither rules nor email code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from math import inf
from pathlib import Path
from typing import Literal

import msgspec

from pbem.atomic_files import append, lines
from pbem.clock import heartbeat
from pbem.clock.beacon import beacon_of
from pbem.clock.heartbeat import Gap, Heartbeat
from pbem.clock.policy import MODERATOR, WAIT, Stage, asked, expires_at, paused, stages
from pbem.file_locks import Busy, lock
from pbem.kernel.order_words import normalize_word
from pbem.kernel.questions import MODERATOR as MODERATOR_SEAT
from pbem.mail.header_cache import is_untold
from pbem.mail.notices import Need, Notices
from pbem.mail.save_index import SaveIndex, home_of
from pbem.mail.scheduler.reaching import Reach, standing
from pbem.save import Delegate, Locked, Pause, PendingInfo, Save, SeatInfo
from pbem.timestamps import stamp

# The journal of reminders: each is recorded before it is sent, so that it is sent once, whenever a run dies.


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


def reminder_id(key: bytes, to: str, rows: Iterable[ReminderKey]) -> str:
    """Return the id of a reminder: the same rows to the same address give the same id.

    It is keyed, so that nobody can name a reminder that they haven't got: a reply to it needs no other proof.
    """
    parts = [to, *sorted(f"{r.game} {r.epoch} {r.q} {r.seat} {r.stage}" for r in rows)]
    return hashlib.blake2b("\0".join(parts).encode(), key=key[:64], digest_size=8).hexdigest()


PATIENCE = 60.0
"""Seconds that a run waits for another one over the same folder."""


class IdleRun(msgspec.Struct):
    """The result of a run without anything due: the headers that it read, and the folder of the outbox."""

    index: SaveIndex
    home: Path


def run_if_idle(saves: list[Path], now: datetime, *, remind: bool = True) -> IdleRun | None:
    """Do a whole run if nothing is due in the saves (files or folders): record that cron ran.

    Returns None, and records nothing, if something is due or may be: then call `tick.tick_games`. Raises `Locked` if
    another run is active and doesn't end.
    """
    home = home_of(saves)
    with exclusive_run(home):
        index = SaveIndex(saves)
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


@contextmanager
def exclusive_run(folder: Path) -> Iterator[None]:
    """Keep other runs over a folder out. Raises `Locked`."""
    with ExitStack() as held:
        try:
            held.enter_context(lock(folder / "tick.lock", PATIENCE))
        except Busy:
            raise Locked("another tick is running in this folder", path=folder) from None
        yield


_LEAST_OUTAGE = "SELECT file FROM (SELECT file FROM saves ORDER BY outage LIMIT 1)"
_MAY_BE_DUE = """SELECT file FROM saves WHERE due <= ? OR asked < ? OR paused > ?
UNION SELECT file FROM marks WHERE mark IN (SELECT value FROM json_each(?))"""


def any_due(
    index: SaveIndex, heart: Heartbeat, journal: ReminderJournal | None, reach: Reach, now: datetime
) -> bool:
    """Return whether a run has anything to do or to announce. Without a journal, no reminders are sent."""
    if journal is not None and journal.open:
        return True
    return any(
        game_due(save, heart, reach, now)
        or (journal is not None and any(not journal.has(row) for _, row in occasions(save, now)))
        for _, save in may_be_due(index, heart, reach, now)
    )


def may_be_due(index: SaveIndex, heart: Heartbeat, reach: Reach, now: datetime) -> Iterator[tuple[str, Save]]:
    """Yield all games in which something is due or the moderator is needed, and perhaps others."""
    hours = min((save.clock.outage for _, save in index.select(_LEAST_OUTAGE)), default=0)
    long = [gap for gap in heart.gaps if gap.length > timedelta(hours=hours)]
    ends = [gap.until for gap in long if gap.length > heart.patience(gap, hours)]
    asked = (
        inf if any(now - end < _LATELY for end in ends) else max(map(datetime.timestamp, ends), default=-inf)
    )
    letters = (*reach.lying, *reach.back)
    games = (*(name.rsplit(".", 3)[0] for name in letters), *(row.game for row in reach.rows))
    marks = {f"={normalize_word(game)}" for game in games} | {f"@{row.to.casefold()}" for row in reach.rows}
    times = now.timestamp(), asked, (now - _LATELY).timestamp()
    return index.select(_MAY_BE_DUE, *times, msgspec.json.encode(sorted(marks)).decode())


def game_due(save: Save, heart: Heartbeat, reach: Reach, now: datetime) -> bool:
    """Return whether a game has anything to do besides reminders."""
    return has_due_event(save, heart, reach, now) or has_unsent_news(save, now)


def has_due_event(save: Save, heart: Heartbeat, reach: Reach, now: datetime) -> bool:
    """Return whether a clock event is due in a game, even if it waits for mail or a beacon's round."""
    return bool(
        beacon_round(save, now)
        or stands(save, heart, reach, now)
        or delegate_expired(save, now)
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


# -- delegates -------------------------------------------------------------------------------------------------------


def delegate_expired(save: Save, now: datetime) -> bool:
    """Return whether a delegate's time is over."""
    return any(seat.delegates and over(seat, now) for seat in save.seats)


def over(seat: SeatInfo, now: datetime) -> list[Delegate]:
    """Return the delegates of a seat whose time is over."""
    return [delegate for delegate in seat.delegates if not delegate.plays(now)]


# -- expired deadlines -----------------------------------------------------------------------------------------------


def is_expired(save: Save, heart: Heartbeat, now: datetime) -> bool:
    """Return whether the deadline has expired, and nobody's email can have been missed."""
    end = time_up(save, heart, now)
    return end is not None and _mail_was_read(save, heart, end, now)


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


# -- reminders -------------------------------------------------------------------------------------------------------


def occasions(save: Save, now: datetime) -> Iterator[tuple[Stage, ReminderKey]]:
    """Yield the stages that are due, each with every address to remind."""
    for stage in stages(save, now):
        for to in _addresses(save, stage, now):
            yield stage, ReminderKey(save.header.name, save.dice.epoch, stage.q, stage.seat, stage.name, to)


def _addresses(save: Save, stage: Stage, now: datetime) -> list[str]:
    seat = next((info for info in save.seats if info.id == stage.seat), None)
    if seat is None:
        return []
    playing = [delegate.address for delegate in seat.delegates if delegate.plays(now)]
    return list(dict.fromkeys([*seat.addresses[:1], *playing]))


# -- what needs the moderator ----------------------------------------------------------------------------------------

_LATELY = timedelta(days=1)
_PATIENT = timedelta(hours=12)
"""How long emails may wait before the moderator is notified."""


def needs(index: SaveIndex, heart: Heartbeat, reach: Reach, now: datetime) -> Iterator[Need]:
    """Yield what needs the moderators, found out from headers alone; of a sealed question no seat is named."""
    for name, save in may_be_due(index, heart, reach, now):
        if not save.header.over:
            yield from _needs(save, index.paths[name].name, heart, reach, now)
    for path, error in index.broken.items():
        yield Need(key=f"broken|{path.name}", words="moderator.broken", args={"what": str(error)})


def _needs(save: Save, file: str, heart: Heartbeat, reach: Reach, now: datetime) -> Iterator[Need]:
    clock, name = save.clock, save.header.name
    extend = (f"pbem clock extend {file} --hours 24 --reason ...", "moderator.ask.extend")
    end = (f"pbem clock expire {file} --reason ...", "moderator.ask.time_up")
    missing, asked = reach.missing(save, now), {pending.letter: pending for pending in save.pending}
    for row in reach.bounces.open_for(save, now, reach.rows):
        # No email can report the moderator's own address; a moderator who plays only reads of lost questions.
        if row.seat != MODERATOR_SEAT and (row.name in asked or not save.post.plays):
            args: dict[str, str | datetime] = {"seat": row.seat, "why": row.why, "address": row.to}
            words = "moderator.bounce.stands" if row.seat in missing else "moderator.bounce"
            address = (
                f"pbem seat replace {file} {row.seat} NEW-ADDRESS --reason ...",
                "moderator.bounce.address",
            )
            commands = (address, end) if row.seat in missing else (address,)
            yield Need(key=f"bounce|{name}|{row.seat}", save=save, words=words, args=args, commands=commands)
    for pending in save.pending[:1]:
        args = {"q": str(pending.q), "game": name}
        key, since = f"{name}|{save.dice.epoch}.{pending.q}", standing(save)
        if since is not None and now - since >= _PATIENT and not all(missing.values()):
            args["since"] = since
            yield Need(
                key=f"unsent|{key}",
                save=save,
                words="moderator.unsent",
                args=args,
                commands=(end,),
                group=f"unsent {save.post.moderator}",  # all games share the mail server
            )
        elif save.header.unasked and pending.since and now - pending.since >= _PATIENT:
            release = (f"pbem mail release {file}", "moderator.held.release")
            yield Need(key=f"held|{key}", save=save, words="moderator.held", args=args, commands=(release,))
        elif stalled(save, pending, now):
            words = "moderator.ask" if clock.time_up.get(pending.pace) == MODERATOR else "moderator.wait"
            shown = (f"pbem questions {file} --unanswered", "moderator.ask.late")
            yield Need(key=f"stall|{key}", save=save, words=words, args=args, commands=(extend, end, shown))
    yield from _outages(
        save, heart, now, (f"pbem clock resume {file} --reason ...", "moderator.far.unpause"), end
    )


def _outages(save: Save, heart: Heartbeat, now: datetime, *commands: tuple[str, str]) -> Iterator[Need]:
    """Yield the outages of late, and those for which the clock of a game stands until the moderator decides."""
    name = save.header.name
    outages = [pause for pause in save.clock.pauses if pause.reason == heartbeat.REASON]
    far = [pause for pause in outages if pause.until is None]
    lately = [pause for pause in outages if pause.until is not None and now - pause.until < _LATELY]
    harmless = heartbeat.harmless(save, heart, now - _LATELY)
    kinds: tuple[tuple[str, Sequence[Pause | Gap], Sequence[tuple[str, str]]], ...] = (
        ("moderator.far", far, commands),
        ("moderator.outage", lately, ()),
        ("moderator.outage.harmless", harmless, ()),
    )
    for words, found, help_ in kinds:
        if found:
            since = min(outage.since for outage in found)
            until = max(outage.until or now for outage in found)
            args: dict[str, str | datetime] = {"game": name, "since": since, "until": until}
            args["hours"] = str(save.clock.outage)
            yield Need(
                key=f"{words}|{name}|{stamp(since)}", save=save, words=words, args=args, commands=help_
            )


def stalled(save: Save, pending: PendingInfo, now: datetime) -> bool:
    """Return whether the deadline of a question has passed, and nothing will happen automatically."""
    policy = save.clock.time_up.get(pending.pace, WAIT)
    if policy not in (WAIT, MODERATOR) or pending.seat == MODERATOR_SEAT:
        return False
    return pending.due is not None and pending.due <= now and asked(save) and not paused(save.clock, now)


# -- emails ----------------------------------------------------------------------------------------------------------


def has_unsent_news(save: Save, now: datetime) -> bool:
    """Return whether something processed isn't announced, or news waits for a digest whose hour has come."""
    header = save.header
    if header.release_at is not None and header.release_at <= now:
        return True
    reached = [seat for seat in save.seats if seat.addresses]
    return header.unsent or any(is_untold(save, seat) or _daily(save, seat, now) for seat in reached)


def _daily(save: Save, seat: SeatInfo, now: datetime) -> bool:
    """Return whether the hour of a seat's digest has come, and there is news for it."""
    if seat.seen >= save.header.lines or not seat.told.digest:
        return False
    from pbem.mail.outbox import release

    return release.is_due(seat, now)
