"""The dice of espionage (19): what the columns of its table share; cards 81, 89 and 102 before a roll."""

from __future__ import annotations

from typing import Any, TypedDict

from games.virgin_queen import responses
from games.virgin_queen.courts.deaths import ELIZABETH_DIED, MARY, execute_mary
from games.virgin_queen.intrigue.agents import spying
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import ATTACK, DEFEND, ENGLAND
from games.virgin_queen.table import HIT, KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Rule

_ask_execute = KIT.question("execute_mary", "23.3")
CRYPTOGRAPHY = "cryptography"
ACTIONS = frozenset(("gain_intelligence", "place_agent", "assassination", "english_catholic_rebellion"))
"""The actions of espionage, for cards 80 and 81."""


class HitsRow(TypedDict):
    """A line of a column: the effect of the given hits."""

    lo: int
    hi: int
    result: str


class EspionageColumn(TypedDict, total=False):
    """A column of the espionage table (19)."""

    rows: list[HitsRow]
    base_attack_dice: int
    base_defence_dice: int
    attack_dice_by_cp: dict[str, int]
    attack_dice_mary_captive: int
    attack_dice_mary_captive_vs_elizabeth: int
    attack_dice_henry_iii: int
    attack_dice_per_jesuit: int
    attack_dice_regular_in_england: int
    attack_dice_regular_in_ireland_or_scotland: int
    defence_dice_elizabeth: int


def column(table: Table, action: str) -> EspionageColumn:
    """19 Return the column of an action."""
    found: EspionageColumn = table.c.tables["espionage"][action]
    return found


def result(listed: EspionageColumn, hits: int) -> str:
    """19 Return the effect of a number of hits by a column."""
    return next(row["result"] for row in listed["rows"] if row["lo"] <= hits <= row["hi"])


def common(table: Table) -> dict[str, int]:
    """19 Return the values that all columns share."""
    found: dict[str, int] = table.c.tables["espionage"]["common"]
    return found


def shared_attack(table: Table, power: str, target: str) -> int:
    """19 Return the attack dice of all columns: informant, cryptography, cipher key (card 91), Walsingham (card 81)."""
    state, dice = table.state, common(table)
    found = 0
    if spying(table, power, target):
        found += dice["informant_attack_dice"]
    if CRYPTOGRAPHY in state.powers[power].science:
        found += dice["cryptography_attack_dice"]
    if target and state.cipher_keys.get(power) == target:
        found += dice["cipher_key_attack_dice"]
    if power == ENGLAND and state.walsingham == ATTACK:
        found += dice["walsingham_attack_dice"]
    return found


def shared_defence(table: Table, target: str) -> int:
    """19 Return the defence dice common to all columns: cryptography, Walsingham (card 81)."""
    state, dice = table.state, common(table)
    found = 0
    if target in state.powers and CRYPTOGRAPHY in state.powers[target].science:
        found += dice["cryptography_defence_dice"]
    if target == ENGLAND and state.walsingham == DEFEND:
        found += dice["walsingham_defence_dice"]
    return found


def captive_mary(table: Table) -> bool:
    """23.3 Return whether Mary helps against England: as a captive, or if Elizabeth died in this turn."""
    return table.state.mary == "captive" or bool(table.state.powers[ENGLAND].used.get(ELIZABETH_DIED))


def announced(table: Table, power: str, target: str, action: str, rule: str, **about: Any) -> Rule[int]:
    """19 Announce an action; cards may respond before the dice. Return the attack dice that they add."""
    table.log(f"intrigue.{action}", rule=rule, power=power, target=target, **about)
    bonus: dict[str, int] = {}
    moment = {"power": power, "target": target, "action": action, "bonus": bonus, **about}
    yield from responses.offer(table, "espionage", moment)
    return sum(bonus.values())


def contest(table: Table, power: str, target: str, attack: int, defence: int, rule: str) -> int:
    """19 Roll both sides' dice; return the attacker's hits (5 and 6) less the defender's."""
    hits = table.roll(attack, "intrigue.attack", rule=rule, power=power).at_least(HIT)
    if defence:
        hits -= table.roll(defence, "intrigue.defence", rule=rule, power=target).at_least(HIT)
    table.log("intrigue.hits", rule=rule, power=power, hits=hits)
    return hits


def mary_in_danger(table: Table) -> Rule[None]:
    """23.3 After a failure, ask England at once whether its captive Mary dies (ruling 82)."""
    seat = seat_of(table.state, ENGLAND)
    if table.state.mary != "captive" or not seat:
        return
    answer = yield from _ask_execute(seat, Choice(("no", "yes")), "no", power=ENGLAND, royal=MARY)
    if answer == "yes":
        execute_mary(table)
