"""Charges (20.5.1): one heir a side may ride at one enemy block."""

from __future__ import annotations

from functools import partial
from typing import Final, Literal, TypedDict

import msgspec

from games.crown_of_roses.battle.cards import immediate
from games.crown_of_roses.battle.dice import BlockRoll, reroll, roll_for
from games.crown_of_roses.battle.forces import GARRISON, line_of, settled, strength
from games.crown_of_roses.battle.losses import wound
from games.crown_of_roses.query import is_heir
from games.crown_of_roses.refusals import block_meant, meant
from games.crown_of_roses.state import ASIDE, Battle, BattleSide
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Form, Menu
from pbem.kernel.game import Play, Rule
from pbem.kernel.joint_questions import ask_together
from pbem.kernel.questions import REACTION, Ask
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("20.5.1", "charges", "battle/charges.py")

_charge = KIT.question("charge", "20.5.1", REACTION)

HOLD: Final = "hold"


class ChargeAnswer(TypedDict):
    """The heir who charges, and the target block."""

    do: Literal["charge"]
    heir: str
    target: str


Answer = Literal["hold"] | ChargeAnswer


class Charge(msgspec.Struct):
    """An heir of `house` who charges `target`, a block of `enemy` or the garrison."""

    house: str
    enemy: str
    heir: str
    target: str


def chargers(table: Table, side: BattleSide) -> list[str]:
    """Return heirs in the battle force that can charge: not Henry VI, and the Queen isn't a heir (20.5.1)."""
    return [key for key in side.force if key != "henry_vi" and is_heir(table.state, key)]


def _domain(table: Table, battle: Battle, side: BattleSide, enemy: BattleSide) -> Menu[Answer]:
    return Menu({
        HOLD: None,
        "charge": Form(
            heir=Choice(chargers(table, side), "heir", partial(_no_charger, table, side)),
            target=Choice(line_of(table, battle, enemy), "block", partial(_no_target, table, enemy)),
        ),
    })  # fmt: skip


def _no_charger(table: Table, side: BattleSide, key: str) -> RejectionReason | None:
    """Return why a block does not charge (20.5.1); None if it isn't a block."""
    if not (key := block_meant(table, key)):
        return None
    if key not in side.force:
        return because("not_in_force", "20.5.1", block=key)
    return because("henry_rides" if key == "henry_vi" else "no_heir", "20.5.1", block=key)


def _no_target(table: Table, enemy: BattleSide, key: str) -> RejectionReason | None:
    """Return why nobody can charge at a block: only the enemy's battle force is open (20.5.1). None if not a block."""
    key = GARRISON if meant(table, key) == GARRISON else block_meant(table, key)
    return because("not_in_line", "20.5.1", block=key, house=enemy.house) if key else None


def _planned(table: Table, side: BattleSide, enemy: BattleSide) -> Answer | None:
    word = settled(side, "charge")
    if word == "ask":
        return None
    targets = [key for key in enemy.force if word != "heir" or is_heir(table.state, key)]
    if word == "never" or not targets:
        return HOLD
    heir = max(chargers(table, side), key=lambda key: strength(table, key))
    return {"do": "charge", "heir": heir, "target": max(targets, key=lambda key: strength(table, key))}


def _question(table: Table, battle: Battle, side: BattleSide, enemy: BattleSide) -> Ask[Answer] | None:
    """Return the question to a side; heirs in the force are open, so everybody knows whether it can charge."""
    if not chargers(table, side) or _planned(table, side, enemy) is not None:
        return None
    return _charge(
        side.house, lambda: _domain(table, battle, side, enemy), HOLD, place=battle.place, round=battle.round,
        enemy=enemy.house,
    )  # fmt: skip


def charge(table: Table, battle: Battle) -> Rule[list[str]]:
    """Run the charges of a round, the attacker's declared first (20.5.1). Returns the heirs that charged."""
    attacker, defender = battle.sides[battle.attacker], battle.sides[battle.defender]
    pairs = ((attacker, defender), (defender, attacker))
    said = yield from ask_together(
        table, {s.house: ask for s, e in pairs if (ask := _question(table, battle, s, e)) is not None}
    )
    charges: list[Charge] = []
    for side, enemy in pairs:
        if not chargers(table, side):
            continue
        ask = _question(table, battle, side, enemy)
        answer = _planned(table, side, enemy) if ask is None else None
        if ask is not None:
            answer = yield from said.answer(side.house, ask)
        assert answer is not None  # a side that isn't asked has a plan
        if answer == HOLD:
            table.log("battle.no_charge", rule="20.5.1", house=side.house, reveals=True)
            continue
        said.record_action(side.house)
        table.log(
            "battle.charges", rule="20.5.1", house=side.house, block=answer["heir"], target=answer["target"],
            reveals=True,
        )  # fmt: skip
        charges.append(Charge(side.house, enemy.house, answer["heir"], answer["target"]))
    if charges:
        yield from _resolve(table, battle, charges)
    return [ride.heir for ride in charges]


def _resolve(table: Table, battle: Battle, charges: list[Charge]) -> Play:
    """Roll for every charger at +1; a target that does not charge answers. All at the same time."""
    riders = {ride.heir for ride in charges}
    bonus = table.c.numbers.battle.charge
    aims: list[tuple[BlockRoll, str]] = []
    for ride in charges:
        aims.append((roll_for(table, battle, ride.house, ride.heir, bonus), ride.target))
        if ride.target not in riders:
            aims.append((roll_for(table, battle, ride.enemy, ride.target, 0), ride.heir))
    yield from reroll(table, battle, [rolled for rolled, _ in aims])
    targets = {ride.target: ride.enemy for ride in charges}
    owners = {**targets, **{ride.heir: ride.house for ride in charges}}
    fallen: list[str] = []
    for key, house in owners.items():
        side = battle.sides[house]
        hits = sum(rolled.hits for rolled, aim in aims if aim == key)
        if hits:
            table.log("battle.hits", rule="20.5.1", house=house, block=key, count=hits)
        for _ in range(hits):
            if key in line_of(table, battle, side):
                wound(table, battle, side, key)
        if key in targets and key != GARRISON and table.state.blocks[key].at == ASIDE:
            fallen.append(key)
    if fallen:
        yield from immediate(table, battle, fallen)
