"""The Union of Arras (card 109): foreign mercenaries, all but the Dutch, desert when they are to move or fight.

The effect lasts until the end of the turn (6.1).
"""

from __future__ import annotations

from collections.abc import Iterable

from games.virgin_queen.formations import Formation, count, desert
from games.virgin_queen.state import SPAIN
from games.virgin_queen.table import Table

ARRAS = "arras"
"""In Spain's `used`: the Union of Arras is in force."""


def in_force(table: Table, space: str) -> bool:
    """Return whether mercenaries desert in a space."""
    return bool(table.state.powers[SPAIN].used.get(ARRAS)) and space in table.c.areas["netherlands"]


def _leave(table: Table, power: str, space: str, units: dict[str, int]) -> bool:
    hired = {key: number for key, number in units.items() if number and key.endswith("mercenaries")}
    gone = {key: number for key, number in hired.items() if key != "dutch-mercenaries"}
    if gone:
        desert(table, space, power, gone)
        for key in gone:
            del units[key]
    return bool(gone)


def deserts(table: Table, formation: Formation) -> bool:
    """Remove a moving formation's foreign mercenaries; return whether none of the units it had is left."""
    if not formation.units or not in_force(table, formation.space):
        return False
    _leave(table, formation.power, formation.space, formation.units)
    return not formation.units


def deserters(table: Table, formation: Formation, foes: Iterable[str], inside: dict[str, int] | None = None) -> bool:
    """Remove the foreign mercenaries of all sides before a battle; return whether there were any."""
    space = formation.space
    if not in_force(table, space):
        return False
    gone = [_leave(table, formation.power, space, formation.units), _leave(table, formation.power, space, inside or {})]
    gone += [_leave(table, foe, space, count(table.state, foe, space)) for foe in foes]
    return any(gone)
