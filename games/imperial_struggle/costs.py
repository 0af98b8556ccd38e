"""The cost of shifting a space (5.3.4, 5.4.2, 5.5.2, 8.2), and reductions of prices.

The order is fixed: the printed cost; set to 1 by a Conflict marker, isolation or an Advantage; less all reductions,
which may pass below 1; plus 1 for Protection; at least 1; and last the surcharge for a further Region.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from games.imperial_struggle.board import protected
from games.imperial_struggle.components import StruggleComponents
from games.imperial_struggle.state import DIPLOMATIC, ECONOMIC, MILITARY, NOBODY, ActionRound
from games.imperial_struggle.table import KIT, Table

KIT.chapter("5.3.4", "surcharge for further Regions", "costs.py")
KIT.chapter("5.4.2", "economic cost", "costs.py")
KIT.chapter("5.5.2", "political cost", "costs.py", "shifting.py")

Cut = Callable[[Table, str, str, bool], int]
"""Reduction of the cost of shifting: `(table, seat, space, removing)`."""

MINISTRY_CUTS: dict[str, Cut] = {}
"""Face-up Ministry card → its reduction."""

MARK_CUTS: dict[str, Cut] = {}
"""Mark of the round → its reduction."""

ADVANTAGES: dict[str, tuple[bool, int, Callable[[StruggleComponents], Sequence[str]]]] = {}
"""Advantages that make a removal cheaper: whether the cost is set to 1, how much is taken off, and where they work."""


@lru_cache(maxsize=16)
def cheapening(c: StruggleComponents) -> dict[str, tuple[str, ...]]:
    """Return for each space the Advantages that make removing a flag there cheaper."""
    found: dict[str, tuple[str, ...]] = {}
    for key, (_, _, places) in ADVANTAGES.items():
        for space in places(c):
            found[space] = (*found.get(space, ()), key)
    return found


TYPE_OF = {"market": ECONOMIC, "political": DIPLOMATIC}
"""The type of points that shifts a space (5.4.1, 5.5.1)."""


def surcharge(c: StruggleComponents, now: ActionRound, ap: str, region: str) -> int:
    """Return 1 for the first purchase in each Region after the first, EP and DP apart; MP never pay (5.3.4)."""
    regions = now.regions.get(ap) if ap != MILITARY else None
    return c.costs["region"] if regions and region not in regions else 0


def shift_cost(table: Table, seat: str, space: str, *, to_one: bool = False, minus: int = 0, ap: str = "") -> int:
    """Return the price for `seat` of one shift, surcharge included; `ap` if not the usual points pay (M-4)."""
    state, c = table.state, table.c
    place = c.spaces[space]
    now = state.round
    cost = place.cost
    if to_one or space in state.conflicts or (now is not None and space in now.isolated):
        cost = 1
    removing = state.flags[space] != NOBODY
    for card in state.sides[seat].revealed:
        if card in MINISTRY_CUTS:
            minus += MINISTRY_CUTS[card](table, seat, space, removing)
    if now is not None:
        for mark in now.marks:
            if mark in MARK_CUTS:
                minus += MARK_CUTS[mark](table, seat, space, removing)
    cost -= minus
    if removing and place.type == "market" and protected(table, space):
        cost += int(c.costs["protected"])
    if cost < 1:
        cost = 1
    if now is None or not now.regions:
        return cost
    return cost + surcharge(c, now, ap or TYPE_OF[place.type], place.region)
