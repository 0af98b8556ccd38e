"""Piracy on the World map (16.5): captains against Spain and Portugal."""

from __future__ import annotations

from typing import Any, TypedDict

from games.virgin_queen import impulse
from games.virgin_queen.naval import piracy, voyages
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import LOST, WON, outcome, seat_of, surprise
from games.virgin_queen.state import PORTUGAL, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Form
from pbem.kernel.game import Play, Rule

KIT.chapter("16.5", "piracy on the World map", "naval/plunder.py")
_ask_keep_treasure = KIT.question("keep_treasure", "16.5", "reaction")
_ask_sail_home = KIT.question("sail_home", "16.5")


class PlunderTarget(TypedDict):
    """The captain and the victim."""

    captain: str
    victim: str


PATROL, TREASURE, VP = "patrol", "treasure", "vp"
BONUS = {
    "strozzi": ("", PORTUGAL),
    "de_sores": ("antilles", ""),
    "le_clerc": ("spanish_main", ""),
    "mir_ali_beg": ("indian_ocean", ""),
}
"""Captains with one more die: in a zone, or against a victim."""


def settlements(table: Table, victim: str, zone: str) -> list[str]:
    """16.5 Return the settlements of Spain or Portugal on a zone."""
    kind = "spanish" if victim == SPAIN else "portuguese"
    lost = table.state.lost_settlements
    there = [key for key, place in table.c.settlements.items() if place.kind == kind and zone in place.zones]
    return [key for key in there if key not in lost]


def victims(table: Table, captain: str) -> list[str]:
    """16.5 step 1 Return Spain (27: of another player) and Portugal (not one's ally), with a settlement on the zone."""
    state = table.state
    entry = state.captains[captain]
    if entry.at not in table.c.oceans or not piracy.may_try(table, entry.power, entry.at):
        return []
    found = []
    if settlements(table, SPAIN, entry.at) and seat_of(state, SPAIN) != seat_of(state, entry.power):
        found.append(SPAIN)
    if settlements(table, PORTUGAL, entry.at) and state.minors[PORTUGAL].ally != entry.power:
        found.append(PORTUGAL)
    return found


def _find(table: Table, ground: PowerMap) -> dict[str, list[str]] | None:
    able = table.state.captains if ground.cp >= piracy.COST else {}
    own = [key for key, entry in able.items() if entry.power == ground.power]
    return {key: these for key in own if (these := victims(table, key))} or None


def _form(table: Table, ground: PowerMap, found: dict[str, list[str]]) -> Form[PlunderTarget]:
    return Form(captain=Choice(list(found), "captain"), victim=lambda v: Choice(found[v.captain], "power"))


@KIT.action("piracy_world", "16.5", _find, _form)
def _run(table: Table, power: str, order: PlunderTarget) -> Play:
    impulse.pay(table, piracy.COST, "piracy_world")
    yield from attempt(table, order["captain"], order["victim"])


def walls(table: Table, zone: str) -> int:
    """16.5 Return Spanish fortresses at settlements of a zone."""
    return sum(key in table.state.fortresses for key in settlements(table, SPAIN, zone))


def resistance(table: Table, victim: str, zone: str) -> int:
    """16.5 step 2 Return the dice: Portugal one a settlement; Spain one a patrol and fortress."""
    if victim == PORTUGAL:
        return len(settlements(table, PORTUGAL, zone))
    return table.state.patrols.get(zone, 0) + walls(table, zone)


