"""What the rules ask of a state: control, friend and enemy (2.2), who commands what, ports, lines of
communication (12.1).

Pure functions; powers are ids, a *side* is the power that commands a unit: its own, the ally of a minor (2.2),
or the minor
itself while it is inactive. Independent units have the side `independent` and are nobody's enemy (2.2).
"""

from __future__ import annotations

from collections.abc import Iterator

from games.virgin_queen.state import (
    ALLIED,
    INDEPENDENT,
    MINORS,
    POWERS,
    PROTESTANT,
    WAR,
    Fleet,
    State,
    Troops,
    pair,
)
from pbem.kernel.table import Table

SIDES = {
    "walloon": "spain", "knights_of_st_john": "spain", "morisco": "ottoman", "huguenot": PROTESTANT,
    "dutch": PROTESTANT,
    "patrol": "spain", "armada": "spain",
}  # fmt: skip


def seat_of(state: State, power: str) -> str:
    """The seat that answers for a power: its player, or the player of its ally (3.2, 24). "" if nobody plays it."""
    if power in state.powers:
        own = state.powers[power]
        if own.active:
            return own.seat
    ally = state.minors[power].ally if power in state.minors else ""
    return state.powers[ally].seat if ally else ""


def side_of(state: State, owner: str) -> str:
    """The power that commands units of an owner: its power, a minor's ally, or the inactive minor itself."""
    power = SIDES.get(owner, owner)
    if power in MINORS:
        return state.minors[power].ally or power
    return power


def at_war(state: State, a: str, b: str) -> bool:
    """Whether two powers are at war; an allied minor is at war with its ally's enemies (24.3)."""
    a, b = side_of(state, a), side_of(state, b)
    if a == b or INDEPENDENT in (a, b):
        return False
    return state.diplomacy.get(pair(a, b)) == WAR


def allied(state: State, a: str, b: str) -> bool:
    """Whether two different powers are allied: by treaty (9.2), a minor with its ally, or an activated power
    with its.
    """
    if a == b or INDEPENDENT in (a, b):
        return False
    for one, other in ((a, b), (b, a)):
        if one in state.minors and state.minors[one].ally == other:
            return True
    a, b = side_of(state, a), side_of(state, b)
    return a == b or state.diplomacy.get(pair(a, b)) == ALLIED


def friends(state: State, power: str) -> tuple[str, ...]:
    """The power and its allies, minors included (2.2)."""
    return (power, *(other for other in (*POWERS, *MINORS) if other != power and allied(state, power, other)))


def friendly(state: State, power: str, space: str) -> bool:
    """Whether a space is controlled by the power or an ally (2.2)."""
    holder = state.control[space]
    return holder == power or (holder != INDEPENDENT and allied(state, power, holder))


def controls(state: State, power: str) -> Iterator[str]:
    """The spaces that a power controls."""
    return (space for space, holder in state.control.items() if holder == power)


def land(state: State, space: str) -> dict[str, Troops]:
    """The land units in a space, by owner."""
    return state.land.get(space, {})


def units_of(state: State, power: str, space: str) -> dict[str, Troops]:
    """The land units that a power commands in a space, by owner: its own and its minors'."""
    return {owner: troops for owner, troops in land(state, space).items() if side_of(state, owner) == power}


def strength(state: State, power: str, space: str) -> int:
    """How many land units a power commands in a space."""
    here = state.land.get(space)
    if here is None:
        return 0
    total = 0
    for owner, troops in here.items():
        if owner == power or side_of(state, owner) == power:
            total += troops.regulars + troops.mercenaries + troops.cavalry
    return total


def powers_in(state: State, space: str) -> tuple[str, ...]:
    """The sides with land units in a space, in impulse order, inactive minors and `independent` last."""
    here = state.land.get(space)
    if not here:
        return ()
    sides = {side_of(state, owner) for owner, troops in here.items() if troops.total}
    return tuple(one for one in (*POWERS, *MINORS, INDEPENDENT) if one in sides)


def enemies_in(state: State, power: str, space: str) -> tuple[str, ...]:
    """The sides at war with a power that have land units in a space."""
    if space not in state.land:
        return ()
    return tuple(one for one in powers_in(state, space) if at_war(state, power, one))


def fleets_of(state: State, power: str, place: str) -> list[Fleet]:
    """The fleets that a power commands at a place."""
    return [
        fleet for fleet in state.fleets.get(place, ()) if side_of(state, fleet.power) == power and fleet.total
    ]


def ships_of(state: State, power: str, place: str) -> int:
    """How many ships a power commands at a place."""
    return sum(fleet.total for fleet in fleets_of(state, power, place))


