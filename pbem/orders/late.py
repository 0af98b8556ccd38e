"""Orders under the code of an older question: each line is judged by what it says itself.

A numbered line is for the question of its number; press, standing answers and settings are for none. A line without a
number was meant for a question that is past: it is refused.
"""

from __future__ import annotations

import msgspec

from pbem.kernel.problems import Problem
from pbem.orders.items import (
    Answer,
    AskOrder,
    Bad,
    Block,
    CancelOrder,
    Comment,
    Item,
    PressItem,
    StandingOrder,
    Wish,
    Word,
)

_FOR_NONE = (PressItem, StandingOrder, AskOrder, CancelOrder, Wish, Comment, Bad)


def counts_late(block: Block, q: int) -> bool:
    """Whether anything in a block under an older code counts while question `q` is open."""
    return any(
        item.q >= q if isinstance(item, Answer) else isinstance(item, _FOR_NONE[:-2]) for item in block.items
    )


def addressed(block: Block, q: int) -> Block:
    """The block with every line refused that does not say which question it is for, if anything in it counts."""
    if not counts_late(block, q):
        return block
    return msgspec.structs.replace(block, items=[_addressed(item) for item in block.items])


def _addressed(item: Item) -> Item:
    if isinstance(item, _FOR_NONE) or (isinstance(item, Answer) and item.q):
        return item
    if isinstance(item, Word) and item.word in ("bold", "test"):
        return item
    return Bad(line=item.line, last=item.last, text=item.text, problem=Problem("orders.late"))
