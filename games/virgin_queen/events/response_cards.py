"""Response cards: 1 (veto), 11, 12, 41, 42, 43, 89, 90 (6.1; texts in `data/cards.toml`).

Windows ask by public knowledge: see `responses.offer`. `about` is public; the rule that opened the window reads
from the dicts in it what a card changed (`hits`, `bonus`, `lost`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen.cards import draw
from games.virgin_queen.events.common import choose, option, take_random, unrest
from games.virgin_queen.formations import desert
from games.virgin_queen.land.losses import choose_losses, fall_back
from games.virgin_queen.query import neighbours
from games.virgin_queen.responses import of_another, offer, response
from games.virgin_queen.state import FRANCE, GONE, LATER, OTTOMAN, POWERS, SCOTLAND, SPAIN
from games.virgin_queen.table import HIT, KIT, Table
from pbem.kernel.game import Play, Rule

GALLEASSES = 4
AIMED_AT_FRANCE = ("huguenot-lent",)
"""Manual cards whose only possible target is France."""


def french(table: Table, about: Mapping[str, Any]) -> bool:
    """#42 Return whether an event is aimed at a space in France, or at French units, cards or leaders."""
    state = table.state
    if about["card"] in AIMED_AT_FRANCE or about.get("target") == FRANCE:
        return True
    spaces = [about.get("space", ""), *about.get("spaces", ())]
    area = table.c.areas[FRANCE]
    leader = state.leaders.get(about.get("leader", ""))
    return any(space in area or FRANCE in state.land.get(space, {}) for space in spaces if space in table.c.spaces) or (
        leader is not None and leader.power == FRANCE
    )


@response("event", "catherines-flying-squadron", lambda t, p, a: p == FRANCE and of_another(t, p, a) and french(t, a))
@response("event", "grand-vizier", lambda t, p, a: p == OTTOMAN and of_another(t, p, a))
def veto(table: Table, power: str, about: Mapping[str, Any]) -> Rule[bool]:
    """Resolve #1, #42: cancel another power's event, not home or mandatory (FAQ 28); #42 only one aimed at France."""
    yield from ()
    table.log("event.vetoed", rule="6.1", power=power, card=about["card"])
    return True


@response("dragut", "dragut-falls", lambda t, p, a: p != OTTOMAN and t.state.leaders["dragut"].at not in (GONE, LATER))
def dragut_falls(table: Table, power: str, about: Mapping[str, Any]) -> None:
    """Resolve #11: Dragut is out of the game; Uluch Ali follows next turn (8.1, FAQ 28)."""
    leader = table.state.leaders["dragut"]
    leader.at, leader.captor = GONE, ""
    table.log("event.dies", rule="5.1", leader="dragut")


@response("sea_hits", "galleasses", lambda t, p, a: True)
def galleasses(table: Table, power: str, about: Mapping[str, Any]) -> Play:
    """Resolve #12: four more dice for one side of a battle in the Mediterranean (16.2 step 6)."""
    sides = ["attacker", "defender"]
    mine = [side for side in sides if about[side] == power] or sides
    side = yield from option(table, power, "galleasses", mine)
    shown = {"power": about[side], "card": "galleasses", "space": about["place"]}
    about["hits"][side] += table.roll(GALLEASSES, "event.rolls", rule="16.2", **shown).at_least(HIT)


@response("status", "border-reivers", lambda t, p, a: bool(a["minor"] == SCOTLAND))
def reivers_at_court(table: Table, power: str, about: Mapping[str, Any]) -> Play:
    """Resolve #41: one of the powers that compete for Scotland adds or subtracts 2."""
    words = [f"{contender}/{way}" for contender in about["contenders"] for way in ("plus", "minus")]
    said = yield from option(table, power, "border-reivers", words)
    who, _, way = said.partition("/")
    _shift(table, "border-reivers", about, who, 2 if way == "plus" else -2)


def _shift(table: Table, card: str, about: Mapping[str, Any], who: str, points: int) -> None:
    about["bonus"][who] = about["bonus"].get(who, 0) + points
    table.log("event.bonus", rule="24.6", power=who, card=card, points=points)


@response("entered", "border-reivers", of_another)
def reivers(table: Table, power: str, about: Mapping[str, Any]) -> Play:
    """Resolve #41: a formation that enters a space of the border loses one land unit of its owner's choice."""
    mover, space = about["power"], about["space"]
    gone = yield from choose_losses(table, mover, space, about["formation"], 1, "6.1")
    desert(table, space, mover, gone)
    about["lost"].update(gone)


def _mary(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    alive = table.state.mary not in ("executed", "dead")
    return alive and about["minor"] == SCOTLAND and bool(_catholics(about))


def _catholics(about: Mapping[str, Any]) -> list[str]:
    return [power for power in (FRANCE, SPAIN) if power in about["contenders"]]


@response("status", "mary-queen-of-scots", _mary)
def mary(table: Table, power: str, about: Mapping[str, Any]) -> Play:
    """Resolve #89: France or Spain adds 2 to the status of Scotland. For espionage see `events.espionage`."""
    who = yield from choose(table, power, "mary-queen-of-scots", "power", _catholics(about))
    _shift(table, "mary-queen-of-scots", about, who, 2)


def _polder(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    space = about["space"]
    return (space in table.c.homes["dutch"] or space == "antwerp") and of_another(table, power, about)


def flooding(table: Table, power: str, about: Mapping[str, Any]) -> Rule[bool]:
    """#43 Break the siege of a Dutch home or Antwerp (15.3), unless the besieger has Siege Engineering (card 10)."""
    besieger, space = about["power"], about["space"]
    if (yield from offer(table, "flooding", {"power": power, "besieger": besieger, "space": space})):
        return False
    yield from fall_back(table, besieger, space)
    return True


for _moment in ("assault", "besieging"):
    response(_moment, "flooding", _polder)(flooding)


@response("flooding", "siege-engineering", lambda t, p, a: p == a["besieger"])
def dikes(table: Table, power: str, about: Mapping[str, Any]) -> Rule[bool]:
    """Resolve #10: Siege Engineering cancels Flooding."""
    yield from ()
    table.log("event.vetoed", rule="6.1", power=power, card="flooding")
    return True


@KIT.entry("impulse", "flooding")
def besieging(table: Table, power: str, _: None) -> Play:
    """#43 Open the window when a power begins its impulse before a Dutch town."""
    state = table.state
    for space in [at for at, siege in state.sieges.items() if power in siege.by]:
        if space in table.c.homes["dutch"] or space == "antwerp":
            yield from offer(table, "besieging", {"power": power, "space": space})


@response("taken", "spanish-fury", lambda t, p, a: p == a["power"] and t.c.spaces[a["space"]].type == "key")
def spanish_fury(table: Table, power: str, about: Mapping[str, Any]) -> Play:
    """Resolve #90: two random cards or treasures of the key's former holder or the deck, unrest there and near."""
    space, holder, spaces = about["space"], about["holder"], table.c.spaces
    if holder in POWERS:
        for _ in range(2):
            take_random(table, power, holder)
    else:
        draw(table, power, 2, "6.1")
    area = [at for at in neighbours(table, power, space) if spaces[at].area == spaces[space].area]
    near = [at for at in area if at not in table.state.unrest]
    other = yield from choose(table, power, "spanish-fury", "space", near)
    unrest(table, [at for at in (space, other) if at])
