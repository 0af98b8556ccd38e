"""A doubt: an answer next to text that nothing explains. Its writer is asked back, and says yes once.

A yes executes exactly the lines that our email showed. What stood below the answer, or around our copied email, is
then known for that address: a footer or a banner says nothing. Text between answers is never learned.
"""

from __future__ import annotations

import hmac
import unicodedata
from collections.abc import Callable, Sequence

import msgspec

from pbem.kernel.order_words import normalize_text
from pbem.orders.answer_words import folded, lexicon
from pbem.orders.replies.courtesies import takes_back, words_of
from pbem.orders.replies.quotation import NUMBERED, ReplyLine
from pbem.orders.reply_codes import tag_in
from pbem.orders.statements import ORDERS, statement

_MOST_LINES = 12
_MOST_SIGNS = 1_000
_MOST_WORDS = 40


class Doubt(msgspec.Struct):
    """What to ask back: the `lines` that a yes executes, the text `beside` them, and blocks to `learn` after a yes."""

    lines: list[str]
    beside: list[str] = []
    learn: list[str] = []


class PendingDoubt(msgspec.Struct, frozen=True):
    """What a seat was asked back about question `q`; `answered` says whether the reply answers that email."""

    q: int
    word: str
    lines: Sequence[str]
    beside: Sequence[str] = ()
    answered: bool = False

    def word_in(self, text: str) -> bool:
        """Return whether a line has the word of the button."""
        return self.word in normalize_text(text).casefold().split()


def doubt_word(key: bytes, seat: str, place: str) -> str:
    """Return the word of four letters in a button that says yes; nobody can guess it."""
    digest = hmac.digest(key, f"doubt {seat} {place}".encode(), "sha256")
    return "".join(chr(ord("a") + byte % 26) for byte in digest[:4])


def says_yes(rows: Sequence[ReplyLine], doubt: PendingDoubt, legal: Callable[[str], str]) -> int:
    """Return the number of the line that says yes: the first of the writer's own; 0 if none does.

    A yes to another email than the one that asked counts here only if it is no answer to the question.
    """
    for row in rows:
        if row.depth or row.furniture or not row.text or tag_in(row.text):
            continue
        words = folded(row.text).replace("。", "").strip(" .!,*_\"'「」").split()
        by_word = len(words) == 2 and words[1] == doubt.word
        return (
            row.no
            if words
            and words[0] in lexicon().words["yes"]
            and (by_word or (len(words) == 1 and (doubt.answered or not legal(row.text))))
            else 0
        )
    return 0


def block_text(lines: Sequence[str]) -> str:
    """Return a block of lines for comparison: word for word, but digits are alike."""
    plain = [" ".join(unicodedata.normalize("NFKC", line).casefold().split()) for line in lines]
    return "\n".join("".join("0" if sign.isdigit() else sign for sign in line) for line in plain)


def is_learnable(lines: Sequence[str], legal: Callable[[str], str]) -> bool:
    """Return whether a block may be a footer or a banner: no answer, order or question, nothing is taken back."""
    if not lines or len(lines) > _MOST_LINES or sum(map(len, lines)) > _MOST_SIGNS:
        return False
    for line in lines:
        plain = unicodedata.normalize("NFKC", line)
        number = NUMBERED.match(plain)
        if (number is not None and plain[number.end() :][:1].isspace()) or takes_back(line):
            return False
        if legal(line) or any(legal(word) for word in words_of(line)[:_MOST_WORDS]):
            return False
        if isinstance(statement(line.strip(), {"line": 0}), ORDERS):
            return False
    return True


def fingerprint_of(key: bytes, address: str, block: str) -> str:
    """Return the keyed hash under which a learned block is kept."""
    return hmac.digest(key, f"learned\0{address.casefold()}\0{block}".encode(), "sha256").hex()[:24]
