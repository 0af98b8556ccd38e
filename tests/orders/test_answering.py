"""The open question: how an answer to it may be written, and what is refused."""

from __future__ import annotations

import pytest

from tests.toy.letters import fates, reasons, send
from tests.toy.playing import start


@pytest.mark.parametrize(
    "line",
    ["1: march vienna pressburg", "action: march vienna pressburg", "march vienna press", "mar ウィーン pressburg"],
)
def test_the_open_question_is_answered_by_number_by_kind_and_bare(line):
    game = start()
    receipt = send(game, "england", line, via="<a>")
    assert [(a.text, a.fate) for a in receipt.accepted] == [("1: march vienna pressburg", "answered")]
    assert receipt.verdict == "taken"
    assert game.q == 2
    assert game.moves[0].answer == {"do": "march", "origin": "vienna", "to": "pressburg"}
    assert (game.moves[0].via, game.moves[0].at, game.moves[0].how) == ("<a>", "t", "chosen")
    assert receipt.open == []


def test_a_rules_own_reason_and_section_are_told():
    (refused,) = send(start(), "england", "march vienna milan").refused
    assert (refused.problem.key, refused.problem.rule) == ("rules.custom", "3.1")
    assert refused.offer == ""


def test_questions_that_are_closed_or_not_yours():
    game = start()
    send(game, "england", "hold")
    assert reasons(send(game, "england", "1: hold")) == [(2, "answer.closed")]
    assert reasons(send(game, "england", "2: hold")) == [(2, "answer.not_asked")]
    assert game.q == 2


def test_a_kind_that_the_game_does_not_have():
    game = start()
    (refused,) = send(game, "england", "balot: accept").refused
    assert refused.problem.key == "orders.kind"
    assert refused.offer == "ballot: accept"
    assert send(game, "england", "ball: accept").accepted[0].text == "ballot: accept"


def test_two_different_answers_to_one_question_are_both_refused():
    game = start()
    receipt = send(game, "england", "march vienna venice", "1: hold")
    assert reasons(receipt) == [(2, "orders.contradiction"), (3, "orders.contradiction")]
    assert receipt.refused[0].problem.args == {"lines": "2, 3", "q": 1}
    assert game.q == 1
    assert fates(send(game, "england", "hold", "1: hold")) == [(2, "answered"), (3, "answered")]
