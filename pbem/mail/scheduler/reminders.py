"""Reminders: a stage of a deadline → the text for each recipient → one email a person, over all games.

An email is recorded in the journal, then put into the outbox, then recorded as done, so that it is sent once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import msgspec

from pbem.clock.policy import LATE, Stage
from pbem.mail.inbox.inbox_run import GameBatches
from pbem.mail.outbox.calendar import CalendarEvent, again, calendar
from pbem.mail.outbox.mime_message import email_id, host_of, to_bytes
from pbem.mail.outbox.recipient import Recipient, as_page, as_text, reader_of
from pbem.mail.outbox.short_email import question_of
from pbem.mail.presence import at_table
from pbem.mail.save_index import code_key
from pbem.mail.scheduler.due import JournalLine, ReminderJournal, ReminderKey, occasions, reminder_id
from pbem.mail.scheduler.tick_run import TickRun
from pbem.report import short_email as short
from pbem.report.email_text import EmailText
from pbem.report.short_email import EmailSection, ShortEmail
from pbem.report.short_email_html import body_of, page_around, page_of
from pbem.report.text_width import COLUMNS
from pbem.report.times import short_time
from pbem.save import OutboxEntry, Save, SaveError, SeatInfo, Session, locked
from pbem.timestamps import stamp

_HOUR = timedelta(hours=1)


class RecipientReminder(msgspec.Struct):
    """A part of a person's reminder. `question` is the Message-ID of the email that asked."""

    occasion: ReminderKey
    path: Path
    seat: SeatInfo
    part: ReminderSection
    event: CalendarEvent | None = None
    question: str = ""


def send(run: TickRun, journal: ReminderJournal, *, reading: bool = False) -> int:
    """Write the due reminders; return how many. `reading`: only in games of which mail was read in this run."""
    for line in list(journal.open.values()):  # recorded by a run that died
        if run.outbox.has(line.file):
            journal.write(JournalLine("done", line.id))

    def unread(game: str) -> bool:
        return reading and run.index.find(game) is not None and not run.heart.read_since(run.now, game)

    reminders, skipped = due(run, journal, unread)
    if skipped:
        journal.write(JournalLine("skip", at=stamp(run.now), rows=skipped))
    people: dict[str, list[RecipientReminder]] = {}
    for addressed in reminders:
        people.setdefault(addressed.occasion.to.casefold(), []).append(addressed)
    count = 0
    for _, parts in sorted(people.items()):
        with run.contained(parts[0].path):
            _send(run, journal, parts)
            count += 1
    for line in list(journal.open.values()):
        if not any(unread(row.game) for row in line.rows):  # nobody needs it now
            journal.write(JournalLine("void", line.id))
    return count


def due(
    run: TickRun, journal: ReminderJournal, unread: Callable[[str], bool] = lambda game: False
) -> tuple[list[RecipientReminder], list[ReminderKey]]:
    """Return the parts for each recipient, and the occasions that need no reminder."""
    reminders: list[RecipientReminder] = []
    skipped: list[ReminderKey] = []
    for save, path in run.games():
        if unread(save.header.name):
            continue
        now_due = occasions(save, run.now, at_table(path))
        wanted = [occasion for occasion in now_due if not journal.has(occasion[1])]
        with run.contained(path):
            if wanted:
                with run.opened(path) as session:
                    parts = [(occasion, _addressed(run, session, stage, occasion)) for stage, occasion in wanted]
                reminders += [part for _, part in parts if part is not None]
                skipped += [occasion for occasion, part in parts if part is None]
    return reminders, skipped


def preview(run: TickRun, journal: ReminderJournal) -> Iterator[ReminderKey]:
    """Yield the occasions of which `due` makes reminders; opens only games in which somebody has answered."""
    for save, path in run.games():
        wanted = [occasion for occasion in occasions(save, run.now) if not journal.has(occasion[1])]
        with run.contained(path):
            if wanted and len(save.pending) > 1 and _has_answers(path):
                with run.opened(path) as session:
                    parts = [_addressed(run, session, stage, row) for stage, row in wanted]
                yield from (part.occasion for part in parts if part is not None)
            else:
                yield from (row for _, row in wanted)


def _has_answers(path: Path) -> bool:
    """Return whether a save holds answers to its open question: those of an `AskAll`, or acts of a negotiation."""
    text = b""
    with path.open("rb") as stream:
        while b"\n[[moves]]" not in text and (more := stream.read(1 << 16)):
            text += more
    body = text.partition(b"\n[[moves]]")[0]
    return b"\n[[sealed]]" in body or b"\n[[talk]]" in body


def _addressed(run: TickRun, session: Session, stage: Stage, occasion: ReminderKey) -> RecipientReminder | None:
    save = session.save
    seat = save.seat(stage.seat)
    home = run.sender(save)
    part = section_for(session, seat, stage, run.now, home)
    if part is None:
        return None
    event = None if stage.name == LATE else again(session, seat, home, run.now)
    return RecipientReminder(occasion, session.path, seat, part, event, _question(save, seat, home))


def _question(save: Save, seat: SeatInfo, home: str) -> str:
    names = (pending.letter for pending in save.pending if pending.seat == seat.id and pending.letter)
    number = next((name.split(".")[-2] for name in names if name.count(".") >= 3), "")
    if not number.isdigit():
        return ""
    ident = email_id(save.header.name, seat.id, int(number), code_key(save), host_of(home))
    return f"<{ident}>"


