"""Prompt codes: eight hex digits that tie a letter to the question it answers, so that a stale reply is harmless.

Eight more may stand behind them, the beginning of the head that the letter told of: `3f9c-a1d2-07bb-1c4e`.
So an answer carries back what its writer has last seen, and nobody has to type it.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pbem.kernel.order_words import normalize_text
from pbem.lazy_regex import pattern

# Tags of our letters in a reply: `[1630-ballot amber 07cc-d230]`, or the first line of a block.

_CODE = r"[0-9a-f]{4}-?[0-9a-f]{4}(?:-?[0-9a-f]{4}-?[0-9a-f]{4})?"
TAG = pattern(rf"\[\s?([^\s\[]{{1,100}})\s+([^\s\[]{{1,100}})\s+({_CODE})\s?\]", re.IGNORECASE)
HEAD = pattern(
    rf"(?:begin\s+orders?|命令開始)\s?:?\s+(\S{{1,100}})\s+(\S{{1,100}})\s+({_CODE})", re.IGNORECASE
)
_MARKS = pattern(r"(?:\s*+[>＞|]\s?+)*+")
"""Marks of quotation."""
_MARK = pattern(r"[>＞|]")
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
    marks = _MARKS.match(raw)
    assert marks is not None
    return len(_MARK.findall(marks[0])), raw[marks.end() :]


def folded(raw: str) -> tuple[int, str]:
    """The depth of a line and its text, folded for reading."""
    depth, rest = split_marks(raw)
    return depth, _DASH.sub("-", normalize_text(rest))


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


LONGEST = 40
"""Signs of a code that are kept as written; a genuine one has at most nineteen."""


def prompt_code(secret: bytes, game: str, seat: str, epoch: int, q: int) -> str:
    """The code of question `q` for `seat`, e.g. `3f9c-a1d2`. `epoch` counts rewinds: codes of a lost branch die."""
    message = "\0".join((game, seat, str(epoch), str(q)))
    digest = hmac.digest(secret, message.encode(), "sha256").hex()
    return f"{digest[:4]}-{digest[4:8]}"


def prompt_codes(
    secret: bytes, game: str, seat: str, epoch: int, q: int, *, asked: bool, told: int = 0
) -> tuple[str, ...]:
    """The codes a letter of `seat` may carry now. `q` is the open question, `told` that of the seat's last letter.

    Who is asked must answer to the open question. Who is not may use the code of his last letter: nothing that
    concerned him has happened since.
    """
    numbers = (q,) if asked or not told or told == q else (q, told)
    return tuple(prompt_code(secret, game, seat, epoch, number) for number in numbers)


def plain_code(code: str) -> str:
    """A code as it is compared: lower case, without blanks and dashes of any kind, full-width letters made plain."""
    folded = unicodedata.normalize("NFKC", code).casefold()
    return "".join(sign for sign in folded if sign.isalnum())


def grouped_code(code: str) -> str:
    """A code as letters print it, in groups of four. What is too long for a code stays in one piece."""
    plain = plain_code(code)[:LONGEST]
    if len(plain) > 2 * _DIGITS:
        return plain
    return "-".join(plain[at : at + 4] for at in range(0, len(plain), 4))


def with_head(code: str, head: str) -> str:
    """A prompt code with the beginning of the head (hex) behind it."""
    return f"{code}-{head[:4]}-{head[4:_DIGITS]}" if head else code


def bare_code(code: str) -> str:
    """The prompt code alone, as it is compared."""
    plain = plain_code(code)
    return plain[:_DIGITS] if len(plain) == 2 * _DIGITS else plain


def head_of(code: str) -> str:
    """The beginning of the head that a written code carries, "" if it carries none."""
    plain = plain_code(code)
    return plain[_DIGITS:] if len(plain) == 2 * _DIGITS else ""


_DIGITS = 8


def same_code(written: str, codes: Iterable[str]) -> bool:
    """Whether `written`, with or without a head, is one of `codes`; a wrong code takes as long as a right one."""
    whole, bare = plain_code(written).encode(), bare_code(written).encode()
    found = False
    for code in codes:
        known = plain_code(code).encode()
        found |= hmac.compare_digest(whole, known) | hmac.compare_digest(bare, known)
    return found and bool(whole)
