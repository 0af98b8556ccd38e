"""Queries on a state: control, friend and enemy (2.2), command, ports, communication (12.1).

Pure functions; powers are ids, a *side* is the power that commands a unit: its own, the ally of a minor (2.2), or the
minor itself while it is inactive. Independent units have the side `independent` and are nobody's enemy (2.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from games.virgin_queen.components import QueenComponents
from games.virgin_queen.state import (
    ALLIED,
    ENGLAND,
    INDEPENDENT,
    MINORS,
    MORISCO,
    PAIRS,
    POWERS,
    PROTESTANT,
    WAR,
    Captain,
    Fleet,
    Leader,
    QueenState,
    Troops,
    pair,
)
from games.virgin_queen.table import KIT, Table

KIT.chapter("2.1", "spaces", "components.py", "query.py")
KIT.chapter("2.2", "political control", "query.py")
KIT.chapter("2.3", "religion of spaces", "religion/conversion.py")
KIT.chapter("2.4", "control markers", "query.py")
KIT.chapter("2.5", "the Europe map", "components.py", "query.py")
KIT.chapter("2.6", "the World map", "building.py")
KIT.chapter("3.2", "powers", "query.py")
KIT.chapter("3.3", "rulers", "events/courts.py", "upkeep.py")

SIDES = {
    "walloon": "spain", "knights_of_st_john": "spain", "morisco": "ottoman", "huguenot": PROTESTANT,
    "dutch": PROTESTANT, "patrol": "spain", "armada": "spain",
}  # fmt: skip
OWNERS = (*POWERS, *MINORS, *SIDES, INDEPENDENT)
"""All pools of units and ships."""
FAR = 99
"""The distance where there is no way."""
_MAJORS = frozenset(POWERS)
_SIDES = (*POWERS, *MINORS)
_ORDER = (*_SIDES, INDEPENDENT)


def seat_of(state: QueenState, power: str) -> str:
    """Return the seat of a power: its player's, or its ally's player's (3.2, 24). "" if nobody plays it."""
    if power in state.powers:
        own = state.powers[power]
        if own.active:
            return own.seat
    ally = state.minors[power].ally if power in state.minors else ""
    return state.powers[ally].seat if ally else ""


def surprise(table: Table, *powers: str) -> None:
    """Put on hold the advance orders of the active power and of `powers`, after dice that are about them.

    For the others it is a step like any other: theirs wait only if what they name has changed.
    """
    state = table.state
    table.held.update({seat_of(state, side_of(state, power)) for power in (state.active, *powers)} - {""})


def other_players(state: QueenState, power: str) -> list[str]:
    """27 Return the powers of other players, in impulse order: a power deals with no other power of its own player."""
    mine = seat_of(state, power)
    return [other for other in POWERS if seat_of(state, other) not in ("", mine)]


def side_of(state: QueenState, owner: str) -> str:
    """Return the power that commands units of an owner: its power, a minor's ally, or the inactive minor itself."""
    if owner in _MAJORS:
        return owner
    power = SIDES.get(owner, owner)
    if power in MINORS:
        return state.minors[power].ally or power
    return power


def at_war(state: QueenState, a: str, b: str) -> bool:
    """Return whether two powers are at war; an allied minor is at war with its ally's enemies (24.3)."""
    if a not in _MAJORS:
        a = side_of(state, a)
    if b not in _MAJORS:
        b = side_of(state, b)
    if a in (b, INDEPENDENT) or b == INDEPENDENT:
        return False
    return state.diplomacy.get(PAIRS[a, b]) == WAR


def allied(state: QueenState, a: str, b: str) -> bool:
    """Return whether two powers are allied: by treaty (9.2), or a minor or activated power with its ally."""
    if a in (b, INDEPENDENT) or b == INDEPENDENT:
        return False
    minors = state.minors
    if (a in minors and minors[a].ally == b) or (b in minors and minors[b].ally == a):
        return True
    a, b = side_of(state, a), side_of(state, b)
    return a == b or state.diplomacy.get(PAIRS[a, b]) == ALLIED


class Relations:
    """The relations of one power to all owners by alliances and wars; immutable.

    `foes` are the owners (pools and powers) at war with it. `mates` are the power and its allies, minors
    included (2.2). `mine` are the owners whose units it commands.
    """

    __slots__ = ("foes", "mates", "mine")

    def __init__(self, state: QueenState, power: str) -> None:
        self.foes = frozenset([owner for owner in OWNERS if at_war(state, power, owner)])
        self.mates = frozenset([power, *[other for other in _SIDES if allied(state, power, other)]])
        self.mine = frozenset([owner for owner in OWNERS if side_of(state, owner) == power])


