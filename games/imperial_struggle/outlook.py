"""How well a side stands: a hint for understudies, no rule of the game."""

from __future__ import annotations

from games.imperial_struggle.board import tally
from games.imperial_struggle.scoring import leader
from games.imperial_struggle.state import BRITAIN, FRANCE
from games.imperial_struggle.table import Table

_SIGN = {FRANCE: 1, BRITAIN: -1}
_OVER = 100.0
_LEAD, _TREATY, _EDGE, _FLAG = 0.8, 0.5, 0.15, 0.35
"""What a reward in reach is worth, a Treaty Point beside a VP, one more space in an undecided area, a flag."""


def value(table: Table, seat: str) -> float:
    """VP, Awards and demanded goods as they would be scored now, flags, and what each side has in hand."""
    state, c = table.state, table.c
    if state.phase == "over":
        return _OVER if state.winner == seat else -_OVER
    stands = state.vp - 15.0  # the track counts for France (3.1)
    for region, key in state.awards.items():
        award = c.awards[key]
        reward = award.vp + _TREATY * award.trp
        stands += _lead(tally(state, c.of_region[region]), reward, award.margin)
    era = c.turn(min(state.turn, len(c.turns))).era
    for commodity in state.demand:
        paid = c.commodities[commodity].reward(era)
        stands += _lead(tally(state, c.of_commodity[commodity]), paid.vp + _TREATY * paid.trp)
    flags = list(state.flags.values())
    stands += _FLAG * (flags.count(FRANCE) - flags.count(BRITAIN))
    for holder, sign in _SIGN.items():
        side = state.sides[holder]
        stands += sign * (
            0.4 * side.trp - 0.35 * side.debt + 0.3 * len(side.hand) + 0.2 * len(side.ministries)
        )
    return stands * _SIGN[seat]


def _lead(counts: tuple[int, int], reward: float, margin: int = 1) -> float:
    """What an Award or a commodity is worth to France as things stand."""
    britain, france = counts
    ahead = leader(britain, france, margin)
    return _LEAD * reward * _SIGN[ahead] if ahead else _EDGE * (france - britain)
