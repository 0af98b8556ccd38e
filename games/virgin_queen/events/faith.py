"""Events of the faiths: 50, 53, 59, 68, 76, 78, 97 (6.1; `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import cards
from games.virgin_queen.courts.deaths import leader_dies
from games.virgin_queen.courts.weddings import EDICT
from games.virgin_queen.events import common
from games.virgin_queen.events.common import choose, event
from games.virgin_queen.events.conversions import DICE, open_areas
from games.virgin_queen.intrigue import plot
from games.virgin_queen.minors import MOST_INFLUENCE
from games.virgin_queen.query import at_war, seat_of
from games.virgin_queen.religion.conversion import NONE, ConversionAttempts, convert, may_convert
from games.virgin_queen.religion.rebellion import NETHERLANDS
from games.virgin_queen.state import CATHOLIC, ENGLAND, FRANCE, PROTESTANT, SCOTLAND, SPAIN
from games.virgin_queen.table import Table
from pbem.kernel.game import Play, Rule

NORTH = ("york", "carlisle", "berwick", "chester", "lincoln")
PARIS = "paris"
EDICT_ATTEMPTS = 3


def restless(table: Table) -> list[str]:
    """Return the spaces of France in unrest."""
    return [at for at in table.c.areas[FRANCE] if at in table.state.unrest]


def attempt(table: Table, power: str, attempts: ConversionAttempts) -> Play:
    """18.5 Make conversion attempts, if the core presence allows any (18.1)."""
    if may_convert(table, attempts):
        yield from convert(table, power, attempts)


def french_match(table: Table) -> bool:
    """21.1 Return whether a French royal is betrothed."""
    return any(
        table.state.royals[key].power == FRANCE for betrothal in table.state.betrothed for key in betrothal.couple
    )


@event("edict-of-toleration")
def edict_of_toleration(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #50: if France wishes, its unrest is removed and its next wedding gets 2 more (21.1).

    In return the Protestants make three conversion attempts there.
    """
    card = "edict-of-toleration"
    if not (yield from common.ask_consent(table, FRANCE, card, "edict", other=PROTESTANT)):
        return
    common.remove_unrest(table, FRANCE, restless(table))
    table.state.powers[FRANCE].used[EDICT] = 1
    yield from attempt(table, PROTESTANT, ConversionAttempts(PROTESTANT, FRANCE, EDICT_ATTEMPTS, "6.1"))


@event("grand-tour", lambda t, p: not t.state.league)
def grand_tour(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #53, before the League (FAQ 28): calm up to four spaces of France, four attempts, a card."""
    card = "grand-tour"
    common.remove_unrest(table, FRANCE, (yield from common.several(table, FRANCE, card, restless(table), 4)))
    yield from attempt(table, FRANCE, ConversionAttempts(CATHOLIC, FRANCE, 4, "6.1", unrest=NONE))
    cards.draw(table, FRANCE, 1, "6.1")


@event("john-knox")
def john_knox(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #59: conversion attempts in Scotland, then influence there for the Protestants and England."""
    yield from attempt(table, PROTESTANT, ConversionAttempts(PROTESTANT, SCOTLAND, 5, "6.1", six=True))
    minor = table.state.minors[SCOTLAND]
    for other in (PROTESTANT, ENGLAND):
        now = minor.influence.get(other, MOST_INFLUENCE)
        if not minor.resolved and now < MOST_INFLUENCE:
            minor.influence[other] = now + 1
            table.log("minor.influence", rule="24.5", power=other, minor=SCOTLAND, points=1, now=now + 1)


def heretics(table: Table, power: str) -> list[str]:
    """#68 Return England, France and the Protestants, if another player has them."""
    mine = seat_of(table.state, SPAIN)
    return [other for other in (ENGLAND, FRANCE, PROTESTANT) if seat_of(table.state, other) != mine]


@common.targeted("spanish-inquisition", "target", heretics, SPAIN)
def spanish_inquisition(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #68: Spain sees a hand with home cards (6.1), then five attempts in the Netherlands or England."""
    state, victim = table.state, aim["target"]
    private = {seat_of(state, SPAIN): {"cards": list(state.powers[victim].hand), "treasures": []}}
    table.log("event.looks", rule="6.1", power=SPAIN, victim=victim, private=private)
    card = "spanish-inquisition"
    area = yield from choose(table, SPAIN, card, "area", open_areas(table, CATHOLIC, (NETHERLANDS, ENGLAND)))
    if area:
        yield from convert(table, SPAIN, ConversionAttempts(CATHOLIC, area, DICE[card], "6.1"))


def missions(table: Table) -> list[str]:
    """#76, 19.2 Return the English spaces without a Jesuit, as long as Spain has counters."""
    state = table.state
    if len(state.jesuits) + state.powers[SPAIN].stock.get("jesuit", 0) >= table.c.markers["jesuit"][SPAIN]:
        return []
    return [at for at in table.c.areas[ENGLAND] if at not in state.jesuits]


@event("english-college-douai")
def english_college(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #76: a Jesuit in England at once; once the card is out of the game, two a turn (8.2)."""
    if space := (yield from choose(table, SPAIN, "english-college-douai", "space", missions(table))):
        table.state.jesuits.append(space)
        table.log("event.jesuit", rule="19.2", power=SPAIN, space=space)


def recusants(table: Table) -> list[str]:
    """#78 Return unoccupied Catholic spaces in England."""
    state = table.state
    return common.empty(table, [at for at in table.c.areas[ENGLAND] if state.religion[at] == CATHOLIC])


def _rising_aim(table: Table, power: str) -> Rule[Mapping[str, Any]]:
    card = "rising-of-the-north"
    north = [at for at in plot.targets(table) if at in NORTH]
    space = yield from choose(table, SPAIN, card, "space", north)
    found = [at for at in recusants(table) if at != space]  # the rebels occupy the space
    spaces = yield from common.several(table, SPAIN, card, found, 2)
    return common.announce(table, power, card, {"space": space, "spaces": spaces})


@event("rising-of-the-north", aim=_rising_aim)
def rising_of_the_north(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #78: a rising from step 2 of 19.4 on, and unrest on two English spaces, if still unoccupied (12.4)."""
    if space := aim["space"]:
        yield from plot.rising(table, space, dice=5, most=3, rule="6.1")
    common.unrest(table, common.empty(table, aim["spaces"]))


def guests(table: Table) -> list[str]:
    """#97 Return the Huguenot leaders in or next to a space under France."""
    state, c = table.state, table.c
    near = {at for at in c.spaces if any(state.control[beside] == FRANCE for beside in (at, *c.land[at]))}
    free = [key for key, leader in state.leaders.items() if leader.at in near and not leader.captor]
    return [key for key in free if c.generals[key].owner == "huguenot"]


@event(
    "st-bartholomews-day-massacre",
    lambda t, p: t.state.control[PARIS] == FRANCE and at_war(t.state, FRANCE, PROTESTANT),
)
def st_bartholomew(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #97: three dice for each Huguenot leader, a 6 kills; seven conversion attempts; unrest in Paris."""
    card = "st-bartholomews-day-massacre"
    for leader in guests(table):
        rolls = table.roll(3, "event.rolls", rule="6.1", power=leader, card=card, space=leader)
        if 6 in rolls.dice:
            leader_dies(table, leader)
    yield from attempt(table, FRANCE, ConversionAttempts(CATHOLIC, FRANCE, 7, "6.1"))
    common.unrest(table, [PARIS])
