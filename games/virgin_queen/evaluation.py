"""How well a seat stands, for bots: no rule of the game. In each game it is found by its name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache

from games.virgin_queen.intrigue.assassination import ELIZABETH
from games.virgin_queen.keys import number_of_keys, protestant_spaces, secret_vp, totals
from games.virgin_queen.learning.evaluation import modifier
from games.virgin_queen.campaigns import prospects
from games.virgin_queen.query import seat_of, strength
from games.virgin_queen.state import ENGLAND, HRE, PROTESTANT, SPAIN, QueenState
from games.virgin_queen.table import Table
from games.virgin_queen.victory import playing
from pbem.kernel.game import Evaluation, compared

_OVER = 40.0
_FAITH = {PROTESTANT: 0.2, ENGLAND: 0.1, SPAIN: -0.15}
"""A Protestant space more towards the next row of their track; the row itself is in the VP."""
_COMING = 2.0
"""How many turns more what comes each turn may come."""
_LEAD = 0.7
"""How much the strongest of the others counts, next to the mean of all others."""
_KEY, _CARD, _POINT, _TREASURE = 0.4, 0.15, 0.1, 0.3
"""A key space, a card in hand, a CP to spend, a treasure."""
_SIEGE, _TAKEN, _UNIT, _SHIP = 0.3, 1.2, 0.05, 0.06
"""A siege under way, a key that it is likely to take, a land unit, a ship."""
_VICTORY, _FAR = 10.0, 8.0
"""Enough for victory, and how many VP are missing where it doesn't count yet."""


def terms(table: Table, seat: str) -> Evaluation:
    """Return VP, what brings VP, forces, and how near the seat's best power is to victory, less those of others."""
    state = table.state
    if state.phase == "over":
        won = seat in {seat_of(state, power) for power in state.winners}
        return {"victory": _OVER if won else -_OVER}
    points, forces, sieges, into_row = totals(table), _forces(state), _sieges(table), protestant_spaces(table) % 5 - 2
    if state.powers[HRE].seat == seat:
        points[HRE] += secret_vp(table)
    near, impulse = _nearness(table, points), state.impulse
    coming = _coming(table)
    best: dict[str, Evaluation] = {}
    for power in playing(state):
        own = state.powers[power]
        worth: Evaluation = {
            "vp": points[power] + _FAITH.get(power, 0.0) * into_row + _COMING * coming.get(power, 0),
            "keys": _KEY * number_of_keys(table, power),
            "cards": _CARD * len(own.hand) + _POINT * (impulse.cp if impulse and impulse.power == power else 0),
            "treasures": _TREASURE * len(own.treasures),
            "patronage": sum(_yield(modifier(table, work)) for work in state.patronage if work.power == power),
            "sieges": sieges[power],
            "forces": forces[power],
            "victory": near[power],
        }
        if own.seat not in best or sum(worth.values()) > sum(best[own.seat].values()):
            best[own.seat] = worth
    if seat not in best:
        return {}
    found = compared(best.__getitem__, seat, best, _LEAD)
    found["sieges"] += max(prospects(table, power, points) for power in playing(state) if state.powers[power].seat == seat)
    return found


def _coming(table: Table) -> Mapping[str, float]:
    """Return what each power gets every turn: for Paris, for Central Europe (25.3), for the Virgin Queen (21.2)."""
    state, bonus = table.state, table.c.special["bonus_vp"]
    unrest, control = state.unrest, state.control
    found = {control["paris"]: 1.0 + (state.turn > 3)} if "paris" not in unrest else {}
    central = bonus["ruler_of_central_europe_keys"]
    if all(control[key] == HRE and key not in unrest for key in central):
        found[HRE] = 1.0
    had = state.powers[ENGLAND].vp.get("virgin_queen", 0)
    if state.royals[ELIZABETH].state == "free" and had < bonus["virgin_queen_max"]:
        found[ENGLAND] = found.get(ENGLAND, 0.0) + 1.0
    return found


def _forces(state: QueenState) -> Mapping[str, float]:
    """Return what the land units and ships of each power are worth."""
    found: defaultdict[str, float] = defaultdict(float)
    for garrison in state.land.values():
        for owner, troops in garrison.items():
            found[owner] += _UNIT * troops.total
    for fleets in state.fleets.values():
        for fleet in fleets:
            found[fleet.power] += _SHIP * fleet.total
    return found


def _sieges(table: Table) -> Mapping[str, float]:
    """Return what each besieger may expect from its sieges, and each holder of a key may fear."""
    state = table.state
    found: defaultdict[str, float] = defaultdict(float)
    for space, siege in state.sieges.items():
        outside = {power: strength(state, power, space) for power in siege.by}
        inside = sum(troops.total for troops in state.land.get(space, {}).values()) - sum(outside.values())
        for power, men in outside.items():
            key = _TAKEN * min(1.0, men / (6.0 * inside + 3.0)) * (table.c.spaces[space].type == "key")
            found[power] += _SIEGE + key
            found[state.control[space]] -= key
    return found


@cache
def _yield(plus: int) -> float:
    """Return how many VP a patron may expect from two dice and a modifier (22.1): from 10, 13 and 15 one more."""
    rolls = [a + b + plus for a in range(1, 7) for b in range(1, 7)]
    return sum((total >= 10) + (total >= 13) + (total >= 15) for total in rolls) / len(rolls)


def _nearness(table: Table, points: Mapping[str, int]) -> Mapping[str, float]:
    """Return how near each power is to a victory (25.1, 25.3), by the VP that it lacks."""
    state, limits, faithful = table.state, table.c.special["victory"], protestant_spaces(table)
    field, found = playing(state), dict[str, float]()
    first, second, *_ = sorted((points[power] for power in field), reverse=True)
    early = max(0, limits["dominance_first_turn"] - state.turn)
    lead = 1 if state.turn >= state.last_turn else limits["dominance_lead"] + 2 * early
    religious = {
        PROTESTANT: limits["religious_protestant_spaces"] - faithful,
        SPAIN: faithful - limits["religious_catholic_spaces"],
    }
    for power in field:
        others = first if points[power] < first else second
        lacks = min(limits["normal_vp"] - points[power], others + lead - points[power], religious.get(power, 99))
        if power != PROTESTANT:
            lacks = min(lacks, 2 * (int(table.c.powers[power].auto_win_keys) - number_of_keys(table, power)))
        found[power] = _VICTORY * max(0.0, 1 - max(0, lacks) / _FAR) ** 2
    return found
