"""Retreat (20.5.4): who may, where to, and the pursuit with 3-OPS cards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from games.crown_of_roses.battle.forces import everything, settled, weaker
from games.crown_of_roses.blocks import attrition, leave, settle, transfer
from games.crown_of_roses.draw import discard
from games.crown_of_roses.entering import ways_out
from games.crown_of_roses.heirs import use_for_ops
from games.crown_of_roses.query import attached, is_heir, rank
from games.crown_of_roses.state import UNDECLARED, Battle, Side, State
from games.crown_of_roses.table import Table
from pbem.kernel.answers import PASS, Choice, Domain, Form, Menu
from pbem.kernel.game import Play
from pbem.kernel.questions import REACTION, Ask, Window

STAY = "stay"


def retreat_paths(table: Table, battle: Battle, house: str) -> list[str]:
    """20.5.4 Where a house could retreat to: the attacker back to where he came from, if that is open.

    Neighbouring shires without enemies, not over the Wash nor over a border that an enemy entered by.
    """
    open_ways = ways_out(table, house, battle.place)
    origin = battle.sides[house].origin
    if house == battle.attacker and origin in open_ways:
        return [origin]
    return open_ways


def _domain(table: Table, battle: Battle, house: str) -> Domain:
    return Menu({STAY: None, "retreat": Form(to=Choice(retreat_paths(table, battle, house), "shire"))})


def _planned(table: Table, battle: Battle, side: Side, paths: Sequence[str]) -> Any:
    """What the plan of a side says, None if it leaves the retreat open."""
    word = settled(side, "retreat")
    if word == "ask":
        return None
    if word == "never" or not weaker(table, battle, side):
        return STAY
    to = side.plan.get("to", "")
    return {"do": "retreat", "to": to if to in paths else paths[0]}


def retreat(table: Table, battle: Battle) -> Play:
    """20.5.4 After the damage of a round, from the second on: the attacker decides, then the defender.

    Returns the house that retreated, "" if none did.
    """
    for house in (battle.attacker, battle.defender):
        side = battle.sides[house]
        paths = retreat_paths(table, battle, house)
        if not paths:
            continue
        answer = _planned(table, battle, side, paths)
        if answer is None:
            answer = yield Ask(
                house, "retreat", partial(_domain, table, battle, house), rule="20.5.4", default=STAY,
                pace=REACTION,
                about={"place": battle.place, "round": battle.round, "enemy": _enemy(battle, house)},
            )  # fmt: skip
        if answer == STAY:
            table.say("retreat.none", rule="20.5.4", house=house, learns=True)
            continue
        table.say("retreat.declared", rule="20.5.4", house=house, place=battle.place, learns=True)
        if not (yield from _pursued(table, battle, side)):
            withdraw(table, battle, side, answer["to"])
            return house
        table.say("retreat.cancelled", rule="20.5.4", house=house)
    return ""


def _enemy(battle: Battle, house: str) -> str:
    return battle.defender if house == battle.attacker else battle.attacker


# -- pursuit -----------------------------------------------------------------------------------------------------------


def pursuit_cards(table: Table, house: str) -> list[str]:
    """20.5.4 Cards of 3 OPS in a hand, house cards included."""
    need = table.c.numbers["battle"]["pursuit_ops"]
    return [card for card in sorted(table.state.houses[house].hand) if table.c.cards[card].ops == need]


def _cards(table: Table, house: str) -> Menu:
    cards = pursuit_cards(table, house)
    return Menu({PASS: None, **({"discard": Form(card=Choice(cards, "card"))} if cards else {})})


def _spend(table: Table, house: str, card: str, key: str) -> None:
    """A card is discarded for or against pursuit; no card is drawn for it. An heir's card takes his block (6.1)."""
    table.state.houses[house].hand.remove(card)
    table.say(key, rule="20.5.4", house=house, card=card, learns=True)
    if table.c.cards[card].type == "heir":
        table.state.removed.append(card)
        use_for_ops(table, house, card)
    else:
        discard(table, card)


