"""Naval combat (16.2): dice, hits, losses, and the retreat of one side."""

from __future__ import annotations

from typing import Any

from games.virgin_queen import fleets
from games.virgin_queen.gate import all_may
from games.virgin_queen.query import LOST, WON, admirals, at_war, outcome, seat_of, ships_of, surprise
from games.virgin_queen.responses import CombatView, combat, offer
from games.virgin_queen.special import armada
from games.virgin_queen.state import ENGLAND, Fleet
from games.virgin_queen.table import HIT, KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play, Rule

KIT.chapter("16.2", "battles at sea", "naval/battle.py")
KIT.question("sea_retreat", "16.2")
_ask_sink = KIT.question("sink", "16.2", "reaction")

SIDES = ("attacker", "defender")
FIVE = 5


def mediterranean(table: Table, place: str) -> bool:
    """Return whether a sea zone, or any zone of a port, is in the Mediterranean."""
    zones = (place,) if place in table.c.zones else table.c.spaces[place].port
    return any(table.c.zones[zone].group == "mediterranean" for zone in zones)


def dice(table: Table, power: str, place: str, *, defender: bool) -> int:
    """16.2 steps 1 and 2: Return the dice: ships, best naval leader, one for the defender of a port."""
    state = table.state
    calm = mediterranean(table, place)
    total = 0
    for kind, number in fleets.counts(state, power, place).items():
        if kind == "armada":
            total += state.armada
        elif kind == "corsair" or (kind == "galley" and not calm):
            total += number
        else:
            total += 2 * number
    total += fleets.rating(table, admirals(state, power, place))
    return total + (defender and place in table.c.spaces)


def sea_battle(table: Table, attacker: str, defender: str, place: str) -> Rule[str]:
    """16.2 Fight a battle at sea or in a port; return the winner."""
    powers = {"attacker": [attacker], "defender": [defender]}
    rolled = {
        "attacker": dice(table, attacker, place, defender=False),
        "defender": dice(table, defender, place, defender=True),
    }
    battle = CombatView("sea", place, powers, rolled)
    table.log("sea.battle", rule="16.2", attacker=attacker, defender=defender, place=place, dice=dict(rolled))
    dragut = table.state.leaders["dragut"].at == place
    with table.within("sea_battle", attacker=attacker, defender=defender, place=place):
        yield from combat(table, battle)
        hits, fives = _roll(table, battle)
        if mediterranean(table, place):
            about: dict[str, Any] = {"place": place, "attacker": attacker, "defender": defender, "hits": hits}
            yield from offer(table, "sea_hits", about)
        won = "attacker" if hits["attacker"] > hits["defender"] else "defender"
        lost = SIDES[1 - SIDES.index(won)]
        table.log("sea.won", rule="16.2", power=powers[won][0], loser=powers[lost][0], place=place, hits=dict(hits))
        outcome(table, WON, powers[won][0])
        outcome(table, LOST, powers[lost][0])
        yield from _apply(table, battle, hits, fives, won)
        yield from _withdraw(table, attacker, defender, place, powers[lost][0])
    surprise(table, attacker, defender)
    if dragut:
        yield from offer(table, "dragut", {"place": place, "attacker": attacker, "defender": defender})
    return powers[won][0]


def _roll(table: Table, battle: CombatView) -> tuple[dict[str, int], dict[str, int]]:
    """16.2 step 5: Return the hits, each 5 or 6, and the fives among them for race-built galleons (step 8)."""
    hits, fives = {}, {}
    for side in SIDES:
        about: dict[str, Any] = {"power": battle.powers[side][0], "side": side}
        faces = table.roll(max(0, battle.dice[side]), "sea.rolls", rule="16.2", **about).dice
        missed = sum(face < HIT for face in faces)
        if battle.marks.get(f"reroll_{side}") and missed:
            faces += table.roll(missed, "sea.rolls", rule="6.1", **about).dice
        hits[side] = sum(face >= HIT for face in faces) + battle.marks.get(f"hits_{side}", 0)
        fives[side] = faces.count(FIVE)
    return hits, fives


def _apply(table: Table, battle: CombatView, hits: dict[str, int], fives: dict[str, int], won: str) -> Play:
    """16.2 step 8: Apply losses; if nobody were left, one ship stays, of more dice or else the defender's."""
    state, place = table.state, battle.space
    suffered = {}
    for side, other in (SIDES, SIDES[::-1]):
        power = battle.powers[side][0]
        number = hits[other]
        # 5.4, 16.2: in sea zones of the Atlantic.
        if power == ENGLAND and place in table.c.zones and not mediterranean(table, place):
            number -= min(fives[other], fleets.counts(state, power, place).get("race_built", 0))
        suffered[side] = max(0, number)
    survivor = ""
    if all(_destroyed(table, battle.powers[side][0], place, suffered[side], loser=side != won) for side in SIDES):
        survivor = "attacker" if battle.dice["attacker"] > battle.dice["defender"] else "defender"
    for side in SIDES:
        first = ("", "galley", "corsair")[battle.marks.get(f"slaves_{side}", 0)]
        yield from losses(
            table, battle.powers[side][0], place, suffered[side], loser=side != won, spare=side == survivor,
            first=first,
        )  # fmt: skip


