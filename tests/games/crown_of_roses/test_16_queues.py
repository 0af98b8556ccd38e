"""Whose orders sent in advance an interception (16.5) or an evasion (16.6) stops (DESIGN 6)."""

from pathlib import Path

import msgspec
import pytest

from games.crown_of_roses import GAME
from pbem.dev import rule_tests
from pbem.dev.rule_test_runner import Script
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import AdvanceOrder, Branch, Condition, StandingRule

FOLDER = Path(__file__).parents[2] / "cases" / "crown_of_roses"
(W24,) = [case for case in rule_tests.load(FOLDER / "marches.toml") if case.id == "W24"]
MARCH = ("move nottingham shrewsbury none", "go lincoln", "stop", "done")
EVADE = "evade lord_prince_edward blocks=lord_oxford to=cambridge"
INTERCEPT = "intercept west_riding suffolk none"


def march(die: int, **standing: str) -> Referee:
    """York marches into Lincoln, where Lancaster stands; all three houses have sent orders in advance."""
    case = msgspec.structs.replace(W24, answers=[], dice=[die])
    referee = Script(case, GAME).referee
    referee.queue += [AdvanceOrder("york", text) for text in MARCH]
    referee.queue += [AdvanceOrder("buckingham", "move west_riding stafford none")]
    referee.queue += [AdvanceOrder("lancaster", "pass", kind="plan")]
    referee.standing += [StandingRule(seat, kind, text) for seat, kind, text in (
        ("lancaster", "evade", standing.get("evade", "pass")),
        ("buckingham", "intercept", standing.get("intercept", "pass")),
        ("lancaster", "intercept", "pass"),
        ("york", "tie", "york buckingham lancaster"),
    )]  # fmt: skip
    referee.settle()
    return referee


def stopped(referee: Referee) -> set[str]:
    return {entry.seat for entry in referee.queue if entry.held}


def test_without_an_attempt_nobody_is_stopped():
    referee = march(6)
    assert stopped(referee) == set()
    assert referee.table.state.blocks["lord_stafford"].moved


@pytest.mark.parametrize("attempt", [{"evade": EVADE}, {"intercept": INTERCEPT}], ids=["evade", "intercept"])
def test_a_failed_attempt_stops_nobody(attempt):
    referee = march(6, **attempt)
    assert stopped(referee) == set()
    assert referee.table.state.blocks["lord_stafford"].moved


def test_an_evasion_stops_the_mover_and_who_is_gone():
    referee = march(1, evade=EVADE)
    assert referee.table.state.blocks["lord_oxford"].at == "cambridge"
    assert stopped(referee) == {"york", "lancaster"}


def test_an_interception_stops_the_mover_the_interceptor_and_who_stands_there():
    referee = march(1, intercept=INTERCEPT)
    assert referee.table.state.blocks["lord_suffolk"].at == "lincoln"
    assert stopped(referee) == {"york", "buckingham", "lancaster"}


def plan(die: int, word: str, **standing: str) -> Referee:
    """As `march`, but York has written what to do in Lincoln if it comes to `word` there, and what then."""
    case = msgspec.structs.replace(W24, answers=[], dice=[die])
    referee = Script(case, GAME).referee
    branch = AdvanceOrder("york", "stop", kind="march", branch=Branch(word))
    referee.queue += [*(AdvanceOrder("york", text) for text in MARCH[:2]), branch, AdvanceOrder("york", "done")]
    for kind in ("evade", "intercept"):
        referee.standing += [
            StandingRule("lancaster", kind, standing.get(kind, "pass")),
            StandingRule("buckingham", kind, "pass"),
        ]
    referee.standing.append(StandingRule("york", "tie", "york buckingham lancaster"))
    referee.settle()
    return referee


def york(referee: Referee) -> list[str]:
    return [note.key for note in referee.notes if note.seat == "york" and note.key.startswith("advance.")]


