"""The moderator: corrections of the state, and cards that he carries out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.kernel.corrections import Correction
from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import DECIDED, Referee
from pbem.kernel.rejections import Rejection
from tests.toy import playing as toy
from tests.toy.playing import new, to_action


def test_a_correction_is_journaled_and_replayed() -> None:
    referee = to_action(new())
    referee.fiat([{"path": "gold.blue", "value": 9}, {"path": "at.coral", "value": "port"}], via="letter")
    assert referee.table.state.gold["blue"] == 9
    assert (referee.moves[-1].seat, referee.moves[-1].how) == (MODERATOR, DECIDED)
    assert referee.table.lines[-1].key == "correction.done"
    assert referee.pending()[0].seat == "amber"
    referee.submit("amber", "hold")
    again = Referee.resume(toy.GAME, toy.setup(), referee.moves)
    assert again.digest() == referee.digest()


@pytest.mark.parametrize(
    ("steps", "key"),
    [
        ([{"path": "gold.blue", "value": -1}], "rules.custom"),
        ([{"path": "gold.blue", "value": 4}, {"path": "deck", "value": []}], "rules.custom"),
        ([{"path": "gold.blue", "value": "much"}], "correction.value"),
        ([{"path": "gold.blue", "value": True}], "correction.value"),
        ([{"path": "gold.blue.coins", "value": 1}], "correction.path"),
        ([{"path": "golt", "value": 1}], "correction.path"),
        ([{"path": "to_act.99", "value": "amber"}], "correction.path"),
        ([{"path": "to_act.²", "value": "amber"}], "correction.path"),
        ([{"path": "", "value": 1}], "correction.path"),
        ([{"path": "hands", "value": {}}], "correction.value"),
        ([{"path": 3, "value": 1}], "answer.malformed"),
        ([{"path": "turn"}], "answer.malformed"),
        ([3], "answer.malformed"),
        ("turn=2", "answer.malformed"),
    ],
)
def test_a_refused_correction_changes_nothing(steps: Any, key: str) -> None:
    referee = to_action(new())
    before, lines, state = referee.digest(), len(referee.table.lines), referee.table.state
    with pytest.raises(Rejection) as caught:
        referee.fiat(steps)
    assert caught.value.problem.key == key
    assert (referee.digest(), len(referee.table.lines)) == (before, lines)
    assert referee.table.state is state


def test_a_path_that_is_not_there_offers_near_ones() -> None:
    with pytest.raises(Rejection) as caught:
        to_action(new()).fiat([{"path": "golt.blue", "value": 1}])
    assert caught.value.problem.near[0] == "gold"


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("none", []),
        ("gold.blue=3; motto=peace", [("gold.blue", 3), ("motto", "peace")]),
        ('motto="peace; and = gold"', [("motto", "peace; and = gold")]),
        ('motto="true"', [("motto", "true")]),
        ('motto="12"', [("motto", "12")]),
        ("turn=[amber,blue]", [("turn", ["amber", "blue"])]),
        ("turn=[]", [("turn", [])]),
        ('gold={"amber":1,"blue":2,"coral":3}', [("gold", {"amber": 1, "blue": 2, "coral": 3})]),
        ("patron=null", [("patron", None)]),
        ("patron=blue", [("patron", "blue")]),
        ("turn=--3", [("turn", "--3")]),
    ],
)
def test_corrections_are_read_and_written(text: str, steps: list[tuple[str, Any]]) -> None:
    fiat = Correction(new().table, toy.GAME.invariants)
    value = [{"path": path, "value": given} for path, given in steps]
    words = fiat.parse_word(text, Referee.new(toy.GAME, toy.setup()).names)
    assert words == value
    assert fiat.parse_word(fiat.text(value), new().names) == value


def test_a_manual_card_is_carried_out_by_the_moderator() -> None:
    referee = to_action(new())
    referee.submit("amber", "plot")
    (pending,) = referee.pending()
    assert (pending.seat, pending.kind, pending.about) == (MODERATOR, "manual", {"card": "plot", "seat": "amber"})
    with pytest.raises(Rejection):
        referee.submit(MODERATOR, [{"path": "gold.amber", "value": -4}])
    referee.submit(MODERATOR, referee.domain(MODERATOR).parse("gold.amber=8"))
    assert referee.table.state.gold["amber"] == 8
    assert Referee.resume(toy.GAME, toy.setup(), referee.moves).digest() == referee.digest()


def test_a_correction_gives_back_sealed_answers_that_it_makes_illegal() -> None:
    referee = new()
    referee.submit("blue", 5, via="letter 4")
    referee.submit("coral", 1)
    referee.fiat([{"path": "gold.blue", "value": 2}])
    assert referee.waiting() == ("amber", "blue")
    (note,) = referee.notes
    assert (note.seat, note.key, note.letter) == ("blue", "sealed.dropped", "letter 4")
    assert note.problem is not None
    assert note.problem.key == "answer.out_of_range"
