"""Tags of our letters in a reply: `[1630-ballot amber 07cc-d230]`, or the first line of a block."""

from __future__ import annotations

import re
from typing import NamedTuple

from pbem.kernel.words import tidy
from pbem.patterns import pattern

_CODE = r"[0-9a-f]{4}-?[0-9a-f]{4}(?:-?[0-9a-f]{4}-?[0-9a-f]{4})?"
TAG = pattern(rf"\[\s*(\S+)\s+(\S+)\s+({_CODE})\s*\]", re.IGNORECASE)
HEAD = pattern(rf"(?:begin\s+orders?|命令開始)\s*:?\s+(\S+)\s+(\S+)\s+({_CODE})", re.IGNORECASE)
MARK = pattern(r"\s*[>＞|]\s?")
"""A mark of quotation."""
_DASH = pattern("(?<=\\w)[\u2010-\u2015\u2212](?=\\w)")
_MOST = 8


class Tag(NamedTuple):
    """Whose letter of ours it is and which question it asks. `depth` counts marks of quotation before it."""

    game: str
    seat: str
    code: str
    line: int
    depth: int


def tag_in(text: str) -> tuple[str, str, str] | None:
    """The first tag in a line, as game, seat and code."""
    found = TAG.search(text) or HEAD.search(text)
    return (found[1], found[2], found[3]) if found else None


def split_marks(raw: str) -> tuple[int, str]:
    """How many marks of quotation stand before a line, and what stands behind them."""
    depth = 0
    while mark := MARK.match(raw):
        depth, raw = depth + 1, raw[mark.end() :]
    return depth, raw


def tags_in(text: str) -> list[Tag]:
    """The tags of a letter that are quoted no more than once, the same one once."""
    found: dict[tuple[str, str, str], Tag] = {}
    for no, raw in enumerate(text.split("\n"), 1):
        if "[" not in raw and "orders" not in raw.casefold() and "命令" not in raw and "［" not in raw:
            continue
        depth, rest = split_marks(raw)
        words = tag_in(_DASH.sub("-", tidy(rest))) if depth <= 1 else None
        if words is not None:
            key = (words[0].casefold(), words[1].casefold(), words[2].casefold().replace("-", ""))
            found.setdefault(key, Tag(*words, no, depth))
            if len(found) == _MOST:
                break
    return list(found.values())
