"""Captains on the oceans (16.1, 16.6, 17.4): steps, voyage rolls, colonies, coming home, circumnavigation."""

from __future__ import annotations

from typing import Any

from games.virgin_queen import cards
from games.virgin_queen.learning.patronage import lost_at_sea
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import OTTOMAN, TRACK, Captain
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play

KIT.chapter("16.6", "circumnavigation", "naval/voyages.py")
_ask_colony = KIT.question("colony", "16.1")
_ask_reroll = KIT.question("reroll", "16.1")
_ask_jettison = KIT.question("jettison", "16.1")

ROUND = {
    True: (("indian_ocean", "south_pacific"), ("guinea_coast", "indian_ocean")),
    False: (("guinea_coast", "indian_ocean"), ("chilean_coast", "south_atlantic")),
}
"""16.6: for the Ottomans or not, the leg to have sailed and the leg that completes it; also mirrored."""
CARRY = {True: 1, False: 2}
"""16.5 step 6: treasures a captain may carry, damaged or not."""


def hazards(table: Table) -> dict[str, list[str]]:
    """Return ocean zone → zones beyond a hazardous passage (16.1)."""
    found: dict[str, list[str]] = {}
    for entry in table.c.map["hazards"]:
        found.setdefault(entry["a"], []).append(entry["b"])
        found.setdefault(entry["b"], []).append(entry["a"])
    return found


def near(table: Table, zone: str) -> list[str]:
    """16.1 Return ocean zones next to a zone, over a border or a hazardous passage."""
    return [*table.c.oceans[zone].adjacent, *hazards(table).get(zone, ())]


def risky(table: Table, origin: str, to: str) -> bool:
    """16.1 Return whether a step needs a voyage roll: a hazardous passage, or against a trade wind."""
    if to in hazards(table).get(origin, ()):
        return True
    return any(wind["from"] == to and wind["to"] == origin for wind in table.c.map["winds"])


def calm_region(table: Table, zone: str) -> set[str]:
    """16.5, 20.4 Return zones that can be reached without a hazardous passage; winds do not matter."""
    found = {zone}
    queue = [zone]
    for at in queue:
        for other in table.c.oceans[at].adjacent:
            if other not in found:
                found.add(other)
                queue.append(other)
    return found


def entries(table: Table, power: str) -> list[str]:
    """17.4 Return the zones in which a power's expeditions begin."""
    return [zone for entry in table.c.map["entries"] if entry["power"] == power for zone in entry["zones"]]


def step(table: Table, captain: str, to: str) -> Play:
    """16.1 step 2 Sail a captain to the next zone: voyage roll, then colony or circumnavigation."""
    state = table.state
    entry = state.captains[captain]
    origin, entry.at = entry.at, to
    table.log("voyage.step", rule="16.1", captain=captain, power=entry.power, origin=origin, zone=to)
    if risky(table, origin, to):
        yield from roll(table, captain, "16.1")
        if state.captains[captain].at != to:
            return
    if circumnavigates(table, captain, origin, to):
        _round_the_world(table, captain)
        return
    entry.route.append(f"{origin}>{to}")
    if entry.colony:
        yield from _settle(table, captain)


def roll(table: Table, captain: str, rule: str, more: int = 0) -> Play:
    """16.1 Roll on the voyage table: 2d6, navigation, Map Projection, `more` by a card; Cavendish may reroll once."""
    state = table.state
    entry = state.captains[captain]
    power = entry.power
    plus = table.c.captains[captain].navigation + ("map_projection" in state.powers[power].science) + more
    result = _voyage(table, captain, plus, rule)
    again = state.powers[power].used
    if captain == "cavendish" and result != "safe" and not again.get("cavendish"):
        seat, domain = seat_of(state, power), Choice(("keep", "reroll"))
        about: dict[str, Any] = {"power": power, "captain": captain, "result": result}
        if (yield from _ask_reroll(seat, domain, "keep", rule=rule, **about)) == "reroll":
            again["cavendish"] = 1
            result = _voyage(table, captain, plus, rule)
    if result == "eliminated":
        remove(table, captain)
    elif result == "damaged":
        yield from damage(table, captain, rule)


def _voyage(table: Table, captain: str, plus: int, rule: str) -> str:
    thrown = table.roll(2, "voyage.rolls", rule=rule, captain=captain, plus=plus)
    rows = table.c.tables["voyage"]["rows"]
    result = next(row["result"] for row in rows if row["lo"] <= thrown.total + plus <= row["hi"])
    table.log("voyage.result", rule=rule, captain=captain, result=result)
    return str(result)


