"""A line sent in advance for a question with one possible answer: the question isn't asked, and the line is used up."""

from pathlib import Path

import pytest

import games
from games.crown_of_roses import GAME, tie_breaks
from pbem.dev import rule_tests
from pbem.dev.rule_test_runner import Script
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import AdvanceOrder

CASES = Path(__file__).parents[1] / "cases"
SPARED = [
    ("virgin_queen/war.toml", "WA04", "hre", "put_to_sea", "adriatic_sea"),
    ("virgin_queen/left_alone.toml", "N0-admiral-alone", "spain", "displace_ships", "flushing"),
    ("virgin_queen/naval.toml", "N11", "spain", "sea_retreat", "aegean_sea"),
    ("virgin_queen/diplomacy.toml", "D15", "hre", "berth", "trieste"),
    ("virgin_queen/diplomacy.toml", "D17", "france", "homecoming", "paris"),
    ("virgin_queen/armada.toml", "AR25", "spain", "sink", "bay_of_biscay/armada"),
    ("virgin_queen/armada.toml", "AR21", "england", "event_space", "seville"),
    ("virgin_queen/events_hands.toml", "EH30", "hre", "event_power", "spain"),
    ("virgin_queen/events_land.toml", "EL54", "hre", "event_option", "calm"),
    ("crown_of_roses/cards_battle.toml", "card-77", "york", "retreat_to", "worcester"),
]


def played(file, ident, line):
    """The notes on the line, and what became of it; the test holds as it does without the line."""
    (case,) = (case for case in rule_tests.load(CASES / file) if case.id == ident)
    script = Script(case, games.load(file.partition("/")[0]))
    referee = script.referee
    referee.queue.append(line)
    assert script.run() == []
    about = [note.key for note in referee.notes if (note.seat, note.text) == (line.seat, line.text)]
    return about, line in referee.queue


@pytest.mark.parametrize(("file", "ident", "seat", "kind", "answer"), SPARED)
def test_a_line_that_says_the_only_answer_is_used_up_and_another_one_stays(file, ident, seat, kind, answer):
    assert played(file, ident, AdvanceOrder(seat, answer, kind=kind, bold=True)) == (["advance.spared"], False)
    assert played(file, ident, AdvanceOrder(seat, "elsewhere", kind=kind, bold=True)) == ([], True)


@pytest.mark.parametrize("spared", [case for case in SPARED if case[3] in ("sink", "retreat_to")])
def test_a_line_without_address_is_none_for_a_reaction(spared):
    file, ident, seat, _, answer = spared
    assert played(file, ident, AdvanceOrder(seat, answer, bold=True))[0] != ["advance.spared"]


def test_a_single_house_is_no_tie_and_a_line_of_the_tie_breaker_stays():
    """10.5.1: the line may be for the next vote; nobody waits for a tie that doesn't come about."""
    table = Referee(GAME, Setup(GAME.slug, GAME.seats_for(3, ""), "00" * 32)).table
    with pytest.raises(StopIteration) as chosen:
        next(iter(tie_breaks.choose(table, ["york"], "office", "26.2")))
    assert (chosen.value.value, table.spared) == ("york", [])
