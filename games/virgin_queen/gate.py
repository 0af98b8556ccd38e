"""Which pieces may be where: the one gate for all that is put on a space.

The procedures (13.1, 14.1, 16.1, 20.4 …) say which places they offer; the prohibitions here hold for every way to a
space: march, retreat, card, winter. Offers ask `may_stand`; what puts pieces there (`formations.add`, `fleets.put`,
`station`) calls `let_in`. A *piece* is a pool of land units, the power that commands ships, or a leader or captain.
"""

from __future__ import annotations

from collections.abc import Iterable

from games.virgin_queen.query import at_war, commander, distance
from games.virgin_queen.state import ENGLAND, FRANCE, GONE, MORISCO, OFF_MAP, ON_CARD, OTTOMAN, SPAIN
from games.virgin_queen.table import Table

OPEN_AT = 3
"""At this cost Spain may enter Ireland and Scotland (9.5) and declare the Irish war for free (24.2)."""
CELTIC = ("ireland", "scotland")
GUISE = "duke_of_guise"
MORISCO_RANGE = 2
"""Three spaces or more from Granada are barred (23.1)."""


BOUND = (SPAIN, OTTOMAN)
"""The powers with units that may not be everywhere."""


def england_spain_cost(table: Table) -> int:
    """9.5 Return what war between England and Spain costs: 5, less for excommunication and Mary's fate, at least 1."""
    state, rule = table.state, table.c.special["dow_england_spain"]
    cost = int(rule["start"])
    if state.excommunicated:
        cost += rule["excommunication"]
    if state.mary in ("captive", "executed"):
        cost += rule["mary_captive"]
    if state.mary == "executed":
        cost += rule["mary_executed"]
    return max(cost, int(rule["minimum"]))


def may_stand(table: Table, piece: str, place: str) -> bool:
    """Return whether a piece may be put on a place; pieces there already may stay."""
    space = table.c.spaces.get(place)
    # 20.10: the Duke of Guise never leaves France, Metz included.
    if piece == GUISE and (space is not None or place in OFF_MAP):
        return space is not None and (space.area == FRANCE or place == "metz")
    if space is None:
        return True
    # 9.5: no Spanish units, and no Spanish leaders with or without them, in Ireland and Scotland.
    if space.home in CELTIC and spanish(table, piece):
        return england_spain_cost(table) <= OPEN_AT
    # 23.1: the Moriscos stay near Granada.
    if piece == MORISCO:
        return distance(table, OTTOMAN, "granada", place) <= MORISCO_RANGE
    return True


def spanish(table: Table, piece: str) -> bool:
    """Return whether a piece is Spain's own pool, ships, ships lent to it (9.2) or leader, not a minor power's."""
    if piece == SPAIN or table.c.power_of_owner.get(piece) == SPAIN:
        return True
    leader = table.state.leaders.get(piece)
    return leader is not None and leader.power == SPAIN


def all_may(table: Table, pieces: Iterable[str], place: str) -> bool:
    """Return whether all of several pieces, which go together, may be put on a place."""
    return all(may_stand(table, piece, place) for piece in pieces)


def let_in(table: Table, piece: str, place: str) -> None:
    """Check that a piece may come to a place; the caller must have asked `may_stand`."""
    if not may_stand(table, piece, place):
        raise AssertionError(f"{piece} may not stand at {place}")


def station(table: Table, person: str, place: str) -> None:
    """Put a leader or captain on a place of the map, or off it."""
    let_in(table, person, place)
    commander(table.state, person).at = place


def arrive(table: Table, leader: str, place: str, rule: str = "6.1") -> None:
    """Put a leader on a place and tell so."""
    station(table, leader, place)
    table.log("spring.leader", rule=rule, leader=leader, space=commander(table.state, leader).at)


def lead(table: Table, leader: str, to: str) -> None:
    """12.5, 20.4 Move a leader along, or to the power card; the Duke of Guise leaves the game instead (20.10)."""
    if may_stand(table, leader, to):
        station(table, leader, to or ON_CARD)
        return
    table.state.leaders[leader].at = GONE
    table.log("winter.guise", rule="20.10", leader=leader, reveals=True)


def trespass(table: Table) -> tuple[str, str] | None:
    """9.4, 9.5 Return the power and the space of units that mean war between England and Spain at once, or None."""
    state, c = table.state, table.c
    if at_war(state, SPAIN, ENGLAND):
        return None
    for minor in CELTIC:
        for space in c.homes[minor]:
            here = [*state.land.get(space, ()), *(fleet.power for fleet in state.fleets.get(space, ()))]
            if any(spanish(table, piece) for piece in here):
                return SPAIN, space
    found = [space for space in c.areas["netherlands"] if ENGLAND in state.land.get(space, ())]
    return (ENGLAND, found[0]) if found else None