def _pursued(table: Table, battle: Battle, side: Side) -> Play:
    """20.5.4 If an heir retreats: 3-OPS cards against him and for him in turn. True if the retreat is called off."""
    state: State = table.state
    heirs = [key for key in everything(table, battle, side.house) if is_heir(state, key)]
    if not heirs:
        return False
    table.say("retreat.heir", rule="20.5.4", house=side.house, learns=True)
    while True:
        hunter = yield from _hunt(table, battle, side)
        if not hunter:
            return False
        answer: Any = PASS
        if state.houses[side.house].hand:
            answer = yield Ask(
                    side.house, "press", lambda: _cards(table, side.house), rule="20.5.4", default=PASS,
                    pace=REACTION, about={"place": battle.place, "enemy": hunter},
                )  # fmt: skip
        if answer == PASS:
            return True
        _spend(table, side.house, answer["card"], "retreat.pressed")


def _hunt(table: Table, battle: Battle, side: Side) -> Play:
    """The others in the battle may pursue, the first in impulse order does; returns his house, "" if none."""
    state: State = table.state
    able = [
        house
        for house in battle.sides
        if house != side.house and state.houses[house].hand and everything(table, battle, house)
    ]
    order = [house for house in dict.fromkeys((*state.order, *state.houses)) if house in able]
    if not order:
        return ""
    replies = yield Window(
        "pursue",
        {house: partial(_cards, table, house) for house in order},
        rule="20.5.4",
        about={"place": battle.place, "house": side.house, "touches": order},
    )
    for house, answer in replies.walk(order):
        replies.took_effect(house)
        _spend(table, house, answer["card"], "retreat.pursued")
        return house
    return ""


# -- going -------------------------------------------------------------------------------------------------------------


def withdraw(table: Table, battle: Battle, side: Side, to: str, only: Sequence[str] | None = None) -> None:
    """R-49 Force, reserve and reinforcements retreat together to one shire; over the fens they roll attrition at -1."""
    state: State = table.state
    blocks = list(everything(table, battle, side.house) if only is None else only)
    transfer(table, [key for key in blocks if state.blocks[key].host not in blocks], battle.place, to)
    _forget(side, blocks)
    table.say(
        "retreat.goes", rule="20.5.4", house=side.house, origin=battle.place, place=to, count=len(blocks),
        private={side.house: {"blocks": blocks}},
    )  # fmt: skip
    if table.c.borders[battle.place][to] == "fens":
        nobles = [key for key in blocks if table.c.blocks[key].command]
        leader = side.leader or max(nobles, key=lambda key: rank(table, key), default="")
        attrition(table, blocks, "20.5.4", leader=leader, modifier=table.c.numbers["attrition"]["fens"])


def scatter(table: Table, battle: Battle, side: Side) -> None:
    """20.5.4 No path for those who must go: their blocks go undeclared."""
    state: State = table.state
    blocks = everything(table, battle, side.house)
    table.say(
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
    settle(table, battle.place)
    _forget(side, blocks)


def _forget(side: Side, blocks: Sequence[str]) -> None:
    for listed in (side.force, side.reserve, side.waiting):
        listed[:] = [key for key in listed if key not in blocks]


def driven_out(table: Table, battle: Battle, side: Side) -> Play:
    """All blocks of a side that must leave the shire: one path, or its owner's choice; without a path undeclared."""
    if not everything(table, battle, side.house):
        return
    paths = retreat_paths(table, battle, side.house)
    if not paths:
        scatter(table, battle, side)
        return
    to = side.plan.get("to", "")
    if len(paths) == 1 or to not in paths:
        to = paths[0]
        if len(paths) > 1:
            to = yield Ask(
                side.house, "way", Choice(paths, "shire"), rule="20.5.4", default=paths[0], pace=REACTION,
                about={"place": battle.place},
            )  # fmt: skip
    withdraw(table, battle, side, to)
