"""Kinds of lines in an email besides answers. They only save typing: the referee's check decides if a line is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

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

REQUESTS = {
    "request": (
        *(f"send {what}" for what in ("state", "map", "log", "cards", "sheet", "rules", "bundle")),
        *(f"letters {what}" for what in ("short", "full", "digest 7")),
        *(f"attach {what}" for what in ("map", "view", "nothing")),
    ),
    "own": (
        *("away 2026-12-24 to 2027-01-02", "back", "bot until 2027-01-02"),
        *("more time 24", "quiet 22-07", "reminders 48 4", "take back"),
        *(f"end {how}" for how in ("draw", "concede", "call-off")),
        "skip",
    ),
}
"""The requests that a player may send to pbem, and what they may do themselves: days and hours can be changed."""

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


KINDS = (
    LineKind("advance"),
    LineKind("next", "next: ", needs="next"),
    LineKind("standing", "standing {}: pass", "window"),
    LineKind("branch", "if {}: ", "outcome", needs="outcomes"),
    LineKind("sheet", "", "sheet", needs="sheet_kinds"),
    LineKind("ask", "ask {}: ", "how_often", whole=True),
    LineKind("stop", "stop if "),
    LineKind("bold", "bold", whole=True),
    LineKind("resume", "resume", whole=True),
    LineKind("clear", "clear", whole=True),
    LineKind("press", "", "partner"),
    LineKind("request", "{}", "request", whole=True),
    LineKind("own", "{}", "own"),
    LineKind("test", "test", whole=True),
)


def kinds_for(desk: SeatView) -> list[LineKind]:
    """Return the kinds of this game: plans if it knows outcomes, reaction sheets if cards wait on them.

    The next turn can be written ahead if its first question is foreseen.
    """
    return [kind for kind in KINDS if not kind.needs or desk.document.get(kind.needs)]


def windows(desk: SeatView) -> Sequence[str]:
    """Return the kinds of questions that a standing order may name; `all` of them first."""
    return ("all", *(str(kind) for kind in desk.document.get("kinds", ())))
