"""Events of war on land: 16, 17, 18, 21, 31, 32, 54 (6.1; texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from games.virgin_queen.building import NO_LAND
from games.virgin_queen.counters import room
from games.virgin_queen.courts.deaths import leader_dies
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.displacement import displace
from games.virgin_queen.events import common
from games.virgin_queen.events.common import choose, event
from games.virgin_queen.formations import Formation, add, count, desert, levy, muster, owner_of, pool_left, settle
from games.virgin_queen.land import assault
from games.virgin_queen.land.battlecards import REITERS, REMOVED, mercenary_pool
from games.virgin_queen.land.losses import check_siege, choose_losses
from games.virgin_queen.query import at_war, controls, leaders_at, other_sides, pool_of, side_of, strength
from games.virgin_queen.state import INDEPENDENT, OTTOMAN, POWERS, SPAIN
from games.virgin_queen.table import HIT, KIT, Table
from pbem.kernel.game import Play, Rule

KIT.question("event_mutiny", "6.1")

CITY_STATES = ("metz", "tunis", "florence")


def raided(table: Table, power: str) -> list[str]:
    """#16 Return enemies who hold something, with a home space within two clear connections of Ottoman cavalry."""
    state, c = table.state, table.c
    near: set[str] = set()
    for space, here in state.land.items():
        if OTTOMAN in here and here[OTTOMAN].cavalry:
            ring = {space, *c.clear[space]}
            near |= ring.union(*(c.clear[near_space] for near_space in ring))
    foes = [other for other in common.others(OTTOMAN) if at_war(state, OTTOMAN, other)]
    return [foe for foe in foes if near.intersection(c.homes[foe]) and common.holds_something(table, foe)]


