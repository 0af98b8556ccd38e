"""A reminder as a letter: one person, all the games that wait for him, each with its question and its reply form."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from pbem.clock.policy import LATE, stamp
from pbem.clock.policy import Stage as Due
from pbem.orders import form
from pbem.post.outbox.letters import Own, catalogue
from pbem.post.save_index import code_of
from pbem.report.build import question
from pbem.report.cells import wrap
from pbem.report.letter import PHONE
from pbem.report.text import until
from pbem.report.times import deadline, when
from pbem.save import SeatInfo, Session


class Part(msgspec.Struct, frozen=True):
    """What one game has to say in a person's reminder; `due` is the deadline (ISO 8601), `late` whether it is past.

    `decides`: the moderator is asked what shall happen.
    """

    game: str
    due: str
    text: str
    late: bool = False
    decides: bool = False


def part(session: Session, seat: SeatInfo, stage: Due) -> Part | None:
    """The question open to a seat, for a reminder; None if it owes no answer."""
    pending = next(
        (one for one in session.referee.pending() if one.seat == seat.id and one.q == stage.q), None
    )
    if pending is None or pending.answered:
        return None
    save, say, own = session.save, catalogue(session, seat), Own(session, seat)
    asked, due = question(session.referee, pending, say), stamp(stage.due)
    lines = [f"== {save.header.name}: {session.game.title.get(say.language, session.game.title['en'])} =="]
    lines += wrap(f"{asked.q}. {asked.prompt}", PHONE)
    lines += until(deadline(due, save.clock.zone, seat.zone, say), say, PHONE)
    if stage.name == LATE:
        lines += wrap(own.text("remind.late"), PHONE)
    key = "report.default" if asked.default else "report.no_default"
    lines += wrap(say.text(key, default=asked.default), PHONE)
    code = code_of(save, seat.id, asked.q)
    lines += [
        "",
        form(
            session.referee, seat.id, game=save.header.name, code=code, syntax=say.syntax, word=say.typed
        ).strip("\n"),
    ]
    return Part(save.header.name, due, "\n".join(lines), stage.name == LATE)


def whole(session: Session, seat: SeatInfo, parts: Sequence[Part]) -> tuple[str, str]:
    """Subject and text of the reminder to a person, in the language and zone of `seat`."""
    own, say = Own(session, seat), catalogue(session, seat)
    first = min(parts, key=lambda one: one.due)
    names = ", ".join(dict.fromkeys(one.game for one in parts))
    words, to_all = "remind.subject.late" if first.late else "remind.subject", "remind.head"
    if all(one.decides for one in parts):
        words, to_all = "moderator.ask.subject", "moderator.ask.head"
    subject = own.text(words, games=names, at=when(first.due, seat.zone, say))
    head = wrap(own.text(to_all, count=str(len(parts))), PHONE)
    return subject, "\n\n".join(["\n".join(head), *(one.text for one in parts)]) + "\n"


def moderator(session: Session) -> SeatInfo:
    """The moderator as a reader: his language, and the game's zone."""
    save = session.save
    return SeatInfo("moderator", zone=save.clock.zone, language=save.post.language)


def for_moderator(session: Session, stage: Due) -> Part:
    """What the moderator is asked when time is up and the game's policy leaves it to him: who is late is a secret."""
    name, file = session.save.header.name, session.path.name
    own = Own(session, moderator(session))
    lines = [f"== {name} ==", *wrap(own.text("moderator.ask", q=str(stage.q)), PHONE)]
    for command, what in (
        (f"pbem extend {file} --hours 24 --reason ...", "extend"),
        (f"pbem time-up {file} --reason ...", "time_up"),
        (f"pbem prompts {file} --late", "late"),
    ):
        lines += [f"  {command}", *wrap(own.text(f"moderator.ask.{what}"), PHONE, "      ")]
    return Part(name, stamp(stage.due), "\n".join(lines), decides=True)
