"""Allies (10.4.3, 14.2.2): laid down as events, discarded later for one of their options.

`_option` registers each kind of option with the moments at which it can be used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NotRequired, TypedDict, TypeVar

import msgspec

from games.crown_of_roses.blocks import attach, transfer
from games.crown_of_roses.components import CardTerms
from games.crown_of_roses.draw import draw
from games.crown_of_roses.events import common
from games.crown_of_roses.events.common import event, nobles
from games.crown_of_roses.events.mercenaries import available, bar_hirer, hire, hosts, where
from games.crown_of_roses.events.raids import UPRISING, bar_goal, goals, strike
from games.crown_of_roses.exile import bar_box, go_into_exile, open_to
from games.crown_of_roses.influence import bar_noble, targets
from games.crown_of_roses.options import setting
from games.crown_of_roses.query import full, is_bound_by_embassy, party, total
from games.crown_of_roses.refusals import Bar, bar_mine, block_meant
from games.crown_of_roses.response_points import (
    ENGAGEMENT,
    GATHERING,
    IMPULSE,
    INCOME,
    LINE,
    MARCH,
    NEEDS,
    ROUND,
    SAIL,
    STEP,
    VOTE,
    WORDS,
    AllyOption,
    fighting,
    of_allies,
    playable_by_all,
)
from games.crown_of_roses.state import ActionStep
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Distribution, Domain, Form
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("10.4.3", "allies before their house", "events/allies.py")
KIT.chapter("14.2.2", "allies", "events/allies.py", "response_points.py")

PEACE = (IMPULSE, STEP, MARCH, SAIL)
"""Any time in the operations phase outside battle."""

X = TypeVar("X")
V = TypeVar("V")
Run = Callable[[Table, str, AllyOption, V], Play | None]


class Markers(TypedDict):
    """Markers by noble."""

    markers: dict[str, int]


class HeirFlight(TypedDict):
    """An heir, and the destination exile box."""

    heir: str
    to: str


class ShireAnswer(TypedDict):
    """A shire."""

    shire: str


class Gift(TypedDict):
    """The noble who has the points, or points by noble where several may."""

    noble: NotRequired[str]
    points: NotRequired[dict[str, int]]


def _option(
    kind: str, word: str, moments: tuple[str, ...], find: Callable[[Table, str, AllyOption], X | None],
    form: Callable[[Table, str, X], Domain[V]] | None = None, *,
    can: Callable[[Table, str, AllyOption], bool] | None = None, needs: str = "",
) -> Callable[[Run[V]], Run[V]]:  # fmt: skip
    """Register a kind of option; `word` is its word in the menu, `needs` the message that it can't be used now."""
    WORDS[kind], NEEDS[kind] = word, needs
    return KIT.response(of_allies(*moments), (kind,), find, form, can=can)


# -- into play ---------------------------------------------------------------------------------------------------------


@event(
    "clinton", "zouche", "dynham", "greystoke", "de_la_warr", "fitzhugh", "devereux", "berkeley", "sutton", "wenlock",
    "welles", "merchants_of_the_staple", "hungerford", "courtenay", "beauchamp", "ratcliffe", "ogle", "catesby",
    "archbishop_of_canterbury", "archbishop_of_york", "coppini", "stourton", "dacre", "trollope", "rhys_ap_thomas",
    "scales", "bonville",
)  # fmt: skip
def enters(table: Table, house: str, card: str) -> None:
    """Lay an ally before the house (14.2.2). Some give OPS at once; their options may be used from now on."""
    own = table.state.houses[house]
    own.command = ""
    own.cards.append(card)
    table.log("ally.enters", rule="14.2.2", house=house, card=card)
    if ops := table.c.cards[card].on_play_ops:
        table.state.step = ActionStep(house, card, ops, event=True)


# -- in battle ---------------------------------------------------------------------------------------------------------


def _fights(table: Table, house: str, option: AllyOption) -> bool | None:
    return fighting(table, house, option.moment) or None