_KNOWN: dict[Any, Relations] = {}
_MOST_KNOWN = 4_000


def relations(state: QueenState, power: str) -> Relations:
    """Return the relations of a power, for loops over many spaces. The result is cached by alliances and wars."""
    minors = state.minors
    treaties = state.diplomacy
    key = (power, *minors, *[minor.ally for minor in minors.values()], *treaties, *treaties.values())
    found = _KNOWN.get(key)
    if found is None:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        found = _KNOWN[key] = Relations(state, power)
    return found


def foes(state: QueenState, power: str) -> frozenset[str]:
    """Return the owners of units and ships, powers among them, that are at war with a power."""
    return relations(state, power).foes


def mates(state: QueenState, power: str) -> frozenset[str]:
    """Return the power and its allies, minors included (2.2), as a set."""
    return relations(state, power).mates


def mine(state: QueenState, power: str) -> frozenset[str]:
    """Return the owners of units that a power commands: its own pools and its minors'."""
    return relations(state, power).mine


def friendly(state: QueenState, power: str, space: str) -> bool:
    """Return whether a space is controlled by the power or an ally (2.2)."""
    holder = state.control[space]
    return holder == power or (holder != INDEPENDENT and allied(state, power, holder))


def quiet(state: QueenState, power: str, space: str) -> bool:
    """Return whether a power controls a space without siege and unrest (12.4, 15)."""
    return state.control[space] == power and space not in state.sieges and space not in state.unrest


def controls(state: QueenState, power: str) -> Iterator[str]:
    """Yield the spaces that a power controls."""
    return (space for space, holder in state.control.items() if holder == power)


def land(state: QueenState, space: str) -> dict[str, Troops]:
    """Return the land units in a space, by owner."""
    return state.land.get(space, {})


def strength(state: QueenState, power: str, space: str) -> int:
    """Return how many land units a power commands in a space."""
    here = state.land.get(space)
    if here is None:
        return 0
    total = 0
    for owner, troops in here.items():
        if owner == power or side_of(state, owner) == power:
            total += troops.regulars + troops.mercenaries + troops.cavalry
    return total


def powers_in(state: QueenState, space: str) -> tuple[str, ...]:
    """Return the sides with land units in a space, in impulse order. Inactive minors and `independent` are last."""
    here = state.land.get(space)
    if not here:
        return ()
    if len(here) == 1:
        ((owner, troops),) = here.items()
        return (side_of(state, owner),) if troops.total else ()
    sides = {side_of(state, owner) for owner, troops in here.items() if troops.total}
    return tuple([power for power in _ORDER if power in sides])


def enemies_in(state: QueenState, power: str, space: str) -> tuple[str, ...]:
    """Return the sides at war with a power that have land units in a space."""
    if space not in state.land:
        return ()
    return tuple([other for other in powers_in(state, space) if at_war(state, power, other)])


def fleets_of(state: QueenState, power: str, place: str) -> list[Fleet]:
    """Return the fleets that a power commands at a place."""
    here = state.fleets.get(place)
    if here is None:
        return []
    return [fleet for fleet in here if (fleet.power == power or side_of(state, fleet.power) == power) and fleet.total]


def ships_of(state: QueenState, power: str, place: str) -> int:
    """Return how many ships a power commands at a place."""
    if place not in state.fleets:
        return 0
    return sum([fleet.total for fleet in fleets_of(state, power, place)])


def enemy_ships(state: QueenState, power: str, place: str) -> int:
    """Return how many ships of powers at war with this one are at a place."""
    here = state.fleets.get(place)
    if here is None:
        return 0
    return sum([fleet.total for fleet in here if at_war(state, power, fleet.power)])


# -- who is here: whoever is moved, displaced, captured or sent away from a place is found by these --------------------


def people_at(state: QueenState, place: str, *, naval: bool | None = None) -> list[tuple[str, str]]:
    """Return the free leaders and the captains at a place, with the power that each serves.

    Those of the land, of the sea (`naval`), or all. A captain on the map of Europe is a naval leader in all
    respects (10 step 2).
    """
    here = [item for item in state.leaders.items() if item[1].at == place]
    found = [
        (key, leader.power) for key, leader in here if not leader.captor and (naval is None or leader.naval == naval)
    ]
    if naval is False:
        return found
    return found + [(key, captain.power) for key, captain in state.captains.items() if captain.at == place]


