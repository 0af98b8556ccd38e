"""Questions and answers: sealed together, open to whom they are put, hidden from everybody else."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from pbem.kernel.questions import MODERATOR
from pbem.kernel.rejections import Rejection, RejectionReason, rejection
from tests.toy.playing import SEATS, answers, at_random, chance, new, to_action, to_talk


@pytest.mark.parametrize("order", list(itertools.permutations(SEATS)))
def test_the_journal_is_in_the_order_of_the_question(order: tuple[str, ...]) -> None:
    referee = new()
    for seat in order:
        assert referee.moves == []
        referee.submit(seat, SEATS.index(seat), at=f"when {seat}", via=f"letter of {seat}")
    assert answers(referee) == [("amber", "bid", 0), ("blue", "bid", 1), ("coral", "bid", 2)]
    assert [move.n for move in referee.moves] == [1, 2, 3]
    assert {move.q for move in referee.moves} == {1}
    assert [move.via for move in referee.moves] == [f"letter of {seat}" for seat in SEATS]
    assert referee.table.state.to_act == ["coral"] * 2 + ["blue"] * 2 + ["amber"] * 2


def test_a_sealed_answer_shows_nowhere_and_can_be_replaced() -> None:
    one, other = new(), new()
    one.submit("blue", 4)
    assert one.digest() == other.digest()
    assert one.asked() == other.asked() == SEATS
    assert [line.key for line in one.table.lines] == [line.key for line in other.table.lines]
    for seat in ("amber", "coral"):
        assert [p for p in one.pending() if p.seat == seat] == [p for p in other.pending() if p.seat == seat]
    assert [p.answered for p in one.pending()] == [False, True, False]
    one.submit("blue", 1)
    with pytest.raises(Rejection):
        one.submit("blue", 7)
    to_talk(one, 2, 1, 0)
    assert one.table.state.gold == {"amber": 4, "blue": 5, "coral": 6}


def test_what_a_seat_is_asked_does_not_depend_on_what_others_have_answered() -> None:
    """The no-leak law for `pending`: through a whole game, before and after each answer of another seat."""
    referee, below = new({"ask_me": "always"}), chance(5)
    while not referee.over:
        seat = referee.waiting()[0]
        before = {p.seat: p for p in referee.pending()}
        q = referee.q
        referee.submit(seat, referee.domain(seat).sample(below))
        if referee.q == q and referee.talk is None and not referee.over:
            after = {p.seat: p for p in referee.pending()}
            assert after.pop(seat).answered
            assert not before.pop(seat).answered
            assert after == before


def test_private_lines_reach_their_reader_only() -> None:
    referee = to_action(new())
    referee.submit("amber", "draw")
    line = referee.table.lines[-1]
    assert line.private == {"amber": {"card": referee.table.state.hands["amber"][-1]}}
    assert line.args == {"seat": "amber"}
    assert line.is_irreversible
    assert line.n == referee.n


def test_only_who_is_asked_can_answer() -> None:
    referee = to_action(new())
    for seat in ("blue", "nobody", MODERATOR):
        with pytest.raises(Rejection) as caught:
            referee.submit(seat, "hold")
        assert caught.value.problem.key == "answer.no_question"
    before = referee.digest()
    with pytest.raises(Rejection) as caught:
        referee.submit("amber", {"do": "march", "to": "port"})
    far = RejectionReason("rules.custom", {"text": "port is too far from hill"}, "3.1", ("ford",))
    assert caught.value.problem == far
    with pytest.raises(Rejection) as caught:
        referee.submit("amber", "dance")
    assert caught.value.problem.rule == "3"
    assert referee.digest() == before


def test_nothing_can_be_answered_when_the_game_is_over() -> None:
    referee = at_random(new(), chance(1))
    assert referee.over
    assert referee.result is not None
    assert referee.pending() == []
    assert referee.asked() == ()
    with pytest.raises(Rejection):
        referee.submit("amber", "hold")


def test_a_rule_that_refuses_an_accepted_answer_is_no_refusal() -> None:
    """The state may have changed by then: it must not look as if nothing had happened."""
    referee = to_action(new())

    def rules(_: object) -> Any:
        raise rejection("rules.custom", text="too late")

    referee._send = rules
    with pytest.raises(RuntimeError, match="too late"):
        referee.submit("amber", "hold")
