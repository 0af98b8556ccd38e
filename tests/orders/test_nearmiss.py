"""Almost an answer: what is offered in its place, and never carried out unasked."""

from __future__ import annotations

import pytest

from pbem.kernel.order_words import NO_NAMES
from pbem.kernel.rejections import Rejection, RejectionReason
from pbem.orders import suggestions
from pbem.orders.context import question_of
from pbem.orders.suggestions import suggest
from tests.toy.letters import send
from tests.toy.playing import start, to_ballot, to_talk


def test_a_near_miss_is_offered_as_a_whole_line_and_not_executed():
    game = start()
    receipt = send(game, "england", "march vienna presburgh regulars=2")
    (refused,) = receipt.refused
    assert refused.offer == "1: march vienna pressburg regulars=2"
    assert (refused.line, refused.text) == (2, "march vienna presburgh regulars=2")
    assert refused.problem.rule == "3"
    assert receipt.verdict == "refused"
    assert game.q == 1
    assert send(game, "england", refused.offer).verdict == "taken"


@pytest.mark.parametrize(
    "line",
    [
        "1. hold",
        "1 hold",
        "1) hold",
        "1 - hold",
        "- hold",
        "* 1: hold",
        "question 1: hold",
        "Q1. hold.",
        "‘hold’",
        "hold!",
    ],
)
def test_a_label_or_mark_around_a_good_answer_is_put_right_not_guessed_at(line):
    game = start()
    (refused,) = send(game, "england", line).refused
    assert refused.offer == "1: hold"
    assert game.q == 1


def test_only_the_first_refused_lines_of_a_letter_are_helped(monkeypatch):
    asked = []
    helped = suggestions.example_answers
    monkeypatch.setattr(suggestions, "example_answers", lambda *args: asked.append(args) or helped(*args))
    receipt = send(start(), "england", *["1: march viena presburgh regulars=200"] * 40)
    assert len(receipt.refused) == 40
    assert 0 < len(asked) <= 4
    assert not any(refused.offer or refused.ways for refused in receipt.refused[4:])


@pytest.mark.parametrize("words", ["march vienna ", "x "])
def test_a_line_that_no_answer_can_be_is_not_mended(monkeypatch, words):
    monkeypatch.setattr(suggestions, "_mended", None)
    question = question_of(start(), "england")
    problem, offer = suggestions.explain_with_suggestion(
        question, words * 200, RejectionReason("answer.unknown"), NO_NAMES
    )
    assert (problem.key, offer) == ("answer.unknown", "")


def test_the_number_of_another_question_is_no_label():
    (refused,) = send(start(), "england", "7. hold").refused
    assert refused.offer == ""


def test_what_is_refused_for_another_reason_is_not_offered_as_it_stands():
    assert [refused.offer for refused in send(start(), "england", "1: hold", "1: march vienna pressburg").refused] == [
        "",
        "",
    ]


# -- words next to a complete answer ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words", "offer"),
    [
        ("1: hold, please", "please", "1: hold"),
        ("hold please, and thanks a lot!", "please, and thanks a lot", "1: hold"),
        ("Please: hold", None, None),  # "please" is read as a kind
        ("I would like to hold", "I would like to", "1: hold"),
        ("ok, hold, please", "ok … please", "1: hold"),
        ("1. hold please", "please", "1: hold"),
        ("hold でお願いします", "でお願いします", "1: hold"),
        ("holdでお願いします。", "でお願いします", "1: hold"),
        ("hold, お願いします", "お願いします", "1: hold"),
        ("march vienna pressburg regulars=2, cheers", "cheers", "1: march vienna pressburg regulars=2"),
        ("march vienna pressburg regulars=2 (phew)", "phew", "1: march vienna pressburg regulars=2"),
        ('march "vienna" "pressburg" please', "please", "1: march vienna pressburg"),
        ('march vienna to="pressburg", thanks a lot!', "thanks a lot", "1: march vienna pressburg"),
        ("hold (hold)", "hold", "1: hold"),  # as the form shows a word and its name
    ],
)
def test_words_beside_a_complete_answer_are_named_and_the_answer_is_offered(line, words, offer):
    game = start()
    (refused,) = send(game, "england", line).refused
    assert (refused.offer or None) == offer
    if words is not None:
        assert (refused.problem.key, refused.problem.args["word"]) == ("orders.extra", words)
        assert refused.problem.rule == "3"
    assert refused.text == line
    assert game.q == 1  # what was not written legally is not carried out
    if offer:
        assert send(game, "england", refused.offer).verdict == "taken"


@pytest.mark.parametrize(
    "line",
    [
        "hold unless france marches",
        "hold, not",
        "hold or march",
        "hold? march vienna pressburg",
        "don't hold",
        "not hold",
        "hold 3",
        "hold vienna",
        "hold mrach",  # it may be the march that he means
        "march vienna pressburg regulars=2 leaders=3",
        "hold しない",
    ],
)
def test_nothing_is_offered_that_leaves_out_a_word_which_may_mean_something(line):
    game = start()
    (refused,) = send(game, "england", line).refused
    assert refused.offer == ""
    assert refused.problem.key != "orders.extra"
    assert game.q == 1


def test_a_misspelt_word_among_polite_ones_is_put_right_too():
    (refused,) = send(start(), "england", "please march vienna presburgh, thanks").refused
    assert refused.offer == "1: march vienna pressburg"
    assert refused.problem.args["word"] == "presburgh"


def test_words_beside_an_act_of_a_negotiation():
    game = to_talk(start())
    (refused,) = send(game, "england", "done, thank you").refused
    assert refused.offer == f"{game.q}: done"
    assert refused.problem.args["word"] == "thank you"
    assert "england" in game.waiting()


def test_two_answers_in_a_line_are_never_narrowed_to_one():
    game = to_ballot(start())
    for line in ("accept reject", "accept, r", "accept or reject please", "accept? reject!"):
        (refused,) = send(game, "spain", line).refused
        assert refused.offer == "", line


def test_an_answer_without_its_first_word_is_told_with_it():
    game = start()
    question = question_of(game, "england")
    assert question is not None

    def ways(body):
        with pytest.raises(Rejection) as refused:
            question.domain.parse(body, game.names)
        near = suggest(question, body, refused.value.problem, game.names)
        return near and list(near.ways)

    assert ways("milan genoa")[0] == "1: march milan genoa"
    assert ways("milan")[0].startswith("1: march milan ")
    assert ways("what of milan") is None
    assert ways("1: ") is None
