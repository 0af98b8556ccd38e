"""What a seat asks to read, and how it wants its letters: `send state`, `help`, `letters full`, `attach view`.

Asking changes nothing in the game; what is sent follows from what the seat may see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from pbem.orders.receipt import Receipt
from pbem.orders.reply import form
from pbem.post.outbox.composing import below, report_of
from pbem.post.outbox.drafts import is_seat
from pbem.post.outbox.invitation import opening_of
from pbem.post.outbox.news import told_from
from pbem.post.outbox.reader import Reader
from pbem.post.outbox.shortly import question_of
from pbem.post.save_index import code_of
from pbem.report import brief as short
from pbem.report.brief_page import page_of
from pbem.report.build import told
from pbem.report.cells import wrap
from pbem.report.letter import (
    PHONE,
    LetterText,
    cards_text,
    opening_text,
    position_text,
    possible_text,
)
from pbem.report.sheet import sheet_text
from pbem.report.text import bullets
from pbem.save import Draft, Save, SeatInfo, Session

VIEW = "view"
"""The setting `attach` of a seat that wants its view file with each letter."""
LOG = 200
"""Lines of the narration that `send log` sends: the last ones."""


def take_wishes(session: Session, receipt: Receipt, key: str, at: datetime) -> None:
    """Keep what a block wants to read for letters of their own, and set how the seat wants its letters."""
    save = session.save
    if not receipt.wishes or not is_seat(save, receipt.seat):
        return
    seat = save.seat(receipt.seat)
    for wish in dict.fromkeys(receipt.wishes):
        what, _, value = wish.partition(" ")
        if what == "letters":
            seat.letters = "" if value == "short" else value
        elif what == "attach":
            seat.attach = "" if value == "map" else value
        else:
            add_wish(save, seat, wish, key, at)


def add_wish(save: Save, seat: SeatInfo, wish: str, key: str, at: datetime) -> None:
    """Keep what a seat is to read for a letter of its own, unless one is on its way."""
    if all(waiting.seat != seat.id or waiting.wish != wish for waiting in save.drafts):
        draft = Draft(f"{seat.id}.{key}.{wish.replace(' ', '-')}", seat.id, "", at)
        draft.wish = wish
        save.drafts.append(draft)


def wished(session: Session, reader: Reader, wish: str, sender: str) -> LetterText:
    """The letter that a seat has asked for; what it is asked stands on top."""
    say = reader.say
    brief = question_of(session, reader, sender)
    word = wish.rpartition(" ")[2]
    brief.subject = say.text(f"short.subject_{word}")
    brief.also.append(below("\n\n".join(_TEXTS[word](session, reader)), brief, say))
    return LetterText(short.subject_of(brief, say), short.text_of(brief, say), page_of(brief, say))


def _state(session: Session, reader: Reader) -> Iterator[str]:
    yield position_text(report_of(session, reader))


def _log(session: Session, reader: Reader) -> Iterator[str]:
    lines = told_from(session, max(session.save.header.lines - LOG, 0))
    said = [entry.text for entry in told(reader.say, lines, reader.seat.id)]
    yield "\n".join(bullets(said, PHONE))


def _cards(session: Session, reader: Reader) -> Iterator[str]:
    yield cards_text(report_of(session, reader)) or reader.say.text("word.nothing")


def _sheet(session: Session, reader: Reader) -> Iterator[str]:
    yield sheet_text(session.referee, reader.seat.id, reader.say)


def _rules(session: Session, reader: Reader) -> Iterator[str]:
    yield opening_text(opening_of(session, reader), reader.say.language)


def _bundle(session: Session, reader: Reader) -> Iterator[str]:
    """What the attached file is for (`pbem.post.bundle`)."""
    yield "\n".join(wrap(reader.say.text("short.bundle"), PHONE))


def _map(session: Session, reader: Reader) -> Iterator[str]:
    """What the attached map shows (`board_of`)."""
    yield "\n".join(wrap(reader.say.text("short.board"), PHONE))


def board_of(session: Session, reader: Reader) -> str:
    """The whole board as the seat may see it, as an SVG."""
    from pbem.report.map_svg import board  # few letters draw one

    return board(
        report_of(session, reader), f"{session.save.header.name}: {reader.say.text('short.subject_map')}"
    )


def _help(session: Session, reader: Reader) -> Iterator[str]:
    """Every word of the question, then the long form, which holds no answer."""
    save, referee, say = session.save, session.referee, reader.say
    if possible := possible_text(report_of(session, reader)):
        yield possible
    if not referee.over:
        yield "\n".join(wrap(say.text("short.long_form"), PHONE))
        code = code_of(save, reader.seat.id, referee.q)
        seat, name = reader.seat.id, save.header.name
        yield form(referee, seat, game=name, code=code, syntax=say.syntax, word=say.typed, blank=True).strip()


_TEXTS: dict[str, Callable[[Session, Reader], Iterator[str]]] = {
    "state": _state,
    "map": _map,
    "log": _log,
    "cards": _cards,
    "sheet": _sheet,
    "rules": _rules,
    "bundle": _bundle,
    "help": _help,
}
