"""Every kind of letter at telling positions of all games, in both languages: pages below 40 kB, no line an answer."""

from __future__ import annotations

from pathlib import Path

import pytest

import games
from pbem.moments import moment
from pbem.orders.apply import apply
from pbem.orders.grammar import read
from pbem.post.outbox import shortly
from pbem.post.outbox.drafts import add_receipt
from pbem.post.outbox.letters import wished
from pbem.post.outbox.press import FULL, news_for
from pbem.post.outbox.reader import reader_of
from pbem.post.outbox.shortly import below, legal_of, letter_text, question_of, room_below
from pbem.report.brief_page import PAGE, page_of
from pbem.report.letter import LetterText
from pbem.save import Session, load
from tests.post.test_letter_lines import Lines

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


def size(letter: LetterText) -> int:
    return len(letter.html.encode())


def letters(session: Session, seat: str) -> dict[str, LetterText]:
    """Each kind of letter that a seat can get now."""
    info, reader = session.save.seat(seat), reader_of(session, session.save.seat(seat))
    found = {}
    for kind, told, setting in (("first", 0, ""), ("short", 3, ""), (FULL, 3, FULL), ("digest", 3, "digest")):
        info.told.letters, info.told_q, info.seen, info.letters = told, 0, 0, setting
        news = news_for(session, info, daily=setting == "digest")
        found[kind] = letter_text(session, reader, news, SENDER)
    found |= {wish: wished(session, reader, wish, SENDER) for wish in WISHES}
    name, at = session.save.header.name, moment("2026-05-01T12:00:00Z")
    (block,) = read(f"BEGIN ORDERS {name} {seat}\n{WRONG}\nEND ORDERS").blocks
    receipt = apply(session.referee, block, game=name, seat=seat, via="m1", at=at)
    assert receipt.refused
    add_receipt(session, receipt, "m1", at)
    for kind in ("", FULL):
        info.letters = kind
        found[f"receipt {kind}"] = letter_text(session, reader, news_for(session, info), SENDER)
    return found


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


def test_a_letter_that_would_get_too_long_says_where_the_rest_is():
    session = opened("vq-negotiation", "ja")
    reader = reader_of(session, session.save.seat("france"))
    shown = question_of(session, reader, SENDER)
    room = room_below(shown, reader.say)
    whole = below("\n".join(["<" * 10] * (room // 41)), shown, reader.say)
    assert "attach view" not in whole.text
    shown.also.append(below("\n".join(["<" * 10] * (room // 10)), shown, reader.say))
    assert shown.also[-1].text.endswith("attach view")
    assert PAGE - 60 < len(page_of(shown, reader.say).encode()) <= PAGE


def test_a_long_letter_tells_the_last_news_where_not_all_has_room(monkeypatch):
    session = opened("vq-negotiation", "en")
    info = session.save.seat("france")
    info.told.letters, info.told_q, info.letters = 3, 0, FULL
    monkeypatch.setattr(shortly, "PAGE", 30_000)
    letter = letter_text(session, reader_of(session, info), news_for(session, info))
    assert size(letter) <= 30_000
    assert "HOME SPACES: FRANCE" in letter.text  # the position is whole
