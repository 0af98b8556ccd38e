"""The English Catholic rebellion (19.4)."""

from __future__ import annotations

from games.virgin_queen.table import KIT, Table
from games.virgin_queen.unwritten import NotWritten, part
from pbem.kernel.game import Rule

KIT.chapter("19.4", "the English Catholic rebellion")
part("19.4", 78)


def targets(table: Table) -> list[str]:
    """19.4 step 2 The Catholic spaces of England under English control, neither besieged nor in unrest."""
    raise NotWritten("19.4")


def rising(table: Table, space: str, *, dice: int = 5, most: int = 4, rule: str = "19.4") -> Rule[bool]:
    """19.4 steps 3 to 7 A rising in a space; card 78 brings one too (FAQ 28). Returns whether it succeeded."""
    raise NotWritten("19.4")
