"""Cards of war on land: 8, 10, 13, 14, 15, 38 (6.1); others in `events.combat` and `events.response_cards`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen.cards import give_treasure, random_from
from games.virgin_queen.counters import room
from games.virgin_queen.formations import change, count, desert, key_of, muster
from games.virgin_queen.gate import may_stand
from games.virgin_queen.query import friendly, pool_of, seat_of
from games.virgin_queen.responses import CombatView, combat_card, of_another, response, side_in
from games.virgin_queen.state import FRANCE, OTTOMAN, POWERS, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Amount
from pbem.kernel.game import Play, Rule

_ask_reiters = KIT.question("reiters", "6.1", "reaction")

REITERS, REMOVED = 4, 2


@combat_card("field-artillery", lambda t, p, b: True, "field")
def _artillery(table: Table, power: str, battle: CombatView) -> None:
    """Resolve #8, Field Artillery: two dice more, three for France, Spain and the Ottomans."""
    battle.dice[side_in(battle, power)] += 3 if power in (FRANCE, SPAIN, OTTOMAN) else 2


@combat_card("field-fortifications", lambda t, p, b: side_in(b, p) == "defender", "field")
def _fortifications(table: Table, power: str, battle: CombatView) -> None:
    """Resolve #38, Field Fortifications: three dice more for the defender, who if beaten may keep six inside."""
    battle.dice["defender"] += 3
    battle.keep = 6


@combat_card("siege-engineering", lambda t, p, b: side_in(b, p) == "attacker", "assault")
def _engineering(table: Table, power: str, battle: CombatView) -> None:
    """Resolve #10, Siege Engineering: three dice more for the attacker of an assault."""
    battle.dice["attacker"] += 3


def _storms(table: Table, power: str, about: Mapping[str, Any]) -> Rule[bool]:
    """Resolve #15, Storms: cancel the action without its CP; those named can't move or assault in this impulse."""
    yield from ()
    table.log("card.storms", rule="6.1", power=power, space=about.get("space", ""))
    return True


for _moment in ("move", "assault", "transport", "sea_move"):
    response(_moment, "storms", of_another)(_storms)


def mercenary_pool(table: Table, power: str, space: str) -> str:
    """Return the pool from which a power may place mercenaries in a space, "" if it can't."""
    owner = pool_of(table.c, power, space)
    if table.c.land_pools[owner].back != "mercenary" or not may_stand(table, owner, space):
        return ""
    return owner if room(table, owner, space, "mercenaries", REITERS) else ""


def _reiters(table: Table, power: str, about: Mapping[str, Any]) -> Play:
    """#13 Let up to four mercenaries join the battle, the attacker's in its formation."""
    owner, space = mercenary_pool(table, power, about["space"]), about["space"]
    most = room(table, owner, space, "mercenaries", REITERS)
    number = yield from _ask_reiters(
        seat_of(table.state, power), Amount(1, most), most, power=power, space=space, most=most
    )
    number = muster(table, space, owner, "mercenaries", number)
    if number and power == about["power"]:
        about["joined"][key_of(power, owner, "mercenaries")] = number
    table.log("card.reiters", rule="6.1", power=power, space=space, count=number)


def hired(table: Table, about: Mapping[str, Any], power: str) -> dict[str, int]:
    """Return the mercenaries that fight against a power in a field battle: `side/unit key` → number."""
    state, space = table.state, about["space"]
    for foe in about["foes"] if power == about["power"] else [about["power"]]:
        if found := {f"{foe}/{key}": n for key, n in count(state, foe, space).items() if key.endswith("mercenaries")}:
            return found
    return {}


def _raiders(table: Table, power: str, about: Mapping[str, Any]) -> None:
    """#13 Remove up to two enemy mercenaries."""
    left = REMOVED
    for word, number in hired(table, about, power).items():
        foe, _, key = word.partition("/")
        if some := min(left, number):
            left -= some
            gone = change(table, foe, about["space"], {key: some})
            desert(table, about["space"], foe, gone)
            if foe == about["power"]:
                about["lost"].update(gone)


def _rides(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    """Return whether a side may place mercenaries in a friendly space, or the Ottomans remove some (FAQ 28)."""
    space, state = about["space"], table.state
    if power not in (about["power"], *about["foes"]) or space in state.unrest or space in state.sieges:
        return False
    if power == OTTOMAN:
        return bool(hired(table, about, power))
    return friendly(state, power, space) and bool(mercenary_pool(table, power, space))


@response("field_battle", "reiters", _rides)
def _ride(table: Table, power: str, about: Mapping[str, Any]) -> Play:
    """Resolve #13, Reiters, for the Ottomans or others."""
    if power == OTTOMAN:
        _raiders(table, power, about)
    else:
        yield from _reiters(table, power, about)


@response("taken", "sack", lambda t, p, a: p == a["power"] and a["space"] not in t.state.unrest)
def _sack(table: Table, power: str, about: Mapping[str, Any]) -> None:
    """Resolve #14, Sack!: a random card or treasure of the former holder or the deck, and unrest there."""
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
