"""A block of orders, its one line and the line's problem, as the tests of the grammar read them."""

from __future__ import annotations

from pbem.orders.parser import read
from pbem.orders.syntax_tree import RejectedStatement


def block_of(*lines: str, head: str = "BEGIN ORDERS vq-07 spain 3f9c-a1d2"):
    (block,) = read("\n".join([head, *lines, "END ORDERS"])).blocks
    return block


def one(line: str):
    (item,) = block_of(line).items
    return item


def key_of(line: str) -> str:
    item = one(line)
    assert isinstance(item, RejectedStatement), item
    return item.problem.key
