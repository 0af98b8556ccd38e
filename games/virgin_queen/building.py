"""Building (17): land units, ships, patrols, expeditions, fortresses; force pools are absolute (17.1).

Everything is built in home spaces that the power controls, without unrest and without enemy units; an ally
builds a minor power's regulars and ships in its home spaces (24.3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NotRequired, TypedDict

from games.virgin_queen import fleets, formations, impulse
from games.virgin_queen.components import QueenComponents
from games.virgin_queen.naval import voyages
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import fortified, pool_of
from games.virgin_queen.special import foreign_war
from games.virgin_queen.state import ENGLAND, MINORS, OFF_MAP, OTTOMAN, POOL, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Amount, Choice, Domain, Form, LazyChoice, Optional, lazy_choice

KIT.chapter("17", "where a power may build", "building.py", "power_map.py")
KIT.chapter("17.1", "force pools", "counters.py", "fleets.py")
KIT.chapter("17.2", "land units", "building.py")
KIT.chapter("17.3", "ships and patrols", "building.py")
KIT.chapter("17.4", "expeditions", "building.py")
KIT.chapter("17.5", "fortresses", "building.py")


class BuildSpace(TypedDict):
    """The space where something is built."""

    space: str


class UnitCount(BuildSpace):
    """How many units, if more than one."""

    number: NotRequired[int]


class Expedition(TypedDict):
    """An expedition: the captain, the ocean zone and whether a colony goes along."""

    captain: str
    zone: str
    colony: NotRequired[str]


NO_LAND = {OTTOMAN: ("algiers", "djerba_tripoli"), SPAIN: ("oran", "malta")}
"""17.2 Home spaces with the red mark: no land units."""
NO_GALLEY = {OTTOMAN: NO_LAND[OTTOMAN]}
NO_GALLEON = {SPAIN: ("oran",)}
NETHERLANDS = "netherlands"
RACE_BUILT_TURN = 3
COST = 2
"""17.3, 17.5 What a patrol or a fortress costs, in CP."""
FREE_COLONY = ("raleigh", "laudonniere")
"""Captains who take a colony along at no extra CP."""


def pool_at(c: QueenComponents, power: str, space: str) -> str:
    """17.2 Return the pool from which a power builds in a home space. In the Netherlands Spain has only Walloons."""
    if power == SPAIN and c.spaces[space].area == NETHERLANDS:
        return "walloon"
    return pool_of(c, power, space)


def builders(table: Table, power: str, space: str) -> str:
    """17.2, 24.3 Return whose counters a power builds in a space: its own pool's or a minor power's."""
    c = table.c
    if space in OFF_MAP:
        return power
    return pool_at(c, power, space) if space in c.homes[power] else c.spaces[space].home


BACK = {"mercenaries": "mercenary", "cavalry": "cavalry"}
"""Kind of unit → the kind on the other side of the counters that can show it."""


@cache
def barracks(c: QueenComponents, power: str, owner: str, kind: str) -> tuple[tuple[str, str], ...]:
    """17.2 Return the home spaces where a power might raise an owner's units, with the pool, as printed."""
    back = BACK.get(kind)
    spaces = [space for space in c.homes[owner] if space not in NO_LAND.get(power, ())]
    found = [(space, owner if owner in MINORS else pool_at(c, power, space)) for space in spaces]
    return tuple((space, pool) for space, pool in found if back is None or c.land_pools[pool].back == back)


def land_sites(ground: PowerMap, kind: str) -> LazyChoice:
    """17.2 Return where a power may raise units of a kind; regulars for its minor powers too (24.3)."""
    c, power = ground.table.c, ground.power
    pools = dict(barracks(c, power, power, kind))
    for minor in ground.clients if kind == "regulars" else ():
        pools.update(barracks(c, power, minor, kind))
    away = camps(ground.table, power, kind)
    pools.update(dict.fromkeys(away, power))
    return lazy_choice(
        [*pools], lambda at: (at in away or ground.open(at)) and ground.shows(pools[at], at, kind, 1), "space"
    )


def camps(table: Table, power: str, kind: str) -> dict[str, int]:
    """23.2, 23.7 Return where a power may raise units off the map (Armada, foreign wars), with room for how many."""
    pool, back = table.c.land_pools.get(power), BACK.get(kind)
    if pool is None or (back is not None and pool.back != back):
        return {}
    found = {card: foreign_war.room(table, card) for card in foreign_war.wars_of(table, power)}
    return {place: room for place, room in found.items() if room > 0}


