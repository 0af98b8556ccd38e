"""The Spanish Armada (23.2): building, upgrades, troops aboard, its own transport."""

from __future__ import annotations

from games.virgin_queen.state import ARMADA
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.unwritten import left

KIT.chapter("23.2", "Spain: the treasure fleet, the Armada, deaths of rulers")
left("23.2", 99, 104)


def place(table: Table) -> str:
    """Where the Armada is: a port or a sea zone, "" if it is not on the map."""
    for at, here in table.state.fleets.items():
        if any(ARMADA in fleet.ships for fleet in here):
            return at
    return ""


def aboard(table: Table) -> int:
    """How many land units are aboard; no more than its strength (23.2)."""
    return sum(troops.total for troops in table.state.away.get(ARMADA, {}).values())
