"""Exile boxes: entering, and which blocks keep their strength (7.3.2, 7.3.3, 10.5.6, 10.5.7, 10.5.8, 16.2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from games.crown_of_roses.blocks import support
from games.crown_of_roses.query import attached, full, held, is_closed_by_embassy, owners, party
from games.crown_of_roses.refusals import place_meant
from games.crown_of_roses.stacks import fits, may_be_led
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("7.3.2", "Scotland: strength in exile", "exile.py")
KIT.chapter("7.3.3", "Ireland and France: strength in exile", "exile.py")
KIT.chapter("10.5.6", "Captain of Calais in exile", "exile.py")
KIT.chapter("10.5.7", "Lieutenant of Ireland in exile", "exile.py")
KIT.chapter("10.5.8", "the Warden", "events/raids.py", "exile.py")
KIT.chapter("16.2.4", "exile boxes", "exile.py", "land_movement.py")


def open_to(table: Table, house: str, to: str) -> bool:
    """Return whether a house may enter a place."""
    # 14.1.1 An embassy keeps its enemies out.
    if is_closed_by_embassy(table.state, to, house):
        return False
    # 16.2.4 An exile box holds one house only.
    return to not in table.c.exiles or owners(table.state, to) in ([], [house])


def bar_entry(table: Table, house: str, to: str) -> RejectionReason | None:
    """Return why a place is not open to a house; None if it is."""
    embassy = table.state.embassy
    if embassy is not None and is_closed_by_embassy(table.state, to, house):
        return because("embassy", "14.1.1", place=to, house=embassy.house)
    return None if open_to(table, house, to) else because("exile_held", "16.2.4", place=to)


def bar_box(table: Table, house: str, word: str) -> RejectionReason | None:
    """Return why a house can't go into exile in a place (16.2.4); None if it isn't a place."""
    if not (place := place_meant(table, word)):
        return None
    return bar_entry(table, house, place) if place in table.c.exiles else because("no_exile", "16.2.4", place=place)


def go_into_exile(table: Table, house: str, stack: list[str], to: str) -> None:
    """Move a stack into exile (16.2.4): one support lost; home strength for blocks that don't keep theirs.

    Blocks that came there in the action step of their house don't move again in it.
    """
    state = table.state
    support(table, house, -1, "16.2.4")
    if state.step is not None and state.step.house == house:
        for key in stack:
            state.blocks[key].moved = True
    weaken(table, to, stack)


def weaken(table: Table, place: str, blocks: Sequence[str]) -> None:
    """Reduce blocks in an exile box to home strength (16.2.4, 27.2); the Queen is at full strength (10.3.4)."""
    state = table.state
    kept = spared(table, place, blocks)
    for key in blocks:
        if key == "margaret":
            state.blocks[key].steps = full(table.c, key)
        elif key not in kept:
            state.blocks[key].steps = 1


def spared(table: Table, place: str, blocks: Sequence[str]) -> set[str]:
    """Return those of some blocks of a house in an exile box that keep their strength (7.3.2, 7.3.3)."""
    state = table.state
    office = table.c.exiles[place].spared_office
    found: set[str] = set()
    for key in blocks:
        # The Queen's host, with its attached blocks.
        if "margaret" in party(state, state.blocks[key].host or key):
            found.add(key)
        # 10.5.6 to 10.5.8 The officer and the blocks that they lead, regardless of the leader of the force.
        if office in held(state, key):
            found.update(_led(table, key, blocks))
    return found


def _led(table: Table, officer: str, blocks: Sequence[str]) -> list[str]:
    """Return an officer, guests, and blocks under their command (8.3.1): none above them, those with most to lose."""
    state = table.state
    able = [
        key
        for key in blocks
        if key != officer
        and not state.blocks[key].host
        and (not table.c.blocks[key].noble or may_be_led(table, key, officer))
    ]
    groups = [list(group) for size in range(len(able) + 1) for group in combinations(able, size)]
    best = max(
        (group for group in groups if fits(table, officer, group)),
        key=lambda group: sum(state.blocks[member].steps - 1 for key in group for member in party(state, key)),
        default=[],
    )
    return [officer, *attached(state, officer), *(member for key in best for member in party(state, key))]
