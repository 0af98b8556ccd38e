"""Events of the oceans and of treasures: 19, 22, 61, 62, 65, 67, 106 (6.1, 16.5; texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import building, cards, impulse
from games.virgin_queen.events.common import ask, choose, event, option, targeted
from games.virgin_queen.naval import voyages
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import SPAIN
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.victory import award
from pbem.kernel.domains import Choice, Domain, Form, Optional
from pbem.kernel.game import Play, Rule

KIT.question("event_expedition", "6.1")

MANILA = "manila"
AT_SEA = ("naval_move", "piracy_europe", "piracy_world")
SURVIVES, FINDS = 3, 7


@event("conquest-of-the-philippines", lambda t, p: MANILA in t.state.lost_settlements)
def philippines(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #19: Manila is Spanish: a fifth treasure box from now on (6.3), with one treasure at once."""
    state = table.state
    state.lost_settlements.remove(MANILA)
    table.log("event.settlement", rule="6.3", power=SPAIN, settlement=MANILA)
    if state.treasure_pool:
        state.spain_row.append(state.treasure_pool.pop())
        seat = seat_of(state, SPAIN)
        table.log("event.row", rule="6.3", power=SPAIN, private={seat: {"treasures": list(state.spain_row)}})


def may_launch(table: Table, power: str) -> bool:
    """#22 Return whether an expedition can be launched; activated powers launch none (27.1)."""
    able = power in table.c.actions["launch_expedition"].powers and table.state.powers[power].active
    return able and bool(building.captains(table, power) and voyages.entries(table, power))


def expedition(table: Table, power: str) -> Form:
    """#22 Return a captain, where they begin, and perhaps a colony (the Ottomans need the canal, FAQ 30)."""

    def colony(values: Any) -> Domain | None:
        found = building.colony_cost(table, power, values.captain) >= 0
        return Optional(Choice(("yes",))) if found else None

    captain, zone = Choice(building.captains(table, power), "captain"), Choice(voyages.entries(table, power), "zone")
    return Form(captain=captain, zone=zone, colony=colony)


GENOESE_CP = 3
"""#22 The CP for naval moves and piracy."""


