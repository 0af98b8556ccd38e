"""Combat cards: 9, 39, 40, 44, 88, 101 (6.1; texts in `data/cards.toml`); others are in `land.battlecards`.

What a card does after the dice is in `CombatView.marks`: `reroll_<side>`, `applied_<side>` (hits already
applied), `slaves_<side>` (1: a galley, 2: a corsair goes first).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import fleets
from games.virgin_queen.formations import change, combined, count, foot, key_of, muster, pool_left, put
from games.virgin_queen.gate import may_stand
from games.virgin_queen.land.losses import choose_losses, share
from games.virgin_queen.naval.battle import mediterranean
from games.virgin_queen.query import pool_of
from games.virgin_queen.responses import CombatView, combat_card, response, side_in
from games.virgin_queen.state import ENGLAND, OTTOMAN
from games.virgin_queen.table import HIT, Table
from pbem.kernel.game import Play

OTHER = {"attacker": "defender", "defender": "attacker"}
CARACOLE, FIRESHIPS = 3, 3


def men(table: Table, battle: CombatView, side: str) -> dict[str, dict[str, int]]:
    """Return power → its units on a side of a battle on land, by unit key."""
    if side == "attacker":
        force = battle.formation
        return {force.power: combined([force.units, battle.inside])}
    return {power: count(table.state, power, battle.space) for power in battle.powers["defender"]}


def mercenaries(table: Table, battle: CombatView, side: str) -> int:
    """Return how many mercenaries a side has in a battle."""
    units = [item for some in men(table, battle, side).values() for item in some.items()]
    return sum(number for key, number in units if key.endswith("mercenaries"))


@combat_card("mercenaries-bribed", lambda t, p, b: mercenaries(t, b, OTHER[side_in(b, p)]) >= 3, "field")
def mercenaries_bribed(table: Table, power: str, battle: CombatView) -> None:
    """Resolve #9: a third of the enemy's mercenaries, rounded down, change sides for good. The Ottomans remove them."""
    side, space = side_in(battle, power), battle.space
    foe = OTHER[side]
    left = number = mercenaries(table, battle, foe) // 3
    for victim, units in men(table, battle, foe).items():
        for key in [unit for unit in units if unit.endswith("mercenaries")]:
            some = min(left, units[key])
            if some:
                left -= some
                gone = change(table, victim, space, {key: some})
                put(table, space, victim, gone, -1)
                battle.dice[foe] -= sum(gone.values()) - some
                for unit, lost in gone.items() if foe == "attacker" else ():
                    _shrink(battle, unit, lost)
                table.log("event.bribed", rule="6.1", power=victim, other=power, space=space, count=some)
    battle.dice[foe] -= number
    owner = pool_of(table.c, power, space)
    joins = min(number, pool_left(table, owner)) if may_stand(table, owner, space) and power != OTTOMAN else 0
    if joins := muster(table, space, owner, "mercenaries", joins):
        battle.dice[side] += joins
        if side == "attacker":
            key = key_of(power, owner, "mercenaries")
            battle.formation.units[key] = battle.formation.units.get(key, 0) + joins


def _shrink(battle: CombatView, key: str, number: int) -> None:
    """Take units out of the attacker's formation, then out of the sortie."""
    for units in (battle.formation.units, battle.inside):
        some = min(number, units.get(key, 0))
        if some:
            units[key] -= some
            number -= some
            if not units[key]:
                del units[key]


@combat_card(
    "mercenaries-grow-restless", lambda t, p, b: mercenaries(t, b, OTHER[side_in(b, p)]) > 0, "field", "assault"
)
def mercenaries_restless(table: Table, power: str, battle: CombatView) -> None:
    """Resolve #39: the enemy's mercenaries roll no dice. In an assault two units count for one die (15.1 step 3)."""
    foe = OTHER[side_in(battle, power)]
    number = mercenaries(table, battle, foe)
    if (
        battle.kind == "assault"
        and foe == "attacker"
        and any(sum(u.values()) for u in men(table, battle, "defender").values())
    ):
        units = men(table, battle, foe)[battle.formation.power]
        able = foot(units)
        number = (able + 1) // 2 - (able - number + 1) // 2
    battle.dice[foe] -= number


@combat_card("caracole", lambda t, p, b: True, "field")
def caracole(table: Table, power: str, battle: CombatView) -> Play:
    """Resolve #88: three dice before all others; their hits are applied at once, and lost units roll no dice."""
    side, space = side_in(battle, power), battle.space
    foe = OTHER[side]
    hits = table.roll(CARACOLE, "event.rolls", rule="6.1", power=power, card="caracole", space=space).at_least(HIT)
    battle.marks[f"{side}_hits"] = battle.marks.get(f"{side}_hits", 0) + hits
    battle.marks[f"applied_{foe}"] = battle.marks.get(f"applied_{foe}", 0) + hits
    force = men(table, battle, foe)
    shares = share(table, {victim: sum(units.values()) for victim, units in force.items()}, hits)
    for victim, number in shares.items():
        gone = yield from choose_losses(table, victim, space, force[victim], number, "6.1")
        put(table, space, victim, gone, -1)
        if foe == "attacker":
            for key, some in gone.items():
                _shrink(battle, key, some)
        lost = sum(gone.values())
        if lost:
            table.log("battle.losses", rule="6.1", power=victim, space=space, units=gone)
        battle.dice[foe] -= lost
    if not any(sum(units.values()) for units in men(table, battle, foe).values()):
        battle.dice[foe] = 0


@response("english_battle", "tilbury-speech", lambda t, p, a: True)
def tilbury(table: Table, power: str, about: Mapping[str, Any]) -> None:
    """Resolve #40: England rerolls all its misses, whichever power plays the card."""
    about["marks"][f"reroll_{about['side']}"] = 1
    table.log("event.tilbury", rule="6.1", power=ENGLAND, space=about["space"])


def _oars(table: Table, power: str, battle: CombatView) -> str:
    """#44 Return the kind of enemy ship that revolts: a galley, else a corsair, "" if there is neither."""
    foe = battle.powers[OTHER[side_in(battle, power)]][0]
    kinds = fleets.counts(table.state, foe, battle.space)
    return next((kind for kind in ("galley", "corsair") if kinds.get(kind)), "")


@combat_card("galley-slaves-revolt", lambda t, p, b: mediterranean(t, b.space) and bool(_oars(t, p, b)), "sea")
def galley_slaves(table: Table, power: str, battle: CombatView) -> None:
    """Resolve #44: an enemy galley or corsair rolls no dice and is the first that the enemy loses."""
    foe, kind = OTHER[side_in(battle, power)], _oars(table, power, battle)
    battle.dice[foe] -= 2 if kind == "galley" else 1
    battle.marks[f"slaves_{foe}"] = 1 if kind == "galley" else 2


def _burns(table: Table, power: str, battle: CombatView) -> bool:
    side = side_in(battle, power)
    foe = battle.powers[OTHER[side]][0]
    in_port = side == "attacker" and battle.space in table.c.spaces
    return in_port or bool(fleets.counts(table.state, foe, battle.space).get("armada"))


@combat_card("fireships", _burns, "sea")
def fireships(table: Table, power: str, battle: CombatView) -> None:
    """Resolve #101: three dice more against a fleet in port or the Armada, which gets no die as a port's defender."""
    side = side_in(battle, power)
    battle.dice[side] += FIRESHIPS
    if side == "attacker" and battle.space in table.c.spaces:
        battle.dice["defender"] -= 1
