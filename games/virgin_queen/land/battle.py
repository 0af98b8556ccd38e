"""Field battles (14) and relief forces (15.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.virgin_queen.diplomacy import relations
from games.virgin_queen.formations import Formation, capture, combined, count, deserters, put, rating
from games.virgin_queen.land import losses
from games.virgin_queen.land.entering import garrison, refuges
from games.virgin_queen.learning.science import ANATOMY, has
from games.virgin_queen.query import LOST, WON, allied, fortified, leaders_at, outcome, seat_of, strength, surprise
from games.virgin_queen.responses import CombatView, combat, offer
from games.virgin_queen.table import HIT, KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play, Rule

KIT.chapter("14", "field battles", "land/battle.py", "land/losses.py")
KIT.chapter("15.2", "relief", "land/battle.py")
_ask_sortie = KIT.question("sortie", "15.2")
_ask_slip_inside = KIT.question("slip_inside", "15.2", "reaction")

INSIDE = 4


def field_battle(table: Table, formation: Formation, foes: Sequence[str]) -> Play:
    """14 Fight all hostile units outside; `formation` becomes what is left there, its `space` "" if it has lost."""
    power, space = formation.power, formation.space
    with table.within("battle", power=power, space=space):
        inside = yield from sortie(table, formation)
        deserters(table, formation, foes, inside)
        chiefs = [*formation.leaders, *(_chiefs(table, [power], space) if inside else [])]
        gone: dict[str, int] = {}
        joined: dict[str, int] = {}
        about = {"power": power, "space": space, "foes": list(foes), "lost": gone, "joined": joined}
        yield from offer(table, "field_battle", about)
        formation.units = combined([formation.units, joined])
        _shrink(formation, inside, gone)
        sides = {"attacker": [power], "defender": list(foes)}
        battle = CombatView("field", space, sides, {}, formation=formation, inside=inside)
        battle.dice = _dice(table, battle, chiefs)
        yield from combat(table, battle)
        hits = {side: roll_hits(table, battle, side) for side in ("attacker", "defender")}
        won = hits["attacker"] > hits["defender"]
        table.log(
            "battle.won" if won else "battle.lost", rule="14", power=power, foes=list(foes), space=space,
            hits=hits["attacker"], against=hits["defender"],
        )  # fmt: skip
        outcome(table, WON if won else LOST, power)
        surprise(table, power, *foes)
        yield from _losses(table, battle, hits)
        yield from _aftermath(table, battle, hits)


def _dice(table: Table, battle: CombatView, chiefs: Sequence[str]) -> dict[str, int]:
    """14 Return a die for each unit and for the leaders' rating, and one more for the defender."""
    space, foes = battle.space, battle.powers["defender"]
    attackers = battle.formation.total + sum(battle.inside.values())
    defenders = sum(strength(table.state, foe, space) for foe in foes)
    return {
        "attacker": attackers + rating(table, chiefs),
        "defender": defenders + rating(table, _chiefs(table, foes, space)) + 1,
    }


def roll_hits(table: Table, battle: CombatView, side: str) -> int:
    """Roll a side's dice; 5 and 6 hit. Hits that cards add or remove are in `battle.marks`."""
    number = max(0, battle.dice[side])
    if not number:
        return battle.marks.get(f"{side}_hits", 0)
    about: dict[str, Any] = {"side": side, "power": battle.powers[side], "space": battle.space}
    hits = table.roll(number, "battle.rolls", rule="14", **about).at_least(HIT)
    if battle.marks.get(f"reroll_{side}") and hits < number:
        hits += table.roll(number - hits, "battle.rolls", rule="6.1", **about).at_least(HIT)
    return hits + battle.marks.get(f"{side}_hits", 0)


def _chiefs(table: Table, powers: Sequence[str], space: str) -> list[str]:
    return [key for power in powers for key in leaders_at(table.state, power, space)]


def sortie(table: Table, formation: Formation) -> Rule[dict[str, int]]:
    """15.2 Ask whether besieged units of the same power join the battle of a relief force; return them."""
    state, space, power = table.state, formation.space, formation.power
    siege = state.sieges.get(space)
    if siege is None or power in siege.by:
        return {}
    here = count(state, power, space)
    inside = {key: n - formation.units.get(key, 0) for key, n in here.items() if n > formation.units.get(key, 0)}
    seat = seat_of(state, power)
    if not inside or not seat:
        return {}
    about: dict[str, Any] = {"power": power, "space": space, "units": sum(inside.values())}
    answer = yield from _ask_sortie(seat, Choice(("join", "stay")), "stay", **about)
    return inside if answer == "join" else {}


