"""The cards of 6.1: which are written, that each has a case, and games in which events are played at every chance."""

import re
from pathlib import Path

import msgspec
import pytest

from games.virgin_queen import GAME, impulse
from games.virgin_queen.table import KIT
from pbem.dev import fuzz, leak_test, rule_tests
from pbem.kernel.domains import Menu
from pbem.kernel.referee import components_of

BOX = components_of(GAME, {})[1]
CASES = [
    case
    for path in rule_tests.files([Path(__file__).parents[2] / "cases" / "virgin_queen"])
    for case in rule_tests.load(path)
]
NUMBER = {card.id: card.number for card in BOX.cards.values()}
PLAYED = {
    card
    for moment, cards in KIT.entries.items()
    if moment == "event" or moment.startswith(("respond_", "combat_"))
    for card in cards
}


def test_every_card_is_written():
    assert [card for card in BOX.cards if card not in PLAYED] == []


@pytest.mark.parametrize("card", sorted(PLAYED, key=NUMBER.get))
def test_every_written_card_has_a_case(card):
    assert any(re.search(rf"#{NUMBER[card]}(?!\d)", case.rule) for case in CASES)


def test_every_card_has_a_text_in_both_languages():
    assert [card.id for card in BOX.cards.values() if not card.text.en or not card.text.ja] == []


def eventful(monkeypatch):
    """The game with all cards in the first deck and a liking for events."""
    opening = impulse.opening

    def eager(table, power):
        entries = opening(table, power).entries
        return Menu(entries, bag=[*entries, *["event"] * 11] if "event" in entries else None)

    def setup(table):
        state = GAME.setup(table)
        later, state.waiting = state.waiting, []
        for card in later:
            info = table.c.cards[card]
            (state.powers[info.owner].home if info.type == "home" else state.deck).append(card)
        table.shuffle(state.deck)
        return state

    monkeypatch.setattr(impulse, "opening", eager)
    return msgspec.structs.replace(GAME, setup=setup)


@pytest.mark.parametrize("seats", [2, 4, 6])
def test_random_games_of_events(monkeypatch, seats):
    result = fuzz.run(eventful(monkeypatch), games=2, seats=seats, seed=61, careful=0)
    assert [f"{failure}\n{failure.trace}" for failure in result.failures[:3]] == []
    assert result.decisions > 200


def test_pairs_of_worlds_with_events(monkeypatch):
    result = leak_test.run(eventful(monkeypatch), 3, seed=62)
    assert [str(leak) for leak in result.leaks[:3]] == []


@pytest.mark.slow
def test_many_pairs_of_worlds_with_events(monkeypatch):
    assert [str(leak) for leak in leak_test.run(eventful(monkeypatch), 40, seed=63).leaks[:3]] == []


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_many_random_games_of_events(monkeypatch, seats):
    result = fuzz.run(eventful(monkeypatch), games=24, seats=seats, seed=64, careful=8)
    assert [f"{failure}\n{failure.trace}" for failure in result.failures[:3]] == []
