"""Assassinations (19.3)."""

from __future__ import annotations

from typing import TypedDict

from games.virgin_queen import impulse
from games.virgin_queen.courts.deaths import leader_dies, ruler_dies
from games.virgin_queen.intrigue import dice
from games.virgin_queen.intrigue.agents import USED
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import ENGLAND
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.victory import award
from pbem.kernel.domains import Amount, Choice, Form
from pbem.kernel.game import Rule

KIT.chapter("19.3", "assassinations", "intrigue/assassination.py")
ELIZABETH = "elizabeth_i"
BOND = "bond-of-association"
"""In `Power.used` of England: more defence dice for Elizabeth until the turn ends (card 105)."""
BOND_DICE = 3
LEAST, MOST = 2, 4


class Attempt(TypedDict):
    """The person and the CP of an attempt."""

    leader: str
    cp: int


def owner(table: Table, who: str) -> str:
    """Return the power that an attempt on a person is against."""
    return ENGLAND if who == ELIZABETH else table.state.leaders[who].power


def victims(table: Table, power: str) -> list[str]:
    """19.3 Return Elizabeth and free named army leaders of others on the map; 27.1 none of an activated power."""
    state, c = table.state, table.c
    if state.powers[power].used.get(USED):
        return []
    ashore = {key: leader for key, leader in state.leaders.items() if leader.at in c.spaces and not leader.captor}
    army = {key: c.generals[key] for key, leader in ashore.items() if not leader.naval}
    named = [key for key, card in army.items() if not card.default and not card.naval]
    found = [key for key in named if _open(table, power, ashore[key].power)]
    england = state.powers[ENGLAND]
    if england.ruler == ELIZABETH and not england.ruler_dead and _open(table, power, ENGLAND):
        found.append(ELIZABETH)
    return found


def _open(table: Table, power: str, target: str) -> bool:
    state = table.state
    return target != power and target in state.powers and state.powers[target].active and bool(seat_of(state, target))


def attack_dice(table: Table, power: str, who: str, cp: int) -> int:
    """19.3 Return the column of the espionage table for the attacker."""
    listed = dice.column(table, "assassination")
    found = listed["attack_dice_by_cp"][str(cp)] + dice.shared_attack(table, power, owner(table, who))
    if who == ELIZABETH and dice.captive_mary(table):
        found += listed["attack_dice_mary_captive_vs_elizabeth"]
    if who == "henry_iii":
        found += listed["attack_dice_henry_iii"]
    return found


def defence_dice(table: Table, who: str) -> int:
    """19.3 Return the column of the espionage table for the defender; card 105."""
    listed = dice.column(table, "assassination")
    found = listed["base_defence_dice"] + dice.shared_defence(table, owner(table, who))
    if who == ELIZABETH:
        found += listed["defence_dice_elizabeth"]
        if table.state.powers[ENGLAND].used.get(BOND):
            found += BOND_DICE
    return found


def _form(table: Table, ground: PowerMap, found: list[str]) -> Form[Attempt]:
    return Form(leader=Choice(found, "leader"), cp=Amount(LEAST, min(MOST, ground.cp)))


@KIT.action("assassination", "19.3", lambda t, g: victims(t, g.power) or None, _form)
def _assassinate(table: Table, power: str, order: Attempt) -> Rule[None]:
    impulse.pay(table, order["cp"], "assassination")
    yield from attempt(table, power, order["leader"], order["cp"])


def attempt(table: Table, power: str, who: str, cp: int) -> Rule[None]:
    """19.3 Resolve an attempt as if with the given CP; a success brings 1 VP. The caller pays."""
    state = table.state
    target = owner(table, who)
    state.powers[power].used[USED] = 1
    more = yield from dice.announced(table, power, target, "assassination", "19.3", leader=who, cp=cp)
    attack = attack_dice(table, power, who, cp) + more
    hits = dice.contest(table, power, target, attack, defence_dice(table, who), "19.3")
    table.stop_advance_orders(seat_of(state, target))
    if hits <= 0:
        table.log("intrigue.survives", rule="19.3", leader=who)
        if who == ELIZABETH:
            yield from dice.mary_in_danger(table)
        return
    if who == ELIZABETH:
        ruler_dies(table, ENGLAND)
    else:
        leader_dies(table, who)
    award(table, power, "assassination", table.c.special["bonus_vp"]["assassination"])
