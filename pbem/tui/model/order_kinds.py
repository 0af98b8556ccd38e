"""Kinds of lines in an email besides answers. They only save typing: the referee's check decides if a line is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pbem.data_cache import tables_of
from pbem.kernel.questions import MODERATOR
from pbem.tui.model.seat_view import ScreenPress, SeatView

# Press sorted by partner.

ALL = "all"  # the partner that means everybody


def partners(desk: SeatView, me: str) -> list[str]:
    """Return the partners for press: everybody, each other seat, then the moderator if they have written."""
    others = [seat for seat in desk.seats if seat != me]
    wrote = [MODERATOR] if any(press.seat == MODERATOR for press in desk.press) and me != MODERATOR else []
    return [ALL, *others, *wrote]


def thread(desk: SeatView, me: str, partner: str) -> list[ScreenPress]:
    """Return the press between me and a partner, oldest first. The moderator reads all press of the partner."""
    if partner == ALL:
        return [press for press in desk.press if not press.to]
    if not me:
        return [press for press in desk.press if press.to and partner in (press.seat, *press.to)]
    return [
        press
        for press in desk.press
        if (press.seat == partner and me in press.to) or (press.seat == me and partner in press.to)
    ]


Chosen = Literal["window", "outcome", "request", "own", "how_often", "partner", "sheet", ""]
"""What is chosen from a list before the line is written."""

_TABLES = tables_of("pbem.tui", "keys")["lines"]
REQUESTS: Mapping[str, Sequence[str]] = _TABLES["requests"]
HOW_OFTEN = ("always", "mine", "never")  # how often windows of a kind are asked


@dataclass(frozen=True)
class LineKind:
    """A kind of line, named `line.<key>` in messages. `start` is its beginning; `whole`: nothing follows it.

    `needs` is the key of the view document without which a game has no such line.
    """

    key: str
    start: str = ""
    chosen: Chosen = ""
    whole: bool = False
    needs: str = ""


KINDS = [LineKind(key, **about) for key, about in _TABLES["kinds"].items()]


def kinds_for(desk: SeatView) -> list[LineKind]:
    """Return the kinds of this game: plans if it knows outcomes, reaction sheets if cards wait on them.

    The next turn can be written ahead if its first question is foreseen.
    """
    return [kind for kind in KINDS if not kind.needs or desk.document.get(kind.needs)]


def windows(desk: SeatView) -> Sequence[str]:
    """Return the kinds of questions that a standing order may name; `all` of them first."""
    return ("all", *(str(kind) for kind in desk.document.get("kinds", ())))
