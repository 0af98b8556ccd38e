"""Questions that come in turn, put to all at once: the order, `wait`, conditions, and what can no longer be done."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from pbem.kernel.domains import WAIT, Amount, Budget, Choice, EarlyAnswer, Form, Menu, Series, domain_from
from pbem.kernel.game import Play
from pbem.kernel.joint_questions import IN_TURN, QUESTIONS, TOGETHER, ask_together
from pbem.kernel.questions import Ask
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import AdvanceOrder
from pbem.kernel.table import Table
from tests.toy import playing as toy

POT = 6


def given(table: Table) -> int:
    return sum(line.args["gold"] for line in table.lines if line.key == "gave")


def ask(table: Table, seat: str) -> Ask[int]:
    return Ask(seat, "gift", lambda: Amount(0, min(4, POT - given(table))), rule="9", default=0)


def gifts(table: Table) -> Play:
    """Each seat in order puts gold into a pot that takes six."""
    table.log("begin")
    said = yield from ask_together(table, {seat: ask(table, seat) for seat in table.seats})
    for seat in table.seats:
        robbed = table.state.motto == f"rob {seat}"
        gold = yield from said.answer(seat, ask(table, seat), stands=not robbed)
        table.state.gold[seat] -= gold
        table.log("gave", seat=seat, gold=gold)
        if gold:
            said.record_action(seat)
    yield Ask("amber", "action", Amount(0, 1))


GAME = msgspec.structs.replace(
    toy.GAME, play=gifts, options=(*toy.GAME.options, QUESTIONS), question_kinds=("gift", "action")
)


def new(how: str = TOGETHER, **keywords: object) -> Referee:
    return Referee.new(GAME, toy.setup(questions=how), **keywords)


def write(referee: Referee, **answers: str) -> Referee:
    for seat, text in answers.items():
        referee.submit(seat, referee.domain(seat).parse(text, referee.names))
    return referee


def gold(referee: Referee) -> list[int]:
    return [line.args["gold"] for line in referee.table.lines if line.key == "gave"]


def test_all_are_asked_at_once_and_done_in_the_rule_s_order() -> None:
    referee = new()
    assert referee.waiting() == ("amber", "blue", "coral")
    write(referee, coral="1", blue="2")
    assert gold(referee) == []  # sealed until the last is in
    write(referee, amber="3")
    assert gold(referee) == [3, 2, 1]


def test_the_first_has_nothing_to_wait_for() -> None:
    with pytest.raises(Rejection):
        write(new(), amber="wait")


def test_wait_asks_in_its_turn_whatever_one_holds() -> None:
    referee = write(new(), amber="3", blue="wait", coral="1")
    assert referee.waiting() == ("blue",)
    assert gold(referee) == [3]  # what came before is seen, what comes after is not
    assert not isinstance(referee.domain("blue"), EarlyAnswer)
    assert gold(write(referee, blue="2")) == [3, 2, 1]


@pytest.mark.parametrize(
    ("amber", "blue", "found"),
    [
        ("0", "2 unless amber; 4 after amber", [0, 2]),
        ("1", "2 unless amber; 4 after amber", [1, 4]),
        ("1", "2 after anyone; wait", [1, 2]),
    ],
)
def test_conditions_look_at_what_was_done_before(amber: str, blue: str, found: list[int]) -> None:
    assert gold(write(new(), amber=amber, blue=blue, coral="0"))[:2] == found


def test_where_no_condition_holds_one_is_asked() -> None:
    referee = write(new(), amber="1", blue="2 unless amber", coral="0")
    assert referee.waiting() == ("blue",)


def test_nobody_can_look_at_those_after_him() -> None:
    with pytest.raises(Rejection):
        write(new(), blue="2 unless coral")


def test_what_can_no_longer_be_done_is_asked_again() -> None:
    referee = write(new(), amber="4", blue="1", coral="3")
    assert gold(referee) == [4, 1]
    assert referee.waiting() == ("coral",)
    assert gold(write(referee, coral="1")) == [4, 1, 1]


def test_a_rule_may_say_that_an_answer_stands_no_longer() -> None:
    referee = new()
    referee.table.state.motto = "rob blue"
    assert write(referee, amber="1", blue="1", coral="1").waiting() == ("blue",)


def test_whoever_waits_has_his_queue_held() -> None:
    """A line behind `wait` was not written for what he wanted to see."""
    referee = new()
    referee.queue.append(AdvanceOrder("blue", "4"))
    referee.settle()
    assert "blue" not in referee.waiting()
    referee.submit("blue", WAIT)
    referee.queue.append(AdvanceOrder("blue", "3"))
    write(referee, amber="0", coral="0")
    assert referee.waiting() == ("blue",)
    assert [(note.seat, note.key) for note in referee.notes if note.key == "advance.held"] == [("blue", "advance.held")]


def test_time_runs_out_with_the_default() -> None:
    referee = write(new(), amber="2")
    assert referee.time_up() == ()
    assert gold(referee) == [2, 0, 0]


def test_in_turn_one_is_asked_after_another() -> None:
    referee = new(IN_TURN)
    assert referee.waiting() == ("amber",)
    write(referee, amber="3", blue="2", coral="1")
    assert gold(referee) == [3, 2, 1]


def test_a_game_from_before_the_option_is_asked_in_turn() -> None:
    assert QUESTIONS.value({}) == IN_TURN
    assert GAME.with_defaults({})["questions"] == TOGETHER
    assert Referee.new(GAME, toy.setup()).waiting() == ("amber",)


def test_it_replays() -> None:
    referee = write(new(), amber="4", blue="wait", coral="3")
    write(referee, blue="1")
    write(referee, coral="0")
    again = Referee.resume(GAME, referee.setup, referee.moves)
    assert again.digest() == referee.digest()


def test_what_is_open_tells_nothing_of_what_was_said() -> None:
    """As long as anybody is missing, all that shows is the same whatever the others have written."""
    one, other = (write(new(), blue=text, coral="wait") for text in ("wait", "1 unless amber"))
    assert one.digest() == other.digest()
    assert one.asked() == other.asked()


INNER = Menu({"pass": None, "place": Series(Choice(["hill", "ford"]), 1, 2), "go": Form(to=Choice(["keep"]))})


@pytest.mark.parametrize("text", ["wait", "pass", "place hill ford", "go keep unless amber; pass after blue"])
def test_an_early_answer_reads_as_it_is_written(text: str) -> None:
    domain = EarlyAnswer(INNER, ("amber", "blue"))
    value = domain.parse(text)
    domain.check(value)
    assert domain.text(value) == text
    again = domain_from(domain.describe(Budget()))
    assert again.parse(text) == value
    assert again.syntax() == domain.syntax()


def test_samples_are_legal_and_some_wait() -> None:
    domain = EarlyAnswer(INNER, ("amber",))
    found = [domain.sample(Random(n).randrange) for n in range(200)]
    for value in found:
        domain.check(value)
        assert domain.parse(domain.text(value)) == value
    assert WAIT in found
    assert any(isinstance(value, dict) and "plan" in value for value in found)
    assert WAIT in list(domain.options())
