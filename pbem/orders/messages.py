"""What the moderator reads of blocks and emails that aren't executed; `pbem.report` has all messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.kernel.rejections import RejectionReason, english_phrases

OF_BLOCKS = {
    "order_block.stale": "its reply code doesn't belong to a question that is open now. Use the form of your "
    "newest email",
    "order_block.left": "it changes nothing: you have already left this negotiation",
    "order_block.not_asked": "it changes nothing: no question is open to you",
}
"""About one block among others; players read about their email."""


def say(key: str, args: Mapping[str, Any]) -> str:
    """Return the sentence of a message key, filled from `args`."""
    return (OF_BLOCKS.get(key) or english_phrases().get(key, key)).format_map(args)


def explain(problem: RejectionReason) -> str:
    """Return why a block isn't executed, with the closest legal words."""
    near = f" (legal: {', '.join(problem.near)})" if problem.near else ""
    return f"{say(problem.key, problem.args)}{near}"
