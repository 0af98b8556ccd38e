"""What is given in advance prints itself as the order line that gives it."""

from typing import Any

import pytest

from pbem.kernel.standing_orders import AdvanceOrder, AskMe, StandingRule, condition, lines_of
from pbem.orders.parser import read
from pbem.orders.syntax_tree import Answer, AskOrder, StandingOrder

SPAIN, TURN = condition("country=spain"), condition("turn>=3")

LINES = {
    "standing call: spain": StandingRule("a", "call", "spain"),
    "standing all: pass if country=spain, turn>=3 unless country=spain until turn>=3": StandingRule(
        "a", "*", "pass", (SPAIN, TURN), (SPAIN,), (TURN,)
    ),
    "ask all: never": AskMe("a", "*", "never"),
    "ask ballot: always until turn>=3": AskMe("a", "ballot", "always", (TURN,)),
    "call spain": AdvanceOrder("a", "call spain"),
    "5: call spain": AdvanceOrder("a", "call spain", q=5, kind="call"),
    "bold: special: pass": AdvanceOrder("a", "pass", kind="special", bold=True),
    "special: pass   # held": AdvanceOrder("a", "pass", kind="special", held=True),
}


@pytest.mark.parametrize("line", LINES)
def test_the_line(line):
    assert str(LINES[line]) == line


@pytest.mark.parametrize("line", LINES)
def test_orders_read_the_line_as_what_was_given(line):
    given: Any = LINES[line]
    (block,) = read(f"BEGIN ORDERS g a x\n{line}\nEND ORDERS").blocks
    (item,) = block.items
    if isinstance(item, StandingOrder):
        again: Any = StandingRule("a", item.kinds[0], item.body, item.when, item.unless, item.until)
    elif isinstance(item, AskOrder):
        again = AskMe("a", item.kind, item.when, item.until)
    else:
        assert isinstance(item, Answer)
        again = AdvanceOrder("a", item.body, item.q, item.kind if not item.q else given.kind, item.bold, given.held)
    assert again == given
    assert str(item) == line.removesuffix("   # held")


def test_lines_are_those_of_the_seat_alone():
    given: list[Any] = [AdvanceOrder("a", "x"), StandingRule("b", "call", "spain"), AskMe("a", "*", "never")]
    assert lines_of("a", given) == ["x", "ask all: never"]
    assert lines_of("b", given) == ["standing call: spain"]
