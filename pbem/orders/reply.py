"""The reply form of a letter: a block filled in with the safest answers, to be changed and sent back."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from pbem.kernel.referee import Referee
from pbem.orders.desk import Question, answer_line, question_of
from pbem.orders.grammar import form_mark
from pbem.orders.statements import BLANK

WIDTH = 70
"""Cells of a comment line: below where mail programs wrap, for a wrapped comment would be read as an order."""


def form(
    referee: Referee,
    seat: str,
    *,
    game: str,
    code: str,
    comments: Sequence[str] = (),
    syntax: Callable[[str], str] = str,
) -> str:
    """The form for `seat`: its own answer so far or the default of the open question, the syntax as comments.

    `comments` are further lines for the reader, in his language, into which `syntax` puts how to write an answer.
    Without an open question the block is empty: it can still carry standing answers and lines for later. Sent back
    untouched it says just what it shows.
    """
    return form_for(question_of(referee, seat), seat, game=game, code=code, comments=comments, syntax=syntax)


def form_for(
    question: Question | None,
    seat: str,
    *,
    game: str,
    code: str,
    comments: Sequence[str] = (),
    syntax: Callable[[str], str] = str,
) -> str:
    """As `form`, for a question at hand."""
    lines: list[str] = []
    statements: list[str] = []
    notes = [line for comment in comments for line in wrapped(comment)]
    if question is not None:
        text = question.answer or question.default
        lines.append(answer_line(question.q, text) if text else f"{question.q}: {BLANK}")
        statements = continued(lines[0])
        notes += wrapped(f"{question.q}: {syntax(question.domain.syntax())}")
    head = f"BEGIN ORDERS {game} {seat} {code}".rstrip()
    return "\n".join([head, form_mark(lines), *notes, *statements, "END ORDERS", ""])


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """`text` as comment lines of at most `width` cells, wide letters counting two."""
    lines, room = ["#"], width - 1
    for word in text.split():
        cells = _cells(word) + 1
        if cells > room and lines[-1] != "#":
            lines.append("#")
            room = width - 1
        while cells > room:
            cut = _fitting(word, room - 1)
            lines[-1] += f" {word[:cut]}"
            lines.append("#")
            word, room = word[cut:], width - 1
            cells = _cells(word) + 1
        lines[-1] += f" {word}"
        room -= cells
    return [line for line in lines if line != "#"]


def continued(line: str, width: int = WIDTH) -> list[str]:
    """A statement broken at blanks into lines of at most `width` cells that end in a backslash, where it can be."""
    rows = [""]
    for word in line.split(" "):
        if rows[-1] and _cells(rows[-1]) + _cells(word) + 3 > width:
            rows[-1] += " \\"
            rows.append("   ")
        rows[-1] += f" {word}" if rows[-1] else word
    return rows


def _cells(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def _fitting(word: str, room: int) -> int:
    cut = 0
    while cut < len(word) and _cells(word[: cut + 1]) <= room:
        cut += 1
    return max(cut, 1)
