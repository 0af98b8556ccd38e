"""The dice of blocks in combat (20.5.2), and the Earl Marshal's reroll (10.5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import msgspec

from games.crown_of_roses.battle.forces import GARRISON, UNCOUNTED, dice, present
from games.crown_of_roses.battle.plans import asked_for_cards
from games.crown_of_roses.query import king
from games.crown_of_roses.state import Battle, Side, State
from pbem.kernel.answers import PASS, Choice, Domain, Form, Menu
from pbem.kernel.game import Play
from pbem.kernel.questions import Window
from pbem.kernel.table import Table

COLOURS = {"R": "red", "B": "blue", "G": "green"}


class Rolled(msgspec.Struct):
    """What a block rolled: its `bonus` on every die, and its `hits`."""

    house: str
    block: str
    bonus: int
    hits: int = 0


def roll_for(table: Table, battle: Battle, house: str, key: str, bonus: int) -> Rolled:
    """20.5.2 A block rolls its dice: red hits on 4, blue on 5, green on 6 (8.3)."""
    rolled = Rolled(house, key, bonus + inspiration(table, battle, house, key))
    _roll(table, rolled)
    return rolled


def inspiration(table: Table, battle: Battle, house: str, key: str) -> int:
    """Cards Y4 and W3: +1 for the leader they name and the nobles he leads; card 26: for the garrison."""
    if key == GARRISON:
        return int(battle.watch)
    if not battle.inspired or not table.c.blocks[key].noble or key in UNCOUNTED:
        return 0
    side = battle.sides[house]
    named = [noble for noble in battle.inspired if noble in side.force]
    return int(key in named or side.leader in named)


def _roll(table: Table, rolled: Rolled) -> None:
    needs = table.c.numbers["dice"]
    counts = dice(table, rolled.block)
    fell = table.roll(
        sum(counts.values()), "battle.roll", rule="20.5.2", house=rolled.house, block=rolled.block,
        kind=[f"{count}{colour}" for colour, count in counts.items()], bonus=rolled.bonus,
    ).dice  # fmt: skip
    limits = [needs[COLOURS[colour]] for colour, count in counts.items() for _ in range(count)]
    rolled.hits = sum(die + rolled.bonus >= need for die, need in zip(fell, limits, strict=True))


# -- the Earl Marshal --------------------------------------------------------------------------------------------------


def _offices(table: Table, battle: Battle) -> dict[str, list[str]]:
    """10.5.4, 10.5.1 Offices by which a side might have dice rolled again, by public knowledge: side → offices.

    The Marshal's own, and the King's, who may use the ability of any office once a turn, if he is not Henry VI. Whether
    the holder fights here is not known before all blocks of his house lie open.
    """
    state: State = table.state
    found: dict[str, list[str]] = {}
    for key in ("marshal", "king"):
        office = state.offices[key]
        if not office.holder or office.used or (key == "king" and king(state) == "henry_vi"):
            continue
        house = state.blocks[office.holder].owner
        side = battle.sides.get(house)
        if side is None or house not in (battle.attacker, battle.defender):
            continue
        known = all(state.blocks[one].shown for one in present(side))
        if not known or office.holder in present(side):
            found.setdefault(house, []).append(key)
    return found


def _domain(
    table: Table, battle: Battle, side: Side, offices: Sequence[str], nobles: Sequence[str]
) -> Domain:
    able = [key for key in offices if table.state.offices[key].holder in present(side)]
    entries: dict[str, Any] = {PASS: None}
    if able and nobles:
        entries["reroll"] = Form(noble=Choice(nobles, "noble"), by=Choice(able, "office"))
    return Menu(entries)


def reroll(table: Table, battle: Battle, rolls: list[Rolled]) -> Play:
    """10.5.4 Once a turn one noble of either side, with its office blocks, rolls all its dice of this roll again.

    The holder must take part, in force or reserve; Henry VI and the Queen are spared.
    """
    state: State = table.state
    offices = _offices(table, battle)
    nobles = [one.block for one in rolls if one.block != GARRISON and _can_be_named(table, one.block)]
    if not offices or not nobles:
        return
    replies = yield Window(
        "reroll",
        {
            house: partial(_domain, table, battle, battle.sides[house], offices[house], nobles)
            for house in offices
        },
        rule="10.5.4",
        about={
            "place": battle.place,
            "round": battle.round,
            "touches": asked_for_cards(battle, list(offices)),
        },
    )
    for house, answer in replies.walk([battle.attacker, battle.defender]):
        replies.took_effect(house)
        state.offices[answer["by"]].used = True
        noble = answer["noble"]
        table.say("battle.rerolls", rule="10.5.4", house=house, block=noble, office=answer["by"], learns=True)
        for one in rolls:
            if one.block == noble or (one.block != GARRISON and _office_of(table, one.block, noble)):
                _roll(table, one)


def _can_be_named(table: Table, key: str) -> bool:
    return table.c.blocks[key].noble and key not in UNCOUNTED


def _office_of(table: Table, key: str, noble: str) -> bool:
    return table.c.blocks[key].kind == "office" and table.state.blocks[key].host == noble
