"""The King Phase before Parliament, attendance (24.1, 24.2), and queries about nobles in Parliament."""

from __future__ import annotations

from games.crown_of_roses.blocks import attach, support, update_garrisons
from games.crown_of_roses.draw import dismiss_events
from games.crown_of_roses.query import attached, blocks_in, control, full, held, loyalty, party
from games.crown_of_roses.state import INACTIVE, PARLIAMENT, Garrison, RosesState
from games.crown_of_roses.table import KIT, Table

KIT.chapter("10.5", "parliament cards, their support", "realm/parliament.py", "blocks.py")
KIT.chapter("24.1.1", "economic points", "realm/parliament.py")
KIT.chapter("24.1.2", "rebels and mercenaries leave", "realm/parliament.py", "draw.py")
KIT.chapter("24.2", "who attends Parliament", "realm/parliament.py")


def economic_points(table: Table) -> None:
    """Score a point for each controlled shire loyal to another house and not devastated (24.1.1)."""
    state = table.state
    found = dict.fromkeys(state.houses, 0)
    for shire in table.c.shires:
        house, lord = control(table, shire), loyalty(table, shire)
        if house in found and lord and lord != house and state.marks.get(shire) != "devastated":
            found[house] += 1
    for house, points in found.items():
        own = state.houses[house]
        if not own.out:
            own.vp += points
            table.log("king.points", rule="24.1.1", house=house, points=points, total=own.vp)


def clear_events(table: Table) -> None:
    """Remove rebels and mercenaries (24.1.2)."""
    state = table.state
    hired = [key for key, card in table.c.blocks.items() if card.kind == "mercenary" and state.blocks[key].owner]
    if state.rebels or hired:
        table.log("king.events", rule="24.1.2", shires=list(state.rebels), blocks=hired, reveals=True)
    dismiss_events(table)


def attend(table: Table) -> None:
    """Summon all controlled nobles not in exile to Parliament, face up, with their office blocks (24.2)."""
    state, c = table.state, table.c
    blocks = state.blocks
    coming: dict[str, list[str]] = {house: [] for house in state.houses}
    away = dict.fromkeys(state.houses, 0)
    offices = []
    for key, block in blocks.items():
        if not block.owner:
            continue
        if block.at in c.exiles:
            away[block.owner] += 1
        elif c.blocks[key].kind == "office":
            offices.append(key)
        else:
            coming[block.owner].append(key)
    state.garrison, state.entries = Garrison("", len(c.garrison)), []
    for nobles in coming.values():
        for key in nobles:
            _assemble(table, key)
            blocks[key].host = ""
    for key in offices:
        _assemble(table, key)
    for house, nobles in coming.items():
        if not state.houses[house].out:
            table.log("king.attend", rule="24.2", house=house, blocks=nobles, exiled=away[house], reveals=True)


def _assemble(table: Table, key: str) -> None:
    block = table.state.blocks[key]
    block.at, block.steps = PARLIAMENT, full(table.c, key)
    block.moved = block.pinned = block.mustered = False


def summon(table: Table, key: str) -> None:
    """Summon a noble to Parliament; guests without office stay, or come by themselves."""
    state = table.state
    block = state.blocks[key]
    place = block.at
    block.host = ""
    for guest in attached(state, key):
        if table.c.blocks[guest].kind == "office":
            state.blocks[guest].at = PARLIAMENT
        else:
            state.blocks[guest].host = ""
    block.at, block.steps = PARLIAMENT, full(table.c, key)
    for member in party(state, key):
        other = state.blocks[member]
        other.moved = other.pinned = other.mustered = False
        other.steps = full(table.c, member)
    update_garrisons(table, place)


def present(state: RosesState, house: str) -> list[str]:
    """Return nobles of a house in Parliament, the Queen included, in the order of the blocks."""
    return [key for key in blocks_in(state, PARLIAMENT, house) if not key.startswith("office_")]


def change_sides(table: Table, noble: str, house: str) -> None:
    """Move a noble to another house, with their offices and support, losses first (24.2.1, 10.5)."""
    state, c = table.state, table.c
    block = state.blocks[noble]
    before = block.owner
    offices = held(state, noble)
    if before:
        for office in offices:
            support(table, before, -c.offices[office].support, "10.5")
    for office in offices:
        support(table, house, c.offices[office].support, "10.5")
    block.owner = house
    for guest in attached(state, noble):
        if c.blocks[guest].kind == "office":
            state.blocks[guest].owner = house


def give_block(table: Table, office: str, noble: str) -> None:
    """Give the block of an office to its holder at full strength; not the King's to Henry VI (10.5, 26.2, 10.3.3)."""
    key = table.c.offices[office].block
    if noble == "henry_vi":
        take_block(table, key)
        return
    attach(table, key, noble)
    table.state.blocks[key].steps = full(table.c, key)


def take_block(table: Table, key: str) -> None:
    """Take the block of an office off the board."""
    block = table.state.blocks[key]
    block.at, block.owner, block.host, block.steps = INACTIVE, "", "", full(table.c, key)
    block.moved = block.pinned = False