def _losses(table: Table, battle: CombatView, hits: dict[str, int]) -> Play:
    """14 steps 8 and 9: Remove losses, and decide who survives where both sides would vanish.

    Hits may be `applied` already. Anatomy cancels one hit against its owner (22.2).
    """
    formation: Formation = battle.formation
    inside, foes = battle.inside, battle.powers["defender"]
    state, space, power = table.state, formation.space, formation.power
    attackers = combined([formation.units, inside])
    strengths = {foe: strength(state, foe, space) for foe in foes}
    mine, theirs = sum(attackers.values()), sum(strengths.values())
    applied = battle.marks.get("applied_attacker", 0), battle.marks.get("applied_defender", 0)
    lost = sum(suffered(table, {power: mine}, hits["defender"] - applied[0]).values())
    taken = suffered(table, strengths, hits["attacker"] - applied[1])
    if mine and theirs and lost == mine and sum(taken.values()) == theirs:
        if battle.dice["attacker"] > battle.dice["defender"]:
            lost -= 1
        else:
            taken = losses.share(table, strengths, theirs - 1)
    gone = yield from losses.choose_losses(table, power, space, attackers, lost, "14")
    put(table, space, power, gone, -1)
    _shrink(formation, inside, gone)
    for foe, number in taken.items():
        dead = yield from losses.choose_losses(table, foe, space, count(state, foe, space), number, "14")
        put(table, space, foe, dead, -1)
        table.log("battle.losses", rule="14", power=foe, space=space, units=dead)
    table.log("battle.losses", rule="14", power=power, space=space, units=gone)


def suffered(table: Table, strengths: dict[str, int], hits: int) -> dict[str, int]:
    """9.2 Return how many units each power of a side loses; Anatomy cancels a hit, if none is in excess (22.2)."""
    hits = max(0, hits)
    found = losses.share(table, strengths, hits)
    if hits <= sum(strengths.values()):
        for power in [entry for entry, number in found.items() if number and has(table, entry, ANATOMY)]:
            found[power] -= 1
    return found


def _shrink(formation: Formation, inside: dict[str, int], gone: dict[str, int]) -> None:
    """Take losses from the relief force first, then from the garrison."""
    for key, number in gone.items():
        first = min(number, formation.units.get(key, 0))
        formation.units[key] = formation.units.get(key, 0) - first
        if rest := min(number - first, inside.get(key, 0)):
            inside[key] -= rest
    formation.units = {key: n for key, n in formation.units.items() if n}


def _aftermath(table: Table, battle: CombatView, hits: dict[str, int]) -> Play:
    """14 steps 9 to 11: Capture leaders and retreat the beaten side."""
    formation: Formation = battle.formation
    inside, foes = battle.inside, battle.powers["defender"]
    state, space, power = table.state, formation.space, formation.power
    if not any(strength(state, foe, space) for foe in foes):
        capture(table, _chiefs(table, foes, space), power)
    if not formation.total and not sum(inside.values()):
        capture(table, formation.leaders, foes[0])
        formation.leaders = []
    if hits["attacker"] > hits["defender"]:
        yield from beaten_defenders(table, formation, foes, battle.keep)
        return
    yield from beaten_attackers(table, formation, tie=hits["attacker"] == hits["defender"])
    formation.space, formation.units = "", {}
    yield from losses.check_siege(table, space)


def beaten_defenders(table: Table, formation: Formation, foes: Sequence[str], room: int) -> Play:
    """14.1 Retreat the beaten side into the fortification if it holds the space, and to adjacent spaces."""
    state, space = table.state, formation.space
    holder = state.control[space]
    siege = state.sieges.get(space)
    friendly = holder in foes or any(allied(state, holder, foe) for foe in foes)
    left = room if fortified(table, space) and siege is None and friendly else 0
    barred = (formation.came,) if formation.came else ()
    for foe in foes:
        if siege is not None:
            siege.by.pop(foe, None)
        stays = yield from losses.retreat(table, foe, space, room=left, barred=barred)
        left -= stays
    yield from relations.entered(table)
    if siege is not None and not siege.by:
        state.sieges.pop(space, None)
        table.log("siege.relieved", rule="15.2", power=formation.power, space=space)


def beaten_attackers(table: Table, formation: Formation, *, tie: bool) -> Play:
    """14.1, 15.2 Return a beaten attacker to where it came from, or inside after a tie; by sea it is lost."""
    state, space, power = table.state, formation.space, formation.power
    siege = state.sieges.get(space)
    relief = siege is not None and power not in siege.by
    if not formation.total and not formation.leaders:
        return
    open_ = refuges(table, power, space, (formation.barred,), formation.units)
    back = not formation.by_sea and formation.came in open_
    way: Mapping[str, Any] = {"to": formation.came} if back else {}
    if relief and tie and formation.total:
        way = yield from _slip_inside(table, formation, way)
    if way:
        losses.go_back(table, power, space, formation.units, formation.leaders, way)
    else:
        losses.destroy(table, power, space, formation.units, formation.leaders, "14.1")


def _slip_inside(table: Table, formation: Formation, way: Mapping[str, Any]) -> Rule[Mapping[str, Any]]:
    """15.2 Return who goes inside after a tie of a relief force, four units there at most; others leave by `way`."""
    state, power, space = table.state, formation.power, formation.space
    units, leaders = dict(formation.units), list(formation.leaders)
    within = garrison(table, space, next(iter(state.sieges[space].by))) - formation.total
    room = min(INSIDE - within, formation.total)
    if room <= 0:
        return way
    most = {"inside": losses.keep(units, room)}
    if room == formation.total and not way:
        return most
    domain = losses.retreat_domain(units, leaders, [way["to"]] if way else [], room)
    default = {**most, **way} if room < formation.total else most
    about: dict[str, Any] = {"power": power, "space": space, "units": formation.total, "room": room}
    return (yield from _ask_slip_inside(seat_of(state, power), domain, default, **about))
