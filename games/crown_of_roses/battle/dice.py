"""The dice of blocks in combat (20.5.2), and the Earl Marshal's reroll (10.5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal, TypedDict

import msgspec

from games.crown_of_roses.battle.forces import GARRISON, dice
from games.crown_of_roses.battle.plans import asked_for_cards
from games.crown_of_roses.query import ROYALS, blocks_in, king
from games.crown_of_roses.refusals import block_meant, id_named_in, meant
from games.crown_of_roses.state import Battle
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import PASS, Choice, Domain, Form, Menu
from pbem.kernel.game import Play, Rule
from pbem.kernel.questions import REACTION
from pbem.kernel.rejections import RejectionReason, because

_reroll = KIT.question("reroll", "10.5.4", REACTION)


class RerollAnswer(TypedDict):
    """The blocks whose dice are rolled again, and the office used."""

    noble: str
    by: str


Answer = Literal["pass"] | RerollAnswer


class BlockRoll(msgspec.Struct):
    """The roll of a block: its `bonus` on every die, and its `hits`."""

    house: str
    block: str
    bonus: int
    hits: int = 0


def roll_for(table: Table, battle: Battle, house: str, key: str, bonus: int) -> BlockRoll:
    """Roll the dice of a block (20.5.2): red hits on 4, blue on 5, green on 6 (8.3)."""
    rolled = BlockRoll(house, key, bonus + inspiration(table, battle, house, key))
    _roll(table, rolled)
    return rolled


def inspiration(table: Table, battle: Battle, house: str, key: str) -> int:
    """Return the bonus of cards Y4 and W3: +1 for the leader named and those they lead; card 26: for the garrison."""
    if key == GARRISON:
        return int(battle.watch)
    if not battle.inspired or not table.c.blocks[key].noble or key in ROYALS:
        return 0
    side = battle.sides[house]
    named = [noble for noble in battle.inspired if noble in side.force]
    return int(key in named or side.leader in named)


def _roll(table: Table, rolled: BlockRoll) -> None:
    needs = table.c.numbers.dice
    counts = dice(table, rolled.block)
    fell = table.roll(
        sum(counts.values()), "battle.roll", rule="20.5.2", house=rolled.house, block=rolled.block,
        kind=[f"{count}{colour}" for colour, count in counts.items()], bonus=rolled.bonus,
    ).dice  # fmt: skip
    limits = [needs.need(colour) for colour, count in counts.items() for _ in range(count)]
    rolled.hits = sum(die + rolled.bonus >= need for die, need in zip(fell, limits, strict=True))


# -- the Earl Marshal --------------------------------------------------------------------------------------------------


def _offices(table: Table, battle: Battle) -> dict[str, list[str]]:
    """Return offices by which a house might have dice rolled again, by public knowledge (10.5.4, 10.5.1).

    The Marshal's own, and the King's, who may use the ability of any office once a turn, except Henry VI. The holder
    takes part in the battle (20.5.2), in any force and with any house: they are in the shire, which is not known
    before all blocks of their house there are open.
    """
    state = table.state
    found: dict[str, list[str]] = {}
    for key in ("marshal", "king"):
        office = state.offices[key]
        if not office.holder or office.used or (key == "king" and king(state) == "henry_vi"):
            continue
        house = state.blocks[office.holder].owner
        here = blocks_in(state, battle.place, house)
        if office.holder in here or not all(state.blocks[block].shown for block in here):
            found.setdefault(house, []).append(key)
    return found


def _domain(table: Table, battle: Battle, offices: Sequence[str], nobles: Sequence[str]) -> Menu[Answer]:
    state = table.state
    able = [key for key in offices if state.blocks[state.offices[key].holder].at == battle.place]
    entries: dict[str, Domain | None] = {PASS: None}
    if able:
        entries["reroll"] = Form(
            noble=Choice(nobles, "noble", partial(_not_rolled, table)),
            by=Choice(able, "office", partial(_no_reroll, table, battle, offices)),
        )
    return Menu(entries, None, partial(_away, table, battle, offices))


def _not_rolled(table: Table, word: str) -> RejectionReason | None:
    """Return why a block does not roll again (10.5.4); None if it isn't a block."""
    if not (key := block_meant(table, word)):
        return None
    if key in ROYALS:
        return because("royal_dice", "10.5.4", block=key)
    return because("not_rolled" if _can_be_named(table, key) else "noble_rolls", "10.5.4", block=key)


def _no_reroll(table: Table, battle: Battle, offices: Sequence[str], word: str) -> RejectionReason | None:
    """Return why an office has no dice rolled again (10.5.4, 10.5.1); None if it isn't an office."""
    office = id_named_in(table, word, table.c.offices)
    if office in offices:
        return because("officer_away", "10.5.4", office=office, place=battle.place)
    return because("no_reroll", "10.5.4", office=office) if office else None


def _away(table: Table, battle: Battle, offices: Sequence[str], word: str) -> RejectionReason | None:
    """Return why a house can have no dice rolled again (10.5.4): its officer is not in the battle."""
    if meant(table, word) != "reroll":
        return None
    return because("officer_away", "10.5.4", office=offices[0], place=battle.place)


def reroll(table: Table, battle: Battle, rolls: list[BlockRoll]) -> Play:
    """Let one noble of either side, with office blocks, roll all dice of this roll again, once a turn (10.5.4).

    Henry VI and the Queen are spared. After new dice the house with the other office (10.5.1) is asked once more.
    """
    blocks = [rolled.block for rolled in rolls if rolled.block != GARRISON]
    nobles = [key for key in blocks if _can_be_named(table, key)]
    while nobles and (yield from _window(table, battle, rolls, nobles)):
        pass


def _window(table: Table, battle: Battle, rolls: list[BlockRoll], nobles: Sequence[str]) -> Rule[bool]:
    """Open the window once. Returns whether dice were rolled again; nobles whose dice changed are asked again."""
    state = table.state
    if not (offices := _offices(table, battle)):
        return False
    replies = yield from _reroll.window(
        {house: partial(_domain, table, battle, offices[house], nobles) for house in offices}, place=battle.place,
        round=battle.round, rolls={rolled.block: rolled.hits for rolled in rolls},
        touches=asked_for_cards(battle, list(offices)),
    )  # fmt: skip
    again: list[str] = []
    for house, answer in replies.in_order(list(dict.fromkeys((battle.attacker, battle.defender, *offices)))):
        if answer == PASS or answer["noble"] in again:
            continue
        noble = answer["noble"]
        again.append(noble)
        replies.took_effect(house)
        state.offices[answer["by"]].used = True
        table.log("battle.rerolls", rule="10.5.4", house=house, block=noble, office=answer["by"], reveals=True)
        for rolled in rolls:
            if rolled.block == noble or (rolled.block != GARRISON and _office_of(table, rolled.block, noble)):
                _roll(table, rolled)
    return bool(again)


def _can_be_named(table: Table, key: str) -> bool:
    return table.c.blocks[key].noble and key not in ROYALS


def _office_of(table: Table, key: str, noble: str) -> bool:
    return table.c.blocks[key].kind == "office" and table.state.blocks[key].host == noble
