"""Piracy on the Europe map (16.4) and the common part of both kinds: limits, markers, rewards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypedDict

from games.virgin_queen import cards, fleets, impulse, responses
from games.virgin_queen.components import INLAND_ZONE
from games.virgin_queen.naval import battle
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import LOST, WON, admirals, at_war, other_players, outcome, seat_of, ships_of, surprise
from games.virgin_queen.state import ENGLAND, OTTOMAN, SPAIN
from games.virgin_queen.table import HIT, KIT, Table
from pbem.kernel.domains import Choice, Form
from pbem.kernel.game import Play

KIT.chapter("16.4", "piracy on the Europe map", "naval/piracy.py")
_ask_reward = KIT.question("reward", "16.4", "reaction")
COST = 2
PER_TURN, PER_ZONE = 3, 2
KNIGHTS = "knights_of_st_john"
SHIP, CARD, VP, ARMADA = "ship", "card", "vp", "armada"


class PiracyTarget(TypedDict):
    """The zone, and the victim."""

    zone: str
    victim: str


def may_try(table: Table, power: str, zone: str) -> bool:
    """16.4, 16.5 Return whether a power may try piracy: three a turn on both maps, one a zone, two powers a zone."""
    piracy = table.state.piracy
    if sum(power in here for here in piracy.values()) >= PER_TURN:
        return False
    here = piracy.get(zone, [])
    return power not in here and len(here) < PER_ZONE


def mark(table: Table, power: str, zone: str) -> None:
    """Place the marker of a power."""
    table.state.piracy.setdefault(zone, []).append(power)


def hits(table: Table, number: int, why: str, power: str, rule: str) -> int:
    """Roll dice that hit on 5 and 6."""
    return table.roll(number, why, rule=rule, power=power).at_least(HIT) if number > 0 else 0


def rewards(
    table: Table, chooser: str, number: int, options: Callable[[], Sequence[str]], carry: Callable[[str], Play],
    **about: Any,
) -> Play:  # fmt: skip
    """16.4, 16.5 step 5: Choose one reward a hit; a kind comes twice only after every other possible kind."""
    given: dict[str, int] = {}
    for hit in range(number):
        possible = list(options())
        if not possible:
            return
        least = min(given.get(kind, 0) for kind in possible)
        even = [kind for kind in possible if given.get(kind, 0) == least]
        said = even[0]
        if len(even) > 1:
            seat, told = seat_of(table.state, chooser), {"power": chooser, "hit": hit + 1, "of": number, **about}
            said = yield from _ask_reward(seat, Choice(even, "reward"), even[0], **told)
        given[said] = given.get(said, 0) + 1
        yield from carry(said)


def victims(table: Table, power: str, zone: str) -> list[str]:
    """16.4 step 1 Return the victims: played enemies with a port there, not the own player's (27); for corsairs all."""
    state = table.state
    if not ships_of(state, power, zone) or not may_try(table, power, zone):
        return []
    corsairs = power == OTTOMAN and fleets.counts(state, power, zone).get("corsair", 0) > 0
    foes = [other for other in other_players(state, power) if corsairs or at_war(state, power, other)]
    return [other for other in foes if harbours(table, other, zone)]


def harbours(table: Table, victim: str, zone: str) -> list[str]:
    """16.4, 16.7 Return the ports of a zone that a power controls, with Antwerp and Rotterdam if it has the gate."""
    state, c = table.state, table.c
    ports = [port for port in c.ports[zone] if state.control[port] == victim]
    if zone == INLAND_ZONE:
        ports += [at for at in c.inland if state.control[at] == victim and state.control[c.gates[at][1]] == victim]
    return ports


def resistance(table: Table, power: str, victim: str, zone: str) -> int:
    """16.4 step 2 Return the victim's dice: ships (against corsairs), ships near, fortresses, Knights of St. John."""
    state, c = table.state, table.c
    corsairs = power == OTTOMAN and fleets.counts(state, power, zone).get("corsair", 0) > 0
    dice = 0
    if corsairs:
        dice += 2 * _warships(table, victim, zone, ("armada",))
    for place in fleets.near(table, zone):
        dice += _warships(table, victim, place, ("armada", "corsair"))
    for port in (*c.ports[zone],):
        walls = c.spaces[port].type == "fortress" or port in state.fortresses
        holder = state.control[port]
        guards = holder == victim or at_war(state, power, holder)  # a minor power is a power too (2.2)
        dice += walls and guards and port not in state.unrest and port not in state.sieges
    if power == OTTOMAN and any(KNIGHTS in state.land.get(port, {}) for port in c.ports[zone]):
        dice += 1
    return dice


def _warships(table: Table, power: str, place: str, without: Sequence[str]) -> int:
    return sum(n for kind, n in fleets.counts(table.state, power, place).items() if kind not in without)


def _find(table: Table, ground: PowerMap) -> dict[str, list[str]] | None:
    zones = [zone for zone in ground.ports if zone in table.c.zones] if ground.cp >= COST else []
    return {zone: these for zone in zones if (these := victims(table, ground.power, zone))} or None


def _form(table: Table, ground: PowerMap, found: dict[str, list[str]]) -> Form[PiracyTarget]:
    return Form(zone=Choice(list(found), "zone"), victim=lambda v: Choice(found[v.zone], "power"))


@KIT.action("piracy_europe", "16.4", _find, _form)
def _run(table: Table, power: str, order: PiracyTarget) -> Play:
    impulse.pay(table, COST, "piracy_europe")
    yield from attempt(table, power, order["victim"], order["zone"])