@_option("combat_dice", "dice", (LINE,), _fights, needs="only_sides")
def combat_dice(table: Table, house: str, option: AllyOption, answer: object) -> None:
    """Add dice in line combat of this round (20.5.2); 23, 25 one more in their country, 27 one more against Devon."""
    moment, terms = option.moment, option.terms
    assert moment.fight is not None  # checked by `_fights`
    count = terms.count
    if terms.extra_in_region and table.c.shires[moment.fight.place].region == terms.extra_in_region:
        count += terms.extra_count
    moment.add("dice", house, count=count, hits_on=terms.hits_on)
    target = terms.extra_if_enemy_block
    if target and target in moment.fight.force.get(moment.fight.enemy(house), ()):
        moment.add("dice", house, count=terms.extra_count, hits_on=terms.hits_on, target=target)


def _holds_tower(table: Table, house: str, option: AllyOption) -> bool | None:
    fight, host = option.moment.fight, table.state.garrison.host
    if fight is None or fight.place != "london" or fight.defender != house or not host:
        return None
    return table.state.blocks[host].owner == house or None


@_option("garrison_bonus", "garrison", (LINE,), _holds_tower, needs="no_tower")
def garrison_bonus(table: Table, house: str, option: AllyOption, answer: object) -> None:
    """26 Defending London: one more on every die of the garrison."""
    option.moment.add("garrison", house, count=option.terms.modifier)


_option(
    "command",
    "command",
    (*PEACE, ENGAGEMENT, ROUND),
    common.commanders,
    common.commander_form,
    can=playable_by_all,
    needs="no_leader_out",
)(common.raise_command)


# -- votes and influence -----------------------------------------------------------------------------------------------


@_option("vote_or_ip", "vote", (VOTE, INCOME), playable_by_all)
def vote_or_ip(table: Table, house: str, option: AllyOption, answer: object) -> None:
    """Add votes, or influence points in the Influence Phase (24.2.2, 23.1.4, R-44)."""
    amount = option.terms.amount
    if option.moment.name == INCOME:
        # Counted with the rest of the income, taken with it (23.0).
        table.state.houses[house].income += amount
        table.log("income.ally", rule="23.1.4", house=house, card=option.card, points=amount)
    else:
        option.moment.add("votes", house, count=amount)


def _points(table: Table, house: str, option: AllyOption) -> int:
    """Return the points, one more each for the companion ally and Lovell (16, 18), limited by the stock."""
    own, terms = table.state.houses[house], option.terms
    mine = {table.c.cards[card].number for card in own.cards}
    points = terms.points
    points += terms.plus_if_ally_16_in_play if "16" in mine else 0
    points += terms.plus_if_ally_18_in_play if "18" in mine else 0
    if table.state.blocks["lord_lovell"].owner == house:
        points += terms.plus_if_noble_lovell_controlled
    return min(points, total(table.c, own.stock))


class PointGift(msgspec.Struct, frozen=True):
    """Points, the nobles who can have them, and whether several may."""

    points: int
    able: list[str]
    split: bool


def _giving(table: Table, house: str, option: AllyOption) -> PointGift | None:
    points = _points(table, house, option)
    able = targets(table)
    if option.moment.name == GATHERING:
        able = [key for key in able if key == option.moment.about.get("noble")]
    return PointGift(points, able, option.terms.may_split) if points and able else None


def _give(table: Table, house: str, found: PointGift) -> Form[Gift]:
    if found.split:
        return Form(points=Distribution(dict.fromkeys(found.able, found.points), found.points, "points"))
    return Form(noble=Choice(found.able, "noble", partial(_no_gift, table)))


def _no_gift(table: Table, word: str) -> RejectionReason | None:
    """Return why a noble gets no points (14.2.2): no box for them, or another noble is counted now (24.2.1)."""
    key = block_meant(table, word)
    return bar_noble(table, word) or (because("other_box", "24.2.1", block=key) if key else None)


@_option(
    "ally_influence", "influence", (IMPULSE, STEP, GATHERING), _giving, _give, can=playable_by_all, needs="no_gift"
)
def ally_influence(table: Table, house: str, option: AllyOption, answer: Gift) -> None:
    """Put points (not markers) from stock on a noble, by the limits of 19.0; 16, 18 on any nobles (14.2.2)."""
    if "points" in answer:
        for noble, points in answer["points"].items():
            common.to_roll(table, house, noble, points, "14.2.2")
    else:
        common.to_roll(table, house, answer["noble"], _points(table, house, option), "14.2.2")


def _free(table: Table, house: str, option: AllyOption) -> dict[str, int] | None:
    """Return nobles with the number of free markers each can have."""
    count = min(option.terms.markers, table.state.houses[house].pool.get(_marker(table, option), 0))
    return (dict.fromkeys(targets(table), count) if count else {}) or None


