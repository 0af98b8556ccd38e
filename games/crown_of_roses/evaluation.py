"""How well a house stands, for bots: no rule of the game."""

from __future__ import annotations

from functools import partial

from games.crown_of_roses.query import census, control, king_house, loyalty, total
from games.crown_of_roses.table import Table
from pbem.kernel.game import Terms, compared

_OVER, _OUT = 100.0, -60.0
_LEAD = 0.7
"""How much the strongest of the others counts, beside the mean of all others."""
_CROWNED, _KING, _VOTE = 6.0, 4.0, 0.15
"""A turn as King, being the King now, a vote of a noble for the next election."""
_SHIRE, _STEP, _EXILE = 0.5, 0.15, 0.05
"""An economic point of the next King Phase, a step of a block in England, one in exile."""
_HEIR, _SUPPORT, _INCOME, _MARKER = 3.0, 0.3, 0.3, 0.1


def terms(table: Table, seat: str) -> Terms:
    """Return points, Crown, votes, shires, blocks, heirs, support, income and markers, compared with the others."""
    state = table.state
    if state.phase == "over":
        return {"victory": _OVER if seat in state.winners else -_OVER}
    shires = dict.fromkeys(state.houses, 0)
    by_place = census(state).by_place
    for shire in table.c.shires:
        if by_place.get(shire) or shire in state.rebels:
            house, lord = control(table, shire), loyalty(table, shire)
            if house in shires and lord and lord != house and state.marks.get(shire) != "devastated":
                shires[house] += 1  # 24.1.1: an economic point, if it stays so until the King Phase
    return compared(partial(_worth, table, shires), seat, state.houses, _LEAD)


def _worth(table: Table, shires: dict[str, int], house: str) -> Terms:
    state, c = table.state, table.c
    own = state.houses[house]
    if own.out:
        return {"heirs": _OUT}
    inside = outside = titles = 0
    for key, block in state.blocks.items():
        if block.owner == house:
            if block.at in c.exiles:
                outside += block.steps
            else:
                inside += block.steps if block.at in c.shires else 0
                titles += c.blocks[key].title
    return {
        "points": own.vp,
        "crown": _CROWNED * own.crowned + _KING * (king_house(state) == house),
        "votes": _VOTE * (titles + c.support[own.support].votes),
        "shires": _SHIRE * shires[house],
        "blocks": _STEP * inside + _EXILE * outside,
        "heirs": _HEIR * len(own.heirs),
        "support": _SUPPORT * own.support,
        "income": _INCOME * own.income,
        "markers": _MARKER * total(c, own.stock),
    }
