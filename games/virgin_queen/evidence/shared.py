"""What many decisions of Virgin Queen turn on: cards in CP, prices, places and who is there, wars, VP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from games.virgin_queen import fleets, impulse
from games.virgin_queen.events.naval import SLIPS
from games.virgin_queen.formations import count
from games.virgin_queen.keys import vp
from games.virgin_queen.query import at_war, fortified, leaders_at, neighbours, powers_in, seat_of, side_of, strength
from games.virgin_queen.state import POWERS
from games.virgin_queen.table import KIT, Table
from pbem.kernel import evidence
from pbem.kernel.domains import Menu
from pbem.kernel.evidence import Fact

Look = evidence.Look[Table]
Facts = Iterator[Fact]


def reader(look: Look, word: str = "power") -> str:
    """Return the power of the reader that decides: the one that is named, if it is theirs, else their first."""
    named = look.about.get(word, "")
    own = [power for power in POWERS if seat_of(look.table.state, power) == look.seat]
    return named if named in own else next(iter(own), look.seat)


def acting(look: Look) -> Facts:
    """Tell for which power the reader decides, if they play several."""
    if sum(seat_of(look.table.state, power) == look.seat for power in POWERS) > 1:
        yield Fact("acting", {"power": reader(look)})


def follows(key: str, **args: Any) -> tuple[Fact, ...]:
    """Return one note on what follows from an answer."""
    return (Fact(key, args),)


def first(most: int, *builders: Callable[[Look], Facts]) -> Callable[[Look], Facts]:
    """Return a builder of which no more than the first facts stand in emails."""

    def build(look: Look) -> Facts:
        told = 0
        for fact in (fact for builder in builders for fact in builder(look)):
            told += fact.main
            yield fact if told <= most else msgspec.structs.replace(fact, main=False)

    return build


# -- cards and prices


def prices(look: Look) -> Facts:
    """Tell what the CP of the reader's best card, or those left, can buy now: the actions of each price."""
    table, power = look.table, reader(look)
    menu = (
        impulse.menu(table, power)
        if look.kind == "action"
        else impulse.follow(table, look.seat, "impulse").get("action")
    )
    bought: dict[int, list[str]] = {}
    for word in menu.words if isinstance(menu, Menu) else ():
        if word in KIT.actions and not KIT.actions[word].free:
            bought.setdefault(price(table, word), []).append(word)
    for cp in sorted(bought):
        yield Fact("price", {"cp": cp, "actions": bought[cp]})


def price(table: Table, word: str) -> int:
    """Return the least that an action costs; a transport is at least one step out and one ashore."""
    return table.c.actions[KIT.actions[word].listed].cost + (word == "transport")


def hands(look: Look, powers: Iterable[str] = POWERS) -> Facts:
    """Tell how many cards powers hold: that is public."""
    own = look.table.state.powers
    told = {look.who(power): len(own[power].hand) for power in powers if seat_of(look.table.state, power)}
    yield Fact("hands", {"cards": told})


# -- places


def units_there(look: Look, space: str) -> dict[str, int]:
    """Return who has how many land units in a space."""
    state = look.table.state
    return {look.who(power): strength(state, power, space) for power in powers_in(state, space)}


def ships_there(look: Look, place: str) -> dict[str, dict[str, int]]:
    """Return who has which ships at a place."""
    state = look.table.state
    sides = dict.fromkeys(side_of(state, fleet.power) for fleet in state.fleets.get(place, ()))
    return {look.who(side): fleets.counts(state, side, place) for side in sides}


def space(look: Look, at: str, *, units: bool = True) -> Fact:
    """Return what a space is: whose, of which kind, who is there, in unrest or under siege."""
    table = look.table
    state, card = table.state, table.c.spaces[at]
    kind = card.type if card.type != "unfortified" or not fortified(table, at) else "fortress"
    marks = [word for word, there in (("unrest", state.unrest), ("siege", state.sieges)) if at in there]
    there = units_there(look, at) if units else {}
    marks += ["empty"] if units and not there else []
    args = {"space": at, "holder": look.who(state.control[at]), "kind": kind, "marks": marks, "units": there}
    return Fact("space", args, (at,))


def goal(look: Look) -> Facts:
    """Tell about the space that the question names."""
    if look.about.get("space") in look.table.c.spaces:
        yield space(look, look.word("space"))


def own_there(look: Look, power: str, at: str) -> Facts:
    """Tell which units and leaders a power has in a space."""
    state = look.table.state
    if units := count(state, power, at):
        args = {"space": at, "power": look.who(power), "units": units, "leaders": leaders_at(state, power, at)}
        yield Fact("own_there", args, (at,))


def foes_near(look: Look, power: str, at: str) -> dict[str, int]:
    """Return how many units each enemy of a power has next to a space."""
    state, near = look.table.state, neighbours(look.table, power, at)
    found = {foe: sum(strength(state, foe, other) for other in near) for foe in foes(look, power)}
    return {foe: number for foe, number in found.items() if number}


# -- powers


def foes(look: Look, power: str) -> list[str]:
    """Return the sides at war with a power."""
    sides = dict.fromkeys(side_of(look.table.state, other) for other in (*POWERS, *look.table.state.minors))
    return [side for side in sides if at_war(look.table.state, power, side)]


def wars(look: Look) -> Facts:
    """Tell with whom the reader's powers are at war."""
    for power in POWERS:
        if seat_of(look.table.state, power) == look.seat and (enemies := foes(look, power)):
            yield Fact("wars", {"power": look.who(power), "foes": enemies})


def standing(look: Look) -> Facts:
    """Tell the public VP of all powers, the most first."""
    points = {power: vp(look.table, power) for power in POWERS}
    order = sorted(points, key=lambda power: -points[power])
    yield Fact("standing", {"vp": {look.who(power): points[power] for power in order}})


def leaders(look: Look, keys: Sequence[str]) -> Facts:
    """Tell the ratings of army leaders."""
    for key in keys:
        card = look.table.c.generals.get(key)
        if card is not None and not card.naval:
            yield Fact("general", {"leader": key, "battle": card.battle, "command": card.command})


NUMBERS = {"master-shipwrights": {"count": SLIPS}}
"""Numbers in the notes on cards."""


def effect(look: Look, card: str, moment: str = "") -> Fact:
    """Return what a card does as an event, in battle, or at a moment (`event`, `entered` …), in a few words."""
    key = look.table.c.cards[card].effect or card
    return Fact(f"effect.{key}", {"moment": moment, **NUMBERS.get(key, {})})
