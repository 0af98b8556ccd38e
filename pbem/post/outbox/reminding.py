"""A reminder as a letter: one person, all the games that wait for him, each with its question and its form."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from pbem.clock.policy import LATE, Stage
from pbem.post.outbox.reader import Reader, reader_of
from pbem.post.outbox.shortly import question_of
from pbem.report import brief as short
from pbem.report.cells import wrap
from pbem.save import SeatInfo, Session


class Part(msgspec.Struct, frozen=True):
    """What one game has to say in a person's reminder; `due` is the deadline (ISO 8601), `late` whether it is past.

    `last` is the last line of a letter on it alone.
    """

    game: str
    due: datetime
    text: str
    late: bool = False
    last: str = ""


def part(session: Session, seat: SeatInfo, stage: Stage) -> Part | None:
    """The question open to a seat, for a reminder; None if it owes no answer."""
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
        said += wrap(reader.words("remind.late.grace" if until else "remind.late", **until), short.COLUMNS)
    lines = [f"{save.header.name}:", *short.guarded([*said, "", *shown.slip], shown)]
    return Part(save.header.name, due, "\n".join(lines), late, shown.last)


def whole(reader: Reader, parts: Sequence[Part]) -> tuple[str, str]:
    """Subject and text of the reminder to a person; in one for several games the number says which answer is meant."""
    first = min(parts, key=lambda part: part.due)
    names = ", ".join(dict.fromkeys(part.game for part in parts))
    words, to_all = "remind.subject.late" if first.late else "remind.subject", "remind.head"
    if len(parts) > 1:
        to_all = "remind.head.several"
    subject = reader.words(words, games=names, at=reader.when(first.due))
    head = wrap(reader.words(to_all, count=str(len(parts))), short.COLUMNS)
    last = parts[0].last if len(parts) == 1 else f"== pbem {len(parts)} =="
    blocks = ["\n".join(head), *(part.text for part in parts), *([last] if last else [])]
    return subject, "\n\n".join(blocks) + "\n"
