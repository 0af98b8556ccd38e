"""Mandatory events that count or place: 4, 83, 100, 110 (6.1; texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import fleets
from games.virgin_queen.courts.deaths import royal_dies
from games.virgin_queen.events.common import choose, event, played, seize, spread
from games.virgin_queen.query import controls, fortified, occupied
from games.virgin_queen.state import CATHOLIC, ENGLAND, FRANCE, OTTOMAN, PROTESTANT, SPAIN
from games.virgin_queen.table import Table
from games.virgin_queen.victory import award
from pbem.kernel.game import Play

MANY_DUTCH, FEW_DUTCH = 7, 2
ENTERPRISE = ((10, SPAIN, 2), (7, SPAIN, 1))
FAILED = 3


def nests(table: Table) -> list[str]:
    """#4 Return Algiers and Djerba/Tripoli, if the Ottomans hold them without unrest."""
    state = table.state
    return [at for at in ("algiers", "djerba_tripoli") if state.control[at] == OTTOMAN and at not in state.unrest]


@event("barbary-corsairs", lambda t, p: bool(nests(t)) and fleets.pool_left(t, OTTOMAN) > 0)
def barbary_corsairs(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #4: up to two Ottoman corsairs in these ports; if nobody plays the Ottomans, all of them."""
    number = min(2, fleets.pool_left(table, OTTOMAN))
    least = 0 if played(table, OTTOMAN) else number
    ports = dict.fromkeys(nests(table), number)
    for port, some in (yield from spread(table, OTTOMAN, "barbary-corsairs", ports, (least, number))).items():
        fleets.put(table, port, OTTOMAN, OTTOMAN, {"corsair": some})
        table.log("event.corsairs", rule="6.1", power=OTTOMAN, space=port, count=some)


@event("dutch-revolt")
def dutch_revolt(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #83: Netherlands spaces under the Protestants, not in unrest: 7 are 1 VP, 2 or fewer Spain's VP."""
    state = table.state
    number = sum(state.control[at] == PROTESTANT and at not in state.unrest for at in table.c.areas["netherlands"])
    table.log("event.counted", rule="25.2", card="dutch-revolt", count=number)
    if number >= MANY_DUTCH:
        award(table, PROTESTANT, "dutch_revolt", 1)
    elif number <= FEW_DUTCH:
        award(table, SPAIN, "dutch_revolt", 1)


@event("enterprise-of-england")
def enterprise(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #100: count English spaces under Spain and Catholic ones, in unrest too (FAQ 28); Leicester dies."""
    state = table.state
    area = table.c.areas[ENGLAND]
    number = sum((state.control[at] == SPAIN) + (state.religion[at] == CATHOLIC) for at in area)
    table.log("event.counted", rule="25.2", card="enterprise-of-england", count=number)
    for least, winner, points in ENTERPRISE:
        if number >= least:
            award(table, winner, "enterprise", points)
            break
    else:
        if number <= FAILED:
            award(table, ENGLAND, "enterprise", 1)
    royal_dies(table, "leicester")


def frontier(table: Table, power: str) -> list[str]:
    """#110 Return unoccupied unfortified spaces in France next to a space of the power, not yet its own."""
    state = table.state
    mine = set(controls(state, power))
    near = [at for at in table.c.areas[FRANCE] if at not in mine and mine.intersection(table.c.land[at])]
    return [at for at in near if not fortified(table, at) and not occupied(state, at)]


@event("war-of-the-three-henries")
def three_henries(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #110: France, Spain and the Protestants roll a die plus French keys each; the highest takes a space."""
    state, card = table.state, "war-of-the-three-henries"
    totals = {}
    for other in (FRANCE, SPAIN, PROTESTANT):
        keys = sum(state.control[at] == other and table.c.spaces[at].type == "key" for at in table.c.areas[FRANCE])
        roll = table.roll(1, "event.rolls_plus", rule="6.1", power=other, card=card, plus=keys)
        totals[other] = roll.total + keys
    best = [side for side, total in totals.items() if total == max(totals.values())]
    if len(best) > 1:
        table.log("event.no_effect", rule="6.1", card=card)
        return
    if space := (yield from choose(table, best[0], card, "space", frontier(table, best[0]))):
        yield from seize(table, best[0], space)
