"""Ships that keep a besieger from assaulting (15.1, 16.7)."""

from __future__ import annotations

from games.virgin_queen.components import INLAND_ZONE
from games.virgin_queen.fleets import counts
from games.virgin_queen.query import ships_of
from games.virgin_queen.table import Table


def ships_for_blockade(table: Table, power: str, place: str) -> float:
    """Return a power's ships at a place for a blockade: no corsairs; the Armada half its strength (ruling 20)."""
    found = counts(table.state, power, place)
    ships = sum(number for kind, number in found.items() if kind not in ("corsair", "armada"))
    return ships + (table.state.armada / 2 if found.get("armada") else 0)


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
