"""Heirs: their cards, the crown within a house, return from the undeclared pool (10.3, 14.2.3, 15.1)."""

from __future__ import annotations

from functools import partial
from typing import TypedDict

from games.crown_of_roses.blocks import attach, leave, occupy_tower, put, rehost, support, update_garrisons
from games.crown_of_roses.money import clear_box
from games.crown_of_roses.query import (
    attached,
    estates,
    full,
    heirs_in_order,
    heirs_in_play,
    held,
    in_play,
    is_closed_by_embassy,
    king,
    pay,
    undeclared_heirs,
)
from games.crown_of_roses.refusals import block_meant
from games.crown_of_roses.state import INACTIVE, OUT, UNAVAILABLE, UNDECLARED, EnteredStack
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Form
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("10.3.1", "heirs who change sides", "heirs.py")
KIT.chapter("10.3.2", "senior and junior heirs", "heirs.py")
KIT.chapter("10.3.5", "Clarence", "heirs.py", "influence.py")
KIT.chapter("14.2.3", "heir cards", "heirs.py")
KIT.chapter("15.1", "return of an undeclared heir", "heirs.py")

which_estate = KIT.question("estate", "7.2.3")


class HeirReturn(TypedDict):
    """The heir who returns, and the place."""

    heir: str
    to: str


def can_play_heir(table: Table, house: str, card: str) -> bool:
    """Return whether a card may be played as an heir: from its turn on, at most two active (14.2.3, 10.3.2)."""
    state, face = table.state, table.c.cards[card]
    if face.type != "heir" or face.house != house or state.blocks[face.block].at == OUT:
        return False
    return face.earliest_turn <= state.turn and len(state.houses[house].heirs) < 2


def play_card(table: Table, house: str, card: str) -> Play:
    """Play an heir card as an event (14.2.3): the block becomes an active heir and enters play if it isn't there."""
    state, c = table.state, table.c
    key = c.cards[card].block
    own = state.houses[house]
    own.command, own.waiting = "", False
    own.cards.append(card)
    own.heirs = heirs_in_order(c, [*own.heirs, key])
    before = state.blocks[key].owner
    table.log("heir.played", rule="14.2.3", house=house, card=card, block=key)
    if before not in ("", house):
        yield from _take_over(table, house, key)
    elif not in_play(table, key):
        state.blocks[key].steps = 1 if state.blocks[key].at == UNAVAILABLE else full(c, key)
        state.blocks[key].owner = house
        put(table, key, UNDECLARED)
        yield from enter(table, house, key, "14.2.3")
    clear_roll(table, house)
    pass_crown(table, house)


def _take_over(table: Table, house: str, key: str) -> Play:
    """Take over a noble who serves another house, with offices, to one of their estates (10.3.1, X18, X27)."""
    state, c = table.state, table.c
    block = state.blocks[key]
    before, place = block.owner, block.at
    seen = place if in_play(table, key) else None
    if not seen:
        block.steps = full(c, key)
    for office in held(state, key):
        support(table, before, -c.offices[office].support, "10.5")
        support(table, house, c.offices[office].support, "10.5")
    for guest in attached(state, key):
        if c.blocks[guest].kind == "office":
            state.blocks[guest].owner = house
        else:
            state.blocks[guest].host = ""
    guests = [guest for guest, it in state.blocks.items() if it.at == place and not it.host]
    block.owner = house
    for guest in guests:
        if c.blocks[guest].kind == "mercenary" and state.blocks[guest].owner == before:
            rehost(table, guest, place)
    table.log("heir.changes_sides", rule="10.3.1", house=house, block=key, before=before, place=seen, reveals=True)
    put(table, key, UNDECLARED)
    update_garrisons(table, place, before)
    yield from enter(table, house, key, "10.3.1")


def enter(table: Table, house: str, key: str, rule: str) -> Play:
    """Place a noble in one of their estates, held by anyone; they enter it for the order of battles (20.1)."""
    places = estates(table, key)
    place = places[0]
    if len(places) > 1:
        why = partial(bar_estate, table, key)
        place = yield from which_estate(house, Choice(places, "shire", why), places[0], rule=rule, block=key)
    arrive(table, house, key, place, rule)


def arrive(table: Table, house: str, key: str, place: str, rule: str) -> None:
    """Put a noble who comes from off the map into a shire."""
    put(table, key, place)
    table.state.entries.append(EnteredStack(house, place, "", [key, *attached(table.state, key)]))
    table.log("block.enters", rule=rule, house=house, block=key, place=place, reveals=True)
    if place == "london":
        occupy_tower(table, house)


def clear_roll(table: Table, house: str) -> None:
    """Remove influence from an heir (19.0); on Clarence only once senior heir (10.3.5)."""
    state = table.state
    own = state.houses[house]
    for key in own.heirs:
        if key == "lord_clarence" and key != own.heirs[0]:
            continue
        for other, purse in state.houses.items():
            if count := clear_box(purse, key):
                table.log("influence.returned", rule="19.0", house=other, block=key, count=count)


