"""Encounters of a fleet at sea (16.1 steps 4 to 7): interception, avoiding battle, battles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.virgin_queen import fleets
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.formations import LongSeries, combined
from games.virgin_queen.gate import station
from games.virgin_queen.naval.battle import mediterranean, sea_battle, ways_out
from games.virgin_queen.query import EVADED, INTERCEPTED, admirals, at_war, outcome, seat_of, ships_of, side_of
from games.virgin_queen.state import POWERS
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Distribution, Domain, Form, Menu, Optional, Subset
from pbem.kernel.game import Play, Rule

_ask_sea_intercept = KIT.question("sea_intercept", "16.1", "reaction")
_ask_sea_avoid = KIT.question("sea_avoid", "16.1", "reaction")
_ask_sea_order = KIT.question("sea_order", "16.1", "reaction")

TARGET = 9


def meet(table: Table, power: str, across: Sequence[str], arrived: Sequence[str]) -> Play:
    """16.1 Execute steps 4 to 7 for a power that has just moved."""
    met = yield from intercept(table, power, across)
    yield from avoid(table, power, [zone for zone in across if zone not in met])
    yield from battles(table, power, [*arrived])
    yield from relations.entered(table)


def plus(table: Table, power: str, place: str, kinds: Mapping[str, int], leaders: Sequence[str]) -> int:
    """16.1 Return modifiers: best naval leader, +1 Telescope, -1 for galleons or the Armada in the Mediterranean."""
    bonus = fleets.rating(table, leaders)
    if mediterranean(table, place) and any(kind in fleets.SAILS for kind in kinds):
        bonus -= 1
    own = table.state.powers.get(power)
    return bonus + ("telescope" in own.science if own is not None else 0)


def stations(table: Table, mover: str, zone: str, power: str) -> list[str]:
    """16.1 step 4 Return from where a power may intercept in a zone: next to it, no mover there, no enemies in it."""
    state = table.state
    if not seat_of(state, power):
        return []
    for fleet in state.fleets.get(zone, ()):
        side = side_of(state, fleet.power)
        if side != mover and at_war(state, power, side):
            return []
    return [
        place
        for place in fleets.near(table, zone)
        if place in state.fleets and ships_of(state, power, place) and not ships_of(state, mover, place)
    ]


def intercept(table: Table, mover: str, across: Sequence[str]) -> Rule[dict[str, str]]:
    """16.1 step 4 Ask all that may intercept at once; execute in impulse order. Return zone of success → power."""
    state = table.state
    posts = {
        power: {zone: found for zone in across if (found := stations(table, mover, zone, power))}
        for power in POWERS
        if at_war(state, power, mover)
    }
    posts = {power: zones for power, zones in posts.items() if zones}
    if not posts:
        return {}
    seats = {seat_of(state, power): [p for p in posts if seat_of(state, p) == seat_of(state, power)] for power in posts}
    about: dict[str, Any] = {"power": mover, "zones": list(across), "touches": list(seats)}
    domains = {seat: _intercept_domain(table, {p: posts[p] for p in powers}) for seat, powers in seats.items()}
    replies = yield from _ask_sea_intercept.window(domains, **about)
    met: dict[str, str] = {}
    for power in posts:
        seat = seat_of(state, power)
        said = replies.of(seat)
        for squadron in said["with"] if said != "pass" else ():
            if squadron["power"] != power or met.get(squadron["zone"], power) != power:
                continue
            if _attempt(table, mover, squadron):
                met[squadron["zone"]] = power
                replies.took_effect(seat)
    return met


def _intercept_domain(table: Table, posts: Mapping[str, Mapping[str, Sequence[str]]]) -> Menu:
    """Return `pass`, or `intercept` with stacks from one place each: `power zone origin [ships] [leaders]`."""
    state = table.state

    def item(done: Sequence[Any]) -> Domain | None:
        used = {(step["power"], step["origin"]) for step in done}
        left = {
            power: {zone: free for zone, at in zones.items() if (free := [x for x in at if (power, x) not in used])}
            for power, zones in posts.items()
        }
        left = {power: zones for power, zones in left.items() if zones}
        if not left:
            return None
        return Form(
            power=Choice(list(left), "power"),
            zone=lambda v: Choice(list(left[v.power]), "zone"),
            origin=lambda v: Choice(left[v.power][v.zone], "place"),
            ships=lambda v: Optional(_ships(table, v.power, v.origin)),
            leaders=lambda v: _leaders(admirals(state, v.power, v.origin)),
        )

    most = sum(len(set().union(*map(set, zones.values()))) for zones in posts.values())
    return Menu({"pass": None, "intercept": LongSeries(item, 1, most, "stack")})


def _ships(table: Table, power: str, place: str) -> Domain:
    keyed = fleets.keyed(table.state, power, at=place)
    here = {key: fleet.ships[kind] for key, (_, fleet, kind) in keyed.items()}
    return Distribution(here, (1, sum(here.values())), "ships")


def _leaders(found: list[str]) -> Domain | None:
    return Optional(Subset(found, 0, len(found), what="leaders")) if found else None


def _attempt(table: Table, mover: str, stack: Mapping[str, Any]) -> bool:
    """16.1 step 4 Roll for one stack's interception: 2d6 and modifiers, 9 or more."""
    state = table.state
    power, zone, origin = stack["power"], stack["zone"], stack["origin"]
    keyed = fleets.keyed(state, power, at=origin)
    ships = dict(stack.get("ships", {key: fleet.ships[kind] for key, (_, fleet, kind) in keyed.items()}))
    whole = sum(ships.values()) == ships_of(state, power, origin)
    leaders = admirals(state, power, origin) if whole else list(stack.get("leaders", ()))
    kinds = combined([{keyed[key][2]: number} for key, number in ships.items()])
    bonus = plus(table, power, zone, kinds, leaders)
    roll = table.roll(
        2, "sea.intercept_rolls", rule="16.1", power=power, mover=mover, zone=zone, origin=origin, plus=bonus,
        ships=kinds, leaders=list(leaders),
    )  # fmt: skip
    if roll.total + bonus < TARGET:
        return False
    for key, number in ships.items():
        _, fleet, kind = keyed[key]
        owner, side = fleet.owner, fleet.power
        fleets.take(state, origin, owner, side, {kind: number})
        fleets.put(table, zone, owner, side, {kind: number})
    for leader in leaders:
        station(table, leader, zone)
    table.log("sea.intercepted", rule="16.1", power=power, mover=mover, zone=zone)
    outcome(table, INTERCEPTED, mover)
    table.stop_advance_orders(seat_of(state, mover))
    return True