def attempt(table: Table, captain: str, victim: str) -> Play:
    """16.5 Execute steps 1 to 7."""
    state = table.state
    entry = state.captains[captain]
    power, zone = entry.power, entry.at
    piracy.mark(table, power, zone)
    number = resistance(table, victim, zone)
    table.log("piracy.world", rule="16.5", power=power, captain=captain, victim=victim, zone=zone, dice=number)
    with table.within("piracy", power=power, victim=victim, zone=zone):
        struck = piracy.hits(table, number, "piracy.resist_rolls", victim, "16.5")
        if struck >= (1 if entry.damaged else 2):
            table.log("piracy.captain_lost", rule="16.5", captain=captain, power=power)
            voyages.remove(table, captain)
            return
        entry.damaged = entry.damaged or struck == 1
        scored = piracy.hits(table, dice(table, captain, victim), "piracy.rolls", power, "16.5")
        table.log("piracy.hits", rule="16.5", power=power, victim=victim, zone=zone, count=scored)
        kept = ""
        if scored:
            kept = yield from _keep(table, victim, zone)
        # 16.5 step 5: Spain chooses, even for Portugal.
        yield from piracy.rewards(
            table, piracy.chooser(table, SPAIN, zone), scored,
            lambda: world_rewards(table, victim, zone),
            lambda kind: _reward(table, captain, victim, zone, kind, kept),
            pirate=power, captain=captain, zone=zone,
        )  # fmt: skip
        yield from voyages.lighten(table, captain, "16.5")
    outcome(table, WON if scored else LOST, power)
    surprise(table, power, victim, SPAIN)
    yield from offer_home(table, captain, "16.5")


def dice(table: Table, captain: str, victim: str) -> int:
    """16.5 Return a captain's dice: two, one if damaged or against a single settlement; rating and extra die."""
    entry = table.state.captains[captain]
    few = entry.damaged or len(settlements(table, victim, entry.at)) == 1
    return (1 if few else 2) + table.c.captains[captain].piracy + bonus(captain, entry.at, victim)


def bonus(captain: str, zone: str, victim: str) -> int:
    """16.5 Return a captain's extra die, in a zone or against a victim."""
    where, whom = BONUS.get(captain, ("-", "-"))
    return int(where == zone or whom == victim)


def _keep(table: Table, victim: str, zone: str) -> Rule[str]:
    """16.5 step 5 b: Return the treasure of its row that Spain keeps out of the draw after a fortress rolled."""
    state = table.state
    if victim != SPAIN or not walls(table, zone) or len(state.spain_row) < 2:
        return ""
    seat = seat_of(state, SPAIN)
    row = list(state.spain_row)
    return (yield from _ask_keep_treasure(seat, Choice(row, "treasure"), row[0], power=SPAIN, zone=zone))


def world_rewards(table: Table, victim: str, zone: str) -> list[str]:
    """16.5 step 5 Return the rewards that are possible now."""
    state = table.state
    found = [PATROL] if state.patrols.get(zone, 0) else []
    row = len(state.portugal_row) if victim == PORTUGAL else len(state.spain_row) - (walls(table, zone) > 0)
    if row > 0:
        found.append(TREASURE)
    return [*found, VP]


def _reward(table: Table, captain: str, victim: str, zone: str, kind: str, kept: str) -> Play:
    yield from ()
    state = table.state
    entry = state.captains[captain]
    table.log("piracy.reward", rule="16.5", power=entry.power, victim=victim, reward=kind)
    if kind == PATROL:
        state.patrols[zone] -= 1
        if not state.patrols[zone]:
            del state.patrols[zone]
    elif kind == VP:
        piracy.award(table, entry.power)
    else:
        row = state.portugal_row if victim == PORTUGAL else state.spain_row
        free = [treasure for treasure in row if treasure != kept]
        treasure = free[table.dice.below(len(free))]
        row.remove(treasure)
        entry.loot.append(treasure)
        powers = (entry.power, SPAIN) if victim == SPAIN else (entry.power,)
        private = {seat: {"treasure": treasure} for power in powers if (seat := seat_of(state, power))}
        table.log("piracy.treasure", rule="16.5", captain=captain, victim=victim, private=private)


def offer_home(table: Table, captain: str, rule: str) -> Play:
    """16.5 step 7 Let the captain come home if no hazardous passage is between them and an entry zone."""
    state = table.state
    entry = state.captains[captain]
    if entry.at not in table.c.oceans:
        return
    calm = voyages.calm_region(table, entry.at)
    if not any(zone in calm for zone in voyages.entries(table, entry.power)):
        return
    seat, domain = seat_of(state, entry.power), Choice(("stay", "home"))
    about: dict[str, Any] = {"power": entry.power, "captain": captain, "loot": len(entry.loot)}
    if (yield from _ask_sail_home(seat, domain, "stay", rule=rule, **about)) == "home":
        voyages.come_home(table, captain, rule)