def leaders_at(state: QueenState, power: str, place: str) -> list[str]:
    """Return the free army leaders that a power commands at a place."""
    found = people_at(state, place, naval=False)
    return [key for key, own in found if own == power or side_of(state, own) == power] if found else []


def admirals(state: QueenState, power: str, place: str) -> list[str]:
    """Return the naval leaders and captains that a power commands at a place."""
    return [key for key, own in people_at(state, place, naval=True) if side_of(state, own) == power]


def other_sides(state: QueenState, place: str, *keep: str) -> list[str]:
    """Return the sides with units, ships, leaders or captains at a place, not those named, in impulse order."""
    sides = {side_of(state, owner) for owner, troops in state.land.get(place, {}).items() if troops.total}
    sides |= {side_of(state, fleet.power) for fleet in state.fleets.get(place, ())}
    sides |= {side_of(state, own) for _, own in people_at(state, place)}
    return [power for power in _SIDES if power in sides and power not in keep]


def occupied(state: QueenState, space: str) -> bool:
    """12.4 Return whether units, ships, leaders or captains are in a space."""
    return bool(state.land.get(space) or state.fleets.get(space) or people_at(state, space))


def commander(state: QueenState, key: str) -> Leader | Captain:
    """Return a naval leader or a captain by id."""
    return state.leaders[key] if key in state.leaders else state.captains[key]


def fortified(table: Table, space: str) -> bool:
    """Return whether a space is fortified: a key, a fortress, or one built (2.1, 17.5)."""
    return table.c.spaces[space].type != "unfortified" or space in table.state.fortresses


def exposed(table: Table, side: str, space: str) -> bool:
    """13.1 Return whether an army leader would be free among enemies: no units or walls of its side or its allies.

    Moriscos don't count as enemies (23.1).
    """
    state = table.state
    if fortified(table, space) and friendly(state, side, space):
        return False
    if any(other == side or allied(state, other, side) for other in powers_in(state, space)):
        return False
    foes = [side_of(state, owner) for owner in land(state, space) if owner != MORISCO]
    return any(at_war(state, side, foe) for foe in foes)


def waterway(table: Table, power: str, space: str) -> tuple[str, ...]:
    """Return the neighbour of a space over an inland waterway that a power may use (2.5, FAQ 30), or none."""
    found = table.c.gates.get(space)
    return (found[0],) if found and friendly(table.state, power, found[1]) else ()


def neighbours(table: Table, power: str, space: str, *, passes: bool = True) -> tuple[str, ...]:
    """Return the spaces next to a space for a power (2.5): clear, passes if wanted, waterways it may use."""
    c = table.c
    near = c.land[space] if passes else c.clear[space]
    return (*near, *waterway(table, power, space)) if space in c.gates else near


def hops(table: Table, power: str, space: str) -> Mapping[str, int]:
    """Return space → distance, the nearest first, over sea zones (12.5) and waterways the power may use (2.5)."""
    state, known = table.state, table.c.hops
    opened = tuple([gate for gate in table.c.locks if friendly(state, power, gate)])
    return known[opened][space]


def distance(table: Table, power: str, a: str, b: str) -> int:
    """12.5 Return the distance from a to b in spaces, as a power counts them; `FAR` if there is no way."""
    return hops(table, power, a).get(b, FAR)


def loc(table: Table, power: str, target: str) -> bool:
    """Return whether a power has a line of communication to a space (12.1).

    It starts at a friendly fortified home space of the power, an ally or an allied minor. It uses friendly
    spaces without enemy units, leaders or unrest, and sea zones with friendly ships from friendly port to port.
    The target is exempt.
    """
    return CommunicationLines(table, power).reaches(target)


