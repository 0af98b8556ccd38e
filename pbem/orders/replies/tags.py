"""Tags of our letters in a reply: `[1630-ballot amber 07cc-d230]`, or the first line of a block."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
_LINES = 3
"""Lines over which a tag may be broken: before its seat, before its code."""


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


def broken_tag(lines: Sequence[tuple[int, str]]) -> tuple[str, int]:
    """A tag that begins in the first of `lines` (depth, text) and ends in a later one: whole, and over how many lines.

    Nothing else stands in these lines. A mail program that breaks a quoted line may leave out its marks from there on.
    """
    depth, whole = lines[0]
    if not whole.startswith("[") or "]" in whole:
        return "", 1
    for at, (deep, text) in enumerate(lines[1:_LINES], 2):
        if deep not in (depth, 0) or not text:
            break
        whole += text if whole.endswith("-") else f" {text}"
        if TAG.fullmatch(whole):
            return whole, at
    return "", 1


def split_marks(raw: str) -> tuple[int, str]:
    """How many marks of quotation stand before a line, and what stands behind them."""
    depth = 0
    while mark := MARK.match(raw):
        depth, raw = depth + 1, raw[mark.end() :]
    return depth, raw


def folded(raw: str) -> tuple[int, str]:
    """The depth of a line and its text, folded for reading."""
    depth, rest = split_marks(raw)
    return depth, _DASH.sub("-", tidy(rest))


def tags_in(text: str) -> list[Tag]:
    """The tags of a letter that are quoted no more than once, the same one once."""
    found: dict[tuple[str, str, str], Tag] = {}
    lines = text.split("\n")
    for no, raw in enumerate(lines, 1):
        if "[" not in raw and "orders" not in raw.casefold() and "命令" not in raw and "［" not in raw:
            continue
        depth, rest = folded(raw)
        if depth > 1:
            continue
        words = tag_in(rest) or tag_in(broken_tag([*map(folded, lines[no - 1 : no - 1 + _LINES])])[0])
        if words is not None:
            key = (words[0].casefold(), words[1].casefold(), words[2].casefold().replace("-", ""))
            found.setdefault(key, Tag(*words, no, depth))
            if len(found) == _MOST:
                break
    return list(found.values())
