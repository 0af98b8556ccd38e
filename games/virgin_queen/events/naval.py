"""Events of war at sea: 20, 25, 26, 58, 60, 66, 107 (6.1, 16; texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import building, fleets
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.events import common
from games.virgin_queen.events.common import ask, choose, event
from games.virgin_queen.formations import count, desert, levy, pool_left
from games.virgin_queen.land.losses import choose_losses
from games.virgin_queen.naval import battle, piracy
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import at_war, other_players, quiet, seat_of, ships_of, strength
from games.virgin_queen.state import ENGLAND, MINORS, OTTOMAN, PROTESTANT, SPAIN
from games.virgin_queen.table import HIT, KIT, Table
from games.virgin_queen.victory import award
from pbem.kernel.domains import Choice, Domain, Menu
from pbem.kernel.game import Play, Rule

KIT.question("event_prize", "6.1")
KIT.question("event_raid", "6.1")

DICE = 2
SLIPS = 2
KNIGHTS = "knights_of_st_john"
ROCHELLE, BISCAY, NORTH_SEA = "la_rochelle", "bay_of_biscay", "north_sea"


def raid(table: Table, power: str, victim: str, zone: str) -> Play:
    """16.4 Make a free piracy attempt with two dice, from port or with ships at sea."""
    yield from piracy.attempt(table, power, victim, zone, fixed=DICE)


def hunts(table: Table) -> dict[str, list[str]]:
    """#20 Return zone with Ottoman corsairs → powers that may be robbed there (16.4)."""
    state = table.state
    found = {}
    for zone in table.c.zones:
        if zone not in state.fleets or not fleets.counts(state, OTTOMAN, zone).get("corsair"):
            continue
        if victims := piracy.victims(table, OTTOMAN, zone):
            found[zone] = victims
    return found


def _raid_aim(table: Table, power: str) -> Rule[Mapping[str, Any]]:
    card, found = "corsair-raid", hunts(table)
    chosen = yield from common.nested(table, OTTOMAN, card, "raid", found, zone="zone", target="power")
    return common.announce(table, power, card, dict(chosen))