class CommunicationLines:
    """Lines of communication of a power (12.1), for several targets while nothing changes.

    A line uses spaces that are `passable`; these and the home spaces are the same for all targets.
    """

    __slots__ = ("_cut_off", "_foes", "_leaders", "_mates", "_passable", "power", "table")

    def __init__(self, table: Table, power: str) -> None:
        state = table.state
        self.table, self.power = table, power
        found = relations(state, power)
        self._mates, self._foes = found.mates, found.foes
        self._leaders: set[str] | None = None
        self._passable: dict[str, bool] = {}
        self._cut_off: set[str] = set()

    def reaches(self, target: str) -> bool:
        """12.1 Return whether a line of communication leads to a space, which may be impassable itself."""
        if self._source(target):
            return True
        table, power, c = self.table, self.power, self.table.c
        zones, spaces = c.zones, c.spaces
        seen = {target}
        queue = [target]
        while queue:
            at = queue.pop()
            sea = at in zones
            near = (*c.ports[at], *zones[at].adjacent) if sea else (*neighbours(table, power, at), *spaces[at].port)
            for other in near:
                if other in seen:
                    continue
                seen.add(other)
                if other in self._cut_off or not (self._sailed(other) if other in zones else self.passable(other)):
                    continue
                if self._source(other):
                    return True
                queue.append(other)
        # A power next to the target with a line would have passed it on to the target.
        self._cut_off |= seen
        return False

    def _sailed(self, zone: str) -> bool:
        known = self._passable.get(zone)
        if known is None:
            state = self.table.state
            known = self._passable[zone] = zone in state.fleets and any(
                ships_of(state, mate, zone) for mate in self._mates
            )
        return known

    def _source(self, space: str) -> bool:
        """Return whether a space is a friendly fortified home space of the power or of an ally."""
        if space not in self.table.c.spaces or not self.passable(space) or not fortified(self.table, space):
            return False
        homes = self.table.c.homes
        return any(space in homes.get(mate, ()) for mate in self._mates)

    def passable(self, space: str) -> bool:
        known = self._passable.get(space)
        if known is None:
            known = self._passable[space] = self._is_passable(space)
        return known

    def _is_passable(self, space: str) -> bool:
        state, foes = self.table.state, self._foes
        # 12.1, first and third: friendly control, no unrest.
        if state.control[space] not in self._mates or space in state.unrest:
            return False
        # Second: no enemy land units, ships or leaders.
        if space in state.land and not foes.isdisjoint(state.land[space]):
            return False
        if space in state.fleets and any(fleet.power in foes for fleet in state.fleets[space]):
            return False
        if self._leaders is None:
            self._leaders = {leader.at for leader in state.leaders.values() if leader.power in foes}
            if ENGLAND in foes:
                self._leaders |= {captain.at for captain in state.captains.values() if captain.power == ENGLAND}
        return space not in self._leaders


def pool_of(c: QueenComponents, power: str, space: str) -> str:
    """Return the counter pool of a power's units in a space: Huguenots and Dutch are two pools (5.3, 23.6)."""
    if power != PROTESTANT:
        return power
    return "dutch" if c.spaces[space].area == "netherlands" else "huguenot"


def serves(table: Table, capital: str, owner: str) -> bool:
    """23.6 Return whether a capital serves units of a pool: a Protestant one only its own faction."""
    if table.state.capitals.get(capital) != PROTESTANT:
        return True
    return owner == pool_of(table.c, PROTESTANT, capital)


def set_war(table: Table, a: str, b: str) -> None:
    """Put two powers at war and log it (9.4). An alliance between them ends."""
    state = table.state
    a, b = side_of(state, a), side_of(state, b)
    key = pair(a, b)
    if state.diplomacy.get(key) != WAR:
        state.diplomacy[key] = WAR
        table.log("war.begins", rule="9.4", a=a, b=b)


def set_peace(table: Table, a: str, b: str) -> None:
    """End a war (9.1)."""
    table.state.diplomacy.pop(pair(a, b), None)


def set_allied(table: Table, a: str, b: str) -> None:
    """Ally two major powers for the turn (9.2)."""
    table.state.diplomacy[pair(a, b)] = ALLIED


WON, LOST, INTERCEPTED, EVADED, TRIED = "won", "lost", "intercepted", "evaded", "tried"
PIRACY = ("piracy_europe", "piracy_world")
OUTCOMES: Mapping[str, Sequence[str]] = {
    WON: ("move", "naval_move", "assault", *PIRACY),
    LOST: ("move", "naval_move", "assault", *PIRACY),
    INTERCEPTED: ("move", "naval_move"),
    EVADED: ("move", "naval_move"),
    TRIED: ("move",),
}
"""The public outcomes of a line, for plans with branches (`if lost: …`), and the orders that have them."""


def outcome(table: Table, word: str, power: str) -> None:
    """Note the outcome of a step of the power whose impulse it is; others follow no plan now."""
    if power == table.state.active:
        table.record_outcome(word, seat_of(table.state, power))
