"""A whole Action Round goes in one letter: every line answers the next question."""

from pathlib import Path

import pytest

from games.imperial_struggle import GAME
from pbem.dev import rule_tests
from pbem.dev.rule_test_runner import Script
from pbem.orders.apply import execute_block
from pbem.orders.parser import read

HERE = Path(__file__).parents[2] / "cases" / "imperial_struggle" / "worked_examples.toml"
ROUNDS = {case.id: case for case in rule_tests.load(HERE) if case.id in ("P01", "P02", "W06")}


@pytest.mark.parametrize("key", sorted(ROUNDS))
def test_one_letter(key):
    case = ROUNDS[key]
    referee = Script(case, GAME).referee
    seat = referee.waiting()[0]
    lines = [step.text for step in case.answers if not step.refuse]
    if "end" not in lines:
        lines.append("end")
    letter = "\n".join(["Hello!", "", f"BEGIN ORDERS is-1 {seat}", *lines, "END ORDERS", "-- ", "me"])
    receipt = execute_block(referee, read(letter).blocks[0], game="is-1", via="letter-1")
    assert [str(refused) for refused in receipt.refused] == []
    assert referee.table.state.rounds == 1
    assert [move.seat for move in referee.moves] == [seat] * len(lines)
    assert referee.waiting() != (seat,)


def test_the_queue_stops_where_a_line_does_not_fit():
    """A drawn tile wants its place first: a letter that forgot it waits there, with the rest of its lines kept."""
    referee = Script(ROUNDS["P02"], GAME).referee
    text = "BEGIN ORDERS is-1 britain\ntake mil4-eco\nbuy\ndeploy biscay\nend\nEND ORDERS"
    execute_block(referee, read(text).blocks[0], game="is-1", via="letter-1")
    assert [pending.kind for pending in referee.pending()] == ["place"]
    assert len(referee.moves) == 2