def _destroyed(table: Table, power: str, place: str, hits: int, *, loser: bool) -> bool:
    state = table.state
    counts = fleets.counts(state, power, place)
    weight = sum(
        (1 if kind == "corsair" else state.armada if kind == "armada" else 2) * n for kind, n in counts.items()
    )
    return hits + (loser and hits % 2 == 1) >= weight


def losses(
    table: Table, power: str, place: str, hits: int, *, loser: bool, spare: bool = False, first: str = ""
) -> Play:
    """16.2 step 8: Remove ships of the owner's choice: two hits each, then one each for corsairs.

    An odd hit costs the loser one more ship. The Armada is lowered by a level for two hits (23.2). `spare`
    leaves one ship; one of the kind `first` goes first.
    """
    state = table.state
    left = hits
    while left > 0:
        big = _big(table, power, place)
        total = ships_of(state, power, place)
        reducible = state.armada > armada.LEVEL and any(kind == "armada" for _, _, kind in big.values())
        if not total or (spare and total == 1 and not reducible):
            return
        if left == 1 and big and not loser:
            small = fleets.counts(state, power, place).get("corsair", 0)
            if not small:
                return
            big = {}
        rowers = {key: found for key, found in big.items() if found[2] == first}
        if first == "corsair" and fleets.counts(state, power, place).get("corsair"):
            big = {}
        first = ""
        if big:
            key = yield from _which(table, power, place, rowers or big)
            sink(table, *big[key])
            left -= 2
        else:
            own = [fleet for fleet in state.fleets[place] if fleet.ships.get("corsair") and fleet.power == power]
            assert own, f"no corsair of {power} at {place}"
            fleets.lose(table, place, own[0].owner, own[0].power, "corsair")
            left -= 1


def _big(table: Table, power: str, place: str) -> dict[str, tuple[str, Fleet, str]]:
    return {key: found for key, found in fleets.keyed(table.state, power, at=place).items() if found[2] != "corsair"}


def _which(table: Table, power: str, place: str, big: dict[str, tuple[str, Fleet, str]]) -> Rule[str]:
    keys, seat = list(big), seat_of(table.state, power)
    if not seat:
        return keys[0]
    asked = _ask_sink(seat, Choice(keys, "ship"), keys[0], power=power, place=place)
    return table.only(asked, keys[0]) if len(keys) == 1 else (yield from asked)


def sink(table: Table, place: str, fleet: Fleet, kind: str) -> None:
    """Eliminate one ship; the Armada loses a level (23.2)."""
    state = table.state
    if kind == "armada" and state.armada > armada.LEVEL:
        armada.lower(table)
    else:
        fleets.lose(table, place, fleet.owner, fleet.power, kind)


def _withdraw(table: Table, attacker: str, defender: str, place: str, loser: str) -> Play:
    """16.2 steps 9 and 10: Withdraw the attacker from a port, or at sea the loser."""
    state = table.state
    for power in (attacker, defender):
        if not ships_of(state, power, place):
            fleets.lose_all(table, power, place)
    leaving = attacker if place in table.c.spaces else loser
    if not ships_of(state, leaving, place):
        return
    to = yield from retreat(table, leaving, place)
    if leaving == loser and to and state.impulse is not None:
        state.impulse.fought.append(f"{loser}:{to}")


def ways_out(table: Table, power: str, place: str) -> list[str]:
    """16.1 step 5, 16.2 step 9 Return own ports and zones next to a zone, or zones next to a port, without enemies."""
    state, c = table.state, table.c
    if place in c.spaces:
        return [zone for zone in c.spaces[place].port if not fleets.enemies(table, power, zone)]
    going = fleets.crews(state, power, place)
    own = [port for port in c.ports[place] if state.control[port] == power and all_may(table, going, port)]
    ports = [port for port in own if not fleets.enemies(table, power, port)]
    return ports + [zone for zone in c.zones[place].adjacent if not fleets.enemies(table, power, zone)]


def retreat(table: Table, power: str, place: str) -> Rule[str]:
    """16.2 step 9: Retreat to a place of the owner's choice, else eliminate. Return the place."""
    to = yield from fleets.choose(table, power, "sea_retreat", ways_out(table, power, place), "16.2", place=place)
    if to:
        fleets.move_all(table, power, place, to)
        table.log("sea.retreats", rule="16.2", power=power, place=place, to=to)
    else:
        table.log("sea.trapped", rule="16.2", power=power, place=place)
        fleets.lose_all(table, power, place)
    return to


def start_war_at_sea(table: Table, a: str, b: str) -> Play:
    """9.4 Fight where ships of two powers new at war share a sea zone. The earlier in impulse order attacks."""
    state = table.state
    for zone in table.c.zones:
        if at_war(state, a, b) and ships_of(state, a, zone) and ships_of(state, b, zone):
            yield from sea_battle(table, a, b, zone)
