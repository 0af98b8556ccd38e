"""What the journal must give back: the same game, the same numbers, the same dice; and nothing that is no move."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pbem.kernel.domains import Amount, Choice
from pbem.kernel.game import Game, Play
from pbem.kernel.questions import MODERATOR, Ask, AskAll, Checkpoint, Window
from pbem.kernel.referee import CheckpointRecord, Move, Referee, ReplayError
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import ALWAYS, AdvanceOrder
from pbem.kernel.table import Table
from tests.toy import playing as toy
from tests.toy.playing import at_random, chance, new, to_action, to_talk, to_window
from tests.toy.state import State


def resumed(game: Game, moves: list[Move], mark: CheckpointRecord | None = None, **keywords: Any) -> Referee:
    epochs = keywords.pop("epochs", [])
    return Referee.resume(game, toy.setup(epochs=epochs), moves, mark, **keywords)


@pytest.mark.parametrize("do", ["agree", "", "Done"])
def test_an_act_that_is_none_is_no_part_of_a_journal(do: str) -> None:
    """Else a word put into a journal by hand would be taken for a signature."""
    referee = to_talk(new())
    referee.submit("amber", {"do": "propose", "to": ["blue"], "price": 1})
    acts = [*referee.talk.acts, {"seat": "blue", "do": do, "id": "amber-blue-1", "give": 5}]
    moves = [*referee.moves, Move(4, 2, "", "negotiation", {"acts": acts})]
    with pytest.raises(ReplayError) as caught:
        resumed(toy.GAME, moves)
    assert caught.value.n == 4


def test_questions_to_nobody_are_replayed_as_they_were_played() -> None:
    """A ballot in which nobody votes, a window in which nobody could respond: nothing is journaled, play goes on."""

    def play(table: Table) -> Play:
        yield Checkpoint()
        for turn in range(3):
            nobody = yield AskAll({})
            nothing = yield Window("parley", {})
            table.log("turn", turn=turn, votes=dict(nobody), replies=dict(nothing.answers))
            yield Ask("amber", "turn", Choice(["go"]))

    game = msgspec.structs.replace(toy.GAME, play=play, result=lambda state: {})
    marks: list[CheckpointRecord] = []
    referee = Referee.new(game, toy.setup(), on_mark=marks.append)
    for played in range(4):
        assert [move.answer for move in referee.moves] == ["go"] * played
        for mark in (None, marks[-1]):
            again = resumed(game, referee.moves, mark)
            assert (again.digest(), again.q, again.over) == (referee.digest(), referee.q, referee.over)
            assert again.table.lines == referee.table.lines[again.line_base :]
        if not referee.over:
            referee.submit("amber", "go")
    assert referee.over


def test_a_surprise_of_the_past_holds_no_line_that_is_written_after_it() -> None:
    """Whoever writes when the game is opened again has read what happened."""
    for seed in range(40):
        setup = msgspec.structs.replace(toy.setup(), seed=f"{seed:064x}")
        referee = to_window(Referee.new(toy.GAME, setup, ask_me=ALWAYS))
        referee.submit("coral", "pass")
        card = referee.table.state.hands["blue"][0]
        referee.submit("blue", {"do": "intercept", "card": card})
        if referee.asked() == ("amber",) and referee.pending()[0].kind == "bribe":
            break
    referee.submit("amber", 0)
    assert referee.table.lines[-1].key == "intercepted"
    moves = list(referee.moves)

    def seen(table: Table) -> State:  # blue stands where the test put it
        state = toy.GAME.setup(table)
        state.at["blue"] = "ford"
        return state

    game = msgspec.structs.replace(toy.GAME, setup=seen)
    again = Referee.resume(game, setup, moves)
    again.queue = [AdvanceOrder("amber", "hold")]
    again.settle()
    assert again.notes[0].key == "advance.used"
    assert again.moves[-1].answer == "hold"


@pytest.mark.parametrize("seed", range(3))
def test_moves_go_on_in_number_after_a_checkpoint(seed: int) -> None:
    """Letters, chains and rewinds go by these numbers: of answers, sealed ones, deals, corrections, unasked windows."""
    marks: list[CheckpointRecord] = []
    referee = Referee.new(toy.GAME, toy.setup(), on_mark=marks.append)
    at_random(referee, chance(seed), 40)
    mark = next(mark for mark in marks if mark.n > 4)
    again = resumed(toy.GAME, referee.moves[mark.n :], mark)
    again.fiat([{"path": "gold.blue", "value": 9}])
    at_random(again, chance(seed + 9))
    assert {move.kind for move in again.moves} >= {"bid", "negotiation", "fiat", "intercept", "action"}
    assert [move.n for move in again.moves] == list(range(mark.n + 1, again.n + 1))
    assert {line.n for line in again.table.lines} <= {mark.n, *(move.n for move in again.moves)}


def test_the_dice_of_each_rewind_stay_those_of_its_own_stretch() -> None:
    """Rewound to move 2, played on to move 4, rewound to it: what fell between the two must not change."""

    def play(table: Table) -> Play:
        while True:
            yield Ask("amber", "turn", Choice(["go"]))
            table.roll(3, "roll")

    def fallen(n: int, epochs: list[tuple[int, int]]) -> list[Any]:
        moves = [Move(i, i, "amber", "turn", "go") for i in range(1, n + 1)]
        lines = resumed(msgspec.structs.replace(toy.GAME, play=play), moves, epochs=epochs).table.lines
        return [line.args["dice"] for line in lines if line.key == "roll"]

    first, second, third = fallen(7, []), fallen(7, [(2, 1)]), fallen(7, [(2, 1), (4, 2)])
    assert second[:2] == first[:2]
    assert all(roll != other for roll, other in zip(second[2:], first[2:], strict=True))
    assert third[:4] == second[:4]
    assert all(roll not in (*first, *second) for roll in third[4:])


def test_games_that_differ_in_anything_have_different_digests() -> None:
    """The digest is what a rehearsal and a verification go by."""
    changes = {
        "nothing": lambda referee: None,
        "move": lambda referee: referee.moves.append(Move(5, 2, "amber", "action", "hold")),
        "question": lambda referee: setattr(referee, "q", referee.q + 1),
        "epoch": lambda referee: setattr(referee.table.dice, "epoch", 1),
        "draw": lambda referee: setattr(referee.table.dice, "counter", 99),
        "asked": lambda referee: setattr(referee.now, "seat", "blue"),
        "state": lambda referee: referee.table.state.hands["blue"].reverse(),
    }
    digests = set()
    for change in changes.values():
        referee = to_action(new())
        change(referee)
        digests.add(referee.digest())
    assert len(digests) == len(changes)


# -- refusals ----------------------------------------------------------------------------------------------------------


def test_who_is_not_asked_in_a_sealed_question_is_refused() -> None:
    """An error would stop everybody's game; a refusal goes to its writer."""
    referee = new()
    for seat in (MODERATOR, "nobody", ""):
        for attempt in (referee.check, referee.submit):
            with pytest.raises(Rejection):
                attempt(seat, 0)
    assert referee.waiting() == toy.SEATS