def attempt(table: Table, power: str, victim: str, zone: str, extra: int = 0, fixed: int = 0) -> Play:
    """16.4 Execute steps 1 to 5 with `extra` dice of an event, or a `fixed` number of them without ships."""
    state = table.state
    mark(table, power, zone)
    dragut = state.leaders["dragut"].at == zone
    corsairs = fleets.counts(state, power, zone).get("corsair", 0) > 0 and power == OTTOMAN
    number = resistance(table, power, victim, zone)
    table.log("piracy.europe", rule="16.4", power=power, victim=victim, zone=zone, dice=number)
    with table.within("piracy", power=power, victim=victim, zone=zone):
        struck = hits(table, number, "piracy.resist_rolls", victim, "16.4")
        yield from _strike(table, power, zone, struck, corsairs=corsairs)
        left = fleets.counts(state, power, zone)
        peace = power == OTTOMAN and not at_war(state, power, victim)  # then only corsairs rob
        able = left.get("corsair", 0) if peace else sum(left.values())
        if not able and not fixed:
            if not left:
                fleets.lose_all(table, power, zone)
            return
        scored = hits(table, fixed or dice(table, power, victim, zone) + extra, "piracy.rolls", power, "16.4")
        table.log("piracy.hits", rule="16.4", power=power, victim=victim, zone=zone, count=scored)
        yield from rewards(
            table, chooser(table, victim, zone), scored,
            lambda: europe_rewards(table, victim, zone),
            lambda kind: _reward(table, power, victim, zone, kind),
            pirate=power, zone=zone,
        )  # fmt: skip
    outcome(table, WON if scored else LOST, power)
    surprise(table, power, victim)
    if dragut:
        yield from responses.offer(table, "dragut", {"power": power, "zone": zone, "target": victim})


def dice(table: Table, power: str, victim: str, zone: str) -> int:
    """16.4 step 4 Return the pirate's dice: two, one with a single ship or against a single port; the best leader."""
    few = ships_of(table.state, power, zone) == 1 or len(harbours(table, victim, zone)) == 1
    return (1 if few else 2) + fleets.rating(table, admirals(table.state, power, zone), "piracy")


def chooser(table: Table, target: str, zone: str) -> str:
    """16.4, 16.5 step 5 Return the power that chooses rewards: the target, or England with Drake (errata 29)."""
    return ENGLAND if table.state.captains["drake"].at == zone else target


def _strike(table: Table, power: str, zone: str, struck: int, *, corsairs: bool) -> Play:
    """16.4 step 3 Remove corsairs for a hit each, then a ship for two, one more for an odd hit."""
    state = table.state
    while struck > 0 and corsairs and fleets.counts(state, power, zone).get("corsair", 0):
        fleets.lose(table, zone, power, power, "corsair")
        struck -= 1
    if struck:
        yield from battle.losses(table, power, zone, struck, loser=True)


def robbed(table: Table, victim: str, zone: str) -> dict[str, tuple[str, Any, str]]:
    """16.4 step 5 a: Return ships of the victim in the zone or an adjacent one."""
    places = (zone, *table.c.zones[zone].adjacent)
    ships = fleets.keyed(table.state, victim)
    return {key: ships[key] for key in ships if ships[key][0] in places and ships[key][2] != "armada"}


def europe_rewards(table: Table, victim: str, zone: str) -> list[str]:
    """16.4 step 5 Return the rewards that are possible now."""
    state = table.state
    found = [SHIP] if robbed(table, victim, zone) else []
    if cards.loose(table, victim) or state.powers[victim].treasures:
        found.append(CARD)
    found.append(VP)
    places = (zone, *table.c.zones[zone].adjacent)
    if victim == SPAIN and state.armada and any("armada" in fleets.counts(state, SPAIN, at) for at in places):
        found.append(ARMADA)
    return found


def _reward(table: Table, power: str, victim: str, zone: str, kind: str) -> Play:
    state = table.state
    table.log("piracy.reward", rule="16.4", power=power, victim=victim, reward=kind)
    if kind == SHIP:
        found = robbed(table, victim, zone)
        keys = list(found)
        key = yield from fleets.choose(table, victim, "sink", keys, "16.4", zone=zone)
        place, fleet, ship = found[key]
        fleets.lose(table, place, fleet.owner, fleet.power, ship)
    elif kind == CARD:
        take(table, power, victim)
    elif kind == VP:
        award(table, power)
    else:
        for fleet in [other for at in (zone, *table.c.zones[zone].adjacent) for other in state.fleets.get(at, ())]:
            if "armada" in fleet.ships:
                place = next(at for at, here in state.fleets.items() if fleet in here)
                battle.sink(table, place, fleet, "armada")
                return


def take(table: Table, power: str, victim: str) -> None:
    """16.4, 6.3 Draw a random card or treasure of the victim; it can't be used before the next impulse."""
    state = table.state
    kind, key = cards.random_from(table, victim)
    cards.put_by(table, power, kind, key)
    private = {seat: {"what": key} for seat in (seat_of(state, power), seat_of(state, victim)) if seat}
    table.log("piracy.taken", rule="16.4", power=power, victim=victim, kind=kind, private=private)


def award(table: Table, power: str) -> None:
    """Give 1 VP for piracy (25.2)."""
    own = table.state.powers[power].vp
    own["piracy"] = own.get("piracy", 0) + 1