def avoid(table: Table, mover: str, zones: Sequence[str]) -> Play:
    """16.1 step 5 Let enemies in a zone avoid battle, each power's ships there as one stack."""
    state = table.state
    chances = {
        (power, zone): found
        for power in POWERS
        if at_war(state, power, mover) and seat_of(state, power)
        for zone in zones
        if ships_of(state, power, zone) and (found := ways_out(table, power, zone))
    }
    if not chances:
        return
    seats: dict[str, dict[tuple[str, str], list[str]]] = {}
    for (power, zone), found in chances.items():
        seats.setdefault(seat_of(state, power), {})[power, zone] = found
    about: dict[str, Any] = {"power": mover, "zones": list(zones), "touches": list(seats)}
    domains = {seat: _avoid_domain(found) for seat, found in seats.items()}
    replies = yield from _ask_sea_avoid.window(domains, **about)
    for power, zone in chances:
        seat = seat_of(state, power)
        said = replies.of(seat)
        for squadron in said["with"] if said != "pass" else ():
            if (squadron["power"], squadron["zone"]) == (power, zone):
                _slip(table, power, zone, squadron["to"], mover)
                replies.took_effect(seat)


def _avoid_domain(found: Mapping[tuple[str, str], list[str]]) -> Menu:
    """Return `pass`, or `avoid` with `power zone to` for each place to leave."""

    def item(done: Sequence[Any]) -> Domain | None:
        left = [key for key in found if key not in [(step["power"], step["zone"]) for step in done]]
        if not left:
            return None
        return Form(
            power=Choice(list(dict.fromkeys(power for power, _ in left)), "power"),
            zone=lambda v: Choice([zone for power, zone in left if power == v.power], "zone"),
            to=lambda v: Choice(found[v.power, v.zone], "place"),
        )

    return Menu({"pass": None, "avoid": LongSeries(item, 1, len(found), "fleet")})


def _slip(table: Table, power: str, zone: str, to: str, mover: str) -> None:
    state = table.state
    bonus = plus(table, power, zone, fleets.counts(state, power, zone), admirals(state, power, zone))
    roll = table.roll(2, "sea.avoid_rolls", rule="16.1", power=power, zone=zone, to=to, plus=bonus)
    if roll.total + bonus >= TARGET and not fleets.enemies(table, power, to):
        fleets.move_all(table, power, zone, to)
        table.log("sea.avoided", rule="16.1", power=power, zone=zone, to=to)
        outcome(table, EVADED, mover)


def foes(table: Table, mover: str, places: Sequence[str]) -> list[tuple[str, str]]:
    """16.1 step 7 Return the battles of a move: (place, enemy). Inactive minor powers defend their ports (24.1)."""
    state = table.state
    found = []
    for place in dict.fromkeys(places):
        if not ships_of(state, mover, place):
            continue
        sides = [side_of(state, fleet.power) for fleet in state.fleets.get(place, ())]
        found += [(place, side) for side in dict.fromkeys(sides) if at_war(state, mover, side)]
    return found


def battles(table: Table, mover: str, places: Sequence[str]) -> Play:
    """16.1 step 7 Fight each enemy once, in the order that the mover wishes, until it has to leave."""
    fought: set[tuple[str, str]] = set()
    while left := [foe for foe in foes(table, mover, places) if foe not in fought]:
        place, enemy = left[0]
        if len(left) > 1:
            words = {f"{at}/{side}": (at, side) for at, side in left}
            said = yield from _ask_sea_order(
                seat_of(table.state, mover), Choice(list(words), "battle"), next(iter(words)), power=mover
            )
            place, enemy = words[said]
        fought.add((place, enemy))
        yield from sea_battle(table, mover, enemy, place)
