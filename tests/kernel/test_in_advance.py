"""Answers given in advance: queued lines, standing answers, ask-me settings."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.kernel.dice import Dice
from pbem.kernel.referee import QUEUED, SETTINGS, STANDING, Referee
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import (
    ALWAYS,
    MINE,
    NEVER,
    AdvanceOrder,
    AskMe,
    Condition,
    StandingRule,
    condition,
    wants_to_be_asked,
)
from tests.toy.playing import SEATS, SEED, new, to_action, to_talk


def queue(referee: Referee, seat: str, *lines: str, **keywords: Any) -> None:
    referee.queue += [
        AdvanceOrder(seat, text, letter="letter 1", line=i, **keywords) for i, text in enumerate(lines, 1)
    ]


def notes(referee: Referee) -> list[tuple[str, str, str]]:
    return [(note.seat, note.key, note.text) for note in referee.notes]


def last(referee: Referee, count: int = 1) -> list[tuple[str, str, object, str]]:
    return [(move.seat, move.kind, move.answer, move.how) for move in referee.moves[-count:]]


# -- the queue ---------------------------------------------------------------------------------------------------------


def test_a_queue_plays_on_through_windows_that_nobody_wants() -> None:
    referee = to_action(new())
    queue(referee, "amber", "march ford", "march keep")
    queue(referee, "blue", "tax 2")
    referee.settle()
    assert referee.table.state.at["amber"] == "keep"
    assert [m.how for m in referee.moves if m.kind == "action"] == [QUEUED] * 3
    assert {m.via for m in referee.moves if m.kind == "action"} == {"letter 1"}
    assert referee.queue == []
    assert notes(referee) == [
        ("amber", "advance.used", "march ford"),
        ("amber", "advance.used", "march keep"),
        ("blue", "advance.used", "tax 2"),
    ]
    assert referee.asked() == ("blue",)


def test_a_queue_waits_for_an_open_window_and_then_goes_on() -> None:
    referee = to_action(new())
    referee.table.state.at["blue"] = "ford"
    queue(referee, "amber", "march ford", "hold")
    referee.settle()
    assert referee.waiting() == ("blue",)
    assert [entry.text for entry in referee.queue] == ["hold"]
    referee.submit("blue", "pass", at="now")
    assert referee.queue == []
    assert last(referee) == [("amber", "action", "hold", QUEUED)]
    times = {move.seat: move.at for move in referee.moves}
    assert (times["blue"], times["amber"]) == ("now", "")  # when blue wrote is for nobody else to read


def test_a_line_without_an_address_never_answers_a_window() -> None:
    """A `pass` that was meant for something else must not be taken for the answer to a window nobody foresaw."""
    referee = to_action(new({"ask_me": ALWAYS}))
    queue(referee, "blue", "pass", "hold")
    referee.submit("amber", {"do": "march", "to": "ford"})
    assert referee.waiting() == ("blue", "coral")
    assert notes(referee) == []
    queue(referee, "blue", "pass", kind="intercept")
    referee.settle()
    assert referee.waiting() == ("coral",)
    assert [entry.text for entry in referee.queue] == ["pass", "hold"]


def interception(*, bold: bool) -> Referee:
    referee = to_action(new({"ask_me": ALWAYS}))
    queue(referee, "amber", "hold", bold=bold)
    queue(referee, "coral", "hold")
    referee.submit("amber", {"do": "march", "to": "ford"})
    referee.submit("coral", "pass")
    card = referee.table.state.hands["blue"][0]
    referee.table.dice.epoch = next(e for e in range(100) if rolled(e, referee.table.dice.counter) >= 6)
    referee.submit("blue", {"do": "intercept", "card": card})
    referee.submit("amber", 0)
    return referee


def rolled(epoch: int, counter: int) -> int:
    return sum(Dice(bytes.fromhex(SEED), epoch, counter).roll(2))


def test_a_surprise_stops_the_queue() -> None:
    referee = interception(bold=False)
    assert notes(referee) == [("amber", "advance.held", "hold")]
    assert [entry.held for entry in referee.queue] == [True, False]
    assert referee.asked() == ("amber",)
    referee.settle()
    assert len(referee.queue) == 2
    referee.queue[0].held = False
    referee.settle()
    assert last(referee) == [("amber", "action", "hold", QUEUED)]


def test_a_bold_line_plays_on_past_a_surprise() -> None:
    referee = interception(bold=True)
    assert notes(referee) == [("amber", "advance.used", "hold")]
    assert referee.asked() == ("blue",)


def test_a_writer_s_own_brakes() -> None:
    referee = to_action(new())
    queue(referee, "amber", "march ford")
    queue(referee, "amber", "march keep", "hold", stops=(condition("space=Ford"),))
    referee.settle()
    assert referee.table.state.at["amber"] == "ford"
    assert notes(referee)[1:] == [("amber", "advance.stopped", "march keep")]
    assert [entry.text for entry in referee.queue] == ["march keep", "hold"]
    referee.settle()
    assert len(referee.notes) == 2


def test_lines_addressed_to_a_question_or_a_kind() -> None:
    referee = new()
    q = referee.q
    queue(referee, "coral", "hold", kind="action")
    queue(referee, "coral", "done", kind="negotiation")
    queue(referee, "coral", "3", q=q)
    queue(referee, "blue", "1", q=q + 9)
    queue(referee, "blue", "2")
    referee.settle()
    assert referee.waiting() == ("amber", "blue")
    assert referee.sealed["coral"].answer == 3
    referee.submit("amber", 0)
    referee.submit("blue", 0)
    assert referee.waiting() == ("amber", "blue")
    referee.submit("amber", "done")
    referee.submit("blue", "done")
    assert last(referee) == [("coral", "action", "hold", QUEUED)]
    assert [(entry.seat, entry.text) for entry in referee.queue] == [("blue", "1"), ("blue", "2")]


def test_a_line_that_is_not_legal_takes_the_rest_with_it() -> None:
    referee = to_action(new())
    queue(referee, "amber", "march port", "hold")
    queue(referee, "blue", "hold")
    referee.settle()
    assert referee.asked() == ("amber",)
    note, behind = referee.notes
    assert (behind.seat, behind.key, behind.text) == ("amber", "advance.behind", "hold")
    assert (note.seat, note.key, note.text, note.letter, note.line) == (
        "amber",
        "advance.failed",
        "march port",
        "letter 1",
        1,
    )
    assert str(note.problem) == "port is too far from hill (legal: ford) [3.1]"
    assert [entry.held for entry in referee.queue] == [True, True, False]
    referee.submit("amber", "hold")
    referee.submit("amber", "hold")
    assert last(referee) == [("blue", "action", "hold", QUEUED)]
    assert len([note for note in referee.notes if note.seat == "amber"]) == 2


def test_the_acts_of_a_negotiation_can_be_queued() -> None:
    referee = to_talk(new())
    queue(referee, "amber", "propose to=blue price=3", "done")
    referee.settle()
    assert referee.queue == []
    assert [act["do"] for act in referee.talk.acts] == ["propose", "done"]
    queue(referee, "blue", "accept amber-blue-1 give=2", "done")
    queue(referee, "coral", "done")
    referee.settle()
    assert referee.table.state.gold == {"amber": 8, "blue": 4, "coral": 6}


# -- standing answers --------------------------------------------------------------------------------------------------


def test_a_standing_answer_is_used_while_it_holds() -> None:
    referee = to_action(new())
    referee.standing = [
        StandingRule("amber", "action", "tax 1", unless=(condition("space!=hill"),)),
        StandingRule("blue", "action", "draw", until=(condition("turn>=2"),)),
        StandingRule("coral", "action", "hold", when=(condition("turn=1"), condition("space=hill"))),
    ]
    referee.settle()
    assert [(m.seat, m.answer, m.how, m.at) for m in referee.moves if m.kind == "action"] == [
        ("amber", {"do": "tax", "with": 1}, STANDING, ""),
        ("amber", {"do": "tax", "with": 1}, STANDING, ""),
        ("blue", "draw", STANDING, ""),
        ("blue", "draw", STANDING, ""),
        ("coral", "hold", STANDING, ""),
        ("coral", "hold", STANDING, ""),
    ]
    to_action(referee)
    assert referee.asked() == ("blue",)
    assert referee.standing[1].expired({"turn": 2})
    assert not referee.standing[1].expired({"turn": 1})


def test_a_standing_answer_never_looks_at_what_is_secret() -> None:
    """`card` is in the question's secret facts and in no public ones: the condition never holds."""
    referee = to_action(new())
    referee.standing = [
        StandingRule("amber", "action", "tax 1", when=(condition("hand=c1"),)),
        StandingRule("amber", "action", "tax 2", when=(condition("hand!=c1"),)),
    ]
    referee.settle()
    assert referee.asked() == ("amber",)
    assert referee.notes == []


