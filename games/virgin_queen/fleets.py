"""Fleets (5.4, 16): ships at ports and in sea zones, counters left, ways over the sea, ports near by.

Ship keys in orders: `seville/galleon` (place and kind; own pool of the power) or `seville/dutch/galleon` for
another pool.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from games.virgin_queen.components import INLAND_ZONE, QueenComponents
from games.virgin_queen.gate import all_may, let_in, station
from games.virgin_queen.query import admirals, at_war, commander, fleets_of, mine, seat_of, ships_of, side_of
from games.virgin_queen.special import armada
from games.virgin_queen.state import TRACK, Fleet, QueenState
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play, Rule

KIT.chapter("5.2", "captains", "fleets.py")
KIT.chapter("5.4", "naval units", "fleets.py")
KIT.question("displace_ships", "12.5")

SAILS = ("galleon", "race_built", "armada")
"""Ships that are worse at intercepting and avoiding in the Mediterranean (16.1)."""


def put(table: Table, place: str, owner: str, power: str, ships: Mapping[str, int]) -> None:
    """Put ships of an owner, commanded by a power, at a place; they join its other ships there."""
    let_in(table, power, place)
    ships = {kind: number for kind, number in ships.items() if number}
    if not ships:
        return
    here = table.state.fleets.setdefault(place, [])
    for fleet in here:
        if fleet.owner == owner and fleet.power == power:
            for kind, number in ships.items():
                fleet.ships[kind] = fleet.ships.get(kind, 0) + number
            return
    here.append(Fleet(owner, power, dict(ships)))


def take(state: QueenState, place: str, owner: str, power: str, ships: Mapping[str, int]) -> None:
    """Remove ships; delete empty entries."""
    here = state.fleets[place]
    fleet = next(other for other in here if other.owner == owner and other.power == power)
    for kind, number in ships.items():
        left = fleet.ships[kind] - number
        if left < 0:
            raise AssertionError(f"{place}: {left} {kind} of {owner}")
        if left:
            fleet.ships[kind] = left
        else:
            del fleet.ships[kind]
    if not fleet.ships:
        here.remove(fleet)
    if not here:
        del state.fleets[place]


def lose(table: Table, place: str, owner: str, power: str, kind: str, number: int = 1) -> None:
    """Eliminate ships: to the turn track (16.2 step 10), or to the pool at once with a Dry Dock (17.3).

    Ships of minor powers always go to the track; for the Armada see 23.2. Naval leaders left at sea without
    ships go to the track too.
    """
    state = table.state
    take(state, place, owner, power, {kind: number})
    if kind == "armada":
        armada.lost(table)
    else:
        _gone(table, owner, kind, number)
    table.log("sea.lost", rule="16.2", owner=owner, kind=kind, count=number, place=place)
    recall(table, place, side_of(state, power))


def lose_escort(table: Table) -> None:
    """23.2 Eliminate a galleon of the treasure fleet's escort, as other ships are."""
    table.state.powers["spain"].stock["escort"] -= 1
    _gone(table, "spain", "galleon", 1)
    table.log("fleet.escort_lost", rule="23.2", power="spain")


def _gone(table: Table, owner: str, kind: str, number: int) -> None:
    state, main = table.state, table.c.power_of_owner.get(owner, owner)
    if not (main in state.powers and "dry_dock" in state.powers[main].science):
        later = state.ships_later.setdefault(owner, {})
        later[kind] = later.get(kind, 0) + number


def on_map(state: QueenState, owner: str) -> int:
    """Return how many counters of a naval pool are on the map, on the turn track or Spain's escorts (17.1, 23.2)."""
    own = [fleet.ships for fleets in state.fleets.values() for fleet in fleets if fleet.owner == owner]
    used = sum(number for ships in own for kind, number in ships.items() if kind != "armada")
    used += sum(state.ships_later.get(owner, {}).values())
    return used + (state.powers["spain"].stock.get("escort", 0) if owner == "spain" else 0)


def pool_left(table: Table, owner: str) -> int:
    """Return how many more ships of a pool can be built; both sides of the counters together (17.1, 17.3)."""
    pool = table.c.naval_pools.get(owner)
    return 0 if pool is None else int(pool.count) - on_map(table.state, owner)


def keyed(state: QueenState, power: str, *, lent: bool = True, at: str = "") -> dict[str, tuple[str, Fleet, str]]:
    """Return ship key → (place, fleet, kind) of a power's ships, or those `at` a place; `lent`: borrowed ones too."""
    by_key = {}
    own = mine(state, power)
    for place, fleets in ((at, state.fleets.get(at, ())),) if at else state.fleets.items():
        for fleet in fleets:
            if fleet.power not in own or not (lent or fleet.owner in own):
                continue
            prefix = place if fleet.owner == fleet.power else f"{place}/{fleet.owner}"
            for kind in fleet.ships:
                by_key[f"{prefix}/{kind}"] = (place, fleet, kind)
    return by_key


def counts(state: QueenState, power: str, place: str) -> dict[str, int]:
    """Return how many ships a power commands at a place, by kind."""
    number_of: dict[str, int] = {}
    for fleet in state.fleets.get(place, ()):
        if fleet.power == power or side_of(state, fleet.power) == power:
            for kind, number in fleet.ships.items():
                number_of[kind] = number_of.get(kind, 0) + number
    return number_of


def rating(table: Table, keys: Iterable[str], what: str = "battle") -> int:
    """Return the best battle or piracy rating of naval leaders and captains; Don John at sea has another."""
    ratings = [0]
    for key in keys:
        if key in table.c.captains:
            ratings.append(getattr(table.c.captains[key], what))
        else:
            card = table.c.generals[key]
            ratings.append(card.naval_battle if card.also_naval and what == "battle" else getattr(card, what))
    return max(ratings)


