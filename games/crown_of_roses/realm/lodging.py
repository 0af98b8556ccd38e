"""Places for nobles in winter (27; estates 7.2.4 to 7.2.6), and putting them there."""

from __future__ import annotations

from functools import lru_cache

from games.crown_of_roses.blocks import leave, occupy_tower, put, royal, support
from games.crown_of_roses.components import RosesComponents
from games.crown_of_roses.options import setting
from games.crown_of_roses.query import (
    ROYALS,
    attached,
    blocks_in,
    estates,
    full,
    held,
    is_heir,
    king,
    king_house,
    owners,
    party,
)
from games.crown_of_roses.realm.parliament import take_block
from games.crown_of_roses.state import PARLIAMENT, UNDECLARED, RosesState
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("7.2.6", "shared estates", "realm/lodging.py")


@lru_cache(maxsize=8)
def kin(c: RosesComponents) -> dict[str, list[str]]:
    """Return family → the blocks that bear its shield."""
    found: dict[str, list[str]] = {}
    for key, card in c.blocks.items():
        found.setdefault(card.family, []).append(key)
    return found


def open_estates(table: Table, noble: str) -> list[str]:
    """Return estates of a noble and guests not taken by an enemy of the same shield (7.2.3, 7.2.4, 7.2.5, 7.2.6).

    The Queen and her host may also go to the exile box in France, if no other house is there.
    """
    state, c = table.state, table.c
    mine = state.blocks[noble].owner
    group = party(state, noble)
    families = {c.blocks[key].family for key in group if c.blocks[key].family}
    others = {key for key, office in state.offices.items() if office.holder in group}
    royal = bool(king(state)) and mine == king_house(state) and any(is_heir(state, key) for key in group)
    taken: dict[str, set[str]] = {}
    for family in families:
        for key in kin(c)[family]:
            block = state.blocks[key]
            if block.owner not in ("", mine) and block.at in c.shires:
                taken.setdefault(block.at, set()).add(family)
    alone = setting(table, "estates") == "shire"
    found = []
    for shire in estates(table, noble):
        card = c.shires[shire]
        if alone and any(house != mine for house in owners(state, shire)):
            continue
        free = families.intersection(card.estates) - taken.get(shire, set())
        if free or others.intersection(card.office_estates) or (royal and card.royal):
            found.append(shire)
    if "margaret" in group and not any(
        block.at == "exile_france" and block.owner != mine for block in state.blocks.values()
    ):
        found.append("exile_france")
    return found


def bar_lodging(table: Table, noble: str, place: str) -> RejectionReason | None:
    """Return why a noble can't be placed somewhere (27.2, 7.2.6); None if it isn't a place."""
    if not table.c.is_place(place):
        return None
    if place in table.c.exiles:
        return because("exile_in_winter", "27.2", block=noble)
    if place not in estates(table, noble):
        return because("no_estate_there", "7.2.3", block=noble, shire=place)
    return because("estate_taken", "7.2.6", block=noble, shire=place)


def can_be_placed(table: Table, noble: str) -> bool:
    """Return whether a noble has an open estate; unsearched if more shires have their shield than enemies bear it."""
    state, c = table.state, table.c
    family, mine = c.blocks[noble].family, state.blocks[noble].owner
    rivals = sum(state.blocks[key].owner not in ("", mine) for key in kin(c)[family])
    if setting(table, "estates") == "shield" and len(c.family_estates.get(family, ())) > rivals:
        return True
    return bool(open_estates(table, noble))


def lodge(table: Table, noble: str, place: str) -> None:
    """Put a noble and guests at full strength in a place (27.2, 27.3)."""
    state, c = table.state, table.c
    put(table, noble, place)
    for key in party(state, noble):
        state.blocks[key].steps = full(c, key)
    house = state.blocks[noble].owner
    table.log(
        "winter.placed", rule="27", house=house, block=noble, place=place, guests=attached(state, noble), reveals=True
    )
    if place == "london":
        occupy_tower(table, house)
    if place in c.exiles:
        support(table, house, -1, "16.2.4")


def withdraw(table: Table, noble: str) -> None:
    """Make a noble undeclared, keeping offices; their blocks leave the map; royal guests must wait (27.2, R-58)."""
    state = table.state
    for guest in attached(state, noble):
        if table.c.blocks[guest].kind == "office":
            take_block(table, guest)
        else:
            state.blocks[guest].host = ""
    leave(table, noble, UNDECLARED)
    table.log("winter.undeclared", rule="27.2", house=state.blocks[noble].owner, block=noble, reveals=True)


def waiting(table: Table, house: str) -> list[str]:
    """Return nobles of a house that are still in Parliament, except Henry VI and the Queen."""
    blocks = table.c.blocks
    return [key for key in blocks_in(table.state, PARLIAMENT, house) if blocks[key].noble and key not in ROYALS]


def top_office(state: RosesState, noble: str) -> str:
    """Return the highest office of a noble, which ranks them; King Henry VI's host has the King's (27.3)."""
    if king(state) == "henry_vi" and state.blocks["henry_vi"].host == noble:
        return "king"
    mine = held(state, noble)
    return mine[0] if mine else ""


def hosts(table: Table, house: str, *, placed: bool) -> list[str]:
    """Return nobles of command 2 for Henry VI or the Queen: in Parliament, or on the map (10.3.3, 10.3.4, R-09)."""
    return [
        key
        for key, block in table.state.blocks.items()
        if block.owner == house
        and (block.at in table.c.shires if placed else block.at == PARLIAMENT)
        and royal(table, key)
    ]
