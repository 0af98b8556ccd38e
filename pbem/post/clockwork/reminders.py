"""Reminders: a stage of a deadline → what it says to whom → one letter a person, over all games.

A letter is written down in the journal, then put into the outbox, then noted as done, so that it goes out once.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from pbem.clock.policy import LATE, Stage
from pbem.moments import stamp
from pbem.post.clockwork.due import JournalLine, Occasion, ReminderJournal, occasions, reminder_id
from pbem.post.clockwork.run import Run
from pbem.post.inbox.intake import Taking
from pbem.post.outbox import reminding
from pbem.post.outbox.calendars import Event, again, calendar
from pbem.post.outbox.message import Outgoing, host_of, to_bytes
from pbem.post.outbox.reader import reader_of
from pbem.save import SaveError, SeatInfo, Session, locked


class Addressed(msgspec.Struct):
    """A part of somebody's reminder: what it is for, the seat, the words, the entry in his calendar."""

    occasion: Occasion
    path: Path
    seat: SeatInfo
    part: reminding.Part
    event: Event | None = None


def send(run: Run, journal: ReminderJournal, *, reading: bool = False) -> int:
    """Write what is due; returns how many letters. `reading`: only in games of which mail was read in this run."""
    for line in list(journal.open.values()):  # written down by a run that died
        if run.outbox.has(line.file):
            journal.write(JournalLine("done", line.id))
    names = [save.header.name for save, _ in run.games()]
    unread = [name for name in names if reading and not run.heart.read_since(run.now, name)]
    found, skipped = due(run, journal, unread)
    if skipped:
        journal.write(JournalLine("skip", at=stamp(run.now), rows=skipped))
    people: dict[str, list[Addressed]] = {}
    for addressed in found:
        people.setdefault(addressed.occasion.to.casefold(), []).append(addressed)
    count = 0
    for _, parts in sorted(people.items()):
        with run.contained(parts[0].path):
            _send(run, journal, parts)
            count += 1
    for line in list(journal.open.values()):
        if not any(row.game in unread for row in line.rows):  # nobody is owed it any more
            journal.write(JournalLine("void", line.id))
    return count


def due(
    run: Run, journal: ReminderJournal, but: Collection[str] = ()
) -> tuple[list[Addressed], list[Occasion]]:
    """What is to be said to whom, and occasions on which nothing is to be said."""
    found: list[Addressed] = []
    skipped: list[Occasion] = []
    for save, path in run.games():
        if save.header.name in but:
            continue
        wanted = [occasion for occasion in occasions(save, run.now) if not journal.has(occasion[1])]
        with run.contained(path):
            if wanted:
                with run.opened(path) as session:
                    said = [
                        (occasion, _addressed(run, session, stage, occasion)) for stage, occasion in wanted
                    ]
                found += [part for _, part in said if part is not None]
                skipped += [occasion for occasion, part in said if part is None]
    return found, skipped


def _addressed(run: Run, session: Session, stage: Stage, occasion: Occasion) -> Addressed | None:
    save = session.save
    seat = save.seat(stage.seat)
    part = reminding.part(session, seat, stage)
    event = None if stage.name == LATE else again(session, seat, run.sender(save), run.now)
    return Addressed(occasion, session.path, seat, part, event) if part is not None else None


def _send(run: Run, journal: ReminderJournal, parts: Sequence[Addressed]) -> None:
    """Write one person's reminder down, then put it into the outbox, then note that."""
    first, rows = parts[0], [addressed.occasion for addressed in parts]
    to = first.occasion.to
    ident = reminder_id(to, rows)
    with run.opened(first.path) as session:
        letter = _letter(run, session, to, ident, parts)
    file = f"reminder.{ident}"
    content = to_bytes(letter)
    if ident not in journal.open:  # else a run that died has written it down
        journal.write(JournalLine("write", ident, stamp(run.now), to, file, rows))
    run.outbox.put(file, content)
    journal.write(JournalLine("done", ident))


class Waiting:
    """Reminders that lie in the outbox: which say what holds no longer when they are to leave."""

    def __init__(self, taking: Taking) -> None:
        self.taking = taking
        self.journal: ReminderJournal | None = None

    def outdated(self, name: str) -> bool:
        """Whether a file of the outbox is such a reminder. What is still due of it is then written anew."""
        kind, _, ident = name.partition(".")
        if kind != "reminder":
            return False
        self.journal = self.journal or ReminderJournal(self.taking.home)
        line, now = self.journal.written.get(ident), self.taking.games.now
        if line is None or line.at == stamp(now):
            return False
        if line.do == "write":
            if all(self._holds(row, now) for row in line.rows):
                return False
            self.journal.write(JournalLine("void", ident, stamp(now), rows=line.rows))
        return True

    def _holds(self, row: Occasion, now: datetime) -> bool:
        index = self.taking.index
        save = index.find(row.game)
        if save is None:
            return True
        stage = next((stage for stage, occasion in occasions(save, now) if occasion == row), None)
        if stage is None:
            return False
        with suppress(SaveError), locked(path := index.path(row.game)):
            asked = self.taking.games.session(path).referee.pending()
            return any(
                pending.q == row.q and pending.seat == row.seat and not pending.answered for pending in asked
            )
        return True


def _letter(run: Run, session: Session, to: str, ident: str, parts: Sequence[Addressed]) -> Outgoing:
    reader = reader_of(session, parts[0].seat)
    subject, text = reminding.whole(reader, [addressed.part for addressed in parts])
    home, events = (
        run.sender(session.save),
        [addressed.event for addressed in parts if addressed.event is not None],
    )
    return Outgoing(
        ident=f"reminder.{ident}@{host_of(home)}",
        sender=home,
        to=to,
        subject=subject,
        text=text,
        at=run.now,
        name="pbem",
        calendar=calendar(*events) if events else "",
    )
