"""Lines that a mail program has broken, and clauses without a line of their own."""

from __future__ import annotations

import pytest

from pbem.orders.syntax_tree import RejectedStatement, StandingOrder
from tests.orders.blocks import block_of, one


@pytest.mark.parametrize("clause", ["if space=milan", "unless england=allied", "until turn 5"])
def test_a_clause_on_a_line_of_its_own_belongs_to_the_line_before(clause):
    whole = one(f"standing intercept: pass {clause}")
    (item,) = block_of("standing intercept: pass", clause).items
    assert isinstance(item, StandingOrder)
    assert str(item) == str(whole)
    assert (item.when, item.unless, item.until) == (whole.when, whole.unless, whole.until)
    assert (item.line, item.last) == (2, 3)


def test_clauses_on_two_lines_belong_to_the_line_before():
    (item, other) = block_of("standing intercept: pass", "unless space=milan", "until turn 5", "57: pass").items
    assert str(item) == "standing intercept: pass unless space=milan until turn>=5"
    assert str(other) == "57: pass"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("standing intercept: move vienna milan regulars=4", "leaders=schwendi if space=milan"),
        ("standing intercept: pass unless space=milan until turn", "5"),
        ("standing intercept: move vienna pressburg regulars=4 commanders=two", "leaders=schwendi"),
        ("57: move vienna pressburg regulars=4 mercenaries=2 cavalry=3 guns=1", "leaders=schwendi"),
        ("move vienna pressburg regulars=4 mercenaries=2 cavalry=3 guns=1 ok", "leaders=schwendi"),
    ],
)
def test_what_may_be_half_a_line_is_refused_with_its_other_half(first, second):
    items = block_of(first, second).items
    assert all(isinstance(item, RejectedStatement) for item in items), items
    assert items[1].problem.key == "orders.broken"


@pytest.mark.parametrize("before", [(), ("57: pass", ""), ("test",), ("# as agreed",)])
def test_a_clause_without_a_line_before_it_is_refused(before):
    items = block_of(*before, "unless space=milan").items
    assert isinstance(items[-1], RejectedStatement)
    assert items[-1].problem.key == "orders.broken"
    assert not any(isinstance(item, RejectedStatement) for item in items[:-1])


@pytest.mark.parametrize(
    "lines",
    [
        ("standing intercept: pass until turn 5", "move vienna milan"),
        ("57: pass", "move vienna milan"),
        ("57: move vienna pressburg regulars=4 mercenaries=2 cavalry=3 guns=1", "58: pass"),
        ("57: move vienna pressburg regulars=4 mercenaries=2 cavalry=3 guns=1", "", "pass"),
    ],
)
def test_lines_that_stand_by_themselves_are_taken_as_they_are(lines):
    assert not [item for item in block_of(*lines).items if isinstance(item, RejectedStatement)]
