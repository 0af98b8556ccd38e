"""Answers as people write them in a reply, without a block: which text of it counts.

`29: red`, `red` alone on top, or the two-line form edited in the quotation count when nothing else that somebody has
written stands beside them. `layout` tells what is quoted, `parts` sorts the lines, `judging` decides.
"""

from pbem.orders.replies.interpret import ReplyContext, ReplyMeaning, interpret_reply, with_surrounding_text
from pbem.orders.replies.quotation import ReplySignals, SentTexts, UnknownOriginal
from pbem.orders.reply_codes import Tag, tags_in

__all__ = [
    "ReplyContext",
    "ReplyMeaning",
    "ReplySignals",
    "SentTexts",
    "Tag",
    "UnknownOriginal",
    "interpret_reply",
    "tags_in",
    "with_surrounding_text",
]