def test_a_standing_answer_that_is_not_legal_is_told_once() -> None:
    referee = to_action(new())
    referee.standing = [StandingRule("amber", "action", "march port"), StandingRule("amber", "action", "hold")]
    referee.settle()
    referee.settle()
    assert notes(referee) == [("amber", "standing.failed", "march port")]
    assert referee.asked() == ("amber",)
    referee.notes.clear()  # told in a letter; an email of anybody else has the answer tried again
    referee.settle()
    assert referee.notes == []


def test_a_star_answers_any_window_and_nothing_else() -> None:
    referee = to_action(new({"ask_me": ALWAYS}))
    referee.standing = [StandingRule(seat, "*", "pass") for seat in SEATS]
    referee.settle()
    assert referee.asked() == ("amber",)
    referee.submit("amber", {"do": "march", "to": "ford"})
    assert last(referee, 2) == [("blue", "intercept", "pass", STANDING), ("coral", "intercept", "pass", STANDING)]


def test_a_standing_answer_is_heard_where_its_writer_would_not_be_asked() -> None:
    """Blue is not touched by a march to the port, but wants to intercept there."""
    referee = to_action(new())
    card = referee.table.state.hands["blue"][0]
    referee.standing = [StandingRule("blue", "intercept", f"intercept {card}", when=(condition("space=port"),))]
    referee.submit("amber", {"do": "route", "with": ["ford", "port"]})
    windows = [(m.seat, m.answer, m.how) for m in referee.moves if m.kind == "intercept"]
    assert windows[:4] == [
        ("blue", "pass", SETTINGS),
        ("coral", "pass", SETTINGS),
        ("blue", {"do": "intercept", "card": card}, STANDING),
        ("coral", "pass", SETTINGS),
    ]


