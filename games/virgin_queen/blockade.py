"""Ships that keep a besieger from assaulting (15.1, 16.7)."""

from __future__ import annotations

from games.virgin_queen.components import INLAND_ZONE
from games.virgin_queen.query import fleets_of, ships_of
from games.virgin_queen.state import Fleet
from games.virgin_queen.table import Table


def counted(table: Table, fleet: Fleet) -> float:
    """Return how many ships of a fleet count for a blockade: no corsairs; the Armada half its strength (ruling 20)."""
    ships = sum(n for kind, n in fleet.ships.items() if kind not in ("corsair", "armada"))
    return ships + (table.state.armada / 2 if fleet.ships.get("armada") else 0)


def ships_for_blockade(table: Table, power: str, place: str) -> float:
    """Return how many ships a power commands at a place for a blockade, with those of its minor powers."""
    return sum(counted(table, fleet) for fleet in fleets_of(table.state, power, place))


def blockaded(table: Table, power: str, space: str) -> bool:
    """15.1, 16.7 Return whether the holder's ships, at sea or more of them in port, prevent an assault."""
    state, c = table.state, table.c
    holder = state.control[space]
    zones = c.spaces[space].port
    if any(ships_for_blockade(table, holder, zone) for zone in zones):
        return True
    within = ships_for_blockade(table, holder, space)
    if within and sum(ships_for_blockade(table, power, zone) for zone in zones) <= within:
        return True
    if space in c.inland:
        other, _ = c.gates[space]
        return state.control[other] == holder and not ships_of(state, power, INLAND_ZONE)
    return False