@event("genoese-merchants", lambda t, p: may_launch(t, p) or bool(t.state.treasure_pool))
def genoese_merchants(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #22: an expedition at no cost and 3 CP for naval moves and piracy, or a treasure."""
    card = "genoese-merchants"
    uses = [
        word for word, may in (("expedition", may_launch(table, power)), ("treasure", table.state.treasure_pool)) if may
    ]
    if (yield from option(table, power, card, uses)) == "treasure":
        cards.draw_treasure(table, power, "6.1")
        return
    default = {"captain": building.captains(table, power)[0], "zone": voyages.entries(table, power)[0]}
    said = yield from ask(table, power, card, "expedition", expedition(table, power), default)
    building.launch(table, power, said["captain"], said["zone"], colony="colony" in said)
    yield from impulse.spend(table, power, GENOESE_CP, "event", AT_SEA)


def unwalled(table: Table) -> list[str]:
    """#61 Return Spanish settlements without a fortress."""
    return [key for key in building.settlements(table) if key not in table.state.fortresses]


def intruders(table: Table) -> list[str]:
    """#61 Return foreign colonies in the North Atlantic and the Antilles."""
    near = {"north_atlantic", "antilles"}
    return [key for key in table.state.colonies if near & set(table.c.settlements[key].zones)]


@event("menendez-de-aviles", lambda t, p: bool(unwalled(t) or intruders(t)))
def menendez(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #61: a fortress, perhaps from outside the stock, a patrol, then perhaps an attack on a colony."""
    card = "menendez-de-aviles"
    if place := (yield from choose(table, SPAIN, card, "settlement", unwalled(table))):
        building.build_fortress(table, SPAIN, place)
    if zone := (yield from choose(table, SPAIN, card, "zone", building.patrol_zones(table))):
        building.build_patrol(table, SPAIN, zone)
    if found := intruders(table):
        target = yield from choose(table, SPAIN, card, "settlement", ["none", *found])
        if target != "none":
            roll = table.roll(1, "event.rolls", rule="6.1", power=SPAIN, card=card, space=target)
            if roll.total >= 4:
                abandon(table, target)


def abandon(table: Table, settlement: str) -> None:
    """8.4 Remove a colony; captains there put to sea."""
    state = table.state
    power = state.colonies.pop(settlement)
    for captain in state.captains.values():
        if captain.at == settlement:
            captain.at = table.c.settlements[settlement].zones[0]
    table.log("event.colony_lost", rule="8.4", power=power, settlement=settlement)


@targeted("lost-colony", "settlement", lambda table, power: list(table.state.colonies))
def lost_colony(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #106: one die: on 4 or more the colony is gone, otherwise its power draws a treasure."""
    place = aim["settlement"]
    roll = table.roll(1, "event.rolls", rule="6.1", power=power, card="lost-colony", space=place)
    if roll.total >= 4:
        abandon(table, place)
    else:
        cards.draw_treasure(table, table.state.colonies[place], "6.1")


def northern(table: Table, power: str) -> list[str]:
    """#62 Return captains in the North Atlantic."""
    return [key for key, entry in table.state.captains.items() if entry.at == "north_atlantic"]


@targeted("northwest-passage", "captain", northern)
def northwest_passage(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[str | None]:
    """Resolve #62: roll a die and navigation, 2 more for Frobisher: lost, home next turn, or 1 VP."""
    yield from ()
    captain = aim["captain"]
    plus = table.c.captains[captain].navigation + (2 if captain == "frobisher" else 0)
    roll = table.roll(1, "event.rolls_plus", rule="6.1", power=power, card="northwest-passage", plus=plus)
    total = roll.total + plus
    if total < SURVIVES:
        table.log("voyage.result", rule="6.1", captain=captain, result="eliminated")
        voyages.remove(table, captain)
        return None
    if total >= FINDS:
        award(table, table.state.captains[captain].power, "northwest_passage", 1)
    voyages.come_home(table, captain, "6.1")
    return cards.REMOVED if total >= FINDS else None


def far_out(table: Table, power: str) -> list[str]:
    """#65 Return captains on the World map outside the entry zones of their powers."""
    sailing = {key: entry for key, entry in table.state.captains.items() if entry.at in table.c.oceans}
    return [key for key, entry in sailing.items() if entry.at not in voyages.entries(table, entry.power)]


@targeted("scurvy", "captain", far_out)
def scurvy(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #65: the captain rolls on the voyage table, one less."""
    yield from voyages.roll(table, aim["captain"], "6.1", -1)


def slavers(table: Table, power: str) -> list[str]:
    """#67 Return captains of the power off Guinea or in the Antilles with room for booty, while there is any."""
    if not table.state.treasure_pool:
        return []
    own = {key: entry for key, entry in table.state.captains.items() if entry.power == power}
    there = [key for key, entry in own.items() if entry.at in ("guinea_coast", "antilles")]
    return [key for key in there if len(own[key].loot) < voyages.CARRY[own[key].damaged]]


@targeted("slave-traders", "captain", slavers)
def slave_traders(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #67: up to two treasures of the pool for a captain with room for them; 1 VP less (25.2)."""
    state = table.state
    entry = state.captains[aim["captain"]]
    while len(entry.loot) < voyages.CARRY[entry.damaged] and state.treasure_pool:
        treasure = state.treasure_pool.pop()
        entry.loot.append(treasure)
        private = {seat_of(state, power): {"treasure": treasure}}
        table.log("event.booty", rule="6.1", captain=aim["captain"], private=private)
    award(table, power, "slave_trader", table.c.special["bonus_vp"]["slave_trader"])
