"""What time alone brings about: outages, time that is up, reminders, letters held back until now. For cron.

Reads headers; a save is opened only if something in it is due. One tick at a time: the folder is locked. Every step may
be the last one of a run that dies, and the next run goes on from there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import msgspec

import games
from pbem.clock import heartbeat, outage
from pbem.clock.heartbeat import Heartbeat
from pbem.clock.policy import ASK, LATE, Stage, announce, bites, moment, paused, stages, stamp
from pbem.orders import sweep
from pbem.post.deadlines import set_due
from pbem.post.inbox.intake import Intake, home_of
from pbem.post.inbox.outcomes import IngestReport
from pbem.post.outbox import digest
from pbem.post.outbox.addressing import sender_of
from pbem.post.outbox.calendars import again
from pbem.post.outbox.drafts import add_words
from pbem.post.outbox.farewell import farewell_delegate
from pbem.post.outbox.ical import Event, calendar
from pbem.post.outbox.message import Outgoing, host_of, to_bytes
from pbem.post.outbox.reader import moderator, reader_of
from pbem.post.outbox.reminders import Entry, Journal, Row, reminder_id
from pbem.report.build import default_text
from pbem.report.cells import wrap
from pbem.save import Locked, Save, SaveError, SeatInfo, Session, locked
from pbem.save.session import Loader


class Ticked(msgspec.Struct):
    """What a tick did: games looked at and opened, reminders sent, questions whose time was up, outages told of.

    `moderator` are sentences for the moderator, `letters` what was sent besides reminders. Nothing here tells who has
    answered what is sealed.
    """

    games: int = 0
    opened: int = 0
    reminders: int = 0
    time_up: list[str] = []
    outages: list[str] = []
    moderator: list[str] = []
    letters: IngestReport = msgspec.field(default_factory=IngestReport)


class Addressed(msgspec.Struct):
    """A part of somebody's reminder: the row it settles, the seat it is for, the words, the entry in his calendar."""

    row: Row
    path: Path
    seat: SeatInfo
    to: str
    part: digest.Part
    event: Event | None = None


def tick(
    saves: Sequence[Path],
    *,
    now: datetime,
    sender: str = "",
    home: Path | None = None,
    game: Loader = games.load,
    remind: bool = True,
) -> Ticked:
    """One tick over the saves (files or folders). Raises `Locked` if another one is running."""
    folder = home or home_of(saves)
    with _alone(folder):
        return _Tick(Intake(saves, now=now, sender=sender, home=folder, game=game), remind).run()


def due_reminders(
    saves: Sequence[Path], *, now: datetime, home: Path | None = None, game: Loader = games.load
) -> list[Row]:
    """The reminders that a tick would send now. Changes nothing."""
    folder = home or home_of(saves)
    found, _ = _Tick(Intake(saves, now=now, home=folder, game=game), True).due(Journal(folder))
    return [one.row for one in found]


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    import filelock

    lock = filelock.FileLock(str(folder / "tick.lock"))
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        raise Locked("another tick is at work in this folder", path=folder) from None
    try:
        yield
    finally:
        lock.release()


