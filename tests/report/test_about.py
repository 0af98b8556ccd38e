"""What a name means: one answer for id, name and alias, and never more than the seat's own view."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import games
from pbem import LANGUAGES
from pbem.mail.outbox.recipient import reader_of
from pbem.mail.outbox.write import requested_email
from pbem.orders.statements import wish
from pbem.report.messages import Catalogue
from pbem.report.text import about, things
from pbem.save import Session

ROOT = Path(__file__).parents[2]
READERS = [("vq-interception", "protestant"), ("cor-impulse", "york"), ("1630-ballot", "black"), ("is-war", "france")]


def opened(name: str) -> Session:
    return Session.open(ROOT / "saves" / f"{name}.toml", games.load)


def said(name: str, seat: str, word: str, language: str = "en") -> str:
    session = opened(name)
    referee = session.referee
    say = Catalogue(session.game, referee.components, language, referee.names)
    return "\n".join(about(referee, seat, word, say))


@pytest.mark.parametrize(
    ("name", "seat", "word", "parts"),
    [
        ("vq-interception", "protestant", "Montauban", ("fortress", "Huguenot regulars 2", "Navarre", "Bergerac")),
        ("vq-interception", "england", "モントーバン", ("Montauban. ", "fortress")),
        ("vq-interception", "protestant", "#41", ("Border Reivers. ", "Berwick")),
        ("cor-impulse", "york", "Duke of York", ("steps 4", "dice 1R2B", "heir")),
        ("cor-impulse", "york", "sun_of_york", ("2 OPS", "Hand (York): 1", "command card")),
        ("cor-impulse", "warwick", "sun_of_york", ("2 OPS",)),
        ("1630-ballot", "black", "france", ("Status 3", "Black 3", "German Princes")),
        ("1630-ballot", "black", "assassin", ("Discard one influence card",)),
        ("is-war", "france", "John Law", ("French Debt falls",)),
        ("is-war", "france", "xyz", ("Nothing here is called 'xyz'",)),
        ("cor-impulse", "york", "lanc", ("Did you mean", "Lancaster")),
    ],
)
def test_what_is_known_of_a_thing_is_told(name, seat, word, parts):
    told = said(name, seat, word)
    assert [part for part in parts if part not in told] == []


def test_a_card_that_the_reader_does_not_see_is_told_by_its_text_alone():
    own, other = said("cor-impulse", "york", "sun_of_york"), said("cor-impulse", "warwick", "sun_of_york")
    assert own.startswith(other)
    assert "Hand" not in other


@pytest.mark.parametrize(("name", "seat"), READERS)
def test_it_tells_the_same_however_the_hidden_things_lie(name, seat):
    """Paired: every thing of the game, before and after all that the seat may not know is dealt again."""
    session, chance = opened(name), Random(name)
    referee = session.referee
    words = sorted(referee.names.names)

    def told() -> list[list[str]]:
        say = Catalogue(session.game, referee.components, "en", referee.names)
        return [about(referee, seat, word, say) for word in chosen]

    for _ in range(3):
        chosen = chance.sample(words, 40)
        before = told()
        session.game.conceal(referee.table, seat, chance.randrange)
        assert told() == before


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("send card Duke of York", "Duke of York"),
        ("send about #41", "#41"),
        ("Send Card jack_cade", "jack_cade"),
        ("送信 カード モントーバン", "モントーバン"),
        ("カード 暗殺者", "暗殺者"),
    ],
)
def test_it_is_requested_by_email(line, value):
    found = wish(line, {"line": 0})
    assert found is not None
    assert (found.what, found.value) == ("send about", value)
    assert wish("send cards", {"line": 0}).what == wish("送信 カード", {"line": 0}).what == "send cards"
    assert wish("card england_for_the_english", {"line": 0}) is None  # an answer in Crown of Roses


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "seat"), READERS)
def test_the_reply_answers_below_the_open_question(name, seat, language):
    session = opened(name)
    info = session.save.seat(seat)
    info.language = language
    word = {"cor-impulse": "london"}.get(name, "france")
    for request in (f"send about {word}", "send about <b>x</b>", "send why"):
        letter = requested_email(session, reader_of(session, info), request, "pbem@games.example")
        assert "<b>x" not in letter.html
        say = reader_of(session, info).say
        if word in request:
            assert any(say.name(key) in letter.text for key in things(word, say.names))
