"""Reply codes: eight hex digits that tie a reply to its question, so that a stale reply is harmless.

Eight more may follow, the beginning of the chain head in the answered email: `3f9c-a1d2-07bb-1c4e`. They show
what the player has last seen, and nobody has to type them.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
from collections.abc import Iterable, Sequence

import msgspec

from pbem.kernel.order_words import normalize_text
from pbem.lazy_regex import pattern

# Tags of our emails in a reply: `[1630-ballot amber 07cc-d230]`, or the first line of an order block.

_CODE = r"[0-9a-f]{4}-?[0-9a-f]{4}(?:-?[0-9a-f]{4}-?[0-9a-f]{4})?"
TAG = pattern(rf"\[\s?([^\s\[]{{1,100}})\s+([^\s\[]{{1,100}})\s+({_CODE})\s?\]", re.IGNORECASE)
HEAD = pattern(rf"(?:begin\s+orders?|命令開始)\s?:?\s+(\S{{1,100}})\s+(\S{{1,100}})\s+({_CODE})", re.IGNORECASE)
_MARKS = pattern(r"(?:\s*+[>＞|]\s?+)*+")
"""Quotation marks of mail programs."""
_DASH = pattern("(?<=\\w)[\u2010-\u2015\u2212](?=\\w)")
_MOST = 8
_LINES = 3
"""Lines over which a tag may be broken: before its seat, before its code."""


class Tag(msgspec.Struct, frozen=True):
    """The seat and question of an email of ours. `depth` counts the quotation marks before it."""

    game: str
    seat: str
    code: str
    line: int
    depth: int


def tag_in(text: str) -> tuple[str, str, str] | None:
    """Return the first tag in a line, as game, seat and code."""
    found = TAG.search(text) or HEAD.search(text)
    return (found[1], found[2], found[3]) if found else None


def broken_tag(lines: Sequence[tuple[int, str]]) -> tuple[str, int]:
    """Return a tag broken over several `lines` (depth, text), whole, and its number of lines.

    These lines hold no other text. A mail program that breaks a quoted line may leave out its marks from
    there on.
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
    """Return how many quotation marks precede a line, and the text after them."""
    marks = _MARKS.match(raw)
    assert marks is not None
    return sum(map(marks[0].count, ">＞|")), raw[marks.end() :]


def folded(raw: str) -> tuple[int, str]:
    """Return the depth of a line and its text, folded for reading."""
    depth, rest = split_marks(raw)
    return depth, _DASH.sub("-", normalize_text(rest))


def tags_in(text: str) -> list[Tag]:
    """Return the distinct tags of an email that are quoted at most once."""
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


_BUTTON = pattern(r"\s*+(?:\d{1,9}\s?:|next\s?:|standing\s[\w, -]+:|yes\b)", re.IGNORECASE)
"""Begins the email that a button of ours writes."""
_BREAK = pattern(r"[ \t]*<br\s?/?>\n?", re.IGNORECASE)
_NEXT = pattern(r"\s+(?=(\d{1,9}): |standing\s)")


def with_line_breaks(text: str) -> str:
    """Return the email of a button with its line breaks: some phones write `<BR>` for each, others leave them out."""
    if not _BUTTON.match(text):
        return text
    if "<" in text and TAG.search(text):
        text = _BREAK.sub("\n", text)
    first, end, rest = text.lstrip().partition("\n")
    tag = TAG.search(first)
    if tag is None or not tag.start():
        return text
    lines, begin = list[str](), 0
    for gap in _NEXT.finditer(first, 0, tag.start()):
        number = first[begin:].partition(":")[0]
        if gap[1] is None or (number.isdigit() and int(gap[1]) == int(number) + 1):
            lines.append(first[begin : gap.start()])
            begin = gap.end()
    lines += [first[begin : tag.start()].rstrip(), "", tag[0], "", first[tag.end() :].strip()]
    return "\n".join(lines) + end + rest


LONGEST = 40
"""Characters of a code that are kept as written; a genuine one has at most nineteen."""


def prompt_code(secret: bytes, game: str, seat: str, epoch: int, q: int) -> str:
    """Return the reply code of question `q` for `seat`, e.g. `3f9c-a1d2`; a rewind (`epoch`) makes it invalid."""
    message = "\0".join((game, seat, str(epoch), str(q)))
    digest = hmac.digest(secret, message.encode(), "sha256").hex()
    return f"{digest[:4]}-{digest[4:8]}"


def prompt_codes(
    secret: bytes, game: str, seat: str, epoch: int, q: int, *, asked: bool, told: int = 0
) -> tuple[str, ...]:
    """Return the reply codes an email of `seat` may carry now.

    `q` is the open question, `told` that of the seat's last email. A seat that is asked must use the open
    question's code. Others may use the code of their last email, because nothing that concerns them has
    happened since.
    """
    numbers = (q,) if asked or not told or told == q else (q, told)
    return tuple(prompt_code(secret, game, seat, epoch, number) for number in numbers)


def plain_code(code: str) -> str:
    """Return a code for comparison: lower case, without blanks and dashes, full-width characters folded."""
    folded = unicodedata.normalize("NFKC", code).casefold()
    return "".join(sign for sign in folded if sign.isalnum())


def grouped_code(code: str) -> str:
    """Return a code in groups of four, as emails print it. Text too long for a code isn't grouped."""
    plain = plain_code(code)[:LONGEST]
    return plain if len(plain) > 2 * _DIGITS else "-".join(plain[at : at + 4] for at in range(0, len(plain), 4))


def with_head(code: str, head: str) -> str:
    """Return a reply code followed by the beginning of the chain head (hex)."""
    return f"{code}-{head[:4]}-{head[4:_DIGITS]}" if head else code


def normalized_code(code: str) -> str:
    """Return the reply code without a chain head, for comparison."""
    plain = plain_code(code)
    return plain[:_DIGITS] if len(plain) == 2 * _DIGITS else plain


def head_of(code: str) -> str:
    """Return the beginning of the chain head in a written code, "" if there is none."""
    plain = plain_code(code)
    return plain[_DIGITS:] if len(plain) == 2 * _DIGITS else ""


_DIGITS = 8


def same_code(written: str, codes: Iterable[str]) -> bool:
    """Return whether `written`, with or without a chain head, is one of `codes`; takes as long for a wrong code."""
    whole, bare = plain_code(written).encode(), normalized_code(written).encode()
    found = False
    for code in codes:
        known = plain_code(code).encode()
        found |= hmac.compare_digest(whole, known) | hmac.compare_digest(bare, known)
    return found and bool(whole)
