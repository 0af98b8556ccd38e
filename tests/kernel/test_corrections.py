"""Corrections by hand: a slip of the moderator's pen is refused in words, and never sets anything else."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from tests.toy import playing as toy
from tests.toy.playing import new, to_action


def manual() -> Referee:
    """Amber has played the card that the moderator carries out."""
    referee = to_action(new())
    referee.submit("amber", "plot")
    return referee


@pytest.mark.parametrize("text", ["motto", "gold.blue=3; motto", "gold.blue 3", "gold.blue:3"])
def test_a_step_without_a_value_is_refused(text: str) -> None:
    """Read as an empty value it would wipe out what stands there."""
    with pytest.raises(Rejection) as caught:
        manual().domain(MODERATOR).parse(text)
    assert caught.value.problem.key == "answer.missing"


def test_a_semicolon_at_the_end_is_no_step() -> None:
    assert manual().domain(MODERATOR).parse("gold.blue=3; ") == [{"path": "gold.blue", "value": 3}]


@pytest.mark.parametrize("path", ["to_act.6", "to_act.-1", "to_act.", "deck.x", "hands.blue.2", "patron.name", "."])
def test_a_place_that_a_list_does_not_have_is_refused(path: str) -> None:
    referee = to_action(new())
    assert len(referee.table.state.to_act) == 6
    with pytest.raises(Rejection) as caught:
        referee.fiat([{"path": path, "value": "amber"}])
    assert caught.value.problem.key == "correction.path"


def test_the_last_of_a_list_can_be_set() -> None:
    referee = to_action(new())
    referee.fiat([{"path": "to_act.5", "value": "amber"}])
    assert referee.table.state.to_act[-1] == "amber"


def test_what_is_new_in_a_table_has_the_type_of_its_neighbours() -> None:
    referee = to_action(new())
    referee.fiat([{"path": "at.dune", "value": "port"}])
    assert referee.table.state.at["dune"] == "port"
    for value in (3, None, ["port"]):
        with pytest.raises(Rejection) as caught:
            referee.fiat([{"path": "at.elm", "value": value}])
        assert caught.value.problem.key == "correction.value"
    assert "elm" not in referee.table.state.at


@pytest.mark.parametrize("value", [[], 3, True, {}])
def test_what_may_be_nothing_may_not_be_anything(value: Any) -> None:
    referee = to_action(new())
    referee.fiat([{"path": "patron", "value": "blue"}, {"path": "patron", "value": None}])
    with pytest.raises(Rejection):
        referee.fiat([{"path": "patron", "value": value}])
    assert referee.table.state.patron is None


def test_a_correction_that_the_game_s_own_checks_stumble_over_is_refused() -> None:
    """A state in which the rules would break off must not be played on with; the next letter would find a dead game."""
    referee = to_action(new())
    before = referee.digest()
    with pytest.raises(Rejection) as caught:
        referee.fiat([{"path": "gold", "value": {"amber": 1}}])
    assert caught.value.problem.key == "correction.value"
    assert "KeyError" in str(caught.value)
    assert referee.digest() == before


def test_a_step_too_many_undoes_those_before_it() -> None:
    referee = to_action(new())
    before = referee.digest()
    for last in ({"path": "nowhere", "value": 1}, {"path": "deck", "value": []}, {"path": "turn", "value": "x"}):
        with pytest.raises(Rejection):
            referee.fiat([{"path": "gold.blue", "value": 5}, last])
    assert (referee.digest(), referee.n) == (before, 4)


def test_a_card_carried_out_by_hand_is_told_to_all_with_its_rule() -> None:
    referee = manual()
    assert referee.pending()[0].rule == "3.4"
    referee.submit(MODERATOR, [{"path": "gold.amber", "value": 8}, {"path": "motto", "value": "war"}])
    line = referee.table.lines[-1]
    assert (line.key, line.only) == ("correction.manual", None)
    assert line.args == {"card": "plot", "seat": "amber", "count": 2}


def test_only_the_moderator_carries_it_out() -> None:
    referee = manual()
    for seat in toy.SEATS:
        with pytest.raises(Rejection):
            referee.submit(seat, [])
    assert referee.waiting() == (MODERATOR,)