def test_a_plan_goes_on_past_the_evasion_that_it_foresaw():
    referee = plan(1, "evaded", evade=EVADE)
    assert york(referee) == ["advance.used"] * 4
    assert referee.table.state.blocks["lord_oxford"].at == "cambridge"


@pytest.mark.parametrize(("die", "word"), [(1, "intercepted")])
def test_a_plan_stops_where_it_came_to_something_else(die, word):
    assert york(plan(die, word, evade=EVADE)) == ["advance.used"] * 2 + ["advance.skipped", "advance.held"]


@pytest.mark.parametrize("attempt", [{}, {"evade": EVADE}], ids=["nobody tries", "it fails"])
def test_a_branch_is_dropped_where_nothing_came_of_it(attempt):
    referee = plan(6, "evaded", **attempt)
    assert york(referee)[:3] == ["advance.used", "advance.used", "advance.skipped"]


(MANPOWER,) = [case for case in rule_tests.load(FOLDER / "cards_events.toml") if case.id == "card-34"]


def second(*lines: AdvanceOrder, command: str = "surprise") -> Referee:
    """York acts; Lancaster, who is next, has sent these lines in advance and laid a card of this type."""
    referee = Script(msgspec.structs.replace(MANPOWER, answers=[]), GAME).referee
    cards = referee.table.c.cards.items()
    laid = next(key for key, card in cards if card.type == command and card.ops)
    referee.table.state.houses["lancaster"].command = laid
    referee.queue += lines
    referee.submit("york", "event")
    return referee


@pytest.mark.parametrize(
    "use", [AdvanceOrder("lancaster", "ops", kind="use"), AdvanceOrder("lancaster", "ops")], ids=str
)
def test_13_2_a_use_that_is_not_asked_for_goes_if_it_says_the_same(use):
    referee = second(msgspec.structs.replace(use), AdvanceOrder("lancaster", "done"))
    assert referee.queue == []
    assert [note.key for note in referee.notes] == ["advance.spared", "advance.used"]
    assert [move.answer for move in referee.moves if move.seat == "lancaster" and move.kind == "action"] == ["done"]


@pytest.mark.parametrize(
    "lines",
    [
        [AdvanceOrder("lancaster", "event", kind="use"), AdvanceOrder("lancaster", "done")],
        [AdvanceOrder("lancaster", "ops", kind="use", held=True), AdvanceOrder("lancaster", "done")],
        [
            AdvanceOrder("lancaster", "ops", kind="use", stops=(Condition("turn", ">=", "1"),)),
            AdvanceOrder("lancaster", "done"),
        ],
    ],
)  # fmt: skip
def test_13_2_a_use_that_says_something_else_or_is_held_keeps_what_stands_behind_it(lines):
    referee = second(*map(msgspec.structs.replace, lines))
    assert [entry.text for entry in referee.queue] == [entry.text for entry in lines]
    assert "lancaster" in referee.waiting()


def test_13_2_where_it_is_asked_for_the_line_answers():
    referee = second(AdvanceOrder("lancaster", "ops", kind="use"), AdvanceOrder("lancaster", "done"), command="event")
    assert [note.key for note in referee.notes] == ["advance.used", "advance.used"]


def test_10_4_4_a_card_in_the_own_step_stops_only_those_whom_it_concerns():
    (case,) = [case for case in rule_tests.load(FOLDER / "cards_allies.toml") if case.id == "card-1b"]
    referee = Script(msgspec.structs.replace(case, answers=[]), GAME).referee
    owner = referee.table.state.blocks["lord_exeter"].owner
    others = [house for house in referee.table.seats if house != "york"]
    referee.queue = [AdvanceOrder(house, "done", kind="action") for house in others]
    referee.submit("york", referee.domain("york").parse("card clinton influence exeter", referee.names))
    assert stopped(referee) == {owner} - {"york", ""}
    assert len(others) > len(stopped(referee))
