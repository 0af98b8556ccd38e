"""How well a house stands: a hint for understudies, no rule of the game."""

from __future__ import annotations

from games.crown_of_roses.query import king_house, total
from games.crown_of_roses.table import Table

_OVER, _OUT = 100.0, -60.0


def value(table: Table, seat: str) -> float:
    """Economic points, turns as King, support, income, steps on the map, heirs and markers; beside the best other."""
    state = table.state
    if state.phase == "over":
        return _OVER if seat in state.winners else -_OVER
    mine = _worth(table, seat)
    return mine - max(_worth(table, house) for house in state.houses if house != seat)


def _worth(table: Table, house: str) -> float:
    state = table.state
    own = state.houses[house]
    if own.out:
        return _OUT
    steps = sum(
        block.steps for block in state.blocks.values() if block.owner == house and block.at in table.c.shires
    )
    return (
        own.vp
        + 6 * own.crowned
        + 4 * (king_house(state) == house)
        + 0.3 * own.support
        + 0.3 * own.income
        + 0.15 * steps
        + 3 * len(own.heirs)
        + 0.1 * total(table.c, own.stock)
    )
