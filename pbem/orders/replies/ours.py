"""Texts that we have sent: which lines of a reply are copied from them, however a mail program has broken them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from pbem.patterns import pattern

PIECE = 12
"""Signs, blanks aside, from which on a part of a line of ours is known as ours wherever it stands."""

_DROPPED = pattern(r"[\s>|*_<\-‐-―•·・◦‣?]+")
"""What mail programs add and leave out: blanks, marks of quotation, bullets, emphasis, `?` for a sign
that their character set has not."""
_LINK = pattern(r"<(?:mailto|https?|cid):[^>]*>?|\S*mailto:\S*|\S*%[0-9A-F]{2}\S*|\[(?:cid|image)[^\]]*\]")
"""What they make of links and pictures."""


def squashed(text: str) -> str:
    """A text as it is compared: NFKC, lower case, without blanks, bullets and links."""
    return _DROPPED.sub("", unicodedata.normalize("NFKC", _LINK.sub("", text))).casefold()


_ANSWER = pattern(r"\W{0,3}(?:q\s*|質問\s*)?\d{1,9}\s*:", re.IGNORECASE)


class Ours:
    """The letters that a seat has got. `last` are their last lines: below a copy of one its writer goes on."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        texts = list(texts)
        self.wholes = list(dict.fromkeys(map(squashed, texts)))
        self.lines = {squashed(line) for text in texts for line in text.splitlines()} - {""}
        ends = (text.rstrip().rpartition("\n")[2] for text in texts)
        self.last = {squashed(end) for end in ends} - {""}

    def is_long(self, text: str) -> bool:
        """Whether a line is one of ours, or a long piece of one."""
        found = squashed(text)
        return len(found) >= PIECE and (found in self.lines or any(found in whole for whole in self.wholes))

    def walk(self) -> Walk:
        """A walk along a copy."""
        return Walk(self)


class Unseen(Ours):
    """Our letter where its text is not at hand: all that is quoted is taken for ours, but for answers."""

    def walk(self) -> Walk:
        """A walk along a copy."""
        return _Trusting(self)


class Walk:
    """Reads a copy of a letter line by line: a short piece is ours only where it goes on from the line before."""

    def __init__(self, ours: Ours) -> None:
        self.ours = ours
        self.at = dict.fromkeys(range(len(ours.wholes)), -1)

    def knows(self, text: str) -> bool:
        """Whether the next line of the copy is ours."""
        found = squashed(text)
        if not found:
            return True
        wholes = self.ours.wholes
        on = [at for at, end in self.at.items() if end >= 0 and wholes[at].startswith(found, end)]
        if not on and found not in self.ours.lines and len(found) < PIECE:
            return False
        if not on:
            on = [at for at, whole in enumerate(wholes) if found in whole]
        for at in on:
            begin = max(self.at[at], 0)
            place = wholes[at].find(found, begin)
            self.at[at] = (place if place >= 0 else wholes[at].find(found)) + len(found)
        return bool(on)


class _Trusting(Walk):
    def knows(self, text: str) -> bool:
        return not _ANSWER.match(text) or super().knows(text)
