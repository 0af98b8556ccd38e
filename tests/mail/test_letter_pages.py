"""Every kind of letter at telling positions of all games, in both languages: pages below 40 kB, no line an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

import games
from pbem.mail.outbox import short_email
from pbem.mail.outbox.email_parts import add_receipt
from pbem.mail.outbox.press import FULL, news_for
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.short_email import bytes_left_below, compose_email, legal_of, position_below, question_of
from pbem.mail.outbox.write import requested_email
from pbem.orders.apply import execute_block
from pbem.orders.parser import read
from pbem.report.email_text import EmailText
from pbem.report.short_email_html import PAGE, page_of
from pbem.save import Session, load
from pbem.timestamps import moment, stamp
from tests.mail.test_letter_lines import Lines

ROOT = Path(__file__).parents[2]
SAVES = sorted(path.stem for path in (ROOT / "saves").glob("*.toml"))
WISHES = [f"send {word}" for word in ("state", "log", "cards", "sheet", "rules", "bundle")] + ["help"]
SENDER = "The moderator of our long games <pbem-games@games.example.org>"
WRONG = "\n".join(f"move from-nowhere-{at} to=<&>" for at in range(12))


def opened(name: str, language: str) -> Session:
    session = Session.open(ROOT / "saves" / f"{name}.toml", games.load)
    for info in session.save.seats:
        info.language = language
    return session


def size(letter: EmailText) -> int:
    return len(letter.html.encode())


def letters(session: Session, seat: str) -> dict[str, EmailText]:
    """Each kind of letter that a seat can get now."""
    info, reader = session.save.seat(seat), reader_of(session, session.save.seat(seat))
    found = {}
    for kind, told, setting in (("first", 0, ""), ("short", 3, ""), (FULL, 3, FULL), ("digest", 3, "digest")):
        info.told.letters, info.told_q, info.seen, info.letters = told, 0, 0, setting
        news = news_for(session, info, daily=setting == "digest")
        found[kind] = compose_email(session, reader, news, SENDER)
    found |= {wish: requested_email(session, reader, wish, SENDER) for wish in WISHES}
    name, at = session.save.header.name, moment("2026-05-01T12:00:00Z")
    (block,) = read(f"BEGIN ORDERS {name} {seat}\n{WRONG}\nEND ORDERS").blocks
    receipt = execute_block(session.referee, block, game=name, seat=seat, via="m1", at=stamp(at))
    assert receipt.refused
    add_receipt(session, receipt, "m1", at)
    for kind in ("", FULL):
        info.letters = kind
        found[f"receipt {kind}"] = compose_email(session, reader, news_for(session, info), SENDER)
    return found


def squashed(text: str) -> str:
    return "".join(text.split()).casefold()


def shown_by(page: str) -> str:
    """The words that a page shows, without blanks."""
    body = re.sub(r"(?s)<(style|title).*?</\1>", "", page)
    return squashed(unescape(re.sub(r"<[^>]*>", " ", body)))


def lost_on_the_page(text: str, page: str) -> Iterator[str]:
    """Yield the lines of an email that its page lacks, or has in another order below the form.

    Above the form the answers are buttons, and the deadline comes before them: there only facts and the first line
    must be the same.
    """
    whole, place = shown_by(page), 0
    lines = [line for line in text.splitlines() if line.strip("- ")]
    form = next((at for at, line in enumerate(lines) if re.fullmatch(r"\d+: \?", line)), 0)
    for at, line in enumerate(lines):
        found = whole.find(squashed(re.sub(r"^(?:· |- |/ )", "", line)), place if at >= form else 0)
        if found < 0 and (at >= form or at == 0 or line.startswith("· ")):
            yield line
        place = max(place, found) if at >= form else place


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", SAVES)
def test_every_page_is_short_and_no_line_is_an_answer(name, language):
    session = opened(name, language)
    asked = [*session.referee.asked(), *(info.id for info in load(ROOT / "saves" / f"{name}.toml").seats)]
    for seat in asked[:1]:
        found, legal = letters(session, seat), legal_of(session.referee, seat)
        assert {kind: size(letter) for kind, letter in found.items() if size(letter) > PAGE} == {}
        for kind, letter in found.items():
            ours = letter.text.splitlines() + Lines(letter.html).lines
            assert (kind, [line for line in ours if line.strip() and legal(line)]) == (kind, [])
            assert 'name="viewport"' in letter.html, kind
            assert (kind, [*lost_on_the_page(letter.text, letter.html)]) == (kind, [])


def test_a_letter_that_would_get_too_long_says_where_the_rest_is():
    session = opened("vq-negotiation", "ja")
    reader = reader_of(session, session.save.seat("france"))
    shown = question_of(session, reader, SENDER)
    room = bytes_left_below(shown, reader.say)
    whole = position_below("\n".join(["<" * 10] * (room // 45)), shown, reader.say)
    assert "attach view" not in whole.text
    shown.also.append(position_below("\n".join(["<" * 10] * (room // 10)), shown, reader.say))
    assert shown.also[-1].text.endswith("「attach view」と書いてください。")
    assert PAGE - 60 < len(page_of(shown, reader.say).encode()) <= PAGE


def test_a_long_letter_tells_the_last_news_where_not_all_has_room(monkeypatch):
    session = opened("vq-negotiation", "en")
    info = session.save.seat("france")
    info.told.letters, info.told_q, info.letters = 3, 0, FULL
    monkeypatch.setattr(short_email, "PAGE", 30_000)
    letter = compose_email(session, reader_of(session, info), news_for(session, info))
    assert size(letter) <= 30_000
    assert "HOME SPACES: FRANCE" in letter.text  # the position is whole
