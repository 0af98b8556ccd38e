"""What the moderator reads of blocks and emails that aren't executed; `pbem.report` has all messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.kernel.rejections import RejectionReason

ENGLISH = {
    # Why a whole block is not executed.
    "order_block.header": "the first line isn't complete. It has to be: BEGIN ORDERS <game> <seat> <code>",
    "order_block.no_end": "END ORDERS is missing, and more text follows. Write END ORDERS below your orders",
    "order_block.cut": "the email was cut off before END ORDERS, so nothing was done. Please send it again",
    "order_block.too_many_lines": "the order block is too long. Write at most {most} lines",
    "order_block.repeated": "this is a second order block for {seat}. Only the first one in an email counts",
    "order_block.form": "the reply form came back unchanged next to your own order block, so it wasn't executed",
    "order_block.unchanged": "the reply form came back unchanged in the copy of our email, next to other text, "
    "so it doesn't count as your answer. If it is your answer, send it again without any other text",
    "order_block.wrong_game": "this order block is for '{word}', but this game is {game}",
    "order_block.wrong_seat": "this order block is for '{word}', but the email comes from another seat",
    "order_block.unknown_seat": "'{word}' isn't a seat of this game",
    "order_block.no_code": "the reply code is missing from the first line of the order block",
    "order_block.stale": "its reply code doesn't belong to a question that is open now. Use the form of your "
    "newest email",
    "order_block.left": "it changes nothing: you have already left this negotiation",
    "order_block.not_asked": "it changes nothing: no question is open to you",
    # About a whole email.
    "incoming.too_long": "the email is too long, so none of it was read. Write at most {most} characters",
    "incoming.too_many_blocks": "the email has too many order blocks. Only the first {most} were read",
    "incoming.quoted": "quoted orders (lines that begin with >) aren't executed",
    "incoming.no_end": "END ORDERS is missing. All lines above the signature were read",
}


def say(key: str, args: Mapping[str, Any]) -> str:
    """Return the sentence of a message key, filled from `args`."""
    return ENGLISH.get(key, key).format_map(args)


def explain(problem: RejectionReason) -> str:
    """Return why a block isn't executed, with the closest legal words."""
    near = f" (legal: {', '.join(problem.near)})" if problem.near else ""
    return f"{say(problem.key, problem.args)}{near}"
