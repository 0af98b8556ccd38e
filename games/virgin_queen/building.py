"""Building (17): land units, ships, patrols, expeditions, fortresses; force pools are absolute (17.1).

Everything is built in home spaces that the power controls, without unrest and without enemy units; an ally
builds a minor power's regulars and ships in its home spaces (24.3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from games.virgin_queen import fleets, forces, impulse, rules
from games.virgin_queen.naval import voyages
from games.virgin_queen.query import enemies_in, fortified
from games.virgin_queen.state import ENGLAND, MINORS, OTTOMAN, POOL, PROTESTANT, SPAIN
from pbem.kernel.answers import Amount, Choice, Domain, Form, Optional
from pbem.kernel.game import Play
from pbem.kernel.table import Table

NO_LAND = {OTTOMAN: ("algiers", "djerba_tripoli"), SPAIN: ("oran", "malta")}
"""17.2 Home spaces with the red mark: no land units."""
NO_GALLEY = {OTTOMAN: NO_LAND[OTTOMAN]}
NO_GALLEON = {SPAIN: ("oran",)}
NETHERLANDS = "netherlands"
RACE_BUILT_TURN = 3
FREE_COLONY = ("raleigh", "laudonniere")
"""Captains who carry a colony at no extra CP."""


def pool_at(table: Table, power: str, space: str) -> str:
    """17.2 The pool from which a power builds in one of its home spaces; Spain has Walloons alone in the
    Netherlands.
    """
    dutch = table.c.spaces[space].area == NETHERLANDS
    if power == PROTESTANT:
        return "dutch" if dutch else "huguenot"
    return "walloon" if power == SPAIN and dutch else power


def sites(table: Table, power: str, *, ally: bool = False) -> Iterator[tuple[str, str]]:
    """17 Where a power may build, with the pool: its own home spaces and, if `ally`, those of its minor powers
    (24.3).
    """
    state = table.state
    homes = [(space, pool_at(table, power, space)) for space in table.c.homes[power]]
    if ally:
        homes += [
            (space, minor)
            for minor in MINORS
            if state.minors[minor].ally == power
            for space in table.c.homes[minor]
        ]
    for space, pool in homes:
        if state.control[space] != power or space in state.unrest:
            continue
        if space in state.land and enemies_in(state, power, space):
            continue
        if space not in state.fleets or not fleets.enemies(table, power, space):
            yield space, pool


# -- land units (17.2) -------------------------------------------------------------------------------------------------


def land_sites(table: Table, power: str, kind: str) -> Iterator[tuple[str, str]]:
    """17.2 Where a power may raise units of a kind, with the pool."""
    left: dict[str, bool] = {}
    for space, pool in sites(table, power, ally=kind == "regulars"):
        if pool not in left:
            back = {"mercenaries": "mercenary", "cavalry": "cavalry", "regulars": ""}[kind]
            fits = not back or table.c.land_pools[pool].back == back
            left[pool] = fits and forces.pool_left(table, pool) > 0
        if left[pool] and space not in NO_LAND.get(power, ()):
            yield space, pool


def _land(word: str, kind: str, cost: int) -> None:
    def domain(table: Table, power: str) -> Domain | None:
        cp = table.state.impulse.cp
        if cp < cost or next(land_sites(table, power, kind), None) is None:
            return None

        def number(values: Any) -> Domain | None:
            pool = dict(land_sites(table, power, kind))[values.space]
            most = min(cp // cost, forces.pool_left(table, pool))
            return Optional(Amount(1, most, what="units")) if most > 1 else None

        return Form(space=Choice(lambda: dict(land_sites(table, power, kind)), "space"), number=number)

    def run(table: Table, power: str, order: Mapping[str, Any]) -> Play:
        yield from ()
        space, number = order["space"], order.get("number", 1)
        pool = dict(land_sites(table, power, kind))[space]
        impulse.pay(table, cost * number, word)
        forces.add(table.state, space, pool, kind, number)
        table.say("build.land", rule="17.2", power=power, space=space, owner=pool, kind=kind, count=number)

    rules.ACTIONS[word] = rules.Action(word, "17.2", word, domain, run)


_land("raise_regular", "regulars", 2)
_land("buy_mercenary", "mercenaries", 1)
_land("raise_cavalry", "cavalry", 1)


# -- ships (17.3) ------------------------------------------------------------------------------------------------------


def ship_sites(table: Table, power: str, kind: str) -> Iterator[tuple[str, str]]:
    """17.3 Where a power may build ships of a kind, with the pool; galleons need an Atlantic port."""
    left: dict[str, bool] = {}
    for space, pool in sites(table, power, ally=kind in ("galley", "galleon")):
        ports = table.c.spaces[space].port
        if not ports or (kind == "galley" and space in NO_GALLEY.get(power, ())):
            continue
        if pool not in left:
            card = table.c.naval_pools.get(pool)
            left[pool] = (
                card is not None and kind in (card.front, card.back) and fleets.pool_left(table, pool) > 0
            )
        atlantic = any(table.c.zones[zone].group == "atlantic" for zone in ports)
        if left[pool] and (kind != "galleon" or (atlantic and space not in NO_GALLEON.get(power, ()))):
            yield space, pool


def _ship(word: str, kind: str, cost: int) -> None:
    def domain(table: Table, power: str) -> Domain | None:
        if table.state.impulse.cp < cost or next(ship_sites(table, power, kind), None) is None:
            return None
        return Form(space=Choice(lambda: dict(ship_sites(table, power, kind)), "port"))

    def run(table: Table, power: str, order: Mapping[str, Any]) -> Play:
        yield from ()
        space = order["space"]
        pool = dict(ship_sites(table, power, kind))[space]
        impulse.pay(table, cost, word)
        built = race_built(table, pool, space) if kind == "galleon" else kind
        fleets.put(table.state, space, pool, pool if pool in MINORS else power, {built: 1})
        table.say("build.ship", rule="17.3", power=power, space=space, owner=pool, kind=built)

    rules.ACTIONS[word] = rules.Action(word, "17.3", word, domain, run)


def race_built(table: Table, pool: str, space: str) -> str:
    """17.3 From turn 3 a galleon built at London with Hawkins there is race-built."""
    state = table.state
    hawkins = state.captains["hawkins"].at == space == "london"
    return "race_built" if pool == ENGLAND and hawkins and state.turn >= RACE_BUILT_TURN else "galleon"


_ship("build_galley", "galley", 2)
_ship("build_corsair", "corsair", 1)
_ship("build_galleon", "galleon", 2)


# -- overseas (17.3, 17.5) ---------------------------------------------------------------------------------------------


def settlements(table: Table) -> list[str]:
    """Settlements that Spain holds (2.6)."""
    return [
        key
        for key, place in table.c.settlements.items()
        if place.kind == "spanish" and key not in table.state.lost_settlements
    ]


def _simple(
    word: str, rule: str, cost: int, field: str, options: Callable[[Table, str], list[str]], carry: Any
) -> None:
    """An action with one choice."""

    def domain(table: Table, power: str) -> Domain | None:
        found = options(table, power) if table.state.impulse.cp >= cost else []
        return Form({field: Choice(found, field)}) if found else None

    def run(table: Table, power: str, order: Mapping[str, Any]) -> Play:
        yield from ()
        impulse.pay(table, cost, word)
        carry(table, power, order[field])

    rules.ACTIONS[word] = rules.Action(word, rule, word, domain, run)


def patrol_zones(table: Table, power: str) -> list[str]:
    """17.3 Ocean zones next to a Spanish settlement, as long as there are counters."""
    if sum(table.state.patrols.values()) >= table.c.naval_pools["patrol"].count:
        return []
    return list(dict.fromkeys(zone for key in settlements(table) for zone in table.c.settlements[key].zones))


def _patrol(table: Table, power: str, zone: str) -> None:
    table.state.patrols[zone] = table.state.patrols.get(zone, 0) + 1
    table.say("build.patrol", rule="17.3", power=power, zone=zone)


def fortress_sites(table: Table, power: str) -> list[str]:
    """17.5 Own unfortified home spaces."""
    return [space for space, pool in sites(table, power) if not fortified(table, space)]


def _fortress(table: Table, power: str, space: str) -> None:
    table.state.fortresses.append(space)
    table.say("build.fortress", rule="17.5", power=power, space=space)


def overseas_sites(table: Table, power: str) -> list[str]:
    """17.5 Spanish settlements without a fortress, if Spain has a marker on its card (8.2)."""
    if table.state.powers[SPAIN].stock.get("fortress", 0) < 1:
        return []
    return [key for key in settlements(table) if key not in table.state.fortresses]


def _overseas(table: Table, power: str, settlement: str) -> None:
    table.state.powers[SPAIN].stock["fortress"] -= 1
    table.state.fortresses.append(settlement)
    table.say("build.fortress", rule="17.5", power=power, space=settlement)


_simple("build_patrol", "17.3", 2, "zone", patrol_zones, _patrol)
_simple("build_fortress", "17.5", 2, "space", fortress_sites, _fortress)
_simple("build_overseas_fortress", "17.5", 2, "settlement", overseas_sites, _overseas)


# -- expeditions (17.4) ------------------------------------------------------------------------------------------------


def captains(table: Table, power: str) -> list[str]:
    """17.4 Captains in the pool whom a power may send; le Testu not while he is at work as a scientist (22.2)."""
    state = table.state
    busy = state.scientists.get("le_testu_scientist", "free") != "free"
    return [
        key
        for key, card in table.c.captains.items()
        if power in card.powers and state.captains[key].at == POOL and not (key == "le_testu" and busy)
    ]


def colony_cost(table: Table, power: str, captain: str) -> int:
    """17.4 What a colony on an expedition costs: 1 CP, nothing with a Plantation or a captain who carries one
    free; -1: none left.

    The Ottomans need the Suez canal.
    """
    state = table.state
    used = sum(holder == power for holder in state.colonies.values())
    used += sum(one.power == power and one.colony for one in state.captains.values())
    if used >= table.c.markers["colony"].get(power, 0) or (power == OTTOMAN and state.suez != -1):
        return -1
    return 0 if "plantation" in state.powers[power].science or captain in FREE_COLONY else 1


def _expedition_domain(table: Table, power: str) -> Domain | None:
    found = captains(table, power)
    zones = voyages.entries(table, power)
    cp = table.state.impulse.cp
    if not found or not zones or cp < 1:
        return None

    def colony(values: Any) -> Domain | None:
        extra = colony_cost(table, power, values.captain)
        return Optional(Choice(("yes",))) if 0 <= extra < cp else None

    return Form(captain=Choice(found, "captain"), zone=Choice(zones, "zone"), colony=colony)


def _launch(table: Table, power: str, order: Mapping[str, Any]) -> Play:
    """17.4 A captain enters an ocean zone; an Ottoman damaged until the canal is finished."""
    yield from ()
    state = table.state
    captain = order["captain"]
    colony = "colony" in order
    impulse.pay(table, 1 + (colony_cost(table, power, captain) if colony else 0), "launch_expedition")
    entry = state.captains[captain]
    entry.at, entry.power, entry.colony = order["zone"], power, colony
    entry.damaged = power == OTTOMAN and state.suez != -1
    table.say("build.expedition", rule="17.4", power=power, captain=captain, zone=entry.at, colony=colony)


rules.ACTIONS["launch_expedition"] = rules.Action(
    "launch_expedition", "17.4", "launch_expedition", _expedition_domain, _launch
)
