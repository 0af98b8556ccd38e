"""What was sent in advance answers what it was meant for and nothing else; its writer is told of each line, once."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pbem.kernel.domains import Choice
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask, Window
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import ALWAYS, NEVER, AdvanceOrder, AskMe, StandingRule, condition
from pbem.kernel.table import Table
from tests.toy import playing as toy
from tests.toy.playing import new, to_action, to_talk, to_window


def notes(referee: Referee) -> list[tuple[str, str, str]]:
    return [(note.seat, note.key, note.text) for note in referee.notes]


def window(kind: str = "parley", **keywords: Any) -> Window:
    return Window(kind, {seat: Choice(["pass", "shout"]) for seat in ("blue", "coral")}, **keywords)


def playing(*steps: Window | Ask | str) -> Referee:
    """A game that asks `steps` one after another; a step that is a seat surprises it."""

    def play(table: Table) -> Play:
        for step in steps:
            if isinstance(step, str):
                table.stop_advance_orders(step)
            else:
                yield step
        yield Ask("amber", "end", Choice(["end"]))

    return Referee.new(msgspec.structs.replace(toy.GAME, play=play), toy.setup())


def opening() -> Ask:
    return Ask("amber", "opening", Choice(["go"]))


# -- standing answers --------------------------------------------------------------------------------------------------


def test_a_standing_answer_to_one_kind_of_question_answers_no_other() -> None:
    referee = to_action(new({"ask_me": ALWAYS}))
    referee.standing = [StandingRule("blue", "bribe", "pass"), StandingRule("amber", "march", "hold")]
    referee.submit("amber", {"do": "march", "to": "ford"})
    assert referee.waiting() == ("blue", "coral")
    assert referee.notes == []


def test_a_star_never_answers_what_is_no_window_even_where_it_could() -> None:
    referee = to_action(new())
    referee.standing = [StandingRule("amber", "*", "hold"), StandingRule("amber", "*", "pass")]
    referee.settle()
    assert referee.asked() == ("amber",)
    assert (len(referee.moves), referee.notes) == (4, [])


def test_unless_keeps_a_standing_answer_back() -> None:
    referee = to_action(new())
    referee.standing = [StandingRule("amber", "action", "hold", unless=(condition("space=hill"),))]
    referee.settle()
    assert len(referee.moves) == 4
    referee.standing = [StandingRule("amber", "action", "hold", unless=(condition("space!=keep"),))]
    referee.settle()
    assert len(referee.moves) == 4


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("space!=turin", True),
        ("strength<=4", True),
        ("strength<4", False),
        ("strength>=5", False),
        ("touches!=spain", True),
        ("touches=England", True),
        ("pair=milan", True),
        ("pair!=milan", False),
        ("touches>3", False),
        ("nothing>3", False),
    ],
)
def test_conditions_at_their_edges(text: str, holds: bool) -> None:
    """What holds where it should not answers for a player against his word; what breaks off stops everybody's game."""
    facts = {
        "space": "milan",
        "strength": 4,
        "touches": ["France", "England"],
        "pair": ("milan", "turin"),
        "nothing": None,
    }
    assert condition(text).holds(facts) is holds


# -- the queue ---------------------------------------------------------------------------------------------------------


def test_a_line_for_a_question_that_is_past_never_answers_another() -> None:
    referee = to_action(new())
    referee.queue = [AdvanceOrder("amber", "hold", q=referee.q - 1), AdvanceOrder("amber", "tax 1")]
    referee.settle()
    assert [move.answer for move in referee.moves if move.kind == "action"] == [{"do": "tax", "with": 1}]
    assert [line.text for line in referee.queue] == ["hold"]


def test_a_line_for_a_later_question_waits_for_it() -> None:
    referee = to_action(new())
    referee.queue = [AdvanceOrder("amber", "hold", q=referee.q + 1)]
    referee.settle()
    assert referee.asked() == ("amber",)
    assert len(referee.moves) == 4


def test_a_line_for_a_numbered_question_answers_none_of_its_kind() -> None:
    referee = to_action(new())
    for q in (referee.q - 1, referee.q + 4):
        referee.queue = [AdvanceOrder("amber", "hold", q=q, kind="action")]
        referee.settle()
        assert referee.asked() == ("amber",)
    assert len(referee.moves) == 4


def test_brakes_look_at_the_clock_too() -> None:
    referee = to_action(new())
    referee.queue = [AdvanceOrder("amber", "hold", stops=(condition("turn>=1"),))]
    referee.settle()
    assert notes(referee) == [("amber", "advance.stopped", "hold")]
    assert len(referee.moves) == 4


