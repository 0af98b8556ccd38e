"""Combat and response cards of war on land: 8, 10, 13, 14, 15, 38 (6.1; texts in `data/cards.toml`).

The others are in `events.combat` and `events.response_cards`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen.cards import give_treasure, random_from
from games.virgin_queen.counters import room
from games.virgin_queen.formations import change, count, desert, key_of, muster
from games.virgin_queen.gate import may_stand
from games.virgin_queen.query import friendly, seat_of
from games.virgin_queen.responses import CombatView, combat_card, of_another, response, side_in
from games.virgin_queen.state import FRANCE, OTTOMAN, POWERS, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Amount
from pbem.kernel.game import Play, Rule

_ask_reiters = KIT.question("reiters", "6.1", "reaction")

REITERS, REMOVED = 4, 2


def _always(table: Table, power: str, battle: CombatView) -> bool:
    return True


def _defends(table: Table, power: str, battle: CombatView) -> bool:
    return side_in(battle, power) == "defender"


def _attacks(table: Table, power: str, battle: CombatView) -> bool:
    return side_in(battle, power) == "attacker"


@combat_card("field-artillery", _always, "field")
def _artillery(table: Table, power: str, battle: CombatView) -> Play:
    """Resolve #8, Field Artillery: two dice more, three for France, Spain and the Ottomans."""
    yield from ()
    battle.dice[side_in(battle, power)] += 3 if power in (FRANCE, SPAIN, OTTOMAN) else 2


@combat_card("field-fortifications", _defends, "field")
def _fortifications(table: Table, power: str, battle: CombatView) -> Play:
    """Resolve #38, Field Fortifications: three dice more for the defender, who if beaten may keep six inside."""
    yield from ()
    battle.dice["defender"] += 3
    battle.keep = 6


@combat_card("siege-engineering", _attacks, "assault")
def _engineering(table: Table, power: str, battle: CombatView) -> Play:
    """Resolve #10, Siege Engineering: three dice more for the attacker of an assault."""
    yield from ()
    battle.dice["attacker"] += 3


def _storms(table: Table, power: str, about: Mapping[str, Any]) -> Rule[bool]:
    """Resolve #15, Storms: cancel the action without its CP; those named can't move or assault in this impulse."""
    yield from ()
    table.log("card.storms", rule="6.1", power=power, space=about.get("space", ""))
    return True


for _moment in ("move", "assault", "transport", "sea_move"):
    response(_moment, "storms", of_another)(_storms)


def _may_ride(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    """Return whether a side with mercenaries may place Reiters in a friendly, quiet, free space (FAQ 28)."""
    space, state = about["space"], table.state
    mine = power == about["power"] or power in about["foes"]
    if space in state.unrest or space in state.sieges or not friendly(state, power, space):
        return False
    return mine and bool(mercenary_pool(table, power, space))


def mercenary_pool(table: Table, power: str, space: str) -> str:
    """Return the pool of a power's mercenaries in a space: its own; Dutch or Huguenot for the Protestants."""
    owner = power
    if power == "protestant":
        owner = "dutch" if table.c.spaces[space].area == "netherlands" else "huguenot"
    if table.c.land_pools[owner].back != "mercenary" or not may_stand(table, owner, space):
        return ""
    return owner if room(table, owner, space, "mercenaries", REITERS) else ""


def _reiters(table: Table, power: str, about: Mapping[str, Any]) -> Rule[bool]:
    """Resolve #13, Reiters: up to four mercenaries join the battle, the attacker's in its formation."""
    owner, space = mercenary_pool(table, power, about["space"]), about["space"]
    most = room(table, owner, space, "mercenaries", REITERS)
    number = yield from _ask_reiters(
        seat_of(table.state, power), Amount(1, most), most, power=power, space=space, most=most
    )
    number = muster(table, space, owner, "mercenaries", number)
    if number and power == about["power"]:
        about["joined"][key_of(power, owner, "mercenaries")] = number
    table.log("card.reiters", rule="6.1", power=power, space=space, count=number)
    return False


def hired(table: Table, about: Mapping[str, Any], power: str) -> dict[str, int]:
    """Return the mercenaries that fight against a power in a field battle: `side/unit key` → number."""
    state, space = table.state, about["space"]
    for foe in about["foes"] if power == about["power"] else [about["power"]]:
        found = {key: n for key, n in count(state, foe, space).items() if key.endswith("mercenaries")}
        if found:
            return {f"{foe}/{key}": n for key, n in found.items()}
    return {}


def _raiders(table: Table, power: str, about: Mapping[str, Any]) -> Rule[bool]:
    """Resolve #13, Reiters of the Ottomans: remove up to two enemy mercenaries."""
    yield from ()
    left = REMOVED
    for word, number in hired(table, about, power).items():
        foe, _, key = word.partition("/")
        some = min(left, number)
        if some:
            left -= some
            gone = change(table, foe, about["space"], {key: some})
            desert(table, about["space"], foe, gone)
            if foe == about["power"]:
                about["lost"].update(gone)
    return False


def _rides(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    """Return whether either side may place mercenaries; the Ottomans may remove some outside a siege (FAQ 28)."""
    if power == OTTOMAN:
        open_field = about["space"] not in table.state.sieges and about["space"] not in table.state.unrest
        return (power == about["power"] or power in about["foes"]) and open_field and bool(hired(table, about, power))
    return _may_ride(table, power, about)


@response("field_battle", "reiters", _rides)
def _ride(table: Table, power: str, about: Mapping[str, Any]) -> Rule[bool]:
    return (yield from (_raiders if power == OTTOMAN else _reiters)(table, power, about))


def _took_it(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    return power == about["power"] and about["space"] not in table.state.unrest


@response("taken", "sack", _took_it)
def _sack(table: Table, power: str, about: Mapping[str, Any]) -> Rule[bool]:
    """Resolve #14, Sack!: a random card or treasure of the former holder or the deck, and unrest there."""
    yield from ()
    state = table.state
    holder, space = about["holder"], about["space"]
    state.unrest.append(space)
    table.log("card.sack", rule="6.1", power=power, space=space, holder=holder)
    if holder in POWERS:
        kind, drawn = random_from(table, holder)
    else:
        kind, drawn = ("card", state.deck.pop()) if state.deck else ("", "")
    if kind == "card":
        state.powers[power].hand.append(drawn)
        seats = {seat for seat in (seat_of(state, power), seat_of(state, holder) if holder in POWERS else "") if seat}
        table.log("card.taken", rule="6.3", power=power, private={seat: {"card": drawn} for seat in seats})
    elif kind == "treasure":
        give_treasure(table, power, drawn)
    return False
