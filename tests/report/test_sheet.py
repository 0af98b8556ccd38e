"""`send sheet`: a line for each window that one's cards are for, and what stands on the sheet already."""

from __future__ import annotations

import pytest

import games
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import StandingRule
from pbem.orders.statements import wish
from pbem.report.messages import Catalogue
from pbem.report.viewfile import sheet_lines, sheet_text


def new(slug: str, players: int, **options: str) -> Referee:
    game = games.load(slug)
    scenario = game.scenarios[0]
    setup = Setup(slug, scenario.seats[players], "5a" * 32, scenario.id, game.with_defaults(options))
    return Referee.new(game, setup)


def say(referee: Referee, language: str = "en") -> Catalogue:
    return Catalogue(referee.game, referee.components, language, referee.names)


def test_each_window_has_a_line_with_the_cards_it_is_for() -> None:
    referee = new("crown_of_roses", 4)
    referee.table.state.houses["york"].hand = ["bad_roads", "gruuthuse"]
    found = dict(sheet_lines(referee, "york"))
    assert found["standing surprise_march: pass"] == ["bad_roads"]
    assert all("gruuthuse" not in cards for cards in found.values())


def test_what_one_has_written_stands_in_its_place() -> None:
    referee = new("crown_of_roses", 4)
    referee.table.state.houses["york"].hand = ["bad_roads"]
    referee.standing.append(StandingRule("york", "surprise_march", "bad_roads"))
    referee.standing.append(StandingRule("lancaster", "surprise_sail", "pass"))
    lines = [line for line, _ in sheet_lines(referee, "york")]
    assert "standing surprise_march: bad_roads" in lines
    assert "standing surprise_march: pass" not in lines
    assert "standing surprise_sail: pass" not in lines


def test_response_and_combat_cards_of_virgin_queen() -> None:
    referee = new("virgin_queen", 6)
    referee.table.state.powers["spain"].hand = ["storms", "siege-engineering"]
    found = dict(sheet_lines(referee, "spain"))
    assert found["standing respond_sea_move: pass"] == ["storms"]
    assert "siege-engineering" in found["standing combat_attacker: pass"]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_as_a_letter_tells_it_no_line_is_an_order(language: str) -> None:
    referee = new("crown_of_roses", 4)
    referee.table.state.houses["york"].hand = ["bad_roads"]
    text = sheet_text(referee, "york", say(referee, language))
    assert "/ standing surprise_march: pass    # bad_roads" in text
    assert not any(line.startswith("standing") for line in text.splitlines())


def test_a_table_that_is_asked_and_a_game_without_such_cards_have_none() -> None:
    for referee in (new("crown_of_roses", 4, reactions="ask"), new("imperial_struggle", 2)):
        seat = referee.setup.seats[0]
        assert list(sheet_lines(referee, seat)) == []
        assert "asked" in sheet_text(referee, seat, say(referee))


def test_another_s_cards_change_nothing() -> None:
    one, other = new("crown_of_roses", 4), new("crown_of_roses", 4)
    other.table.state.houses["lancaster"].hand = ["bad_roads"]
    assert sheet_text(one, "york", say(one)) == sheet_text(other, "york", say(other))


def test_how_it_is_asked_for() -> None:
    for text in ("send sheet", "対応表"):
        found = wish(text, {"line": 1, "last": 1, "text": text})
        assert found is not None
        assert str(found) == "send sheet"
