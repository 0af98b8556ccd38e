"""After a battle (20.7): the victor, movement, the garrison."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypedDict

from games.crown_of_roses.battle.forces import counted
from games.crown_of_roses.blocks import attrition, leave, put, settle, support, transfer
from games.crown_of_roses.exile import go_into_exile, open_to
from games.crown_of_roses.query import ROYALS, at, closed, enemies, owners, party
from games.crown_of_roses.state import UNDECLARED, Battle
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.answers import PASS, Choice, Form, Menu, Series
from pbem.kernel.game import Play
from pbem.kernel.questions import REACTION

KIT.chapter("20.7.1", "the victor", "battle/after.py")
KIT.chapter("20.7.2", "movement after battle", "battle/after.py")
KIT.chapter("20.7.3", "the garrison after battle", "battle/after.py", "combat.py")

_flee = KIT.question("refuge", "20.7.2", REACTION)
_room = KIT.question("room", "20.7.2", REACTION)

STAY: Final = "stay"


class Move(TypedDict):
    """A block, with what is attached to it, and the shire it goes to."""

    block: str
    to: str


Moves = TypedDict("Moves", {"with": list[Move]})
"""Blocks that make room."""


def after_battle(table: Table, battle: Battle) -> Play:
    """20.7 All engagements of a shire are over."""
    state = table.state
    left = owners(state, battle.place)
    if battle.fought:
        _victory(table, battle, left)
    for house in left:
        yield from _refuge(table, battle, house)
    for house in owners(state, battle.place):
        yield from _make_room(table, battle, house)
    if battle.place == "london":
        # 20.7.3
        state.garrison.steps = len(table.c.garrison)
    for key in battle.blocks:
        state.boosts.pop(key, None)


def _victory(table: Table, battle: Battle, left: Sequence[str]) -> None:
    """20.7.1 Whoever holds the shire; +1 popular support if an enemy there had an heir."""
    if not left:
        table.say("battle.nobody", rule="20.7.1", place=battle.place)
        return
    victor = left[0]
    table.say("battle.won", rule="20.7.1", house=victor, place=battle.place)
    if any(house != victor for house in battle.heirs):
        table.say("battle.over_heirs", rule="20.7.1", house=victor, place=battle.place, learns=True)
        support(table, victor, 1, "20.7.1")


def _refuge(table: Table, battle: Battle, house: str) -> Play:
    """20.7.2 Henry VI and the Queen, left alone, may flee into exile at once; without an open box go undeclared.

    Lancaster is asked whenever it might be they, by what lies open.
    """
    state = table.state
    here = at(state, battle.place, house)
    alone = bool(here) and all(key in ROYALS for key in here)
    known = all(state.blocks[key].shown for key in here)
    if house != "lancaster" or not here or len(here) > len(ROYALS) or (known and not alone):
        return
    boxes = [key for key in table.c.exiles if open_to(table, house, key)]
    choices = (STAY, *(boxes or (UNDECLARED,))) if alone else (STAY,)
    answer = yield from _flee(house, Choice(choices, "place"), STAY, place=battle.place)
    if answer == STAY:
        return
    table.say("battle.refuge", rule="20.7.2", house=house, blocks=here, place=answer, learns=True)
    for key in here:
        if answer == UNDECLARED:
            leave(table, key, UNDECLARED)
        else:
            put(table, key, answer)
    settle(table, battle.place)
    if answer != UNDECLARED:
        go_into_exile(table, house, here, answer)


def ways(table: Table, house: str, place: str) -> list[str]:
    """20.7.2 Neighbouring shires without enemies, not over the Wash."""
    state = table.state
    return [
        other
        for other, kind in table.c.borders[place].items()
        if kind != "wash" and not enemies(state, other, house) and not closed(state, other, house)
    ]


def _excess(table: Table, place: str, house: str) -> int:
    """7.2.9 Blocks over the stacking limit."""
    return counted(at(table.state, place, house)) - table.c.shires[place].sv - 1


def _room_domain(table: Table, battle: Battle, house: str) -> Menu[Literal["pass"] | Moves]:
    """Moves of unattached blocks with what is attached, to one shire each, never more than are too many."""
    state = table.state
    excess = _excess(table, battle.place, house)
    hosts = [key for key in at(state, battle.place, house) if not state.blocks[key].host]
    to = ways(table, house, battle.place)

    def following(so_far: Sequence[Move]) -> Form[Move] | None:
        gone = [move["block"] for move in so_far]
        used = counted([block for key in gone for block in party(state, key)])
        able = [
            key for key in hosts
            if key not in gone and 0 < counted(party(state, key)) <= excess - used
        ]  # fmt: skip
        return Form(block=Choice(able, "block"), to=Choice(to, "shire")) if able else None

    if excess <= 0 or not to or following([]) is None:
        return Menu({PASS: None})
    return Menu({PASS: None, "move": Series(following, 1, excess, "moves")})


def _make_room(table: Table, battle: Battle, house: str) -> Play:
    """20.7.2 With too many blocks there the victor may move off those that are too many, or none; fens cost attrition.

    Asked by what everybody counts: that Henry VI or the Queen is among them may be a secret.
    """
    state = table.state
    if len(at(state, battle.place, house)) <= table.c.shires[battle.place].sv + 1:
        return
    if not ways(table, house, battle.place):
        return
    answer = yield from _room(
        house,
        lambda: _room_domain(table, battle, house),
        PASS,
        place=battle.place,
        count=len(at(state, battle.place, house)),
        limit=table.c.shires[battle.place].sv + 1,
    )
    if answer == PASS:
        return
    for move in answer["with"]:
        blocks = party(state, move["block"])
        transfer(table, [move["block"]], battle.place, move["to"])
        table.say(
            "battle.moves_off", rule="20.7.2", house=house, origin=battle.place, place=move["to"],
            count=len(blocks), private={house: {"blocks": blocks}},
        )  # fmt: skip
        if table.c.borders[battle.place][move["to"]] == "fens":
            attrition(table, blocks, "20.7.2")
