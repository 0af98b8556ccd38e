"""Rewinds: what was before stays, the dice after are others, and a dead branch never comes back."""

from __future__ import annotations

import pytest

from pbem.kernel.questions import MODERATOR
from pbem.kernel.referee import CheckpointRecord, Move, Referee
from tests.kernel.told import Told
from tests.toy import playing as toy
from tests.toy.playing import at_random, chance, new, to_action


def dice_of(referee: Referee) -> list[tuple[int, ...]]:
    return [tuple(line.args["dice"]) for line in referee.table.lines if "dice" in line.args]


def draws_of(referee: Referee) -> tuple[int, int]:
    return referee.table.dice.epoch, referee.table.dice.counter


@pytest.mark.parametrize("seed", range(4))
def test_a_rewind_keeps_what_was_before_and_changes_the_dice_after(seed: int) -> None:
    told = Told(seed)
    for n in sorted(told.digests)[3::6]:
        setup = toy.setup(epochs=[(n, 1)])
        again = Referee.resume(toy.GAME, setup, told.referee.moves[:n], ask_me="always")
        plain = Referee.resume(toy.GAME, told.setup, told.referee.moves[:n])
        assert again.table.state == plain.table.state
        assert again.table.lines == plain.table.lines
        if again.over:
            continue
        assert draws_of(again) == (1, 0)
        at_random(again, chance(seed + 50))
        full = Referee.resume(toy.GAME, setup, again.moves)
        assert full.digest() == again.digest()


def test_dice_after_a_rewind_are_others() -> None:
    def rolls(epochs: list[tuple[int, int]]) -> list[tuple[int, ...]]:
        again = Referee.resume(toy.GAME, toy.setup(epochs=epochs), moves, ask_me="always")
        for _ in range(30):
            again.table.roll(2, "x")
        return dice_of(again)[-30:]

    moves = to_action(new()).moves
    assert rolls([]) == rolls([])
    assert rolls([]) != rolls([(4, 1)])
    assert rolls([(4, 1)]) != rolls([(4, 2)])
    assert rolls([(2, 1), (4, 2)]) == rolls([(4, 2)])


def test_a_mark_at_the_very_move_of_a_rewind_resumes_with_the_new_dice() -> None:
    told = Told(3)
    for n in sorted({mark.n for mark in told.marks})[1:6]:
        marks: list[CheckpointRecord] = []
        setup = toy.setup(epochs=[(n, 1)])
        again = Referee.resume(toy.GAME, setup, told.referee.moves[:n], on_mark=marks.append, ask_me="always")
        at_random(again, chance(n))
        for mark in marks:
            after = Referee.resume(toy.GAME, setup, again.moves[mark.n :], mark)
            assert after.digest() == again.digest()


def test_a_rewind_beyond_an_earlier_rewind_undoes_it() -> None:
    """Epoch 1 began at move 20; epoch 2 at move 8: epoch 1 must never come back, or its dice would be known."""
    both, only = (
        Referee.resume(toy.GAME, toy.setup(epochs=e), Told(4).referee.moves[:8], ask_me="always")
        for e in ([(20, 1), (8, 2)], [(8, 2)])
    )
    for referee in (both, only):
        at_random(referee, chance(1))
    assert both.n > 20
    assert both.digest() == only.digest()
    assert draws_of(both)[0] == 2


def test_dice_change_after_a_correction_too() -> None:
    """A rewind to the very move of a fiat, which asks nothing and so ends no question."""
    moves = [*to_action(new()).moves, Move(5, 2, MODERATOR, "fiat", [{"path": "gold.blue", "value": 1}])]
    referee = Referee.resume(toy.GAME, toy.setup(epochs=[(5, 1)]), moves)
    assert draws_of(referee) == (1, 0)
