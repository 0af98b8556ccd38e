"""Retreat (20.5.4): who may, where to, and the pursuit with 3-OPS cards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final, Literal, TypedDict

from games.crown_of_roses.battle.forces import everything, settled, weaker
from games.crown_of_roses.blocks import attrition, leave, transfer, update_garrisons
from games.crown_of_roses.draw import discard
from games.crown_of_roses.events.raids import meet_rebels
from games.crown_of_roses.heirs import forfeit_heir
from games.crown_of_roses.interception import bar_way, ways_out
from games.crown_of_roses.query import attached, is_heir, rank
from games.crown_of_roses.refusals import meant
from games.crown_of_roses.state import UNDECLARED, Battle, BattleSide
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import PASS, Choice, Form, Menu
from pbem.kernel.game import Play, Rule
from pbem.kernel.questions import REACTION
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("20.5.4", "retreat, Love Day", "battle/retreat.py", "battle/engagement.py")

_retreat = KIT.question("retreat", "20.5.4", REACTION)
_way = KIT.question("way", "20.5.4", REACTION)
_pursue = KIT.question("pursue", "20.5.4", REACTION)
_press = KIT.question("press", "20.5.4", REACTION)

STAY: Final = "stay"


class PursuitDiscard(TypedDict):
    """A card discarded for a pursuit, or against one."""

    card: str


class Retreat(TypedDict):
    """The destination of a retreat."""

    do: Literal["retreat"]
    to: str


Answer = Literal["stay"] | Retreat


def retreat_paths(table: Table, battle: Battle, house: str) -> list[str]:
    """Return where a house could retreat to (20.5.4): the attacker back to the origin, if that is open.

    Neighbouring shires without enemies, not over the Wash nor over a border that an enemy entered by.
    """
    open_ways = ways_out(table, house, battle.place)
    origin = battle.sides[house].origin
    if house == battle.attacker and origin in open_ways:
        return [origin]
    return open_ways


def _domain(table: Table, battle: Battle, house: str) -> Menu[Answer]:
    return Menu({STAY: None, "retreat": Form(to=path_choice(table, battle, house))})


def path_choice(table: Table, battle: Battle, house: str) -> Choice[str]:
    """Return the shires that a house could retreat to (20.5.4)."""
    paths = retreat_paths(table, battle, house)
    return Choice(paths, "shire", partial(_bar_path, table, battle, house, paths))


def _bar_path(table: Table, battle: Battle, house: str, paths: Sequence[str], to: str) -> RejectionReason | None:
    """Return why a house can't retreat to a shire (20.5.4)."""
    if problem := bar_way(table, house, battle.place, "20.5.4", to):
        return problem
    known = to in table.c.shires and to not in paths
    return because("way_back", "20.5.4", place=battle.sides[house].origin) if known else None


def _planned(table: Table, battle: Battle, side: BattleSide, paths: Sequence[str]) -> Answer | None:
    word = settled(side, "retreat")
    if word == "ask":
        return None
    if word == "never" or not weaker(table, battle, side):
        return STAY
    to = side.plan.get("to", "")
    return {"do": "retreat", "to": to if to in paths else paths[0]}


def retreat(table: Table, battle: Battle) -> Rule[str]:
    """Decide retreats after the damage of a round, from the second on, the attacker first (20.5.4).

    Returns the house that retreats, or "".
    """
    for house in (battle.attacker, battle.defender):
        side = battle.sides[house]
        if not (paths := retreat_paths(table, battle, house)):
            continue
        answer = _planned(table, battle, side, paths)
        if answer is None:
            answer = yield from _retreat(
                house, partial(_domain, table, battle, house), STAY, place=battle.place, round=battle.round,
                enemy=battle.enemy(house),
            )  # fmt: skip
        if answer == STAY:
            table.log("retreat.none", rule="20.5.4", house=house, reveals=True)
            continue
        table.log("retreat.declared", rule="20.5.4", house=house, place=battle.place, reveals=True)
        if not (yield from _pursued(table, battle, side)):
            yield from withdraw(table, battle, side, answer["to"])
            return house
        table.log("retreat.cancelled", rule="20.5.4", house=house)
    return ""


# -- pursuit -----------------------------------------------------------------------------------------------------------


def pursuit_cards(table: Table, house: str) -> list[str]:
    """Return cards of 3 OPS in a hand, house cards included (20.5.4)."""
    need = table.c.numbers.battle.pursuit_ops
    return [card for card in sorted(table.state.houses[house].hand) if table.c.cards[card].ops == need]


def _cards(table: Table, house: str) -> Menu[Literal["pass"] | PursuitDiscard]:
    cards = pursuit_cards(table, house)
    form = {"discard": Form(card=Choice(cards, "card", partial(_no_hunter, table, house)))} if cards else {}
    return Menu({PASS: None, **form}, None, partial(_no_discard, table))


def _no_discard(table: Table, word: str) -> RejectionReason | None:
    """Return why a house can discard no card for or against a pursuit (20.5.4)."""
    need = table.c.numbers.battle.pursuit_ops
    return because("no_hunters", "20.5.4", ops=need) if meant(table, word) == "discard" else None