def test_a_queued_line_for_a_window_is_heard_too() -> None:
    referee = to_action(new())
    card = referee.table.state.hands["blue"][0]
    queue(referee, "blue", f"intercept {card}", kind="intercept")
    referee.submit("amber", {"do": "march", "to": "ford"})
    used = [move for move in referee.moves if move.kind == "intercept"]
    assert [(m.seat, m.how) for m in used] == [("blue", QUEUED), ("coral", SETTINGS)]


def test_in_a_negotiation_only_done_can_stand() -> None:
    referee = to_talk(new())
    referee.standing = [
        StandingRule("amber", "negotiation", "propose to=blue price=1"),
        StandingRule("coral", "negotiation", "done"),
    ]
    referee.settle()
    assert referee.waiting() == ("amber", "blue")
    assert [act["do"] for act in referee.talk.acts] == ["done"]


def test_nobody_can_tell_who_has_a_standing_answer() -> None:
    """Two worlds that differ in blue's standing answer, of which the condition does not hold."""
    one, other = to_action(new({"ask_me": ALWAYS})), to_action(new({"ask_me": ALWAYS}))
    one.standing = [StandingRule("blue", "intercept", "pass", when=(condition("space=port"),))]
    for referee in (one, other):
        referee.submit("amber", {"do": "march", "to": "ford"})
    assert one.digest() == other.digest()
    assert one.pending() == other.pending()
    assert one.q == other.q


