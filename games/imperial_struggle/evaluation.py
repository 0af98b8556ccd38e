"""How well a side stands, for bots: no rule of the game."""

from __future__ import annotations

from games.imperial_struggle.board import tally
from games.imperial_struggle.scoring import leader
from games.imperial_struggle.state import BRITAIN, FRANCE
from games.imperial_struggle.table import Table
from games.imperial_struggle.wars.fight import strength
from pbem.kernel.game import Evaluation

_SIGN = {FRANCE: 1, BRITAIN: -1}
_OVER = 100.0
_LEAD, _TREATY, _EDGE = 0.8, 0.5, 0.15
"""Worth of a reward in reach, a Treaty Point of it (in VP), one more space where nobody leads."""
_FLAG, _SQUADRON, _KEPT, _DEBT, _CARD, _MINISTRY = 0.35, 0.15, 0.4, 0.35, 0.3, 0.2
"""A flag, a Squadron in the Navy Box, a Treaty Point kept, a point of Debt, an Event in hand, a Ministry."""

_WAR, _DECISIVE = 0.3, 4
"""A point of strength in a theater of the next war, up to this margin."""


def terms(table: Table, seat: str) -> Evaluation:
    """Return VP, Awards and demanded goods as they would be scored now, flags, and what each side has."""
    state, c = table.state, table.c
    if state.phase == "over":
        return {"victory": _OVER if state.winner == seat else -_OVER}
    flags = list(state.flags.values())
    found: Evaluation = {
        "vp": state.vp - 15.0,  # the track counts for France (3.1)
        "awards": 0.0,
        "goods": 0.0,
        "flags": _FLAG * (flags.count(FRANCE) - flags.count(BRITAIN)),
    }
    for region, key in state.awards.items():
        award = c.awards[key]
        found["awards"] += _lead(tally(state, c.of_region[region]), award.vp + _TREATY * award.trp, award.margin)
    era = c.turn(min(state.turn, len(c.turns))).era
    for commodity in state.demand:
        paid = c.commodities[commodity].reward(era)
        found["goods"] += _lead(tally(state, c.of_commodity[commodity]), paid.vp + _TREATY * paid.trp)
    french, british = state.sides[FRANCE], state.sides[BRITAIN]
    found["war"] = _WAR * _margins(table)
    found["squadrons"] = _SQUADRON * (french.box - british.box)
    found["treaty"] = _KEPT * (french.trp - british.trp)
    found["debt"] = _DEBT * (british.debt - french.debt)
    found["events"] = _CARD * (len(french.hand) - len(british.hand))
    found["ministries"] = _MINISTRY * (len(french.ministries) - len(british.ministries))
    return {name: value * _SIGN[seat] for name, value in found.items()}


def _lead(counts: tuple[int, int], reward: float, margin: int = 1) -> float:
    """Return what an Award or a commodity is worth to France now."""
    britain, france = counts
    ahead = leader(britain, france, margin)
    return _LEAD * reward * _SIGN[ahead] if ahead else _EDGE * (france - britain)


def _margins(table: Table) -> int:
    """Return by how much France is ahead in the theaters of the next war."""
    state = table.state
    if not state.war:
        return 0
    war, counted, margins = table.c.wars[state.war], [*state.counted], 0
    for theater in war.theaters[state.theater :] if state.theaters else ():
        french, british = (sum(strength(table, war, theater, side).values()) for side in (FRANCE, BRITAIN))
        margins += max(-_DECISIVE, min(_DECISIVE, french - british))
    state.counted = counted  # `strength` notes the markers that count in a battle, and there is none now
    return margins