def _no_hunter(table: Table, house: str, card: str) -> RejectionReason | None:
    """Return why a card can't be discarded for or against a pursuit (20.5.4); None if it isn't a card."""
    if card not in table.c.cards:
        return None
    if card not in table.state.houses[house].hand:
        return because("not_in_hand", "20.5.4", card=card)
    need = table.c.numbers.battle.pursuit_ops
    return because("other_ops", "20.5.4", card=card, ops=table.c.cards[card].ops, need=need)


def _spend(table: Table, house: str, card: str, key: str) -> None:
    """Discard a card for or against pursuit; it is not replaced. An heir's card takes their block (6.1)."""
    table.state.houses[house].hand.remove(card)
    table.log(key, rule="20.5.4", house=house, card=card, reveals=True)
    if table.c.cards[card].type == "heir":
        table.state.removed.append(card)
        forfeit_heir(table, house, card)
    else:
        discard(table, card)


def _pursued(table: Table, battle: Battle, side: BattleSide) -> Rule[bool]:
    """Pursue a retreating heir: 3-OPS cards against and for them in turn (20.5.4). Returns whether it is called off."""
    state = table.state
    heirs = [key for key in everything(table, battle, side.house) if is_heir(state, key)]
    if not heirs:
        return False
    table.log("retreat.heir", rule="20.5.4", house=side.house, reveals=True)
    while True:
        hunter = yield from _hunt(table, battle, side)
        if not hunter:
            return False
        if not state.houses[side.house].hand:
            return True
        answer = yield from _press(
            side.house, lambda: _cards(table, side.house), PASS, place=battle.place, enemy=hunter
        )
        if answer == PASS:
            return True
        _spend(table, side.house, answer["card"], "retreat.pressed")


def _hunt(table: Table, battle: Battle, side: BattleSide) -> Rule[str]:
    """Let the first of the others in impulse order who wants to pursue. Returns their house, "" if none."""
    state = table.state
    able = [
        house
        for house in battle.sides
        if house != side.house and state.houses[house].hand and everything(table, battle, house)
    ]
    order = [house for house in dict.fromkeys((*state.order, *state.houses)) if house in able]
    if not order:
        return ""
    replies = yield from _pursue.window(
        {house: partial(_cards, table, house) for house in order}, place=battle.place, house=side.house, touches=order
    )
    for house, answer in replies.in_order(order):
        if answer != PASS:
            replies.took_effect(house)
            _spend(table, house, answer["card"], "retreat.pursued")
            return house
    return ""


# -- going -------------------------------------------------------------------------------------------------------------


def withdraw(table: Table, battle: Battle, side: BattleSide, to: str) -> Play:
    """Retreat with all blocks to one shire; over the fens attrition at -1 (R-49); rebels meet them there (14.2.1)."""
    state = table.state
    blocks = list(everything(table, battle, side.house))
    transfer(table, [key for key in blocks if state.blocks[key].host not in blocks], battle.place, to)
    _forget(side, blocks)
    table.log(
        "retreat.goes", rule="20.5.4", house=side.house, origin=battle.place, place=to, count=len(blocks),
        private={side.house: {"blocks": blocks}},
    )  # fmt: skip
    if table.c.borders[battle.place][to] == "fens":
        nobles = [key for key in blocks if table.c.blocks[key].command]
        leader = side.leader or max(nobles, key=lambda key: rank(table, key), default="")
        attrition(table, blocks, "20.5.4", leader=leader, modifier=table.c.numbers.attrition.fens)
    yield from meet_rebels(table, side.house, to)


def scatter(table: Table, battle: Battle, side: BattleSide) -> None:
    """Make blocks that must leave without a path undeclared (20.5.4)."""
    state = table.state
    blocks = everything(table, battle, side.house)
    table.log(
        "retreat.scattered", rule="20.5.4", house=side.house, place=battle.place, count=len(blocks),
        private={side.house: {"blocks": blocks}},
    )  # fmt: skip
    for key in blocks:
        if not state.blocks[key].host:
            for guest in attached(state, key):
                if table.c.blocks[guest].kind != "office":
                    state.blocks[guest].host = ""
            leave(table, key, UNDECLARED, keep=True)
    for key in blocks:
        if state.blocks[key].at == battle.place:
            leave(table, key, UNDECLARED)
    update_garrisons(table, battle.place)
    _forget(side, blocks)


def _forget(side: BattleSide, blocks: Sequence[str]) -> None:
    for listed in (side.force, side.reserve, side.waiting):
        listed[:] = [key for key in listed if key not in blocks]


def driven_out(table: Table, battle: Battle, side: BattleSide) -> Play:
    """Move all blocks of a side that must leave: by one path, or the owner's choice; without a path undeclared."""
    if not everything(table, battle, side.house):
        return
    if not (paths := retreat_paths(table, battle, side.house)):
        scatter(table, battle, side)
        return
    to = side.plan.get("to", "")
    if len(paths) == 1 or to not in paths:
        to = paths[0]
        if len(paths) > 1:
            to = yield from _way(side.house, path_choice(table, battle, side.house), paths[0], place=battle.place)
    yield from withdraw(table, battle, side, to)