def _send(run: TickRun, journal: ReminderJournal, parts: Sequence[RecipientReminder]) -> None:
    first, rows = parts[0], [addressed.occasion for addressed in parts]
    to = first.occasion.to
    with run.opened(first.path) as session:
        ident = reminder_id(to, rows)
        email = _entry(run, session, to, f"{ident}.{reminder_id(to, rows, code_key(session.save))}", parts)
        name = f"pbem {session.save.header.name}" if len(parts) == 1 else "pbem"
    file = f"reminder.{ident}"
    content = to_bytes(email, name)
    if ident not in journal.open:  # else a run that died has recorded it
        journal.write(JournalLine("write", ident, stamp(run.now), to, file, rows))
    run.outbox.put(file, content)
    journal.write(JournalLine("done", ident))


class QueuedReminders:
    """The reminders in the outbox, to find those that are outdated before they are sent."""

    def __init__(self, taking: GameBatches) -> None:
        self.taking = taking
        self.journal: ReminderJournal | None = None

    def outdated(self, name: str) -> bool:
        """Return whether a file of the outbox is an outdated reminder; its valid part is then written again."""
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

    def _holds(self, row: ReminderKey, now: datetime) -> bool:
        index = self.taking.index
        save = index.find(row.game)
        if save is None:
            return True
        stage = next((stage for stage, occasion in occasions(save, now) if occasion == row), None)
        if stage is None:
            return False
        with suppress(SaveError), locked(path := index.path(row.game)):
            asked = self.taking.games.session(path).referee.pending()
            return any(pending.q == row.q and pending.seat == row.seat and not pending.answered for pending in asked)
        return True


def _entry(run: TickRun, session: Session, to: str, ident: str, parts: Sequence[RecipientReminder]) -> OutboxEntry:
    text = reminder_email([addressed.part for addressed in parts])
    home, events = run.sender(session.save), [addressed.event for addressed in parts if addressed.event is not None]
    return OutboxEntry(
        ident,
        "",
        to,
        text.subject,
        body=text.text,
        html=text.html,
        at=run.now,
        sender=home,
        message_id=f"<reminder.{ident}@{host_of(home)}>",
        thread=[addressed.question for addressed in parts if addressed.question],
        calendar=calendar(*events) if events else "",
    )


class ReminderSection(msgspec.Struct, frozen=True):
    """The part of one game in a person's reminder: its question as an email, its deadline, whether that has passed."""

    game: str
    due: datetime
    shown: ShortEmail
    reader: Recipient
    late: bool = False


def section_for(
    session: Session, seat: SeatInfo, stage: Stage, now: datetime, sender: str = ""
) -> ReminderSection | None:
    """Return the reminder of a seat's open question; None if it owes no answer."""
    referee, save = session.referee, session.save
    pending = referee.pending_to(seat.id)
    if pending is None or pending.q != stage.q or pending.answered:
        return None
    reader = reader_of(session, seat)
    late, due, say = stage.name == LATE, stage.due, reader.say
    shown = question_of(session, reader, sender)
    assert shown.asked is not None
    shown.due, shown.legend = due, ""
    head = [reader.words("reminder.head")]
    if late:
        until = {"at": reader.when(shown.last_due)} if shown.last_due else {}
        head.append(reader.words("reminder.late.grace" if until else "reminder.late", **until))
        last = short_time(shown.last_due, seat.zone, say, "day") if shown.last_due else ""
        when = reader.words("reminder.overdue.grace" if last else "reminder.overdue", at=last)
    else:
        hours = str(max((due - now) // _HOUR, 0))
        when = reader.words("reminder.left", hours=hours, at=short_time(due, seat.zone, say, "day"))
    words = " ".join(head)
    shown.alerts.insert(0, EmailSection(as_text(words, COLUMNS), as_page(words)))
    room = max(short.SUBJECT - len(save.header.name) - len(when) - 6, 12)
    shown.subject = f"{short.shortened(shown.asked.title, room)} – {when}"
    return ReminderSection(save.header.name, due, shown, reader, late)


def reminder_email(parts: Sequence[ReminderSection]) -> EmailText:
    """Return a person's reminder; in one for several games, tags tell the answers apart."""
    first, count = min(parts, key=lambda part: part.due), str(len(parts))
    reader, shown = first.reader, first.shown
    if len(parts) == 1:
        text = short.text_of(shown, reader.say, short.MOST)
        return EmailText(short.subject_of(shown, reader.say), text, page_of(shown, reader.say))
    names = ", ".join(dict.fromkeys(part.game for part in parts))
    words = "reminder.subject.late" if first.late else "reminder.subject"
    subject = reader.words(words, games=names, count=count, at=reader.when(first.due))
    head = reader.words("reminder.head.several", count=count)
    last = f"== pbem {count} =="
    texts, pages = [as_text(head, COLUMNS)], [as_page(head)]
    for section in parts:
        section.shown.last = ""
        texts.append(f"{section.game}:\n{short.text_of(section.shown, section.reader.say)}".rstrip("\n"))
        pages.append(f"<h2>{section.game}:</h2>{body_of(section.shown, section.reader.say)}")
    page = page_around("\n".join([*pages, f"<div>{last}</div>"]), subject, reader.say.language)
    return EmailText(subject, "\n\n".join([*texts, last]) + "\n", page)
