"""Text by cells, not characters: width, padding and wrapping for Latin and East Asian scripts.

A wide character (most of CJK) takes two cells, a combining or invisible one none, all others one. Output code
uses these functions instead of `len` and `str.ljust`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from pbem.lazy_regex import pattern

COLUMNS = 40
"""Cells of a line that no mail program breaks."""

_INVISIBLE = frozenset(("Mn", "Me", "Cf", "Cc"))
_NO_START = frozenset("、。，．・：；！？）］｝」』】〉》〕’”ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ々〜…,.:;!?)]}%")
_NO_END = frozenset("（［｛「『【〈《〔‘“([{")
_WORD = pattern(r"\s|\S+")
_LONGEST_UNIT = 20
"""Cells of a katakana word up to which it isn't broken; names of several words break between them."""
_NARROW = frozenset(map(chr, (*range(0x20, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x300)))).union("–—‘’‚‛“”…→")
"""Characters that take one cell, with no blank but the space. A pattern takes longer to compile."""
_COUNTERS = frozenset("枚個人回手通件か月日年時分秒番点票歳隻行つ度位席")
_KEPT = 1000
"""Wrapped texts up to this length are cached: players' press may be long and is used once."""


@lru_cache(4096)
def _cell(char: str) -> int:
    if unicodedata.category(char) in _INVISIBLE:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def width(text: str) -> int:
    """Return how many cells a line of text takes."""
    if text.isascii():
        return len(text)
    return _width(text) if len(text) <= _KEPT else sum(map(_cell, text))


@lru_cache(4096)
def _width(text: str) -> int:
    return sum(map(_cell, text))


def pad(text: str, cells: int, *, right: bool = False) -> str:
    """Return `text` filled with blanks to `cells`; `right` puts the blanks first. Longer text is unchanged."""
    blanks = " " * (cells - width(text))
    return blanks + text if right else text + blanks


def cut(text: str, cells: int) -> str:
    """Return `text` if it fits, else its beginning and `...`, in at most `cells`."""
    if width(text) <= cells:
        return text
    out, used = "", 0
    for char in text:
        if used + _cell(char) > cells - 3:
            break
        out += char
        used += _cell(char)
    return out + "..."


def wrap(text: str, cells: int = 72, first: str = "", rest: str | None = None) -> list[str]:
    """Break one paragraph into lines of at most `cells`, beginning with `first`, then `rest` (default: blanks).

    Breaks at blanks and between wide characters, but never before closing or after opening punctuation, within a
    katakana word, or between a number and its counter. A word longer than the line is cut.
    """
    rest = " " * width(first) if rest is None else rest
    if len(text) <= _KEPT:
        return [*_wrap_cached(text, cells, first, rest)]
    return _wrapped(text, cells, first, rest)


@lru_cache(2048)
def _wrap_cached(text: str, cells: int, first: str, rest: str) -> tuple[str, ...]:
    """Wrap with a cache, because emails of several seats share most texts."""
    return tuple(_wrapped(text, cells, first, rest))


def _wrapped(text: str, cells: int, first: str, rest: str) -> list[str]:
    if all((part.isascii() and part.isprintable()) or _NARROW.issuperset(part) for part in (text, first, rest)):
        lines = _by_slices(text, cells, first, rest)
        if lines:
            return lines
    return _by_units(text, cells, first, rest)


def _by_slices(text: str, cells: int, first: str, rest: str) -> list[str]:
    """Wrap one-cell characters with single blanks, a line at a time; [] if a word is longer than a line."""
    if "  " in text or text[:1] == " " or text[-1:] == " ":
        return []
    lines: list[str] = []
    at, end, start = 0, len(text), first
    while end - at > (room := cells - len(start)):
        blank = text.rfind(" ", at, at + room + 1) if room > 0 else -1
        if blank <= at:
            return []
        lines.append(start + text[at:blank])
        at, start = blank + 1, rest
    lines.append((start + text[at:]).rstrip())
    return lines


def _by_units(text: str, cells: int, first: str, rest: str) -> list[str]:
    indent = width(rest)
    most = max(cells - indent, 4)
    lines: list[str] = []
    line, used, begun = first, width(first), False
    for unit, wide in _units(text):
        if unit == " ":
            if begun and used < cells:
                line += " "
                used += 1
            continue
        for piece in (unit,) if wide <= most else _pieces(unit, most):
            size = wide if wide <= most else width(piece)
            if begun and used + size > cells:
                lines.append(line.rstrip())
                line, used = rest, indent
            line += piece
            used += size
            begun = True
    lines.append(line.rstrip() if begun else first.rstrip())
    return lines


def _units(text: str) -> Iterator[tuple[str, int]]:
    """Yield words, and wide characters with the punctuation that must not be separated, with their cells."""
    if text.isascii():  # most texts, and much faster
        for word in _WORD.findall(text):
            yield (" ", 0) if word.isspace() else (word, len(word))
        return
    unit, cells, last = "", 0, 0
    for char in text:
        kind = _KINDS[char]
        if kind & _BLANK:
            if unit:
                yield unit, cells
            yield " ", 0
            unit, cells = "", 0
        elif not unit or kind & _STAYS or last & _HOLDS or _joined(unit, cells, last, kind):
            unit += char
            cells += kind & _CELLS
        else:
            yield unit, cells
            unit, cells = char, kind & _CELLS
        last = kind
    if unit:
        yield unit, cells


_CELLS, _BLANK, _STAYS, _HOLDS, _KANA, _DIGIT, _COUNTER = 3, 4, 8, 16, 32, 64, 128
"""What a character is: its cells; a blank; never first, or last, in a line; katakana or a digit; a digit; a counter."""


class _Kinds(dict[str, int]):
    """What each character is, computed once."""

    def __missing__(self, char: str) -> int:
        kind = self[char] = (
            _cell(char)
            | _BLANK * char.isspace()
            | _STAYS * (char in _NO_START)
            | _HOLDS * (char in _NO_END)
            | _KANA * ("0" <= char <= "9" or "゠" <= char <= "ヿ" or "ㇰ" <= char <= "ㇿ")
            | _DIGIT * char.isdecimal()
            | _COUNTER * (char in _COUNTERS)
        )
        return kind


_KINDS = _Kinds()


def _joined(unit: str, cells: int, last: int, kind: int) -> bool:
    """Check whether a line must not be broken here: within katakana, or between a number, its counter, and 第."""
    if not (kind & 2 or last & 2):  # none of them is wide
        return True
    if kind & last & _KANA:
        return cells < _LONGEST_UNIT or unit[-1] == "ー"
    return bool((last & _DIGIT and kind & _COUNTER) or (kind & _DIGIT and unit[-1] == "第"))


def _pieces(unit: str, cells: int) -> Iterator[str]:
    piece = ""
    for char in unit:
        if piece and width(piece) + _cell(char) > cells:
            yield piece
            piece = ""
        piece += char
    yield piece
