"""How well a house stands, for bots: no rule of the game."""

from __future__ import annotations

from functools import partial

from games.crown_of_roses.query import census, control, king_house, loyalty, total
from games.crown_of_roses.table import Table
from pbem.kernel.game import Evaluation, compared

_OVER, _OUT = 100.0, -60.0
_LEAD = 0.7
"""How much the strongest of the others counts, next to the mean of all others."""
_CROWNED, _KING, _VOTE = 6.0, 4.0, 0.15
"""A turn as King, being the King now, a vote of a noble for the next election."""
_SHIRE, _STEP, _EXILE = 0.5, 0.15, 0.05
"""An economic point of the next King Phase, a step of a block in England, one in exile."""
_HEIR, _SUPPORT, _INCOME, _MARKER = 3.0, 0.3, 0.3, 0.1


def terms(table: Table, seat: str) -> Evaluation:
    """Return points, Crown, votes, shires, blocks, heirs, support, income and markers, compared with the others."""
    state = table.state
    if state.phase == "over":
        return {"victory": _OVER if seat in state.winners else -_OVER}
    return compared(partial(_worth, table, _shires(table), _nobles(table)), seat, state.houses, _LEAD)


def _shires(table: Table) -> dict[str, int]:
    """Return the economic points of the next King Phase, if all shires stay as they are (24.1.1)."""
    state = table.state
    found = dict.fromkeys(state.houses, 0)
    by_place = census(state).by_place
    for shire in table.c.shires:
        if by_place.get(shire) or shire in state.rebels:
            house, lord = control(table, shire), loyalty(table, shire)
            if house in found and lord and lord != house and state.marks.get(shire) != "devastated":
                found[house] += 1
    return found


def _nobles(table: Table) -> dict[str, tuple[float, int]]:
    """Return by house what its blocks are worth where they are, and the votes of its nobles who aren't in exile."""
    state, c = table.state, table.c
    found = dict.fromkeys(state.houses, (0.0, 0))
    for key, block in state.blocks.items():
        if block.owner in found:
            worth, votes = found[block.owner]
            exiled = block.at in c.exiles
            step = _EXILE if exiled else _STEP if block.at in c.shires else 0.0
            found[block.owner] = worth + step * block.steps, votes + (0 if exiled else c.blocks[key].title)
    return found


def _worth(table: Table, shires: dict[str, int], nobles: dict[str, tuple[float, int]], house: str) -> Evaluation:
    state, c = table.state, table.c
    own = state.houses[house]
    if own.out:
        return {"heirs": _OUT}
    blocks, titles = nobles[house]
    return {
        "points": own.vp,
        "crown": _CROWNED * own.crowned + _KING * (king_house(state) == house),
        "votes": _VOTE * (titles + c.support[own.support].votes),
        "shires": _SHIRE * shires[house],
        "blocks": blocks,
        "heirs": _HEIR * len(own.heirs),
        "support": _SUPPORT * own.support,
        "income": _INCOME * own.income,
        "markers": _MARKER * total(c, own.stock),
    }
