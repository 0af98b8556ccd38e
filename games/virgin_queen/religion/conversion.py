"""Attempts at conversion (18.5), by sermons (18.2), by suppression (18.3) and by cards."""

from __future__ import annotations

import msgspec

from games.virgin_queen.table import KIT, Table
from games.virgin_queen.unwritten import NotWritten, left, part
from pbem.kernel.game import Rule

KIT.chapter("18.2", "preaching sermons")
KIT.chapter("18.3", "suppressing heresy")
KIT.chapter("18.5", "attempts at conversion and rebellions, step by step")
left("18.5", 45, 46, 55, 56, 70, 75, 77, 92, 93)
part("18.5", 5, 50, 53, 59, 64, 68, 97)

ONE, EACH, NONE = "one", "each", "none"
"""How much unrest dice of 1 bring: one marker in all; one for each die (#77); none (#53)."""


class Attempts(msgspec.Struct, frozen=True):
    """Attempts at conversion by one action or event (18.5): all are resolved together, in one area."""

    religion: str
    """To which the spaces turn: `CATHOLIC` or `PROTESTANT`."""
    area: str
    dice: int
    rule: str
    """The section or card that brings them: 18.2, 18.3, 6.1, 20.10."""
    six: bool = False
    """The first die is a 6 and is not rolled (#45, #46, #55, #56, #59, #70, #75, #92)."""
    changed: dict[int, int] = {}
    """Faces that count as another: 3 as 4 (#45), 5 as 6 (#77)."""
    unrest: str = ONE
    spared: tuple[str, ...] = ()
    """Spaces that take no unrest from it: those with Spanish regulars (#75)."""
    only: tuple[str, ...] | None = None
    """The spaces that may turn, if not all of the area: those next to Jesuits (#93)."""


def convert(table: Table, power: str, attempts: Attempts) -> Rule[list[str]]:
    """18.5 The procedure of either religion, all choices by `power`. Returns the spaces that turned."""
    raise NotWritten("18.5")


def may_convert(table: Table, attempts: Attempts) -> bool:
    """18.1 Whether any space could turn: else the action or event may not be made."""
    raise NotWritten("18.1")
