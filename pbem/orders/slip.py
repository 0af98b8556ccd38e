"""The two-line form of a letter: `29: ?`, and the tag that says whose answer it is.

    29: ?
    [1630-ballot amber 07cc-d230]

It holds no answer: sent back unchanged it says nothing. The tag stands directly below, on one line if that is not too
long for a phone; else we break it before a mail program does.
"""

from __future__ import annotations

from pbem.orders.statements import BLANK

COLUMNS = 40
"""Signs of a line that no mail program breaks."""


def slip(q: int, game: str, seat: str, code: str) -> list[str]:
    """The form; without an open question (`q` 0) the tag alone."""
    return [*([f"{q}: {BLANK}"] if q else []), *tag_lines(game, seat, code)]


def tag_lines(game: str, seat: str, code: str) -> list[str]:
    """The tag in lines: the code goes down first, then the seat."""
    whole, name = tag(game, seat, code), f"[{game} {seat}"
    if len(whole) <= COLUMNS:
        return [whole]
    return [*([name] if len(name) <= COLUMNS else [f"[{game}", seat]), f"{code}]"]


def tag(game: str, seat: str, code: str) -> str:
    """Whose letter it is, and which question it may answer."""
    return f"[{game} {seat} {code}]"


def last_line(game: str, q: int) -> str:
    """The last line of a letter, so that text below a copy of it is known as its writer's."""
    return f"== {game} {q} =="