@common.targeted("akinji-raiders", "target", raided)
def akinji_raiders(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #16: a random card or treasure of the enemy."""
    common.take_random(table, power, aim["target"])


def regulars(table: Table, power: str, space: str) -> dict[str, int]:
    """Return the regulars of a major power in a space, by unit key, without those of its minor powers."""
    pools = table.c.power_of_owner
    here = {key: number for key, number in count(table.state, power, space).items() if key.endswith("regulars")}
    return {key: number for key, number in here.items() if pools[owner_of(power, key)[0]] == power}


def mutinous(table: Table) -> dict[str, list[str]]:
    """#17 Return power → spaces with its regulars outside its capitals, where it would lose some."""
    found: dict[str, list[str]] = {}
    for power, space in _mutinies(table):
        found.setdefault(power, []).append(space)
    return found


def _mutinies(table: Table) -> Iterator[tuple[str, str]]:
    for space in table.state.land:
        for power in POWERS:
            if table.state.capitals.get(space) != power and regulars(table, power, space):
                yield power, space


def _mutiny_aim(table: Table, power: str) -> Rule[Mapping[str, Any]]:
    card, found = "army-mutiny", mutinous(table)
    chosen = yield from common.nested(table, power, card, "mutiny", found, target="power", space="space")
    return common.announce(table, power, card, dict(chosen))


@event("army-mutiny", lambda t, p: any(_mutinies(t)), _mutiny_aim)
def army_mutiny(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #17: half of the regulars, rounded down, stay by their owner's choice; unrest in the Netherlands."""
    space, target = aim["space"], aim["target"]
    here = regulars(table, target, space)
    total = sum(here.values())
    gone = yield from choose_losses(table, target, space, here, total - total // 2, "6.1")
    desert(table, space, target, gone)
    if table.c.spaces[space].area == "netherlands":
        common.unrest(table, [space])
    yield from check_siege(table, space)


def city_states(table: Table, power: str) -> list[str]:
    """#18 Return city states under a major power, not besieged."""
    state = table.state
    return [space for space in CITY_STATES if state.control[space] in POWERS and space not in state.sieges]


@common.targeted("city-state-rebels", "space", city_states)
def city_state_rebels(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #18: each 5 or 6 of five dice removes a land unit by its owner; with none left it is independent."""
    state, space = table.state, aim["space"]
    holder = state.control[space]
    roll = table.roll(5, "event.rolls", rule="6.1", power=power, card="city-state-rebels", space=space)
    gone = yield from choose_losses(table, holder, space, count(state, holder, space), roll.at_least(HIT), "6.1")
    desert(table, space, holder, gone)
    if space in state.land:
        return
    state.control[space] = INDEPENDENT
    yield from displace(table, space, other_sides(table.state, space))
    muster(table, space, INDEPENDENT, "regulars", 1)
    table.log("event.independent", rule="24.7", space=space, power=holder)


def barracks(table: Table, power: str) -> dict[str, list[str]]:
    """#21 Return pool → friendly spaces where its regulars may be placed and a power may build (17.2)."""
    never = NO_LAND.get(power, ())
    found: dict[str, list[str]] = {}
    for space in common.welcome(table, power):
        if space in never or (power == SPAIN and table.c.spaces[space].area == "netherlands"):
            continue
        found.setdefault(pool_of(table.c, power, space), []).append(space)
    return {pool: spaces for pool, spaces in found.items() if pool_left(table, pool) > 0}


@event("foreign-volunteers", lambda t, p: bool(barracks(t, p)))
def foreign_volunteers(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #21: up to four regulars in friendly spaces. The Protestants choose between Dutch and Huguenots."""
    found = barracks(table, power)
    pool = yield from common.option(table, power, "foreign-volunteers", list(found))
    most = min(4, pool_left(table, pool))
    bounds = dict.fromkeys(found[pool], most)
    chosen = yield from common.spread(table, power, "foreign-volunteers", bounds, (1, most))
    yield from raise_units(table, power, pool, "regulars", chosen)


def raise_units(table: Table, power: str, pool: str, kind: str, chosen: Mapping[str, int]) -> Play:
    """Place units by an event; English ones in the Netherlands and similar cases bring war (9.5)."""
    for space, wanted in chosen.items():
        levy(table, space, pool, kind, wanted, power)
    yield from relations.entered(table)


def quays(table: Table, power: str) -> list[str]:
    """#54 Return friendly ports on the North Sea where the power's mercenaries may be placed."""
    if power == OTTOMAN:
        return []
    ports = [space for space in common.welcome(table, power) if "north_sea" in table.c.spaces[space].port]
    return [space for space in ports if pool_left(table, pool_of(table.c, power, space)) > 0]


def hungry(table: Table, power: str) -> list[str]:
    """#54 Return spaces in unrest that the power controls."""
    return [space for space in controls(table.state, power) if space in table.state.unrest]


@event("hanseatic-grain", lambda t, p: bool(hungry(t, p) or quays(t, p)))
def hanseatic_grain(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #54: remove up to three own unrest markers, or place two mercenaries in a North Sea port."""
    card, calm, ports = "hanseatic-grain", hungry(table, power), quays(table, power)
    said = yield from common.option(
        table, power, card, [word for word, found in (("calm", calm), ("mercenaries", ports)) if found]
    )
    if said == "calm":
        common.remove_unrest(table, power, (yield from common.several(table, power, card, calm, 3)))
        return
    space = yield from choose(table, power, card, "space", ports)
    pool = pool_of(table.c, power, space)
    yield from raise_units(table, power, pool, "mercenaries", {space: min(2, pool_left(table, pool))})


@common.targeted("treachery", "space", lambda table, power: list(table.state.sieges))
def treachery(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #31: the besieger takes the space at once, even if an assault were barred; units inside are lost."""
    state, space = table.state, aim["space"]
    by = [side for side in state.sieges[space].by if strength(state, side, space)]
    besieger = yield from choose(table, power, "treachery", "power", by)
    inside = assault.defenders(table, space, besieger)
    for side in inside:
        desert(table, space, side, count(state, side, space))
    formation = Formation(besieger, space, count(state, besieger, space), leaders_at(state, besieger, space))
    yield from assault.falls(table, formation)


def named(table: Table, power: str) -> list[str]:
    """#32 Return named army leaders on the map who are not captives."""
    places = (*table.c.spaces, *table.c.zones)
    free = [key for key, leader in table.state.leaders.items() if leader.at in places and not leader.captor]
    cards = [table.c.generals[key] for key in free]
    return [card.id for card in cards if not card.default and (not card.naval or card.also_naval)]


@common.targeted("untimely-death", "leader", named)
def untimely_death(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #32: one die: on 3 or more the leader is out of the game."""
    leader = aim["leader"]
    roll = table.roll(1, "event.rolls", rule="6.1", power=power, card="untimely-death", space=leader)
    if roll.total >= 3:
        leader_dies(table, leader)
    else:
        table.log("event.survives", rule="6.1", leader=leader)


def stables(table: Table, power: str) -> list[str]:
    """#13 Return friendly spaces where mercenaries may join own units; for the Ottomans, with enemy mercenaries."""
    state = table.state
    if power == OTTOMAN:
        found = [at for at in state.land if at not in state.sieges and at not in state.unrest]
        hired = {at: [owner for owner, troops in state.land[at].items() if troops.mercenaries] for at in found}
        return [at for at in found if any(at_war(state, OTTOMAN, owner) for owner in hired[at])]
    own = [at for at in common.welcome(table, power) if strength(state, power, at)]
    return [at for at in own if mercenary_pool(table, power, at)]


@event("reiters", lambda t, p: bool(stables(t, p)))
def reiters(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #13: up to four mercenaries join own units; the Ottomans remove up to two enemy ones from a space."""
    state, card = table.state, "reiters"
    space = yield from choose(table, power, card, "space", stables(table, power))
    if power != OTTOMAN:
        pool = mercenary_pool(table, power, space)
        chosen = yield from common.spread(
            table, power, card, {space: room(table, pool, space, "mercenaries", REITERS)}, (1, REITERS)
        )
        yield from raise_units(table, power, pool, "mercenaries", chosen)
        return
    left = REMOVED
    for owner, troops in list(state.land[space].items()):
        some = min(left, troops.mercenaries) if at_war(state, OTTOMAN, owner) else 0
        if some:
            left -= some
            add(table, space, owner, "mercenaries", -some)
            table.log("event.dismissed", rule="6.1", power=owner, kind="mercenaries", spaces={space: some})
            settle(table, side_of(state, owner), space)
