"""Combat and response cards of war on land: 8, 10, 13, 14, 15, 38 (6.1; texts in `data/cards.toml`).

The other combat and response cards are not written: they can be played for CP only (`coverage.MISSING`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import rules
from games.virgin_queen.cards import give_treasure, random_from
from games.virgin_queen.forces import add, pool_left
from games.virgin_queen.query import seat_of
from games.virgin_queen.responses import Battle
from games.virgin_queen.state import FRANCE, OTTOMAN, POWERS, SPAIN
from pbem.kernel.answers import Amount
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask
from pbem.kernel.table import Table

REITERS = 4


def side(power: str, battle: Battle) -> str:
    """On which side of a battle a power is."""
    return "attacker" if power in battle.powers["attacker"] else "defender"


def _artillery(table: Table, power: str, battle: Battle) -> Play:
    """#8 Field Artillery: two dice more, three for France, Spain and the Ottomans."""
    yield from ()
    battle.dice[side(power, battle)] += 3 if power in (FRANCE, SPAIN, OTTOMAN) else 2


def _fortifications(table: Table, power: str, battle: Battle) -> Play:
    """#38 Field Fortifications: three dice more for the defender, who if beaten may keep six inside."""
    yield from ()
    battle.dice["defender"] += 3
    battle.keep = 6


def _engineering(table: Table, power: str, battle: Battle) -> Play:
    """#10 Siege Engineering: three dice more for the attacker of an assault."""
    yield from ()
    battle.dice["attacker"] += 3


def _always(table: Table, power: str, battle: Battle) -> bool:
    return True


def _defends(table: Table, power: str, battle: Battle) -> bool:
    return side(power, battle) == "defender"


def _attacks(table: Table, power: str, battle: Battle) -> bool:
    return side(power, battle) == "attacker"


rules.COMBAT["field"] = {
    "field-artillery": rules.Combat("field-artillery", _always, _artillery),
    "field-fortifications": rules.Combat("field-fortifications", _defends, _fortifications),
}
rules.COMBAT["assault"] = {"siege-engineering": rules.Combat("siege-engineering", _attacks, _engineering)}


# -- Storms (#15)
# -------------------------------------------------------------------------------------------------------


def _another(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    return seat_of(table.state, power) != seat_of(table.state, about["power"])


def _storms(table: Table, power: str, about: Mapping[str, Any]) -> Play:
    """#15 Storms: the action is cancelled, its CP are lost; those named may not move or assault again in this
    impulse.
    """
    yield from ()
    table.say("card.storms", rule="6.1", power=power, space=about.get("space", ""))
    return True


for _moment in ("move", "assault", "transport", "sea_move"):
    rules.RESPONSES.setdefault(_moment, {})["storms"] = rules.Response("storms", _another, _storms)


# -- Reiters (#13)
# ------------------------------------------------------------------------------------------------------


def _may_ride(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    """Reiters may be placed by a side of the battle that has mercenaries left; not by the Ottomans."""
    mine = power == about["power"] or power in about["foes"]
    return mine and bool(mercenary_pool(table, power, about["space"]))


def mercenary_pool(table: Table, power: str, space: str) -> str:
    """The pool from which a power's mercenaries come in a space: its own; Dutch or Huguenot for the Protestants."""
    owner = power
    if power == "protestant":
        owner = "dutch" if table.c.spaces[space].area == "netherlands" else "huguenot"
    pool = table.c.land_pools[owner]
    return owner if pool.back == "mercenary" and pool_left(table, owner) > 0 else ""


def _reiters(table: Table, power: str, about: Mapping[str, Any]) -> Play:
    """#13 Reiters: up to four mercenaries join the battle on the defender's side; see README for what is not
    written.
    """
    owner, space = mercenary_pool(table, power, about["space"]), about["space"]
    most = min(REITERS, pool_left(table, owner))
    number = yield Ask(
        seat_of(table.state, power), "reiters", Amount(1, most), rule="6.1", default=most, pace="reaction",
        about={"power": power, "space": space, "most": most},
    )  # fmt: skip
    add(table.state, space, owner, "mercenaries", number)
    table.say("card.reiters", rule="6.1", power=power, space=space, count=number)
    return False


def _defender_rides(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    return power in about["foes"] and power != OTTOMAN and _may_ride(table, power, about)


rules.RESPONSES.setdefault("field_battle", {})["reiters"] = rules.Response(
    "reiters", _defender_rides, _reiters
)


# -- Sack! (#14)
# --------------------------------------------------------------------------------------------------------


def _took_it(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    return power == about["power"] and about["space"] not in table.state.unrest


def _sack(table: Table, power: str, about: Mapping[str, Any]) -> Play:
    """#14 Sack!: a random card or treasure of who held the space (from the deck otherwise), and unrest on the space."""
    yield from ()
    state = table.state
    holder, space = about["holder"], about["space"]
    state.unrest.append(space)
    table.say("card.sack", rule="6.1", power=power, space=space, holder=holder)
    if holder in POWERS:
        kind, drawn = random_from(table, holder)
    else:
        kind, drawn = ("card", state.deck.pop()) if state.deck else ("", "")
    if kind == "card":
        state.powers[power].hand.append(drawn)
        seats = {
            seat
            for seat in (seat_of(state, power), seat_of(state, holder) if holder in POWERS else "")
            if seat
        }
        table.say("card.taken", rule="6.3", power=power, private={seat: {"card": drawn} for seat in seats})
    elif kind == "treasure":
        give_treasure(table, power, drawn)
    return False


rules.RESPONSES.setdefault("taken", {})["sack"] = rules.Response("sack", _took_it, _sack)