class _Tick:
    """One tick. `intake` has the saves, their sessions and the outbox."""

    def __init__(self, intake: Intake, remind: bool) -> None:
        self.intake = intake
        self.now = intake.now
        self.remind = remind
        self.out = Ticked()
        self.heart = Heartbeat()

    def run(self) -> Ticked:
        self.heart = heartbeat.beat(self.intake.home, heartbeat.TICK, self.now)
        index = self.intake.index
        self.out.games = len(index.paths)
        self._tell_moderators()
        for name, path in list(index.paths.items()):
            try:
                self._game(index.headers[name], path)
            except SaveError as error:
                self.intake.report.broken[str(path)] = str(error)
        if self.remind:
            self._remind()
        self.out.letters = self.intake.finish()
        self.out.opened = len(self.intake.opened)
        return self.out

    # -- one game ----------------------------------------------------------------------------------------------------

    def _game(self, save: Save, path: Path) -> None:
        gaps = outage.unapplied(save, self.heart)
        if gaps:
            with locked(path):
                self._stand_still(self.intake.session(path))
            save = self.intake.index.headers[self.intake.index.name(path)]
        if ends := [
            one
            for seat in save.seats
            for one in seat.delegates
            if one.until and moment(one.until) <= self.now
        ]:
            with locked(path):
                self._end_delegates(self.intake.session(path), {one.address for one in ends})
        if self._is_up(save):
            with locked(path):
                self._time_up(self.intake.session(path))

    def _stand_still(self, session: Session) -> None:
        """Let the clock stand for every gap, and tell everybody once."""
        save = session.save
        gaps = outage.unapplied(save, self.heart)
        if not gaps:
            return
        outage.stand_still(save, gaps)
        announce(save)
        since, until = min(gap.since for gap in gaps), max(gap.until for gap in gaps)
        for seat in save.seats:
            reader = reader_of(session, seat)
            args = {"since": reader.when(since), "until": reader.when(until)}
            add_words(session, seat, "outage", f"outage.{until}", stamp(self.now), **args)
        said = f"{save.header.name}: no deadline counted from {since} to {until} (outage); everybody is told"
        self._store(session)
        self.out.outages.append(said)

    def _tell_moderators(self) -> None:
        """One letter on an outage to each moderator, whatever number of games; before any game has noted it.

        Its name follows from the last gap, so that the rest of a run that died does not write it again.
        """
        index, last = self.intake.index, max((gap.until for gap in self.heart.gaps), default="")
        games: dict[str, list[str]] = {}
        for name, save in index.headers.items():
            if save.post.moderator and outage.unapplied(save, self.heart):
                for to in save.post.moderator:
                    games.setdefault(to, []).append(name)
        for to, names in games.items():
            ident = hashlib.sha256(f"outage.{last} {to}".encode()).hexdigest()[:16]
            if self.intake.outbox.has(f"notice.{ident}"):
                continue
            try:
                with locked(index.paths[names[0]]):
                    session = self.intake.session(index.paths[names[0]])
            except SaveError:
                continue  # told below, where the game is dealt with
            self._write_moderator(session, to, ident, [index.headers[one].header.name for one in names])

    def _write_moderator(self, session: Session, to: str, ident: str, names: list[str]) -> None:
        save, reader = session.save, reader_of(session, moderator(session))
        gaps, home = outage.unapplied(save, self.heart), sender_of(save, self.intake.sender)
        times = {
            "since": reader.when(min(gap.since for gap in gaps)),
            "until": reader.when(max(gap.until for gap in gaps)),
        }
        text = reader.words("moderator.outage", game=reader.say.join(names), **times)
        letter = Outgoing(
            ident=f"notice.{ident}@{host_of(home)}",
            sender=home,
            to=to,
            subject=reader.words("moderator.outage.subject", game=reader.say.join(names)),
            text="\n".join(wrap(text, 72)) + "\n",
            at=stamp(self.now),
            name="pbem",
        )
        self.intake.outbox.put(f"notice.{ident}", to_bytes(letter))

    def _end_delegates(self, session: Session, addresses: set[str]) -> None:
        for seat in session.save.seats:
            gone = [
                one for one in seat.delegates if one.address in addresses and moment(one.until) <= self.now
            ]
            if gone:
                for one in gone:
                    farewell_delegate(session, seat, one, stamp(self.now))
                seat.delegates = [one for one in seat.delegates if one not in gone]
                add_words(session, seat, "delegate.ended", f"delegate.{gone[0].until}", stamp(self.now))
        self._store(session)

    def _store(self, session: Session) -> None:
        session.save.header.unsent = True
        set_due(session, self.now)
        session.commit(stamp(self.now))
        self.intake.index.know(session.save)

    # -- time is up --------------------------------------------------------------------------------------------------

    def _is_up(self, save: Save) -> bool:
        """Whether time is up for good, and nobody's letter can have been missed. From the header alone."""
        if save.header.over or paused(save.clock, self.now) or outage.unapplied(save, self.heart):
            return False
        ends = [at for one in save.pending if (at := bites(save, one)) is not None and at <= self.now]
        if not ends:
            return False
        if not self.heart.read_since(max(ends)) or self.heart.down(self.now, save.clock.outage):
            read = self.heart.read or "never"
            self.out.moderator.append(
                f"{save.header.name}: time is up, but mail was last read {read}: nothing is done"
            )
            return False
        return True

    def _time_up(self, session: Session) -> None:
        if not self._is_up(session.save):
            return
        done, stuck = time_up(session, self.now)
        name = session.save.header.name
        self.out.time_up += [f"{name}: question {q}: time ran out" for q in done]
        self.out.moderator += [
            f"{name}: question {session.referee.q} has no default: it is yours" for _ in stuck[:1]
        ]
        if done:
            self._store(session)

    # -- reminders ---------------------------------------------------------------------------------------------------

    def _remind(self) -> None:
        journal = Journal(self.intake.home)
        for entry in list(journal.open.values()):  # written down by a run that died
            there = self.intake.outbox.has(entry.file)
            journal.write(Entry("done" if there else "void", entry.id))
        found, skipped = self.due(journal)
        if skipped:
            journal.write(Entry("skip", at=stamp(self.now), rows=skipped))
        people: dict[str, list[Addressed]] = {}
        for one in found:
            people.setdefault(one.to.casefold(), []).append(one)
        for mine in people.values():
            self._send(journal, mine)

    def due(self, journal: Journal) -> tuple[list[Addressed], list[Row]]:
        """What is to be said to whom, and rows of which nothing is to be said."""
        found: list[Addressed] = []
        skipped: list[Row] = []
        index = self.intake.index
        for name, save in list(index.headers.items()):
            for stage in stages(save, self.now):
                for to in _addresses(save, stage):
                    row = Row(save.header.name, save.dice.epoch, stage.q, stage.seat, stage.name, to)
                    if journal.has(row):
                        continue
                    try:
                        said = self._addressed(index.paths[name], stage, row)
                    except SaveError as error:
                        self.intake.report.broken[str(index.paths[name])] = str(error)
                        continue
                    found += [said] if said else []
                    skipped += [] if said else [row]
        return found, skipped

    def _addressed(self, path: Path, stage: Stage, row: Row) -> Addressed | None:
        with locked(path):
            session = self.intake.session(path)
        save = session.save
        if stage.name != ASK:
            seat = save.seat(stage.seat)
            part = digest.part(session, seat, stage)
            home = sender_of(save, self.intake.sender)
            event = None if stage.name == LATE else again(session, seat, home, stamp(self.now))
            return Addressed(row, path, seat, row.to, part, event) if part is not None else None
        if all(one.answered for one in session.referee.pending() if one.q == stage.q):
            return None
        said = f"{save.header.name}: the time for question {stage.q} is up: it is yours to decide"
        self.out.moderator.append(said)
        part = digest.for_moderator(session, stage)
        return Addressed(row, path, moderator(session), row.to, part) if row.to else None

    def _send(self, journal: Journal, mine: list[Addressed]) -> None:
        """Write one person's reminder down, then put it into the outbox, then note that."""
        first = mine[0]
        rows = [one.row for one in mine]
        ident = reminder_id(first.to, rows)
        with locked(first.path):
            session = self.intake.session(first.path)
        subject, text = digest.whole(reader_of(session, first.seat), [one.part for one in mine])
        home = sender_of(session.save, self.intake.sender)
        events = [one.event for one in mine if one.event is not None]
        letter = Outgoing(
            ident=f"reminder.{ident}@{host_of(home)}",
            sender=home,
            to=first.to,
            subject=subject,
            text=text,
            at=stamp(self.now),
            name="pbem",
            calendar=calendar(*events) if events else "",
        )
        file = f"reminder.{ident}"
        content = to_bytes(letter)
        journal.write(Entry("write", ident, stamp(self.now), first.to, file, rows))
        self.intake.outbox.put(file, content)
        journal.write(Entry("done", ident))
        self.out.reminders += 1


