"""Time runs out: defaults for those who are missing, and who has none."""

from __future__ import annotations

from pbem.kernel.questions import MODERATOR, Ask
from pbem.kernel.referee import DEFAULT, SETTINGS
from tests.toy.playing import answers, new, to_action, to_window


def test_time_gives_the_missing_seats_their_defaults() -> None:
    referee = new()
    referee.submit("blue", 3)
    assert referee.time_up("then") == ()
    assert [(m.answer, m.how, m.at) for m in referee.moves] == [
        (0, DEFAULT, "then"),
        (3, "chosen", ""),
        (0, DEFAULT, "then"),
    ]
    referee.submit("amber", {"do": "propose", "to": ["blue"], "price": 1})
    referee.submit("blue", "done")
    assert referee.time_up() == ()
    assert referee.moves[-1].how == DEFAULT
    assert [act["do"] for act in referee.moves[-1].answer["acts"]] == ["propose", "done"]
    assert referee.pending()[0].default == "hold"
    referee.time_up()
    assert answers(referee)[-1] == ("blue", "action", "hold")


def test_time_is_up_for_some_seats_only() -> None:
    referee = new()
    referee.time_up(seats=["coral"])
    assert referee.waiting() == ("amber", "blue")
    referee.submit("coral", 2)
    referee.submit("amber", 0)
    referee.submit("blue", 0)
    assert [move.answer for move in referee.moves] == [0, 0, 2]
    assert referee.moves[2].how == "chosen"


def test_a_window_closes_with_pass_when_time_is_up() -> None:
    referee = to_window(new())
    referee.time_up()
    assert [(m.seat, m.answer, m.how) for m in referee.moves[-2:]] == [
        ("blue", "pass", DEFAULT),
        ("coral", "pass", SETTINGS),
    ]


def test_who_has_no_default_is_named() -> None:
    referee = to_action(new())
    referee.submit("amber", "plot")
    before = referee.digest()
    assert referee.time_up() == (MODERATOR,)
    assert referee.digest() == before


def test_a_default_that_is_not_legal_is_none() -> None:
    referee = to_action(new())
    assert isinstance(referee.now, Ask)
    referee.now.default = "dance"
    assert referee.time_up() == ("amber",)
    assert len(referee.moves) == 4
