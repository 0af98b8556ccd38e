"""A block of orders, its one line and the line's problem, as the tests of the grammar read them."""

from __future__ import annotations

from pbem.orders.parser import may_continue, read
from pbem.orders.reply_codes import grouped_code
from pbem.orders.syntax_tree import Comment, OrderBlock, RejectedStatement, Statement


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


def canonical(block: OrderBlock) -> str:
    """The block with one tidied statement a line, without comments and lines that can't be read."""
    head = " ".join(("BEGIN ORDERS", block.game, block.seat, grouped_code(block.code))).rstrip()
    lines: list[str] = []
    before: Statement | None = None
    for item in block.items:
        if isinstance(item, (RejectedStatement, Comment)):
            continue
        if before is not None and may_continue(before, item, lines[-1]):
            lines.append("")  # otherwise they would look like one broken line
        lines.append(str(item))
        before = item
    return "\n".join([head, *lines, "END ORDERS", ""])