def enemy_ships(state: State, power: str, place: str) -> int:
    """How many ships of powers at war with this one are at a place."""
    return sum(fleet.total for fleet in state.fleets.get(place, ()) if at_war(state, power, fleet.power))


def leaders_at(state: State, power: str, place: str, naval: bool | None = False) -> list[str]:
    """The free leaders whom a power commands at a place: of the land, of the sea (`naval`), or both (None)."""
    return [
        key
        for key, leader in state.leaders.items()
        if leader.at == place
        and not leader.captor
        and side_of(state, leader.power) == power
        and (naval is None or leader.naval == naval)
    ]


def fortified(table: Table, space: str) -> bool:
    """Whether a space is fortified: a key, a fortress, or one built (2.1, 17.5)."""
    return table.c.spaces[space].type != "unfortified" or space in table.state.fortresses


def is_capital(state: State, space: str, power: str = "") -> bool:
    """Whether a space is a capital (of a power, if one is named)."""
    holder = state.capitals.get(space, "")
    return bool(holder) and (not power or holder == power)


def home(table: Table, power: str, space: str) -> bool:
    """Whether a space is a home space of a power; split spaces are Protestant home too (2.5)."""
    return space in table.c.homes[power]


def waterway(table: Table, power: str, space: str) -> tuple[str, ...]:
    """The neighbour of a space over an inland waterway that a power may use (2.5, FAQ 30), or none."""
    found = table.c.gates.get(space)
    return (found[0],) if found and friendly(table.state, power, found[1]) else ()


def neighbours(table: Table, power: str, space: str, *, passes: bool = True) -> tuple[str, ...]:
    """The spaces next to a space for a power: clear connections, passes if wanted, waterways that it may use (2.5)."""
    c = table.c
    near = c.land[space] if passes else c.clear[space]
    return (*near, *waterway(table, power, space)) if space in c.gates else near


def over_pass(table: Table, a: str, b: str) -> bool:
    """Whether the connection of two neighbouring spaces is a pass."""
    return b in table.c.spaces[a].passes


def distance(table: Table, a: str, b: str) -> int:
    """Spaces from a to b, a sea zone counting as one (12.5); 99 if there is no way."""
    return int(table.c.hops[a].get(b, 99))


def loc(table: Table, power: str, target: str) -> bool:
    """Whether a power has a line of communication to a space (12.1).

    It runs from a friendly fortified home space of the power, an ally or an allied minor, through friendly
    spaces without
    enemy units, leaders or unrest, and through sea zones with friendly ships from friendly port to port; the
    target is exempt.
    """
    state, c = table.state, table.c
    sources = _sources(table, power)
    if target in sources:
        return True
    mates = friends(state, power)
    seen = {target}
    queue = [target]
    while queue:
        at = queue.pop()
        if at in c.zones:
            near: tuple[str, ...] = (*c.ports[at], *c.zones[at].adjacent)
        else:
            near = (*neighbours(table, power, at), *c.spaces[at].port)
        for other in near:
            if other in seen:
                continue
            seen.add(other)
            if other in c.zones:
                if any(ships_of(state, mate, other) for mate in mates):
                    queue.append(other)
            elif passable(table, power, other):
                if other in sources:
                    return True
                queue.append(other)
    return False


def passable(table: Table, power: str, space: str) -> bool:
    """Whether a line of communication of a power may run through a space (12.1)."""
    state = table.state
    if space in state.unrest or not friendly(state, power, space):
        return False
    if enemies_in(state, power, space) or enemy_ships(state, power, space):
        return False
    return not any(
        leader.at == space and not leader.captor and at_war(state, power, leader.power)
        for leader in state.leaders.values()
    )


def _sources(table: Table, power: str) -> set[str]:
    found = set()
    for mate in friends(table.state, power):
        for space in table.c.homes.get(mate, ()):
            if fortified(table, space) and passable(table, power, space):
                found.add(space)
    return found


def set_war(table: Table, a: str, b: str) -> None:
    """Put two powers at war and tell it (9.4). An alliance between them ends."""
    state = table.state
    a, b = side_of(state, a), side_of(state, b)
    key = pair(a, b)
    if state.diplomacy.get(key) != WAR:
        state.diplomacy[key] = WAR
        table.say("war.begins", rule="9.4", a=a, b=b)


def set_peace(table: Table, a: str, b: str) -> None:
    """End a war (9.1)."""
    table.state.diplomacy.pop(pair(a, b), None)


def set_allied(table: Table, a: str, b: str) -> None:
    """Ally two major powers for the turn (9.2)."""
    table.state.diplomacy[pair(a, b)] = ALLIED