def test_a_refusal_cites_the_rule_of_the_question() -> None:
    referee = new()
    for attempt in (referee.check, referee.submit):
        with pytest.raises(Rejection) as caught:
            attempt("blue", 99)
        assert caught.value.problem.rule == "1"


def test_a_plan_cannot_wait_for_its_own_writer() -> None:
    """It would never be carried out, and its writer would not know why."""
    referee = to_window(new({"ask_me": ALWAYS}))
    card = referee.table.state.hands["blue"][0]
    for when in ("after", "unless"):
        step = {"answer": {"do": "intercept", "card": card}}
        referee.check("blue", {"plan": [{**step, when: ["coral"]}]})
        with pytest.raises(Rejection):
            referee.check("blue", {"plan": [{**step, when: ["blue"]}]})


# -- corrections -------------------------------------------------------------------------------------------------------


def test_what_a_correction_touched_is_for_the_moderator_alone() -> None:
    """A path may name a card in a hand; the table hears how many things were set."""
    referee = to_action(new())
    hand = list(referee.table.state.hands["blue"])
    steps: list[dict[str, Any]] = [{"path": "hands.blue", "value": hand[::-1]}, {"path": "gold.blue", "value": 3}]
    referee.fiat(steps)
    line = referee.table.lines[-1]
    assert (line.args, line.only) == ({"count": 2}, None)
    assert line.private == {MODERATOR: {"paths": ["hands.blue", "gold.blue"]}}


def test_a_correction_closes_no_question_and_asks_anew_what_may_be_answered() -> None:
    referee = new()
    assert isinstance(referee.domain("blue"), Amount)
    referee.check("blue", 6)
    referee.fiat([{"path": "gold.blue", "value": 2}])
    with pytest.raises(Rejection):
        referee.submit("blue", 6)
    assert (referee.q, referee.waiting()) == (1, toy.SEATS)
