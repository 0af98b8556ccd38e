"""The Spanish Armada (23.2): its place, its load, and what is lost with it."""

from __future__ import annotations

from games.virgin_queen import formations
from games.virgin_queen.query import leaders_at
from games.virgin_queen.state import ARMADA, ON_CARD, SPAIN
from games.virgin_queen.table import KIT, Table

KIT.chapter("23.2", "Spain: the treasure fleet, the Armada, deaths of rulers", "special/", "courts/deaths.py")

LOST = "armada_lost"
"""In `Power.used` of Spain: the Armada is on the turn track and can be built again from the next turn on."""
POOLS = (SPAIN, "walloon")
"""Whose units it carries: Spain's own, no minor power's."""
LEVEL = 2
"""Strength of a level."""


def place(table: Table) -> str:
    """Return where the Armada is: a port or a sea zone, "" if it is not on the map."""
    if not table.state.armada:
        return ""
    return next((at for at, here in table.state.fleets.items() if any(ARMADA in fleet.ships for fleet in here)), "")


def port(table: Table, power: str) -> str:
    """Return the port of a power's Armada, "" if it is at sea, off the map, or not this power's."""
    at = place(table) if power == SPAIN else ""
    return at if at in table.c.spaces else ""


def aboard(table: Table) -> int:
    """Return how many land units are aboard; at most its strength (23.2)."""
    return sum(troops.total for troops in table.state.away.get(ARMADA, {}).values())


def room(table: Table) -> int:
    """Return how many more it can carry."""
    return table.state.armada - aboard(table)


def harbour(table: Table, power: str) -> tuple[str, dict[str, int], list[str]] | None:
    """Return what may go between the Armada and its port for free; None at sea. Used to see whether it has changed."""
    at = port(table, power)
    return (at, formations.count(table.state, SPAIN, at), leaders_at(table.state, SPAIN, at)) if at else None


def lower(table: Table) -> None:
    """23.2 Lower the Armada by a level, and remove units beyond its strength."""
    table.state.armada -= LEVEL
    table.log("sea.armada", rule="23.2", strength=table.state.armada)
    _spill(table)


def lost(table: Table) -> None:
    """23.2 Remove the Armada with all aboard; with a Dry Dock it may be built again at once, else next turn (16.2)."""
    state = table.state
    state.armada = 0
    if "dry_dock" not in state.powers[SPAIN].science:
        state.powers[SPAIN].used[LOST] = 1
    for key in leaders_at(state, SPAIN, ARMADA):
        state.leaders[key].at = ON_CARD
    _spill(table)


def _spill(table: Table) -> None:
    """23.2 Remove units beyond its strength, the cheapest first."""
    over = max(0, aboard(table) - table.state.armada)
    if gone := formations.cheapest(formations.count(table.state, SPAIN, ARMADA), over):
        gone = formations.change(table, SPAIN, ARMADA, gone)
        formations.put(table, ARMADA, SPAIN, gone, -1)
        table.log("armada.drowned", rule="23.2", power=SPAIN, units=gone)