def _marker(table: Table, option: AllyOption) -> str:
    return next(key for key, marker in table.c.markers.items() if marker.value == option.terms.value)


def _share(table: Table, house: str, most: dict[str, int]) -> Form[Markers]:
    return Form(markers=Distribution(most, next(iter(most.values())), "markers"))


@_option("free_influence", "markers", (IMPULSE, STEP), _free, _share, can=playable_by_all, needs="no_free_marker")
def free_influence(table: Table, house: str, option: AllyOption, answer: Markers) -> None:
    """19 to 21 Two markers of one point, if there are any, from the unclaimed pool onto one or two nobles."""
    pool, kind = table.state.houses[house].pool, _marker(table, option)
    for noble, count in answer["markers"].items():
        common.lay(table, house, noble, pool, {kind: count}, "14.2.2")


@_option("draw_card", "draw", (IMPULSE, STEP), playable_by_all)
def draw_card(table: Table, house: str, option: AllyOption, answer: object) -> None:
    """19 to 21 A card from the deck."""
    draw(table, house, option.terms.count)


# -- blocks ------------------------------------------------------------------------------------------------------------


def _pool(table: Table, house: str, option: AllyOption) -> dict[str, list[str]] | None:
    return common.returnable(table, house) or None


def _returning(table: Table, house: str, found: dict[str, list[str]]) -> Form[common.NobleReturn]:
    return common.return_form(table, house, found, "14.2.2")


@_option(
    "return_undeclared_noble", "noble", (IMPULSE, STEP), _pool, _returning, can=playable_by_all, needs="nobody_returns"
)
def return_noble(table: Table, house: str, option: AllyOption, answer: common.NobleReturn) -> None:
    """9, 13, 15 An undeclared noble returns at full strength to one of their estates, even among enemies."""
    common.bring_back(table, house, answer["noble"], answer["to"], "14.2.2")


class FleeingHeirs(msgspec.Struct, frozen=True):
    """Heirs who can flee, and the exile boxes open to them."""

    heirs: list[str]
    boxes: list[str]


def _fugitives(table: Table, house: str, option: AllyOption) -> FleeingHeirs | None:
    state = table.state
    heirs = [
        key
        for key in state.houses[house].heirs
        if state.blocks[key].at in table.c.shires
        and state.blocks[key].owner == house
        and not is_bound_by_embassy(state, key)
    ]
    boxes = [key for key in table.c.exiles if open_to(table, house, key)]
    return FleeingHeirs(heirs, boxes) if heirs and boxes else None


def _flight(table: Table, house: str, found: FleeingHeirs) -> Form[HeirFlight]:
    return Form(
        heir=Choice(found.heirs, "heir", partial(_no_fugitive, table, house)),
        to=Choice(found.boxes, "exile", partial(bar_box, table, house)),
    )


def _no_fugitive(table: Table, house: str, word: str) -> RejectionReason | None:
    """Return why a block does not flee (3); None for what is none."""
    problem, key = bar_mine(table, house, "14.2.2", word, in_shire=True), block_meant(table, word)
    if problem or not key:
        return problem
    heir = key in table.state.houses[house].heirs
    return because("embassy_bound" if heir else "not_heir", "14.1.1" if heir else "14.2.2", block=key)


def _may_flee(table: Table, house: str, option: AllyOption) -> bool:
    """Return whether an heir may flee: at any time, or (house rule) not once an engagement has begun (14.2.2)."""
    return option.moment.name != ROUND or setting(table, "heir_flees") == "any_time"


@_option("heir_to_exile", "exile", (*PEACE, ENGAGEMENT, ROUND), _fugitives, _flight, can=_may_flee, needs="no_fugitive")
def heir_to_exile(table: Table, house: str, option: AllyOption, answer: HeirFlight) -> None:
    """3 An own heir, with attached blocks, goes into an exile box open to them, at once and without OPS."""
    state = table.state
    key, to = answer["heir"], answer["to"]
    origin, state.blocks[key].host = state.blocks[key].at, ""
    stack = party(state, key)
    transfer(table, [key], origin, to)
    table.log(
        "ally.exile", rule="14.2.2", house=house, origin=origin, place=to, count=len(stack),
        private={house: {"blocks": stack}},
    )  # fmt: skip
    go_into_exile(table, house, stack, to)
    option.moment.add("gone", house, blocks=stack)