def _addresses(save: Save, stage: Stage) -> list[str]:
    """Who is to hear of a stage: the seat and whoever plays for it; of a question left to the moderator, he, once."""
    if stage.name == ASK:
        return (save.post.moderator or [""]) if stage.seat == save.pending[0].seat else []
    seat = next((one for one in save.seats if one.id == stage.seat), None)
    if seat is None:
        return []
    return list(dict.fromkeys([*seat.addresses[:1], *(one.address for one in seat.delegates)]))


def time_up(session: Session, now: datetime) -> tuple[list[int], tuple[str, ...]]:
    """Give every missing seat its default; changes memory only. Returns the questions, and seats without a default."""
    referee, q = session.referee, session.referee.q
    lost = []
    for one in referee.pending():
        seat = next((s for s in session.save.seats if s.id == one.seat), None)
        if seat is not None and not one.answered and referee.talk is None:
            lost.append((seat, one, default_text(referee.domain(one.seat), one)))
    before = referee.n, len(referee.sealed), q
    stuck = referee.time_up(stamp(now))
    sweep(referee)
    for seat, one, answer in lost:
        if seat.id not in stuck:
            add_words(
                session,
                seat,
                "time.up",
                f"time.{one.q}",
                stamp(now),
                q=str(one.q),
                answer=reader_of(session, seat).say.faced(answer),
            )
    return ([q] if before != (referee.n, len(referee.sealed), referee.q) else []), stuck
