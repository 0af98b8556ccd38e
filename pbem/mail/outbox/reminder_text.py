"""A reminder as an email: one person, all games that wait for them, each with its question and form."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from pbem.clock.policy import LATE, Stage
from pbem.mail.outbox.recipient import Recipient, reader_of
from pbem.mail.outbox.short_email import question_of
from pbem.report import short_email as short
from pbem.report.text_width import wrap
from pbem.save import SeatInfo, Session


class ReminderSection(msgspec.Struct, frozen=True):
    """The part of one game in a person's reminder; `due` is the deadline (ISO 8601), `late` whether it has passed.

    `last` is the last line of an email about this game alone.
    """

    game: str
    due: datetime
    text: str
    late: bool = False
    last: str = ""


def part(session: Session, seat: SeatInfo, stage: Stage) -> ReminderSection | None:
    """Return the reminder of a seat's open question; None if it owes no answer."""
    referee, save = session.referee, session.save
    pending = referee.pending_to(seat.id)
    if pending is None or pending.q != stage.q or pending.answered:
        return None
    reader = reader_of(session, seat)
    late, due = stage.name == LATE, stage.due
    shown = question_of(session, reader)
    assert shown.asked is not None
    shown.due = due
    said = short.question(shown.asked, shown, reader.say)
    if late:
        until = {"at": reader.when(shown.last_due)} if shown.last_due else {}
        said += wrap(
            reader.words("reminder.late.grace" if until else "reminder.late", **until), short.COLUMNS
        )
    lines = [f"{save.header.name}:", *short.mark_non_answers([*said, "", *shown.slip], shown)]
    return ReminderSection(save.header.name, due, "\n".join(lines), late, shown.last)


def whole(reader: Recipient, parts: Sequence[ReminderSection]) -> tuple[str, str]:
    """Return subject and text of a person's reminder; for several games, a number says which answer is meant."""
    first = min(parts, key=lambda part: part.due)
    names = ", ".join(dict.fromkeys(part.game for part in parts))
    words, to_all = "reminder.subject.late" if first.late else "reminder.subject", "reminder.head"
    if len(parts) > 1:
        to_all = "reminder.head.several"
    subject = reader.words(words, games=names, at=reader.when(first.due))
    head = wrap(reader.words(to_all, count=str(len(parts))), short.COLUMNS)
    last = parts[0].last if len(parts) == 1 else f"== pbem {len(parts)} =="
    blocks = ["\n".join(head), *(part.text for part in parts), *([last] if last else [])]
    return subject, "\n\n".join(blocks) + "\n"