def _land(word: str, kind: str, cost: int) -> None:
    def find(table: Table, ground: PowerMap) -> LazyChoice | None:
        spaces = land_sites(ground, kind)
        return spaces if ground.cp >= cost and spaces.any() else None

    def form(table: Table, ground: PowerMap, spaces: LazyChoice) -> Form[UnitCount]:
        def number(values: Any) -> Domain | None:
            places = camps(table, ground.power, kind)
            most = min(ground.cp // cost, places.get(values.space, 99))
            most = ground.left(builders(table, ground.power, values.space), values.space, kind, most)
            return Optional(Amount(1, most, what="units")) if most > 1 else None

        return Form(space=spaces, number=number)

    @KIT.action(word, "17.2", find, form)
    def run(table: Table, power: str, order: UnitCount) -> None:
        space, number = order["space"], order.get("number", 1)
        pool = builders(table, power, space)
        impulse.pay(table, cost * number, word)
        formations.muster(table, space, pool, kind, number)
        table.log("build.land", rule="17.2", power=power, space=space, owner=pool, kind=kind, count=number)


_land("raise_regular", "regulars", 2)
_land("buy_mercenary", "mercenaries", 1)
_land("raise_cavalry", "cavalry", 1)


@cache
def yards(c: QueenComponents, power: str, owner: str, kind: str) -> tuple[tuple[str, str], ...]:
    """17.3 Return where a power might build an owner's ships, with the pool, as printed; galleons at the Atlantic."""
    barred = (NO_GALLEY if kind == "galley" else NO_GALLEON if kind == "galleon" else {}).get(power, ())
    found = []
    for space in c.homes[owner]:
        ports = c.spaces[space].port
        pool = owner if owner in MINORS else pool_at(c, power, space)
        card = c.naval_pools.get(pool)
        if not ports or space in barred or card is None or kind not in (card.front, card.back):
            continue
        if kind != "galleon" or any(c.zones[zone].group == "atlantic" for zone in ports):
            found.append((space, pool))
    return tuple(found)


def ship_sites(ground: PowerMap, kind: str) -> LazyChoice:
    """17.3 Return where a power may build ships of a kind; galleys and galleons for its minor powers too (24.3)."""
    c, power = ground.table.c, ground.power
    pools = dict(yards(c, power, power, kind))
    for minor in ground.clients if kind in ("galley", "galleon") else ():
        pools.update(yards(c, power, minor, kind))
    return lazy_choice([*pools], lambda at: ground.open(at) and ground.ships_left(pools[at]) > 0, "port")


def _ship(word: str, kind: str, cost: int) -> None:
    def find(table: Table, ground: PowerMap) -> LazyChoice | None:
        spaces = ship_sites(ground, kind)
        return spaces if ground.cp >= cost and spaces.any() else None

    def form(table: Table, ground: PowerMap, spaces: LazyChoice) -> Form[BuildSpace]:
        return Form(space=spaces)

    @KIT.action(word, "17.3", find, form)
    def run(table: Table, power: str, order: BuildSpace) -> None:
        impulse.pay(table, cost, word)
        build_ship(table, power, order["space"], kind)


def build_ship(table: Table, power: str, space: str, kind: str) -> None:
    """17.3 Put a new ship into a port; the caller pays."""
    pool = builders(table, power, space)
    built = race_built(table, pool, space) if kind == "galleon" else kind
    fleets.put(table, space, pool, pool if pool in MINORS else power, {built: 1})
    table.log("build.ship", rule="17.3", power=power, space=space, owner=pool, kind=built)


def race_built(table: Table, pool: str, space: str) -> str:
    """17.3 Return the kind of a galleon built there: from turn 3 race-built at London with Hawkins."""
    state = table.state
    hawkins = state.captains["hawkins"].at == space == "london"
    return "race_built" if pool == ENGLAND and hawkins and state.turn >= RACE_BUILT_TURN else "galleon"


_ship("build_galley", "galley", 2)
_ship("build_corsair", "corsair", 1)
_ship("build_galleon", "galleon", 2)


def settlements(table: Table) -> list[str]:
    """Return the settlements that Spain holds (2.6)."""
    own = [key for key, place in table.c.settlements.items() if place.kind == "spanish"]
    return [key for key in own if key not in table.state.lost_settlements]


def _simple(
    word: str, rule: str, field: str, sites: Callable[[PowerMap], LazyChoice], carry: Callable[[Table, str, str], None]
) -> None:
    def find(table: Table, ground: PowerMap) -> LazyChoice | None:
        found = sites(ground)
        return found if ground.cp >= COST and found.any() else None

    def form(table: Table, ground: PowerMap, found: LazyChoice) -> Form[dict[str, str]]:
        return Form({field: found})

    @KIT.action(word, rule, find, form)
    def run(table: Table, power: str, order: Mapping[str, str]) -> None:
        impulse.pay(table, COST, word)
        carry(table, power, order[field])


def patrol_zones(table: Table) -> list[str]:
    """17.3 Return the ocean zones next to a Spanish settlement, as long as there are counters."""
    if sum(table.state.patrols.values()) >= table.c.naval_pools["patrol"].count:
        return []
    return list(dict.fromkeys(zone for key in settlements(table) for zone in table.c.settlements[key].zones))


def build_patrol(table: Table, power: str, zone: str) -> None:
    """17.3 Put a new patrol into an ocean zone."""
    table.state.patrols[zone] = table.state.patrols.get(zone, 0) + 1
    table.log("build.patrol", rule="17.3", power=power, zone=zone)


def fortress_sites(ground: PowerMap) -> LazyChoice:
    """17.5 Return the power's own unfortified home spaces."""
    table = ground.table
    return lazy_choice(table.c.homes[ground.power], lambda at: not fortified(table, at) and ground.open(at), "space")


def build_fortress(table: Table, power: str, space: str) -> None:
    """17.5 Put a fortress into a space or a settlement."""
    table.state.fortresses.append(space)
    table.log("build.fortress", rule="17.5", power=power, space=space)


def overseas_sites(ground: PowerMap) -> LazyChoice:
    """17.5 Return Spanish settlements without a fortress, if Spain has a marker on its card (8.2)."""
    table = ground.table
    held = settlements(table) if table.state.powers[SPAIN].stock.get("fortress", 0) > 0 else []
    return lazy_choice(held, lambda at: at not in table.state.fortresses, "settlement")


def _overseas(table: Table, power: str, settlement: str) -> None:
    table.state.powers[SPAIN].stock["fortress"] -= 1
    build_fortress(table, power, settlement)


def _oceans(ground: PowerMap) -> LazyChoice:
    return lazy_choice(patrol_zones(ground.table), lambda zone: True, "zone")


_simple("build_patrol", "17.3", "zone", _oceans, build_patrol)
_simple("build_fortress", "17.5", "space", fortress_sites, build_fortress)
_simple("build_overseas_fortress", "17.5", "settlement", overseas_sites, _overseas)


def captains(table: Table, power: str) -> list[str]:
    """17.4 Return the captains in the pool whom a power may send; not le Testu while a working scientist (22.2)."""
    state = table.state
    busy = state.scientists.get("le_testu_scientist", "free") != "free"
    own = [key for key, card in table.c.captains.items() if power in card.powers]
    return [key for key in own if state.captains[key].at == POOL and not (key == "le_testu" and busy)]


def colony_cost(table: Table, power: str, captain: str) -> int:
    """17.4 Return what a colony costs, in CP: 0 with Plantation or some captains; -1 if none is left, or no canal."""
    state = table.state
    used = sum(holder == power for holder in state.colonies.values())
    used += sum(posted.power == power and posted.colony for posted in state.captains.values())
    if used >= table.c.markers["colony"].get(power, 0) or (power == OTTOMAN and state.suez != -1):
        return -1
    return 0 if "plantation" in state.powers[power].science or captain in FREE_COLONY else 1


def _may_launch(table: Table, ground: PowerMap) -> tuple[list[str], list[str]] | None:
    if ground.cp < 1:
        return None
    found, zones = captains(table, ground.power), voyages.entries(table, ground.power)
    return (found, list(zones)) if found and zones else None


def _expedition(table: Table, ground: PowerMap, found: tuple[list[str], list[str]]) -> Form[Expedition]:
    people, zones = found

    def colony(values: Any) -> Domain | None:
        extra = colony_cost(table, ground.power, values.captain)
        return Optional(Choice(("yes",))) if 0 <= extra < ground.cp else None

    return Form(captain=Choice(people, "captain"), zone=Choice(zones, "zone"), colony=colony)


@KIT.action("launch_expedition", "17.4", _may_launch, _expedition)
def _launch(table: Table, power: str, order: Expedition) -> None:
    """17.4 Launch an expedition for 1 CP, with a colony for more."""
    captain = order["captain"]
    colony = "colony" in order
    impulse.pay(table, 1 + (colony_cost(table, power, captain) if colony else 0), "launch_expedition")
    launch(table, power, captain, order["zone"], colony=colony)


def launch(table: Table, power: str, captain: str, zone: str, *, colony: bool) -> None:
    """17.4 Put a captain in an ocean zone; an Ottoman one is damaged until the canal is finished."""
    state = table.state
    entry = state.captains[captain]
    entry.at, entry.power, entry.colony = zone, power, colony
    entry.damaged = power == OTTOMAN and state.suez != -1
    table.log("build.expedition", rule="17.4", power=power, captain=captain, zone=entry.at, colony=colony)