class JoinableNobles(msgspec.Struct, frozen=True):
    """Nobles whom a block can join, and why it can't join others."""

    able: list[str]
    why: Bar


def _joining(table: Table, house: str, found: JoinableNobles) -> Form[common.OwnNobleAnswer]:
    return Form(noble=Choice(found.able, "noble", found.why))


def _posts(table: Table, house: str, option: AllyOption) -> JoinableNobles | None:
    """Return nobles of the house in the shires named, if nobody controls the block (23, 24).

    The block of a noble who fled is controlled even though it is undeclared (8.2, 20.6.1).
    """
    if table.state.blocks[table.c.offices[option.terms.office].block].owner:
        return None
    able = [key for key in nobles(table, house, option.terms.shires) if table.c.blocks[key].command]
    return JoinableNobles(able, partial(_no_taker, table, house, option.terms.shires)) if able else None


def _no_taker(table: Table, house: str, places: Sequence[str], word: str) -> RejectionReason | None:
    """Return why an office block does not join a noble (23, 24); None if it isn't a block."""
    problem, key = bar_mine(table, house, "14.2.2", word), block_meant(table, word)
    if problem or not key:
        return problem
    place = table.state.blocks[key].at
    if place not in places:
        return because("not_in_place", "14.2.2", block=key, place=place)
    return because("commandless", "14.2.2", block=key)


@_option("take_office_block", "block", (STEP,), _posts, _joining, can=playable_by_all, needs="no_block")
def take_office(table: Table, house: str, option: AllyOption, answer: common.OwnNobleAnswer) -> None:
    """23, 24 (R-30) A vacant office block, not its card, joins a noble in one of three shires at full strength."""
    key = table.c.offices[option.terms.office].block
    noble = table.state.blocks[answer["noble"]]
    attach(table, key, answer["noble"])
    block = table.state.blocks[key]
    block.steps = full(table.c, key)
    block.moved, block.mustered, block.pinned = noble.moved, noble.mustered, noble.pinned
    table.log("ally.block", rule="14.2.2", house=house, block=key, place=noble.at, reveals=True)


def _marches(table: Table, house: str, option: AllyOption) -> JoinableNobles | None:
    """Return nobles of the house in Wales who can host the Welsh, if nobody has these (25)."""
    terms = option.terms
    if not available(table, terms.block) or table.state.blocks[terms.block].owner:
        return None
    able = hosts(table, house, terms.block, where(table, terms))
    return JoinableNobles(able, partial(bar_hirer, table, house, where(table, terms), "14.2.2")) if able else None


@_option("take_mercenary_block", "block", (STEP,), _marches, _joining, can=playable_by_all, needs="no_block")
def take_mercenaries(table: Table, house: str, option: AllyOption, answer: common.OwnNobleAnswer) -> None:
    """25 The Welsh join a noble in Wales at full strength."""
    hire(table, house, option.terms.block, answer["noble"], "14.2.2")


# -- uprisings and raids -----------------------------------------------------------------------------------------------


class AllyTargets(msgspec.Struct, frozen=True):
    """The shires where an uprising or raid may be, and the words of the option."""

    shires: list[str]
    terms: CardTerms


def _shire(table: Table, house: str, found: AllyTargets) -> Form[ShireAnswer]:
    return Form(shire=Choice(found.shires, "shire", partial(bar_goal, table, found.terms)))


def _anywhere(table: Table, house: str, option: AllyOption) -> AllyTargets:
    return AllyTargets(goals(table, option.terms), option.terms)


@_option("planned_uprising", "uprising", (IMPULSE, STEP), _anywhere, _shire)
def uprising(table: Table, house: str, option: AllyOption, answer: ShireAnswer) -> Play:
    """11 A planned uprising anywhere but in London, Calais and Ireland."""
    yield from strike(table, house, option.card, UPRISING, answer["shire"])


def _coasts(table: Table, house: str, option: AllyOption) -> AllyTargets:
    return AllyTargets(goals(table, option.terms, sea="any"), option.terms)


@_option("pirate_raid", "raid", (IMPULSE, STEP), _coasts, _shire)
def pirates(table: Table, house: str, option: AllyOption, answer: ShireAnswer) -> Play:
    """14 A pirate raid on any coast but London, Calais and Ireland."""
    yield from strike(table, house, option.card, "pirate", answer["shire"])
