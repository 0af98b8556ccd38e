"""Answers in a reply without an order block: which text counts.

`29: red`, `red` alone on top, or the short form edited in the quotation count if the writer added nothing
else next to them. `quotation` tells what is quoted, `sections` sorts the lines, `interpret` decides.
"""

from pbem.orders.replies.doubts import Doubt, PendingDoubt, doubt_word, fingerprint_of
from pbem.orders.replies.interpret import ReplyContext, ReplyMeaning, interpret_reply, with_surrounding_text
from pbem.orders.replies.quotation import ReplySignals, SentTexts, UnknownOriginal
from pbem.orders.reply_codes import Tag, tags_in

__all__ = [
    "Doubt",
    "PendingDoubt",
    "ReplyContext",
    "ReplyMeaning",
    "ReplySignals",
    "SentTexts",
    "Tag",
    "UnknownOriginal",
    "doubt_word",
    "fingerprint_of",
    "interpret_reply",
    "tags_in",
    "with_surrounding_text",
]