@event("corsair-raid", lambda t, p: common.played(t, OTTOMAN) and bool(hunts(t)), _raid_aim)
def corsair_raid(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #20: the Ottomans make a piracy attempt with one more die, at no cost."""
    if aim["target"] in piracy.victims(table, OTTOMAN, aim["zone"]):
        yield from piracy.attempt(table, OTTOMAN, aim["target"], aim["zone"], 1)


def commanderies(table: Table) -> list[str]:
    """#25 Return where Knights may be placed: Malta, else Spanish ports of the Ionian Sea or North Africa's coast."""
    spaces = table.c.spaces
    near = [at for at in spaces if {"ionian_sea", "north_african_coast"}.intersection(spaces[at].port)]
    found = ["malta"] if table.state.control["malta"] == SPAIN else near
    return [at for at in found if quiet(table.state, SPAIN, at)] if pool_left(table, KNIGHTS) else []


def caravans(table: Table) -> list[str]:
    """#25 Return the zones next to a port with Knights in which Spain may try to rob the Ottomans."""
    if not common.played(table, OTTOMAN) or seat_of(table.state, OTTOMAN) == seat_of(table.state, SPAIN):
        return []
    ports = [at for at, here in table.state.land.items() if KNIGHTS in here]
    zones = dict.fromkeys(zone for at in ports for zone in table.c.spaces[at].port)
    return [z for z in zones if piracy.may_try(table, SPAIN, z) and piracy.harbours(table, OTTOMAN, z)]


def _knights_aim(table: Table, power: str) -> Rule[Mapping[str, Any]]:
    uses = {"place": commanderies(table), "raid": caravans(table)}
    use = yield from common.option(table, SPAIN, "knights-of-st-john", [word for word, found in uses.items() if found])
    place = yield from choose(table, SPAIN, "knights-of-st-john", "place", uses[use])
    return common.announce(table, power, "knights-of-st-john", {"option": use, "space": place})


@event("knights-of-st-john", lambda t, p: bool(commanderies(t) or caravans(t)), _knights_aim)
def knights(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #25: Knights up to their limit at Malta or near it, or their piracy attempt on the Ottomans."""
    if aim["option"] == "raid":
        if piracy.may_try(table, SPAIN, aim["space"]):
            yield from raid(table, SPAIN, OTTOMAN, aim["space"])
        return
    levy(table, aim["space"], KNIGHTS, "regulars", pool_left(table, KNIGHTS), SPAIN, "17.1")


def berths(table: Table, power: str, kind: str) -> list[str]:
    """17.3 Return where the power may build a ship of a kind now, also in ports of its minor powers (24.3)."""
    return [str(port) for port in building.ship_sites(PowerMap(table, power), kind).listed]


def slips(table: Table, power: str) -> dict[str, list[str]]:
    """#26 Return kind of ship → home ports where the power may build one of its own now (17.3)."""
    found = {}
    for kind in ("galley", "corsair", "galleon"):
        if power not in table.c.actions[f"build_{kind}"].powers:
            continue
        if ports := [at for at in berths(table, power, kind) if building.builders(table, power, at) not in MINORS]:
            found[kind] = ports
    return found


def may_build(table: Table, power: str, space: str) -> bool:
    """#58, #60 Return whether a power may build a galleon of its own in a space now."""
    return space in slips(table, power).get("galleon", ())


@event("master-shipwrights", lambda t, p: bool(slips(t, p)))
def master_shipwrights(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #26: up to two ships at no cost in legal ports."""
    for _ in range(SLIPS):
        found = slips(table, power)
        if not found:
            return
        entries: dict[str, Domain | None] = {"pass": None}
        entries |= {kind: Choice(ports, "port") for kind, ports in found.items()}
        said = yield from ask(table, power, "master-shipwrights", "ship", Menu(entries), "pass")
        if said == "pass":
            return
        building.build_ship(table, power, said["with"], said["do"])


def galleons(table: Table) -> dict[str, int]:
    """#58 Return English galleons in English home ports."""
    found = {}
    for space in table.c.homes[ENGLAND]:
        for fleet in table.state.fleets.get(space, ()):
            if fleet.owner == ENGLAND and fleet.power == ENGLAND and fleet.ships.get("galleon"):
                found[space] = fleet.ships["galleon"]
    return found


@event("john-hawkins", lambda t, p: bool(galleons(t)) or may_build(t, ENGLAND, "london"))
def john_hawkins(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #58: up to two galleons in English ports become race-built, or a new one is placed so at London."""
    state, here = table.state, galleons(table)
    uses = [word for word, may in (("refit", here), ("new", may_build(table, ENGLAND, "london"))) if may]
    if (yield from common.option(table, ENGLAND, "john-hawkins", uses)) == "new":
        building.build_ship(table, ENGLAND, "london", "race_built")
        return
    chosen = yield from common.spread(table, ENGLAND, "john-hawkins", here, (1, 2))
    for space, number in chosen.items():
        fleets.take(state, space, ENGLAND, ENGLAND, {"galleon": number})
        fleets.put(table, space, ENGLAND, ENGLAND, {"race_built": number})
        table.log("event.refit", rule="17.3", power=ENGLAND, space=space, count=number)


def prizes(table: Table) -> list[str]:
    """#60 Return enemies of the Protestants who may be robbed in the Bay of Biscay."""
    state = table.state
    if not piracy.may_try(table, PROTESTANT, BISCAY):
        return []
    foes = [other for other in other_players(state, PROTESTANT) if at_war(state, PROTESTANT, other)]
    return [other for other in foes if piracy.harbours(table, other, BISCAY)]


def _privateers(table: Table, power: str) -> bool:
    held = table.state.control[ROCHELLE] == PROTESTANT
    return held and (may_build(table, PROTESTANT, ROCHELLE) or bool(prizes(table)))


@event("la-rochelle-privateers", _privateers)
def privateers(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #60: a Huguenot galleon at La Rochelle, then a two-dice piracy attempt in the Bay of Biscay."""
    card = "la-rochelle-privateers"
    able = may_build(table, PROTESTANT, ROCHELLE)
    if able and (yield from common.ask_consent(table, PROTESTANT, card, "galleon", other=ROCHELLE)):
        building.build_ship(table, PROTESTANT, ROCHELLE, "galleon")
    if found := prizes(table):
        victim = yield from choose(table, PROTESTANT, card, "power", ["none", *found])
        if victim != "none":
            yield from raid(table, PROTESTANT, victim, BISCAY)


def beggars_ports(table: Table, power: str) -> list[str]:
    """#66 Return Spanish North Sea ports in the Netherlands without Spanish ships; inland with the gate (16.7)."""
    state, c = table.state, table.c
    found = []
    for space in c.areas["netherlands"]:
        coast = NORTH_SEA in c.spaces[space].port
        open_gate = space in c.inland and state.control[c.gates[space][1]] == PROTESTANT
        held = state.control[space] == SPAIN and space not in state.sieges
        if held and (coast or open_gate) and not ships_of(state, SPAIN, space):
            found.append(space)
    return found


@common.targeted("sea-beggars", "space", beggars_ports, PROTESTANT)
def sea_beggars(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #66: a die for each Spanish unit, two losses at most, a landing; war; perhaps piracy (16.4, FAQ 30)."""
    state, space = table.state, aim["space"]
    units = strength(state, SPAIN, space)
    if units:
        roll = table.roll(units, "event.rolls", rule="6.1", power=power, card="sea-beggars", space=space)
        hits = min(2, roll.at_least(HIT))
        gone = yield from choose_losses(table, SPAIN, space, count(state, SPAIN, space), hits, "6.1")
        desert(table, space, SPAIN, gone)
    if not strength(state, SPAIN, space):
        yield from _land(table, space)
    if not at_war(state, PROTESTANT, SPAIN) and seat_of(state, PROTESTANT) != seat_of(state, SPAIN):
        yield from relations.declare(table, PROTESTANT, SPAIN)
    able = piracy.may_try(table, PROTESTANT, NORTH_SEA) and piracy.harbours(table, SPAIN, NORTH_SEA)
    if not able or not at_war(state, PROTESTANT, SPAIN):
        return
    if (yield from common.ask_consent(table, PROTESTANT, "sea-beggars", "piracy", other=SPAIN)):
        yield from raid(table, PROTESTANT, SPAIN, NORTH_SEA)


def _land(table: Table, space: str) -> Play:
    """#66 Give the Protestants the port, with a Dutch regular and a Dutch galleon if there are counters."""
    yield from common.seize(table, PROTESTANT, space)
    levy(table, space, "dutch", "regulars", 1, PROTESTANT)
    if table.c.spaces[space].port and fleets.pool_left(table, "dutch"):
        fleets.put(table, space, "dutch", PROTESTANT, {"galleon": 1})
        table.log("build.ship", rule="6.1", power=PROTESTANT, space=space, owner="dutch", kind="galleon")


def beards(table: Table, power: str) -> list[str]:
    """#107 Return ports with ships of Spain, at war with the power, next to a zone with ships of the power."""
    state = table.state
    if not at_war(state, power, SPAIN):
        return []
    zones = [zone for zone in table.c.zones if ships_of(state, power, zone)]
    ports = dict.fromkeys(port for zone in zones for port in table.c.ports[zone])
    return [port for port in ports if state.control[port] == SPAIN and fleets.keyed(state, SPAIN, at=port)]


@common.targeted("singeing-the-kings-beard", "space", beards)
def singeing(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #107: each hit of four dice sinks a Spanish ship in port or lowers the Armada; one may be 1 VP."""
    card, space = "singeing-the-kings-beard", aim["space"]
    roll = table.roll(4, "event.rolls", rule="6.1", power=power, card=card, space=space)
    scored = False
    for _ in range(roll.at_least(HIT)):
        ships = fleets.keyed(table.state, SPAIN, at=space)
        found = [*ships, *([] if scored else ["vp"])]
        if not found:
            return
        said = yield from choose(table, power, card, "prize", found)
        if said == "vp":
            scored = True
            award(table, power, "beard", 1)
        else:
            battle.sink(table, *ships[said])
