"""Rebellions (18.4; the procedure in 18.5)."""

from __future__ import annotations

from games.virgin_queen.table import KIT, Table
from games.virgin_queen.unwritten import NotWritten, left, part
from pbem.kernel.game import Rule

KIT.chapter("18.4", "rebellions")
left("18.4", 35)
part("18.4", 79)


def targets(table: Table, area: str) -> list[str]:
    """18.5 step 1 The spaces of France or the Netherlands where the Protestants may rebel now.

    None where 18.4 forbids it: allied with France, or a rebellion in this area in this impulse (`Impulse.revolts`).
    """
    raise NotWritten("18.4")


def rebellion(table: Table, space: str, cp: int, rule: str = "18.4") -> Rule[bool]:
    """18.5 A rebellion of the Protestants in a space, as if with so many CP (2 to 5). Returns whether it succeeded.

    The caller pays. A capital whose faction stands in `State.capitals_lost` does not come back this turn.
    """
    raise NotWritten("18.5")
