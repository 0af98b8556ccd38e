"""What may stand in a letter besides answers: each kind of line with how it begins and what is chosen for it.

The grammar is that of `pbem.orders`; this only spares typing. The referee's check says whether a line is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pbem.kernel.questions import MODERATOR
from pbem.tui.model.seat_view import ScreenPress, SeatView

# Press sorted by partner.

ALL = "all"
"""The partner that stands for everybody."""


def partners(desk: SeatView, me: str) -> list[str]:
    """With whom one can talk: everybody, then each other seat, then the moderator if he has written."""
    others = [seat for seat in desk.seats if seat != me]
    wrote = [MODERATOR] if any(press.seat == MODERATOR for press in desk.press) and me != MODERATOR else []
    return [ALL, *others, *wrote]


def thread(desk: SeatView, me: str, partner: str) -> list[ScreenPress]:
    """What was written between me and a partner, oldest first; the moderator reads all that the partner has part in."""
    if partner == ALL:
        return [press for press in desk.press if not press.to]
    if not me:
        return [press for press in desk.press if press.to and partner in (press.seat, *press.to)]
    return [
        press
        for press in desk.press
        if (press.seat == partner and me in press.to) or (press.seat == me and partner in press.to)
    ]


Chosen = Literal["window", "outcome", "wish", "how_often", "partner", "sheet", ""]
"""What is chosen from a list before the line is written."""

WISHES = (
    *(f"send {what}" for what in ("state", "map", "log", "cards", "sheet", "rules", "bundle")),
    *(f"letters {what}" for what in ("short", "full", "digest 7")),
    *(f"attach {what}" for what in ("map", "view", "nothing")),
)
"""What a player may ask the moderator's program for."""

HOW_OFTEN = ("always", "mine", "never")
"""How often windows of a kind shall be asked."""


@dataclass(frozen=True)
class LineKind:
    """A kind of line, in words `line.<key>`. `start` is what it begins with; `whole`: there is nothing to add."""

    key: str
    start: str = ""
    chosen: Chosen = ""
    whole: bool = False


KINDS = (
    LineKind("later"),
    LineKind("standing", "standing {}: pass", "window"),
    LineKind("plan", "if {}: ", "outcome"),
    LineKind("sheet", "", "sheet"),
    LineKind("ask", "ask {}: ", "how_often", whole=True),
    LineKind("stop", "stop if "),
    LineKind("bold", "bold", whole=True),
    LineKind("resume", "resume", whole=True),
    LineKind("clear", "clear", whole=True),
    LineKind("press", "", "partner"),
    LineKind("wish", "{}", "wish", whole=True),
    LineKind("test", "test", whole=True),
)


def kinds_for(desk: SeatView) -> list[LineKind]:
    """The kinds that there are in this game: plans where the game knows outcomes, sheets where cards wait on them."""
    out = set()
    if not desk.document.get("outcomes"):
        out.add("plan")
    if not desk.document.get("sheet_kinds"):
        out.add("sheet")
    return [kind for kind in KINDS if kind.key not in out]


def windows(desk: SeatView) -> Sequence[str]:
    """The kinds of questions that a standing answer may name; `all` of them first."""
    return ("all", *(str(kind) for kind in desk.document.get("kinds", ())))


def outcomes(desk: SeatView) -> Sequence[str]:
    """What can come of a line in public."""
    return tuple(str(word) for word in desk.document.get("outcomes", {}))
