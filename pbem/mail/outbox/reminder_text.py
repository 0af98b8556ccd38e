"""A reminder as an email: the question again, with its form and buttons; one person, all games that wait for them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from pbem.clock.policy import LATE, Stage
from pbem.mail.outbox.recipient import Recipient, as_page, as_text, reader_of
from pbem.mail.outbox.short_email import question_of
from pbem.report import short_email as short
from pbem.report.email_text import EmailText
from pbem.report.short_email import EmailSection, ShortEmail
from pbem.report.short_email_html import body_of, page_around, page_of
from pbem.report.text_width import COLUMNS
from pbem.report.times import short_time
from pbem.save import SeatInfo, Session

_HOUR = timedelta(hours=1)


class ReminderSection(msgspec.Struct, frozen=True):
    """The part of one game in a person's reminder: its question as an email, its deadline, whether that has passed."""

    game: str
    due: datetime
    shown: ShortEmail
    reader: Recipient
    late: bool = False


def part(session: Session, seat: SeatInfo, stage: Stage, now: datetime, sender: str = "") -> ReminderSection | None:
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


def whole(parts: Sequence[ReminderSection]) -> EmailText:
    """Return a person's reminder; for several games, each answer is told by its tag."""
    first = min(parts, key=lambda part: part.due)
    if len(parts) == 1:
        return EmailText(
            short.subject_of(first.shown, first.reader.say),
            short.text_of(first.shown, first.reader.say),
            page_of(first.shown, first.reader.say),
        )
    reader, count = first.reader, str(len(parts))
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
