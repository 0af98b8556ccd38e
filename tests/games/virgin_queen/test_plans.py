"""Branches of a plan in an impulse (14): what is done after a battle is won or lost."""

from pathlib import Path

import msgspec
import pytest

from games.virgin_queen import GAME
from games.virgin_queen.state import Fleet, pair
from pbem.dev import rule_tests
from pbem.dev.rule_test_runner import Script
from pbem.kernel.joint_questions import domain_of
from pbem.kernel.questions import Window
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import AdvanceOrder, Branch, StandingRule

FOLDER = Path(__file__).parents[2] / "cases" / "virgin_queen"
(BATTLE,) = [case for case in rule_tests.load(FOLDER / "battle_cards.toml") if case.id == "SC33"]
"""A field battle at Pressburg: the Empire rolls two hits with four dice, or none; the Ottomans none, or three."""


def plan(dice: list[int], *lines: tuple[str, str]) -> Referee:
    """The Empire attacks, with these lines behind it: what it depends on, and what is done."""
    case = msgspec.structs.replace(BATTLE, answers=[], dice=dice)
    referee = Script(case, GAME).referee
    referee.queue += [AdvanceOrder("hre", "cp diplomatic-overture"), AdvanceOrder("hre", "move vienna pressburg")]
    referee.queue += [AdvanceOrder("hre", text, branch=Branch(word) if word else None) for word, text in lines]
    referee.standing.append(StandingRule("ottoman", "*", "pass"))
    referee.standing.append(StandingRule("hre", "*", "pass"))
    referee.settle()
    return referee


def told(referee: Referee) -> list[tuple[str, str]]:
    notes = [(note.key.removeprefix("advance."), note.text) for note in referee.notes if note.seat == "hre"]
    return [note for note in notes if not note[0].startswith("standing")][2:]


WON, LOST = BATTLE.dice, [1, 1, 1, 1, 6, 6, 6]


@pytest.mark.parametrize(("dice", "word", "other"), [(WON, "won", "lost"), (LOST, "lost", "won")])
def test_the_branch_that_fits_is_played(dice, word, other):
    referee = plan(dice, ("won", "end"), ("lost", "end"), ("", "cp morisco-revolt"))
    assert told(referee)[:2] == [("skipped", f"if {other}: end"), ("used", f"if {word}: end")]
    assert not any(entry.held for entry in referee.queue)


def test_without_a_branch_the_battle_stops_the_turn():
    assert [key for key, _ in told(plan(WON, ("", "end")))] == ["held"]


def test_a_branch_for_something_else_does_not_foresee_it():
    assert [key for key, _ in told(plan(WON, ("lost", "end"), ("", "end")))] == ["skipped", "held"]


def case_of(name: str, file: str) -> Referee:
    (case,) = [case for case in rule_tests.load(FOLDER / file) if case.id == name]
    return Script(msgspec.structs.replace(case, answers=[]), GAME).referee


def test_an_event_stops_only_those_whom_it_concerns():
    referee = case_of("EH29", "events_hands.toml")
    referee.queue = [AdvanceOrder(seat, "cp mercenaries-bribed", kind="impulse") for seat in ("france", "spain")]
    for seat, text in (("hre", "event ruler-falls-ill"), ("hre", "spain")):
        referee.submit(seat, referee.domain(seat).parse(text, referee.names))
        while isinstance(referee.now, Window):
            referee.submit(referee.waiting()[0], "pass")
    assert [(entry.seat, entry.held) for entry in referee.queue] == [("france", False), ("spain", True)]


def test_an_event_about_spaces_of_a_power_does_not_stop_it_while_it_keeps_cards_wars_men_and_spaces():
    """Unrest goes in France, and the Protestants roll there in vain."""
    referee = case_of("EF50", "events_faith.toml")
    referee.queue = [AdvanceOrder(seat, "cp mercenaries-bribed", kind="impulse") for seat in ("france", "protestant")]
    for seat, text in (("hre", "event edict-of-toleration"), ("france", "yes")):
        while isinstance(referee.now, Window):
            referee.submit(referee.waiting()[0], "pass")
        referee.submit(seat, referee.domain(seat).parse(text, referee.names))
    assert "paris" not in referee.table.state.unrest
    assert "advance.held" not in {note.key for note in referee.notes}


def test_the_email_of_spring_takes_the_first_impulse_of_the_turn_too():
    referee = case_of("EH29", "events_hands.toml")
    state = referee.table.state
    state.phase, state.active = "spring", ""
    found = {seat: GAME.next_turn(referee.table.private_copy(), seat, True) for seat in ("hre", "spain", "france")}
    assert {seat: ask and (ask.kind, ask.about["power"]) for seat, ask in found.items()} == {
        "hre": ("impulse", "hre"), "spain": ("impulse", "spain"), "france": None,
    }  # fmt: skip
    assert domain_of(found["spain"].domain).accepts({"do": "cp", "with": "scurvy"})
    state.phase, state.active = "action", "hre"
    assert GAME.next_turn(referee.table, "spain", True) is None


def test_a_battle_of_others_stops_nobody_else():
    case = msgspec.structs.replace(BATTLE, answers=[])
    referee = Script(case, GAME).referee
    referee.queue += [AdvanceOrder("hre", "cp diplomatic-overture"), AdvanceOrder("hre", "move vienna pressburg")]
    referee.queue += [AdvanceOrder(seat, "cp scurvy", kind="impulse") for seat in ("ottoman", "france")]
    referee.standing += [StandingRule(seat, "*", "pass") for seat in ("ottoman", "hre")]
    referee.settle()
    assert [(entry.seat, entry.held) for entry in referee.queue] == [("ottoman", True), ("france", False)]


def test_interceptions_of_a_turn_can_be_passed_by_who_is_at_war_and_afloat():
    referee = case_of("EH29", "events_hands.toml")
    table = referee.table
    table.state.diplomacy = {pair("ottoman", "spain"): "war"}
    table.state.fleets = {"istanbul": [Fleet("ottoman", "ottoman", {"galley": 1})]}
    lines = [f"standing sea_intercept, intercept, sea_avoid: pass until turn {table.state.turn + 1}"]
    for kind in ("impulse", "sea_intercept", "intercept", "sea_avoid"):
        assert GAME.policies(table, "ottoman", kind) == lines
    assert GAME.policies(table, "ottoman", "action") == []
    assert GAME.policies(table, "spain", "impulse") == []  # no ships