def pass_crown(table: Table, house: str) -> None:
    """Crown the senior heir of the King's house at once, with the King's block, not Henry VI (10.3.2, 10.3.3)."""
    state = table.state
    crowned = king(state)
    heirs = state.houses[house].heirs
    if not crowned or crowned not in heirs or crowned == heirs[0]:
        return
    new = heirs[0]
    state.offices["king"].holder = new
    block = state.blocks["office_king"]
    if block.host == crowned:
        block.host = ""
        if in_play(table, new) and new != "henry_vi":
            attach(table, "office_king", new)
        else:
            block.at, block.owner, block.steps = INACTIVE, "", full(table.c, "office_king")
    table.log("heir.crown", rule="10.3.2", house=house, block=new, before=crowned)


def succession(table: Table) -> Play:
    """Return a senior heir who serves another house: Clarence, once nobody is before them (10.3.1, 10.3.5, R-21)."""
    state = table.state
    for house, own in state.houses.items():
        if own.heirs and state.blocks[own.heirs[0]].owner not in ("", house):
            yield from _take_over(table, house, own.heirs[0])
            clear_roll(table, house)


def check_junior_heirs(table: Table) -> None:
    """Note which houses have no junior heir in play and a card to play one, as an impulse begins (28.3.3)."""
    state = table.state
    for house, own in state.houses.items():
        own.missed = own.missed or own.waiting
        own.waiting = len(heirs_in_play(table, house)) < 2 and any(
            can_play_heir(table, house, card) for card in own.hand
        )


def forfeit_heir(table: Table, house: str, card: str) -> None:
    """Remove an heir card used for OPS or discarded, and its block, from the game (10.3). All see from where (8.1)."""
    key = table.c.cards[card].block
    if in_play(table, key):
        place = table.state.blocks[key].at
        table.log("heir.removed", rule="10.3", house=house, card=card, block=key, place=place, reveals=True)
    else:
        table.log("heir.forfeited", rule="10.3", house=house, card=card, block=key)
    if table.state.blocks[key].at != OUT:
        leave(table, key, OUT)


def _find(table: Table, house: str) -> dict[str, list[str]] | None:
    """Return undeclared heirs, and the estates each can return to (15.1)."""
    found = {key: estates(table, key) for key in undeclared_heirs(table.state, house)}
    return {key: places for key, places in found.items() if places} or None


def _form(table: Table, house: str, found: dict[str, list[str]]) -> Form[HeirReturn]:
    return Form(
        heir=Choice(list(found), "heir", partial(_no_heir, table, house)),
        to=lambda v: Choice(found[v.heir], "shire", partial(bar_estate, table, v.heir)),
    )


@KIT.reason("return")
def _why(table: Table, house: str) -> RejectionReason | None:
    """Return why no heir can return (15.1)."""
    undeclared = undeclared_heirs(table.state, house)
    return _no_heir(table, house, undeclared[0]) if undeclared else because("none_undeclared", "15.1")


def _no_heir(table: Table, house: str, key: str) -> RejectionReason | None:
    """Return why a block can't return as an undeclared heir (15.1); None if it isn't a block."""
    if not (key := block_meant(table, key)):
        return None
    if key not in undeclared_heirs(table.state, house):
        return because("not_undeclared", "15.1", block=key)
    embassy = table.state.embassy
    if embassy is None or estates(table, key):
        return None
    return because("embassy", "14.1.1", place=embassy.place, house=embassy.house)


def bar_estate(table: Table, noble: str, shire: str) -> RejectionReason | None:
    """Return why a noble can't be placed in a shire (7.2.3); None if it isn't a shire."""
    if not table.c.is_place(shire):
        return None
    embassy = table.state.embassy
    if embassy is not None and is_closed_by_embassy(table.state, shire, table.state.blocks[noble].owner):
        return because("embassy", "14.1.1", place=shire, house=embassy.house)
    return because("no_estate_there", "7.2.3", block=noble, shire=shire)


def return_first(table: Table, house: str) -> bool:
    """Return whether the first OPS must bring an undeclared heir back: none in play, none spent (13.3)."""
    state = table.state
    return bool(
        not heirs_in_play(table, house)
        and undeclared_heirs(state, house)
        and state.step is not None
        and not state.step.done
    )


@KIT.action("return", "15.1", _find, _form)
def _return(table: Table, house: str, order: HeirReturn) -> None:
    """Return an undeclared heir at home strength for one OPS; they can't move in this step but may muster (15.1)."""
    pay(table, table.c.numbers.actions.return_heir)
    key = order["heir"]
    block = table.state.blocks[key]
    block.steps, block.moved = 1, True
    arrive(table, house, key, order["to"], "15.1")