def test_one_writer_s_bad_line_neither_holds_nor_frees_another_s() -> None:
    """Else whoever writes nonsense sets going what a surprise had stopped."""
    referee = to_action(new())
    referee.queue = [
        AdvanceOrder("blue", "tax 1", held=True),
        AdvanceOrder("coral", "tax 2"),
        AdvanceOrder("amber", "march port"),
        AdvanceOrder("amber", "hold"),
    ]
    referee.settle()
    assert [(line.seat, line.held) for line in referee.queue] == [
        ("blue", True),
        ("coral", False),
        ("amber", True),
        ("amber", True),
    ]
    for _ in range(2):
        referee.submit("amber", "hold")
    assert referee.asked() == ("blue",)


@pytest.mark.parametrize("pace", ["turn", "reaction"])
def test_a_line_without_an_address_answers_no_window_of_any_pace(pace: str) -> None:
    referee = playing(opening(), window(pace=pace))
    referee.queue = [AdvanceOrder("blue", "shout")]
    referee.submit("amber", "go")
    assert referee.waiting() == ("blue", "coral")
    assert referee.notes == []


def test_a_line_without_an_address_answers_no_reaction_of_its_own() -> None:
    referee = playing(opening(), Ask("blue", "bribe", Choice(["shout"]), pace="reaction"))
    referee.queue = [AdvanceOrder("blue", "shout")]
    referee.submit("amber", "go")
    assert referee.asked() == ("blue",)


def test_lines_go_on_when_time_has_closed_a_negotiation() -> None:
    referee = to_talk(new())
    referee.queue = [AdvanceOrder("amber", "tax 2", kind="action")]
    referee.time_up("noon")
    assert referee.moves[-1].answer == {"do": "tax", "with": 2}
    assert referee.moves[-1].at == ""


def test_lines_go_on_when_time_has_answered_for_another() -> None:
    referee = to_action(new())
    referee.queue = [AdvanceOrder("blue", "tax 2")]
    for _ in range(2):
        referee.time_up("noon")
    assert [move.answer for move in referee.moves[4:]] == ["hold", "hold", {"do": "tax", "with": 2}]


# -- surprises ---------------------------------------------------------------------------------------------------------


def surprised(*, bold: bool) -> Referee:
    """Coral, who wants no questions, has a line for a window that opens right after something surprised her."""
    referee = playing(opening(), "coral", window(), opening())
    referee.settings = [AskMe("coral", "*", NEVER), AskMe("blue", "*", NEVER)]
    referee.queue = [AdvanceOrder("coral", "shout", kind="parley", bold=bold)]
    referee.submit("amber", "go")
    return referee


def test_a_bold_line_is_heard_in_a_window_right_after_a_surprise() -> None:
    assert [(m.seat, m.answer) for m in surprised(bold=True).moves[1:]] == [("blue", "pass"), ("coral", "shout")]


def test_a_line_that_is_not_bold_is_not_heard_after_a_surprise() -> None:
    referee = surprised(bold=False)
    assert [(m.seat, m.answer) for m in referee.moves[1:]] == [("blue", "pass"), ("coral", "pass")]
    assert notes(referee) == [("coral", "advance.held", "shout")]


def test_a_line_that_is_held_is_told_of_once_however_many_surprises_come() -> None:
    referee = playing(opening(), "coral", opening(), "coral", opening())
    referee.queue = [AdvanceOrder("coral", "shout", letter="one", line=1)]
    referee.submit("amber", "go")
    referee.submit("amber", "go")
    assert notes(referee) == [("coral", "advance.held", "shout")]


def test_a_line_written_after_a_surprise_is_not_held_for_it() -> None:
    """Its writer has read of the surprise: there was nothing of his to stop when it came."""
    referee = playing("coral", opening(), "coral", *[Ask("coral", "answer", Choice(["a", "b"]))] * 2)
    referee.queue = [AdvanceOrder("coral", "a")]
    referee.settle()
    assert notes(referee) == []  # that of the beginning is over
    referee.queue = []
    referee.submit("amber", "go")
    referee.queue = [AdvanceOrder("coral", "b")]
    referee.settle()
    assert notes(referee) == [("coral", "advance.used", "b")]
    assert referee.moves[-1].answer == "b"


# -- notes -------------------------------------------------------------------------------------------------------------


def test_the_same_words_in_another_letter_are_told_of_anew() -> None:
    referee = to_action(new())
    for letter in ("one", "two"):
        referee.queue = [AdvanceOrder("amber", "march port", letter=letter, line=3)]
        referee.settle()
    assert [(note.key, note.letter) for note in referee.notes] == [("advance.failed", "one"), ("advance.failed", "two")]


