"""The two-line form of a letter: `29: ?`, and the tag that says whose answer it is.

    29: ?
    [1630-ballot amber 07cc-d230]

It holds no answer: sent back unchanged it says nothing. The tag stands whole on one line, directly below.
"""

from __future__ import annotations

from pbem.orders.statements import BLANK


def slip(q: int, game: str, seat: str, code: str) -> list[str]:
    """The two lines; without an open question (`q` 0) the tag alone."""
    return [*([f"{q}: {BLANK}"] if q else []), tag(game, seat, code)]


def tag(game: str, seat: str, code: str) -> str:
    """Whose letter it is, and which question it may answer."""
    return f"[{game} {seat} {code}]"


def last_line(game: str, q: int) -> str:
    """The last line of a letter, so that text below a copy of it is known as its writer's."""
    return f"== {game} {q} =="