def remove(table: Table, captain: str) -> None:
    """16.1 Eliminate a captain at sea; le Testu is lost as a scientist too (22.2)."""
    leave(table, captain)
    lost_at_sea(table, captain)


def leave(table: Table, captain: str) -> None:
    """16.1 Remove a captain from the game; the colony and the booty are lost."""
    state = table.state
    _drop(table, captain, list(state.captains[captain].loot))
    state.captains[captain] = Captain(at="gone")


def damage(table: Table, captain: str, rule: str) -> Play:
    """16.1 Damage a captain: at most one treasure; the second time onto the turn track."""
    state = table.state
    entry = state.captains[captain]
    if entry.damaged:
        _drop(table, captain, list(entry.loot))
        state.captains[captain] = Captain(at=TRACK, returns=state.turn + 1)
        return
    entry.damaged = True
    yield from lighten(table, captain, rule)


def lighten(table: Table, captain: str, rule: str) -> Play:
    """16.5 step 6 Discard booty beyond what the captain carries, of the owner's choice."""
    entry = table.state.captains[captain]
    while len(entry.loot) > CARRY[entry.damaged]:
        seat = seat_of(table.state, entry.power)
        about: dict[str, Any] = {"power": entry.power, "captain": captain}
        said = yield from _ask_jettison(seat, lambda: Choice(list(entry.loot), "treasure"), rule=rule, **about)
        _drop(table, captain, [said])


def _drop(table: Table, captain: str, loot: list[str]) -> None:
    entry = table.state.captains[captain]
    for treasure in loot:
        entry.loot.remove(treasure)
        table.state.treasure_used.append(treasure)
        table.log("voyage.loot_lost", rule="16.1", reveals=True, captain=captain, treasure=treasure)


def sites(table: Table, zone: str) -> list[str]:
    """16.1 Return the free colony sites on a zone."""
    there = [key for key, place in table.c.settlements.items() if place.kind == "colony_site" and zone in place.zones]
    return [key for key in there if key not in table.state.colonies]


def _settle(table: Table, captain: str) -> Play:
    """16.1 Let a captain who carries a colony found it on a free site of the zone."""
    state = table.state
    entry = state.captains[captain]
    found = sites(table, entry.at)
    if not found:
        return
    said = yield from _ask_colony(
        seat_of(state, entry.power), Choice([*found, "keep"], "place"), "keep", power=entry.power, captain=captain
    )
    if said != "keep":
        entry.colony = False
        state.colonies[said] = entry.power
        table.log("voyage.colony", rule="16.1", captain=captain, power=entry.power, settlement=said)


def come_home(table: Table, captain: str, rule: str) -> None:
    """16.5 step 7, 20.4 Move the booty to the power's hand, the captain to the turn track."""
    state = table.state
    entry = state.captains[captain]
    power, loot = entry.power, list(entry.loot)
    state.captains[captain] = Captain(at=TRACK, returns=state.turn + 1)
    table.log("voyage.home", rule=rule, captain=captain, power=power, count=len(loot))
    for treasure in loot:
        cards.give_treasure(table, power, treasure, rule)


def circumnavigates(table: Table, captain: str, origin: str, to: str) -> bool:
    """16.6 Return whether this step, after the one before in the same direction, circumnavigates the world."""
    state = table.state
    entry = state.captains[captain]
    (a, b), (c, d) = ROUND[entry.power == OTTOMAN]
    done = set(entry.route)
    eastward = f"{a}>{b}" in done and (origin, to) == (c, d)
    return eastward or (f"{d}>{c}" in done and (origin, to) == (b, a))


def _round_the_world(table: Table, captain: str) -> None:
    """16.6 Give 2 VP for the first circumnavigation, 1 for the second; the captain comes home next turn (FAQ 30)."""
    state = table.state
    power = state.captains[captain].power
    bonus = table.c.special["bonus_vp"]["circumnavigation"]
    points = bonus[state.circumnavigations] if state.circumnavigations < len(bonus) else 0
    state.circumnavigations += 1
    own = state.powers[power].vp
    own["circumnavigation"] = own.get("circumnavigation", 0) + points
    table.log("voyage.round", rule="16.6", captain=captain, power=power, vp=points)
    come_home(table, captain, "16.6")
