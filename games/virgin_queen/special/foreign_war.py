"""Foreign wars (23.7): the Ottomans in Persia, the Empire in Poland."""

from __future__ import annotations

from games.virgin_queen.state import HRE, OTTOMAN, PERSIA, POLAND, ForeignWar
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.unwritten import NotWritten, left, part
from pbem.kernel.game import Rule

KIT.chapter("23.7", "foreign wars")
left("23.7", 71, 72)
part("23.7", 86)

FIGHTS = {PERSIA: OTTOMAN, POLAND: HRE}
"""Card → who fights there."""
MOST = 8


def wars_of(table: Table, power: str) -> dict[str, ForeignWar]:
    """The foreign wars that a power fights now."""
    return {card: war for card, war in table.state.foreign_wars.items() if war.power == power}


def end(table: Table, card: str) -> Rule[None]:
    """23.7 A foreign war ends as if it were won: the troops come home; card 86 ends the one in Poland so."""
    raise NotWritten("23.7")
