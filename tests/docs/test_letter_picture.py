"""The letter, the answer and the receipt that the players' pages begin with are what goes out today."""

from __future__ import annotations

import importlib.util
import os
import shutil
from itertools import zip_longest
from pathlib import Path
from xml.etree import ElementTree

import pytest

import games
from pbem.mail.outbox.email_parts import add_receipt
from pbem.mail.outbox.press import news_for
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import compose_email
from pbem.orders.apply import execute_block
from pbem.orders.parser import read
from pbem.report.email_text import EmailText
from pbem.report.text_width import wrap
from pbem.save import Session
from pbem.timestamps import moment, stamp
from tests.mail.test_letter_lines import since_own_answer

ROOT = Path(__file__).parents[2]
GAME, SEAT = "1630-ballot", "amber"
RIGHT, WIDTH = 48, 40
"""The column of the answer and the receipt, and how wide each is."""


@pytest.fixture
def session(tmp_path):
    shutil.copy(ROOT / "saves" / f"{GAME}.toml", tmp_path)
    return Session.open(tmp_path / f"{GAME}.toml", games.load)


def told(session: Session, language: str) -> EmailText:
    seat = session.save.seat(SEAT)
    seat.language = language
    return compose_email(session, reader_of(session, seat), news_for(session, seat))


def asked(session: Session, language: str) -> EmailText:
    """The letter that asks for the vote."""
    seat = session.save.seat(SEAT)
    seat.told.letters, seat.told_q = 1, 1
    seat.seen = since_own_answer(session, SEAT)
    return told(session, language)


def receipt(session: Session) -> EmailText:
    """The letter that answers the vote."""
    seat, at = session.save.seat(SEAT), moment("2026-05-01T12:00:00Z")
    seat.told.letters, seat.told_q, seat.seen = 1, session.referee.q, session.save.header.lines
    (block,) = read(f"BEGIN ORDERS {GAME} {SEAT}\nred\nEND ORDERS").blocks
    answered = execute_block(session.referee, block, game=GAME, seat=SEAT, via="m1", at=stamp(at))
    add_receipt(session, answered, "m1", at)
    return told(session, "en")


def picture(page: str) -> list[str]:
    """The first block of a page, line by line."""
    text = (ROOT / "docs/tutorials" / page).read_text("utf-8")
    return text.split("```")[1].removeprefix("text").strip("\n").split("\n")


def shown(letter: EmailText) -> list[str]:
    return [*wrap(letter.subject, WIDTH), "─" * WIDTH, *letter.text.strip("\n").split("\n")]


def test_the_picture_shows_todays_letter_answer_and_receipt():
    """All but the drawing of the map, which has tests of its own."""
    spec = importlib.util.spec_from_file_location("letter_picture", ROOT / ".ci" / "letter_picture.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    again = "not today's: python .ci/letter_picture.py"
    first, found = module.first_screen(), module.drawn()
    pictures = {module.PICTURE: found, module.FIRST_SCREEN: first} | module.six()
    for path, picture in pictures.items():
        assert words_of(path.read_text("utf-8")) == words_of(picture), again
        assert "Something else" in words_of(picture) or "ほかの答えを書く" in words_of(picture)
    assert words_of(first) in words_of(found)
    assert "charge lord_york lord_shrewsbury" in words_of(found)
    assert len(pictures) == 8
    for page in ("first-game-player.md", "first-game-player.ja.md"):
        assert "(../img/letter.svg)" in (ROOT / "docs/tutorials" / page).read_text("utf-8")


def words_of(picture: str) -> str:
    """The words of a picture in their order, without those of the map."""
    tree = ElementTree.fromstring(picture)
    svg = "{http://www.w3.org/2000/svg}svg"
    for parent in tree.iter():
        for child in [inner for inner in parent if inner.tag == svg]:
            child.clear()
    return "\n".join(text.strip() for text in tree.itertext() if text.strip())


def side_by_side(session: Session) -> list[str]:
    """The email, and next to it the answer and the receipt."""
    letter = asked(session, "en")
    quoted = [f"> {line}".rstrip() for line in letter.text.split("\n")[:2]]
    answer = [*wrap(f"Re: {letter.subject}", WIDTH), "─" * WIDTH, "red", "", *quoted, "> …"]
    right = [*answer, "", *shown(receipt(session))]
    rows = zip_longest(shown(letter), right, fillvalue="")
    return [f"{left:{RIGHT}}{beside}".rstrip() for left, beside in rows]


def form(session: Session) -> list[str]:
    """The Japanese email as far as its form."""
    lines = shown(asked(session, "ja"))
    end = next(no for no, line in enumerate(lines) if line.endswith(": ?"))
    return lines[: end + 2]


@pytest.mark.parametrize(("page", "drawn"), [("first-game-player.md", side_by_side), ("first-game-player.ja.md", form)])
def test_the_page_shows_todays_email_answer_and_receipt(page, drawn, session):
    found = drawn(session)
    if os.environ.get("PBEM_UPDATE_SNAPSHOTS") == "1":
        path = ROOT / "docs/tutorials" / page
        before, _, after = path.read_text("utf-8").split("```", 2)
        path.write_text("```".join((before, "\n".join(("text", *found, "")), after)), "utf-8")
    assert picture(page) == found, "not today's: PBEM_UPDATE_SNAPSHOTS=1"
    assert any(line.endswith(": ?") or line[:RIGHT].rstrip().endswith(": ?") for line in found)
