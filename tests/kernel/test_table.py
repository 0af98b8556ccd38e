"""What a rule's table says, to whom, and what it keeps: who may read a line is decided when it is told."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.kernel.dice import Dice
from pbem.kernel.table import LogLine, Table
from tests.toy.playing import SEATS, new, to_action, to_talk

SEED = b"s" * 32


def table() -> Table:
    found = Table({"map": 1}, SEATS, {"stake": 2}, "standard", Dice(SEED))
    found.n = 7
    return found


def only_line(of: Table) -> LogLine:
    (line,) = of.lines
    return line


def test_what_is_told_to_some_is_there_for_them_alone() -> None:
    told = table()
    told.log_private(["amber", "blue"], "league", rule="2", gold=3)
    line = only_line(told)
    assert (line.key, line.args, line.rule, line.n) == ("league", {"gold": 3}, "2", 7)
    assert line.only == ("amber", "blue")
    assert line.private is None
    assert not line.is_irreversible
    told.log_private(["coral"], "spy", reveals=True)
    assert told.lines[-1].is_irreversible


def test_what_is_told_to_nobody_is_not_told_to_everybody() -> None:
    told = table()
    told.log_private([], "secret")
    assert only_line(told).only == ()


def test_what_is_said_is_for_everybody_and_keeps_each_seat_s_part_apart() -> None:
    told = table()
    told.log("drew", rule="3.5", private={"blue": {"card": "c3"}}, seat="blue")
    line = only_line(told)
    assert (line.only, line.args, line.private) == (None, {"seat": "blue"}, {"blue": {"card": "c3"}})
    assert (line.rule, line.n) == ("3.5", 7)


@pytest.mark.parametrize(
    ("keywords", "is_irreversible"),
    [({}, False), ({"reveals": True}, True), ({"private": {"blue": {"card": "c"}}}, True)],
)
def test_a_rewind_names_the_lines_from_which_somebody_learnt(keywords: dict[str, Any], is_irreversible: bool) -> None:
    told = table()
    told.log("line", **keywords)
    assert only_line(told).is_irreversible is is_irreversible


def test_a_roll_is_told_with_the_number_of_its_draw_and_its_sides() -> None:
    """With it and the published seed anybody can roll it again (`pbem audit` does)."""
    told = table()
    told.dice.below(3)
    roll = told.roll(3, "battle", rule="9", sides=8, seat="blue")
    line = only_line(told)
    assert line.args == {"dice": list(roll.dice), "seat": "blue", "sides": 8, "draw": 2}
    assert (line.key, line.rule, line.only, line.private, line.reveals) == ("battle", "9", None, None, True)
    again = Dice(SEED, 0, line.args["draw"] - 1).roll(3, 8)
    assert (list(again), sum(again)) == (line.args["dice"], roll.total)


def test_a_shuffle_is_the_dice_s_and_is_not_told() -> None:
    told, deck, same = table(), list(range(30)), list(range(30))
    told.shuffle(deck)
    Dice(SEED).shuffle(same)
    assert deck == same != list(range(30))
    assert (told.lines, told.dice.counter) == ([], 1)


def test_a_surprise_is_for_those_who_are_named_or_for_all() -> None:
    told = table()
    told.stop_advance_orders("blue")
    told.stop_advance_orders("amber")
    assert told.held == {"amber", "blue"}
    everybody = table()
    everybody.stop_advance_orders()
    assert everybody.held == set(SEATS)


def test_public_lines_concern_the_seats_that_they_name_and_not_the_one_whose_turn_it_is() -> None:
    told = table()
    told.log("raid", seat="amber", on="coral")
    since = len(told.lines)
    told.log("event", seat="blue", at=["ford", "amber"], count=2, private={"coral": {"card": "coral"}})
    told.log_private(["coral"], "hint", seat="coral")
    told.stop_concerned(since, "blue", lambda name: (name,) if name in SEATS else ())
    assert told.held == {"amber"}


def test_an_affair_ends_however_it_ends() -> None:
    told = table()

    def broken_off() -> None:
        with told.within("battle", space="ford"):
            assert [key for key, _ in told.trail] == ["war", "battle"]
            raise RuntimeError

    with told.within("war", seat="blue"):
        with pytest.raises(RuntimeError):
            broken_off()
        assert told.trail == [("war", {"seat": "blue"})]
    assert told.trail == []


def test_the_seats_go_round_from_anyone() -> None:
    assert [table().clockwise(seat) for seat in SEATS] == [
        ("amber", "blue", "coral"),
        ("blue", "coral", "amber"),
        ("coral", "amber", "blue"),
    ]


def test_rules_get_what_the_set_up_says() -> None:
    of = table()
    assert (of.c, of.seats, of.options, of.scenario) == ({"map": 1}, SEATS, {"stake": 2}, "standard")


# -- as a game tells it ------------------------------------------------------------------------------------------------


def test_a_league_is_heard_of_by_its_members_only() -> None:
    referee = to_talk(new())
    referee.submit("amber", {"do": "propose", "to": ["blue"], "price": 1})
    referee.submit("blue", {"do": "accept", "id": "amber-blue-1", "give": 2})
    for seat in SEATS:
        referee.submit(seat, "done")
    (league,) = [line for line in referee.table.lines if line.key == "league"]
    assert league.only == ("amber", "blue")
    assert league.n == referee.n


def test_what_is_told_at_the_set_up_stands_before_the_first_move() -> None:
    """A rewind to the beginning takes it for known."""
    assert [(line.key, line.n) for line in new().table.lines] == [("dealt", 0)]


def test_nothing_that_everybody_reads_names_a_card_in_a_hand() -> None:
    """The public part of every line of a game, and what is asked in public, hold no card but those that were played."""
    referee = to_action(new({"ask_me": "always"}))
    for value in ("draw", {"do": "tax", "with": 1}):
        referee.submit("amber", value)
    hands = {card for hand in referee.table.state.hands.values() for card in hand}
    public = [str(line.args) for line in referee.table.lines] + [str(p.about) for p in referee.pending()]
    assert not [(card, text) for card in hands for text in public if f"'{card}'" in text]
    for pending in referee.pending():
        assert pending.secret == {"hand": referee.table.state.hands[pending.seat]}