# -- conditions and settings -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("space=milan", True),
        ("space=Milan", True),
        ("space=ＭＩＬＡＮ", True),
        ("space!=milan", False),
        ("space=turin", False),
        ("strength>=4", True),
        ("strength>4", False),
        ("strength<5", True),
        ("strength<=3", False),
        ("strength=4", True),
        ("strength>many", False),
        ("space>3", False),
        ("touches=england", True),
        ("touches!=england", False),
        ("touches=spain", False),
        ("home-card=yes", True),
        ("war=true", True),
        ("unheard=1", False),
        ("unheard!=1", False),
        ("low>=-3", True),
    ],
)
def test_conditions(text: str, holds: bool) -> None:
    facts = {
        "space": "milan",
        "strength": 4,
        "touches": ["france", "england"],
        "home_card": "yes",
        "war": True,
        "low": -2,
    }
    assert condition(text).holds(facts) is holds


def test_a_condition_reads_back() -> None:
    for text in ("space=milan", "strength>=4", "a!=b", "n<3", "n<=3", "n>3"):
        assert str(condition(text)) == text
        assert condition(str(condition(text))) == condition(text)
    assert condition("home-card = yes") == Condition("home_card", "=", "yes")
    for text in ("milan", "=", "space=", "=milan", ""):
        with pytest.raises(Rejection) as caught:
            condition(text)
        assert caught.value.problem.near


@pytest.mark.parametrize(
    ("settings", "about", "wanted"),
    [
        ([], {"touches": ["blue"]}, True),
        ([], {"touches": ["coral"]}, False),
        ([], {}, True),
        ([AskMe("blue", "*", NEVER)], {}, False),
        ([AskMe("coral", "*", NEVER)], {}, True),
        ([AskMe("blue", "*", NEVER), AskMe("blue", "w", ALWAYS)], {"touches": []}, True),
        ([AskMe("blue", "w", ALWAYS), AskMe("blue", "*", NEVER)], {"touches": []}, True),
        ([AskMe("blue", "w", ALWAYS), AskMe("blue", "w", NEVER)], {}, False),
        ([AskMe("blue", "other", NEVER)], {}, True),
        ([AskMe("blue", "w", NEVER, (condition("turn>=3"),))], {}, True),
        ([AskMe("blue", "w", NEVER, (condition("turn>=4"),))], {}, False),
        ([AskMe("blue", "*", ALWAYS), AskMe("blue", "*", MINE)], {"touches": []}, False),
    ],
)
def test_the_most_particular_setting_decides(settings: list[AskMe], about: dict[str, object], wanted: bool) -> None:
    assert wants_to_be_asked(settings, "blue", "w", about, {"turn": 3}, MINE) is wanted


# -- done unless offered -----------------------------------------------------------------------------------------------


def test_done_unless_offered_closes_a_negotiation_in_which_nobody_offers() -> None:
    referee = to_talk(new())
    unless = (condition("offered=yes"),)
    referee.standing += [StandingRule(seat, "negotiation", "done", unless=unless) for seat in SEATS]
    referee.settle()
    assert referee.talk is None
    assert referee.moves[-1].kind == "negotiation"


def test_done_unless_offered_waits_for_its_writer_once_he_is_offered_something() -> None:
    referee = to_talk(new())
    unless = (condition("offered=yes"),)
    referee.standing += [StandingRule(seat, "negotiation", "done", unless=unless) for seat in ("blue", "coral")]
    referee.settle()
    assert referee.waiting() == ("amber",)
    referee.submit("amber", {"do": "propose", "to": ["blue"], "price": 1})
    referee.submit("amber", "done")
    assert referee.waiting() == ("blue",)
    assert referee.talk is not None
    referee.submit("blue", "done")
    assert referee.talk is None