def test_the_same_words_on_another_line_are_told_of_too() -> None:
    referee = to_action(new())
    for line in (1, 5):
        referee.queue = [AdvanceOrder("amber", "march port", letter="one", line=line)]
        referee.settle()
    assert [note.line for note in referee.notes] == [1, 5]


def test_each_standing_answer_that_fails_is_told_of() -> None:
    referee = to_action(new())
    for text in ("march port", "march keep keep"):
        referee.standing = [StandingRule("amber", "action", text)]
        referee.settle()
    assert [note.text for note in referee.notes] == ["march port", "march keep keep"]


def test_each_seat_is_told_of_its_own_standing_answer() -> None:
    referee = to_action(new())
    referee.standing = [StandingRule(seat, "action", "march port") for seat in ("amber", "blue")]
    referee.settle()
    for _ in range(2):
        referee.submit("amber", "hold")
    assert notes(referee) == [("amber", "standing.failed", "march port"), ("blue", "standing.failed", "march port")]


def test_a_line_that_was_held_and_fails_when_it_goes_on_is_told_of_for_both() -> None:
    referee = to_action(new())
    referee.queue = [AdvanceOrder("amber", "march port", letter="one", line=1)]
    referee.table.stop_advance_orders("amber")
    referee.settle()
    referee.queue[0].held = False
    referee.settle()
    assert [note.key for note in referee.notes] == ["advance.held", "advance.failed"]


# -- put anew ----------------------------------------------------------------------------------------------------------


def test_a_window_put_anew_that_nobody_wants_closes_and_play_goes_on() -> None:
    """After a rewind into a window: what was said in advance answers what comes after it."""
    asked = playing(opening(), window(), Ask("blue", "after", Choice(["a", "b"])))
    asked.submit("amber", "go")
    again = Referee.resume(asked.game, asked.setup, asked.moves[:1])
    assert again.waiting() == ("blue", "coral")
    again.standing = [StandingRule("blue", "after", "b")]
    again.settings = [AskMe(seat, "*", NEVER) for seat in ("blue", "coral")]
    again.ask_again()
    assert [(m.seat, m.kind, m.answer) for m in again.moves[1:]] == [
        ("blue", "parley", "pass"),
        ("coral", "parley", "pass"),
        ("blue", "after", "b"),
    ]


def test_nothing_but_an_untouched_window_is_put_anew() -> None:
    action, ballot, talk = to_action(new()), new(), to_talk(new())
    ballot.submit("blue", 2)
    half = to_window(new({"ask_me": ALWAYS}))
    half.submit("blue", "pass")
    for referee in (action, ballot, talk, half):
        referee.settings = [AskMe(seat, "*", NEVER) for seat in toy.SEATS]
        before = (referee.digest(), dict(referee.sealed), referee.waiting())
        referee.ask_again()
        assert (referee.digest(), referee.sealed, referee.waiting()) == before


def test_what_is_sealed_is_said_to_be() -> None:
    """Reports name nobody who is waited for where this says so."""
    for referee, sealed in ((new(), True), (to_window(new()), True), (to_talk(new()), False)):
        assert {pending.sealed for pending in referee.pending()} == {sealed}
    assert [pending.sealed for pending in to_action(new()).pending()] == [False]


# -- both ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        AdvanceOrder("amber", "march port"),  # nowhere to march to
        AdvanceOrder("amber", "hold", stops=(condition("turn=1"),)),
    ],
)
def test_a_line_that_waits_for_its_writer_keeps_his_standing_answers_back_too(line: AdvanceOrder) -> None:
    referee = to_action(new())
    referee.queue = [line]
    referee.standing = [StandingRule("amber", "action", "hold")]
    moves = len(referee.moves)
    for _ in range(3):
        referee.settle()
        assert referee.asked() == ("amber",)
        assert len(referee.moves) == moves
    assert [note.key for note in referee.notes if note.key != "advance.held"] != []
    referee.queue = []
    referee.settle()
    assert len(referee.moves) > moves, "without the line the standing answer holds again"


def test_a_window_put_anew_takes_standing_answers_at_once() -> None:
    asked = playing(opening(), window(), Ask("blue", "after", Choice(["a", "b"])))
    asked.settings = [AskMe(seat, "*", ALWAYS) for seat in ("blue", "coral")]
    asked.submit("amber", "go")
    again = Referee.resume(asked.game, asked.setup, asked.moves)
    again.standing = [StandingRule("blue", "parley", "shout")]
    again.settings = [AskMe("coral", "*", NEVER)]
    again.ask_again()
    assert again.asked() == ("blue",)
    assert again.now is not None
    assert again.now.kind == "after"
