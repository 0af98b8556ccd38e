"""Dice of the second version take in what was answered up to the question before: nobody knows them from day one."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

import games
from pbem.dev import fuzz
from pbem.dev.random_game import random_setup
from pbem.kernel.dice import Entropy, initial_mix
from pbem.kernel.domains import Amount
from pbem.kernel.game import Play
from pbem.kernel.journal import CheckpointRecord, Move
from pbem.kernel.questions import Ask, AskAll, Checkpoint
from pbem.kernel.referee import Referee
from pbem.kernel.table import Table
from tests.toy import playing as toy

MIX = initial_mix({})


class State(msgspec.Struct):
    """How often it was asked."""

    asked: int = 0


def play(table: Table[State, Any]) -> Play:
    """After each question a roll; a checkpoint between the sealed answers and the roll that they lead to."""
    state = table.state
    while state.asked < 8:
        if state.asked % 2 == 0:
            yield Ask("amber", "march", Amount(0, 6), default=0)
        else:
            yield AskAll({seat: Ask(seat, "bid", Amount(0, 6), default=0) for seat in table.seats})
        state.asked += 1
        if state.asked % 2 == 0:
            yield Checkpoint()
        table.roll(5, "toy.roll")


def resumed(table: Table[State, Any]) -> Play:
    """As `play`, from a checkpoint: the roll that it stands before comes first."""
    if table.state.asked:
        yield Checkpoint()
        table.roll(5, "toy.roll")
    yield from play(table)


GAME = replace(
    toy.GAME,
    state=State,
    setup=lambda table: State(),
    play=resumed,
    calendar=lambda state: {},
    result=lambda state: {"winners": []},
)


def rolls(answers: list[int], mix: str = MIX, **more: Any) -> list[list[int]]:
    setup = msgspec.structs.replace(toy.setup(), mix=mix)
    referee = Referee.new(GAME, setup, **more)
    for answer in answers:
        if not referee.over:
            referee.submit(referee.waiting()[0], answer)
    return [line.args["dice"] for line in referee.table.lines if "dice" in line.args]


def differs(at: int, answers: list[int], mix: str = MIX) -> list[bool]:
    """Which rolls change when answer `at` does."""
    other = [6 - pick if place == at else pick for place, pick in enumerate(answers)]
    return [roll != two for roll, two in zip(rolls(answers, mix), rolls(other, mix), strict=True)]


def test_a_roll_takes_in_the_answers_before_its_question_and_not_those_to_it() -> None:
    seats = len(toy.setup().seats)
    answers = [1] * (1 + seats) * 4
    # The first answer: not its own roll, but every one after that.
    assert differs(0, answers) == [False] + [True] * 7
    # A sealed one: not the roll that it leads to, though a checkpoint lies between.
    assert differs(1, answers) == [False, False] + [True] * 6
    assert differs(seats, answers) == [False, False] + [True] * 6
    assert differs(seats + 1, answers) == [False] * 3 + [True] * 5


def test_the_first_version_takes_in_nothing() -> None:
    seats = len(toy.setup().seats)
    assert not any(differs(0, [1] * (1 + seats) * 4, mix=""))


def test_nonces_change_every_roll() -> None:
    answers = [1] * 20
    one, two = rolls(answers, initial_mix({"red": "a"})), rolls(answers, initial_mix({"red": "b"}))
    assert all(a != b for a, b in zip(one, two, strict=True))


def test_from_every_checkpoint_the_same_dice_fall() -> None:
    setup = msgspec.structs.replace(toy.setup(), mix=MIX)
    marks: list[CheckpointRecord] = []
    referee = Referee.new(GAME, setup, on_mark=marks.append)
    while not referee.over:
        referee.submit(referee.waiting()[0], referee.q % 7)
    assert len(marks) > 4
    for mark in marks:
        again = Referee.resume(GAME, setup, referee.moves[mark.n :], mark)
        assert again.digest() == referee.digest()
        assert [line.args for line in again.table.lines] == [line.args for line in referee.table.lines[mark.lines :]]


def test_a_beacon_counts_at_once() -> None:
    """It is entered while a question is open, and the dice after that question know it."""
    moves = [Move(1, 1, "red", "march", 1), Move(2, 2, "moderator", "beacon", {"value": "1"})]
    other = [moves[0], Move(2, 2, "moderator", "beacon", {"value": "2"})]
    assert Entropy(MIX).before(moves, 2) != Entropy(MIX).before(other, 2)


@pytest.mark.parametrize("slug", [entry.slug for entry in games.catalogue()])
def test_games_replay_and_restart_and_their_proofs_hold(slug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = random_setup

    def mixed(*args: Any) -> Any:
        return msgspec.structs.replace(plain(*args), mix=MIX)

    monkeypatch.setattr(fuzz, "random_setup", mixed)
    result = fuzz.run(games.load(slug), games=2 if slug != "virgin_queen" else 1)
    assert [str(failure) for failure in result.failures] == []