def near(table: Table, place: str) -> tuple[str, ...]:
    """Return the places next to a place for ships: a port's zones; a zone's ports and zones (16.1)."""
    return _near(table.c, place)


@cache
def _near(c: QueenComponents, place: str) -> tuple[str, ...]:
    return c.spaces[place].port if place in c.spaces else (*c.ports[place], *c.zones[place].adjacent)


@cache
def reach(c: QueenComponents, place: str) -> tuple[tuple[str, int], ...]:
    """Return ports with their steps over sea from a place, the nearest first (12.5, 20.4); none from inland."""
    steps_to = {place: 0}
    queue = [place]
    for at in queue:
        for other in _near(c, at):
            if other not in steps_to:
                steps_to[other] = steps_to[at] + 1
                queue.append(other)
    return tuple((at, steps) for at, steps in steps_to.items() if at in c.spaces and c.spaces[at].port)


def crews(state: QueenState, power: str, place: str) -> list[str]:
    """Return whose ships, leaders and captains a power commands at a place, as the gate needs them."""
    ships = [fleet.power for fleet in fleets_of(state, power, place)]
    return [*dict.fromkeys(ships), *admirals(state, power, place)]


def nearest_ports(table: Table, power: str, place: str, *, but: str = "") -> list[str]:
    """12.5, 20.4 Return the nearest ports over sea, except `but`: controlled, and open to all that go."""
    going = crews(table.state, power, place)
    control = table.state.control
    ports: list[str] = []
    best = 0
    for at, steps in reach(table.c, place):
        if ports and steps > best:
            break
        if control[at] == power and at != but and all_may(table, going, at):
            ports.append(at)
            best = steps
    return ports


def choose(table: Table, power: str, kind: str, places: list[str], rule: str, **about: Any) -> Rule[str]:
    """Return one of several places: the power's choice, the first if nobody plays it, "" if there is none."""
    seat = seat_of(table.state, power)
    if not seat or not places:
        return places[0] if places else ""
    choice = Choice(places, what="place")
    asked = KIT.kinds[kind](seat, choice, places[0], rule=rule, power=power, **about)
    return table.only(asked, places[0]) if len(places) == 1 else (yield from asked)


def recall(table: Table, place: str, power: str) -> None:
    """16.1, 16.2 Put a power's naval leaders left at sea without ships on the turn track."""
    state = table.state
    if place in table.c.zones and not counts(state, power, place):
        for key in admirals(state, power, place):
            to_track(state, key)


def to_track(state: QueenState, leader: str) -> None:
    """Put a naval leader or captain on the turn track (16.2 step 10)."""
    entry = commander(state, leader)
    entry.at, entry.returns = TRACK, state.turn + 1


def enemies(table: Table, power: str, place: str) -> bool:
    """Return whether ships of powers at war with this one are at a place."""
    return any(at_war(table.state, power, fleet.power) for fleet in table.state.fleets.get(place, ()))


def move_all(table: Table, power: str, place: str, to: str) -> None:
    """Move all ships, naval leaders and captains of a power from a place to another."""
    state = table.state
    for fleet in [other for other in state.fleets.get(place, ()) if side_of(state, other.power) == power]:
        ships = dict(fleet.ships)
        take(state, place, fleet.owner, fleet.power, ships)
        put(table, to, fleet.owner, fleet.power, ships)
    for key in admirals(state, power, place):
        station(table, key, to)


def lose_all(table: Table, power: str, place: str) -> None:
    """Eliminate all ships of a power at a place. Naval leaders and captains go to the turn track (16.2 step 10)."""
    state = table.state
    for fleet in [other for other in state.fleets.get(place, ()) if side_of(state, other.power) == power]:
        for kind, number in dict(fleet.ships).items():
            lose(table, place, fleet.owner, fleet.power, kind, number)
    for key in admirals(state, power, place):
        to_track(state, key)


def displace(table: Table, space: str, power: str) -> Play:
    """12.5 Move ships and naval leaders to the nearest port that their power controls, or eliminate them."""
    ports = nearest_ports(table, power, space, but=space)
    to = yield from choose(table, power, "displace_ships", ports, "12.5", space=space)
    if to:
        move_all(table, power, space, to)
        table.log("sea.displaced", rule="12.5", power=power, space=space, to=to)
    else:
        lose_all(table, power, space)


def ships_for_blockade(table: Table, power: str, place: str) -> float:
    """Return a power's ships at a place for a blockade: no corsairs; the Armada half its strength (ruling 20)."""
    number_of = counts(table.state, power, place)
    ships = sum(number for kind, number in number_of.items() if kind not in ("corsair", "armada"))
    return ships + (table.state.armada / 2 if number_of.get("armada") else 0)


def blockaded(table: Table, power: str, space: str) -> bool:
    """15.1, 16.7 Return whether the holder's ships, at sea or more of them in port, prevent an assault."""
    state, c = table.state, table.c
    holder = state.control[space]
    zones = c.spaces[space].port
    if any(ships_for_blockade(table, holder, zone) for zone in zones):
        return True
    within = ships_for_blockade(table, holder, space)
    if within and sum(ships_for_blockade(table, power, zone) for zone in zones) <= within:
        return True
    if space in c.inland:
        other, _ = c.gates[space]
        return state.control[other] == holder and not ships_of(state, power, INLAND_ZONE)
    return False
