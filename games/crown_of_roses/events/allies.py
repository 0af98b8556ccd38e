"""Allies (10.4.3, 14.2.2): laid down as events, discarded later for one of their options.

Each kind of option is a function `(table, moment, house, card, option, answer)`; where it can be used stands with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.crown_of_roses.blocks import attach, transfer
from games.crown_of_roses.draw import draw
from games.crown_of_roses.events.common import (
    bring_back,
    commander,
    event,
    lay,
    nobles,
    raise_command,
    return_form,
    to_roll,
    undeclared,
)
from games.crown_of_roses.events.mercenaries import available, hire, hosts, where
from games.crown_of_roses.events.raids import UPRISING, strike
from games.crown_of_roses.events.uprisings import goals
from games.crown_of_roses.influence import targets
from games.crown_of_roses.land import go_into_exile, open_to
from games.crown_of_roses.query import bound, full, in_play, party, total
from games.crown_of_roses.state import State, Step
from games.crown_of_roses.surprises import (
    DISCARDS,
    ENGAGEMENT,
    GATHERING,
    IMPULSE,
    INCOME,
    LINE,
    MARCH,
    ROUND,
    SAIL,
    STEP,
    VOTE,
    Discard,
    Moment,
)
from games.crown_of_roses.table import Table
from pbem.kernel.answers import Arrange, Choice, Domain, Form
from pbem.kernel.game import Play

Terms = Mapping[str, Any]

PEACE = (IMPULSE, STEP, MARCH, SAIL)
"""Any time in the operations phase outside battle."""

# -- into play ---------------------------------------------------------------------------------------------------------


def enters(table: Table, house: str, card: str) -> Play:
    """14.2.2 An ally is laid before his house; some give OPS at once, and his options may be used from now on."""
    own = table.state.houses[house]
    own.command = ""
    own.cards.append(card)
    table.say("ally.enters", rule="14.2.2", house=house, card=card)
    ops = table.c.cards[card].on_play_ops
    if ops:
        table.state.step = Step(house, card, ops, event=True)
    yield from ()


for _card in (
    "clinton", "zouche", "dynham", "greystoke", "de_la_warr", "fitzhugh", "devereux", "berkeley", "sutton", "wenlock",
    "welles", "merchants_of_the_staple", "hungerford", "courtenay", "beauchamp", "ratcliffe", "ogle", "catesby",
    "archbishop_of_canterbury", "archbishop_of_york", "coppini", "stourton", "dacre", "trollope", "rhys_ap_thomas",
    "scales", "bonville",
):  # fmt: skip
    event(_card)(enters)


# -- in battle ---------------------------------------------------------------------------------------------------------


def _fights(table: Table, moment: Moment, house: str, terms: Terms) -> bool:
    return moment.fight is not None and house in (moment.fight.attacker, moment.fight.defender)


def combat_dice(table: Table, moment: Moment, house: str, card: str, terms: Terms, answer: Any) -> Play:
    """20.5.2 Dice in line combat of this round; 23, 25 one more in their country, 27 one more against Devon."""
    assert moment.fight is not None  # `_fights` has seen to it
    count, region = terms["count"], terms.get("extra_in_region", "")
    place = table.c.shires[moment.fight.place]
    if region and place.region == region:
        count += terms["extra_count"]
    moment.add("dice", house, count=count, hits_on=terms["hits_on"])
    target = terms.get("extra_if_enemy_block", "")
    if target and target in moment.fight.force.get(moment.fight.enemy(house), ()):
        moment.add("dice", house, count=terms["extra_count"], hits_on=terms["hits_on"], target=target)
    yield from ()


def garrison_bonus(table: Table, moment: Moment, house: str, card: str, terms: Terms, answer: Any) -> Play:
    """26 Defending London: one more on every die of the garrison."""
    moment.add("garrison", house, count=terms["modifier"])
    yield from ()


def _holds_tower(table: Table, moment: Moment, house: str, terms: Terms) -> bool:
    fight, host = moment.fight, table.state.garrison.host
    if fight is None or fight.place != "london" or fight.defender != house or not host:
        return False
    return bool(table.state.blocks[host].owner == house)


def _commanders(table: Table, moment: Moment, house: str, terms: Terms) -> Domain | None:
    return commander(table, house)


def more_command(table: Table, moment: Moment, house: str, card: str, terms: Terms, answer: Any) -> Play:
    """14.2.2 As Leadership (72)."""
    raise_command(table, house, answer["noble"])
    yield from ()


# -- votes and influence -----------------------------------------------------------------------------------------------


def vote_or_ip(table: Table, moment: Moment, house: str, card: str, terms: Terms, answer: Any) -> Play:
    """24.2.2, 23.1.4, R-44 So many votes more, or in the Influence Phase so many points."""
    if moment.name == INCOME:
        # Counted with the rest of the income, taken with it (23.0).
        table.state.houses[house].income += terms["amount"]
        table.say("income.ally", rule="23.1.4", house=house, card=card, points=terms["amount"])
    else:
        moment.add("votes", house, count=terms["amount"])
    yield from ()


def _points(table: Table, house: str, terms: Terms) -> int:
    """16, 18 The companion ally in play and Lovell controlled add a point each; no more than the stock holds."""
    own = table.state.houses[house]
    points = int(terms["points"])
    for word, value in terms.items():
        if word.startswith("plus_if_ally_"):
            number = word.removeprefix("plus_if_ally_").removesuffix("_in_play")
            points += value * any(table.c.cards[card].number == number for card in own.cards)
    if table.state.blocks["lord_lovell"].owner == house:
        points += int(terms.get("plus_if_noble_lovell_controlled", 0))
    return min(points, total(table.c, own.stock))


def _influence(table: Table, moment: Moment, house: str, terms: Terms) -> Domain | None:
    points = _points(table, house, terms)
    able = targets(table)
    if moment.name == GATHERING:
        able = [key for key in able if key == moment.about.get("noble")]
    if not points or not able:
        return None
    if terms.get("may_split"):
        return Form(points=Arrange(dict.fromkeys(able, points), points, "points"))
    return Form(noble=Choice(able, "noble"))


def ally_influence(table: Table, moment: Moment, house: str, card: str, terms: Terms, answer: Any) -> Play:
    """14.2.2 Points (not markers) from stock onto a noble, under the limits of 19.0; 16, 18 over any nobles."""
    if "points" in answer:
        for noble, points in answer["points"].items():
            to_roll(table, house, noble, points, "14.2.2")
    else:
        to_roll(table, house, answer["noble"], _points(table, house, terms), "14.2.2")
    yield from ()


def _free(table: Table, moment: Moment, house: str, terms: Terms) -> Domain | None:
    count = min(terms["markers"], table.state.houses[house].pool.get(_marker(table, terms), 0))
    able = targets(table)
    if not count or not able:
        return None
    return Form(markers=Arrange(dict.fromkeys(able, count), count, "markers"))


def _marker(table: Table, terms: Terms) -> str:
    return next(key for key, marker in table.c.markers.items() if marker.value == terms["value"])


def free_influence(table: Table, moment: Moment, house: str, card: str, terms: Terms, answer: Any) -> Play:
    """19 to 21 Two markers of one point, if there are any, from the unclaimed pool onto one or two nobles."""
    pool, kind = table.state.houses[house].pool, _marker(table, terms)
    for noble, count in answer["markers"].items():
        lay(table, house, noble, pool, {kind: count}, "14.2.2")
    yield from ()


def draw_card(table: Table, moment: Moment, house: str, card: str, terms: Terms, answer: Any) -> Play:
    """19 to 21 A card from the deck."""
    draw(table, house, terms["count"])
    yield from ()


# -- blocks ------------------------------------------------------------------------------------------------------------


def _pool(table: Table, moment: Moment, house: str, terms: Terms) -> Domain | None:
    able = undeclared(table, house)
    return return_form(table, able) if able else None


def return_noble(table: Table, moment: Moment, house: str, card: str, terms: Terms, answer: Any) -> Play:
    """9, 13, 15 An undeclared noble returns at full strength to an estate of his, even among enemies."""
    bring_back(table, house, answer["noble"], answer["to"], "14.2.2")
    yield from ()


def _fugitives(table: Table, moment: Moment, house: str, terms: Terms) -> Domain | None:
    state: State = table.state
    heirs = [key for key in state.houses[house].heirs if state.blocks[key].at in table.c.shires]
    boxes = [key for key in table.c.exiles if open_to(table, house, key)]
    heirs = [key for key in heirs if state.blocks[key].owner == house and not bound(state, key)]
    return Form(heir=Choice(heirs, "heir"), to=Choice(boxes, "exile")) if heirs and boxes else None


def heir_to_exile(table: Table, moment: Moment, house: str, card: str, terms: Terms, answer: Any) -> Play:
    """3 An own heir with his attached blocks goes into an exile box open to him, at once and without OPS."""
    state: State = table.state
    key, to = answer["heir"], answer["to"]
    origin, state.blocks[key].host = state.blocks[key].at, ""
    stack = party(state, key)
    transfer(table, [key], origin, to)
    table.say(
        "ally.exile", rule="14.2.2", house=house, origin=origin, place=to, count=len(stack),
        private={house: {"blocks": stack}},
    )  # fmt: skip
    go_into_exile(table, house, key, stack, to)
    moment.add("gone", house, blocks=stack)
    yield from ()


def _posts(table: Table, moment: Moment, house: str, terms: Terms) -> Domain | None:
    able = [key for key in nobles(table, house, terms["shires"]) if table.c.blocks[key].command]
    return Form(noble=Choice(able, "noble")) if able else None


def _vacant(table: Table, moment: Moment, house: str, terms: Terms) -> bool:
    return not in_play(table, table.c.offices[terms["office"]].block)


def take_office(table: Table, moment: Moment, house: str, card: str, terms: Terms, answer: Any) -> Play:
    """23, 24 (R-30) A vacant office block, not its card, joins a noble in one of three shires at full strength."""
    state: State = table.state
    key = table.c.offices[terms["office"]].block
    noble = state.blocks[answer["noble"]]
    attach(table, key, answer["noble"])
    block = state.blocks[key]
    block.steps = full(table.c, key)
    block.moved, block.mustered, block.pinned = noble.moved, noble.mustered, noble.pinned
    table.say("ally.block", rule="14.2.2", house=house, block=key, place=noble.at, learns=True)
    yield from ()


def _welsh(table: Table, moment: Moment, house: str, terms: Terms) -> bool:
    return available(table, terms["block"]) and not table.state.blocks[terms["block"]].owner


def _marches(table: Table, moment: Moment, house: str, terms: Terms) -> Domain | None:
    able = hosts(table, house, terms["block"], where(table, {"region": terms["region"]}))
    return Form(noble=Choice(able, "noble")) if able else None


def take_mercenaries(table: Table, moment: Moment, house: str, card: str, terms: Terms, answer: Any) -> Play:
    """25 The Welsh, if nobody has them, join a noble in Wales at full strength."""
    hire(table, house, terms["block"], answer["noble"], "14.2.2")
    yield from ()


# -- uprisings and raids -----------------------------------------------------------------------------------------------


def _anywhere(table: Table, moment: Moment, house: str, terms: Terms) -> Domain | None:
    return Form(shire=Choice(goals(table, terms), "shire"))


def _coasts(table: Table, moment: Moment, house: str, terms: Terms) -> Domain | None:
    return Form(shire=Choice(goals(table, {**terms, "sea": "any"}), "shire"))


def uprising(table: Table, moment: Moment, house: str, card: str, terms: Terms, answer: Any) -> Play:
    """11 A planned uprising anywhere but in London, Calais and Ireland."""
    yield from strike(table, house, card, UPRISING, answer["shire"])


def pirates(table: Table, moment: Moment, house: str, card: str, terms: Terms, answer: Any) -> Play:
    """14 A pirate raid on any coast but London, Calais and Ireland."""
    yield from strike(table, house, card, "pirate", answer["shire"])


DISCARDS.update(
    combat_dice=Discard((LINE,), "dice", combat_dice, can=_fights),
    garrison_bonus=Discard((LINE,), "garrison", garrison_bonus, can=_holds_tower),
    command=Discard((*PEACE, ENGAGEMENT, ROUND), "command", more_command, domain=_commanders),
    vote_or_ip=Discard((VOTE, INCOME), "vote", vote_or_ip),
    ally_influence=Discard((IMPULSE, STEP, GATHERING), "influence", ally_influence, domain=_influence),
    free_influence=Discard((IMPULSE, STEP), "markers", free_influence, domain=_free),
    draw_card=Discard((IMPULSE, STEP), "draw", draw_card),
    return_undeclared_noble=Discard((IMPULSE, STEP), "noble", return_noble, domain=_pool),
    heir_to_exile=Discard((IMPULSE, STEP, ENGAGEMENT), "exile", heir_to_exile, domain=_fugitives),
    take_office_block=Discard((STEP,), "block", take_office, can=_vacant, domain=_posts, public=False),
    take_mercenary_block=Discard(
        (STEP,), "block", take_mercenaries, can=_welsh, domain=_marches, public=False
    ),
    planned_uprising=Discard((IMPULSE, STEP), "uprising", uprising, domain=_anywhere),
    pirate_raid=Discard((IMPULSE, STEP), "raid", pirates, domain=_coasts),
)
