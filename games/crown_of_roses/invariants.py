"""Invariants of a state, each with its rule: for random tests and for a moderator's changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from games.crown_of_roses.query import Census, census, full, in_play, owners
from games.crown_of_roses.state import ASIDE, INACTIVE, OUT, PARLIAMENT, POOLS, UNAVAILABLE, UNDECLARED
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.rejections import RejectionReason

STAGES = ("", "supporters", "votes", "auction", "place")
"""How far a phase of 24 to 27 may have come (`RosesState.stage`)."""


def invariants(table: Table) -> list[RejectionReason]:
    """Return all that is wrong with the state; [] for a valid one."""
    return [
        RejectionReason("rules.custom", {"text": text}, rule)
        for check in (_control, _cards, _markers, _blocks, _census, _hosts, _offices, _places, _houses)
        for rule, text in check(table)
    ]


def _control(table: Table) -> Iterator[tuple[str, str]]:
    """Check which turn and impulse it is, and where play goes on."""
    state, start = table.state, table.c.beginnings[table.state.beginning]
    if state.phase not in (*KIT.phases, "over"):
        yield "11", f"there is no phase {state.phase}"
    if state.stage not in STAGES:
        yield "11", f"there is no stage {state.stage}"
    if not start.first_turn <= state.turn <= start.last_turn:
        yield "11", f"turn {state.turn} of {start.first_turn} to {start.last_turn}"
    if not 0 <= state.impulse <= state.impulses + 1:
        yield "13.0", f"impulse {state.impulse} of {state.impulses}"
    if not set(state.order) <= set(state.houses) or not 0 <= state.at <= len(state.order):
        yield "13.2", f"house {state.at} of {', '.join(state.order)} acts"


def _cards(table: Table) -> Iterator[tuple[str, str]]:
    state = table.state
    held = Counter([*state.deck, *state.discards, *state.removed, *state.lasting])
    for house in state.houses.values():
        held.update([*house.hand, *house.cards])
        held.update([house.command] if house.command else [])
    for key in table.c.cards:
        if held[key] != 1:
            yield "10", f"{held[key]} copies of card {key}"
    for name, house in state.houses.items():
        for key in house.hand:
            if table.c.cards[key].house not in ("", name):
                yield "10.2", f"{name} holds {key} of another house"


def _markers(table: Table) -> Iterator[tuple[str, str]]:
    for name, house in table.state.houses.items():
        piles = [house.stock, house.pool, *house.roll.values()]
        for key, marker in table.c.markers.items():
            if sum(pile.get(key, 0) for pile in piles) != marker.count:
                yield "9.1", f"{name} has not {marker.count} of {key}"
        for pile in piles:
            if any(count <= 0 for count in pile.values()):
                yield "9.1", f"{name} has an empty pile entry"
        for noble in house.roll:
            if table.state.blocks[noble].at in (OUT, UNAVAILABLE) or not house.roll[noble]:
                yield "19.0", f"markers of {name} on {noble}, who is out of reach"


def _blocks(table: Table) -> Iterator[tuple[str, str]]:
    state, c = table.state, table.c
    for key, block in state.blocks.items():
        if not c.is_place(block.at) and block.at not in POOLS:
            yield "8.2", f"{key} is nowhere: {block.at}"
        if not 1 <= block.steps <= full(c, key):
            yield "8.3", f"{key} has {block.steps} steps"
        controlled = in_play(table, key) or block.at in (UNDECLARED, PARLIAMENT, ASIDE)
        if controlled != bool(block.owner) or (block.owner and block.owner not in state.houses):
            yield "8.2", f"{key} is {block.at} and controlled by {block.owner or 'nobody'}"
        # 6.1: a game that is won by the death of an heir ends in the middle of a battle.
        if block.at == ASIDE and state.battle is None and state.phase != "over":
            yield "20.6.1", f"{key} lies aside with no battle"
        fought = state.battle is not None and block.at == state.battle.place  # until it is over
        if block.pinned and not fought and not (in_play(table, key) and len(owners(state, block.at)) > 1):
            yield "16.4", f"{key} is pinned where no enemy is"


def _census(table: Table) -> Iterator[tuple[str, str]]:
    """Check that the lists kept as blocks move equal those counted again."""
    kept = census(table.state)
    fresh = Census(table.state)
    for name in ("by_place", "by_host"):
        lists, right = getattr(kept, name), getattr(fresh, name)
        for place in {*lists, *right}:
            if lists.get(place, []) != right.get(place, []):
                yield "8.2", f"blocks at {place}: {lists.get(place, [])} instead of {right.get(place, [])}"
    for place, houses in kept.owners.items():
        if {table.state.blocks[key].owner for key in fresh.by_place.get(place, ())} - {""} != set(houses):
            yield "7.2.8", f"houses at {place}: {', '.join(houses)}"


def _hosts(table: Table) -> Iterator[tuple[str, str]]:
    state, c = table.state, table.c
    for key, block in state.blocks.items():
        kind = c.blocks[key].kind
        if block.host:
            host = state.blocks[block.host]
            if (host.at, host.owner) != (block.at, block.owner) or host.host:
                yield "8.3.3", f"{key} is attached to {block.host}, who is elsewhere"
            if not c.blocks[block.host].command or kind == "noble":
                yield "8.3.3", f"{key} is attached to {block.host}, who can't host it"
        elif kind in ("office", "mercenary") and in_play(table, key) and not _awaits_winner(table, key):
            yield "8.3.3", f"{key} stands alone"


def _awaits_winner(table: Table, key: str) -> bool:
    """Return whether a block is of the mercenaries who alone are left of their side in a battle (20.4.3)."""
    battle, blocks = table.state.battle, table.state.blocks
    sides = battle.sides.values() if battle is not None else ()
    left = next((some for side in sides if key in (some := [*side.force, *side.reserve])), ())
    return bool(left) and all(table.c.blocks[block].kind == "mercenary" and not blocks[block].host for block in left)


def _offices(table: Table) -> Iterator[tuple[str, str]]:
    state, c = table.state, table.c
    for key, office in state.offices.items():
        if office.holder and not state.blocks[office.holder].owner:
            yield "10.5", f"{office.holder} holds {key} and serves nobody"
    for holder in {office.holder for office in state.offices.values() if office.holder}:
        mine = [c.offices[key] for key, office in state.offices.items() if office.holder == holder]
        if sum(office.great for office in mine) > 1:
            yield "26.3", f"{holder} holds two great offices"


def _places(table: Table) -> Iterator[tuple[str, str]]:
    state, c = table.state, table.c
    for key in c.exiles:
        if len(owners(state, key)) > 1:
            yield "16.2.4", f"two houses in {key}"
    for key, mark in state.marks.items():
        if key not in c.shires or mark not in ("depleted", "plundered", "devastated"):
            yield "9.3", f"{key} is marked {mark}"
    if state.phase == "influence" or (state.phase == "combat" and state.battle is None):
        for key in state.rebels:
            if owners(state, key):
                yield "14.2.1", f"rebels in {key}, where blocks stand"
    host = state.garrison.host
    if host and state.blocks[host].at != "london":
        yield "9.6", f"the garrison serves {host}, who is not in London"


def _houses(table: Table) -> Iterator[tuple[str, str]]:
    state, c = table.state, table.c
    low, high = c.limits.support_min, c.limits.support_max
    for name, house in state.houses.items():
        if not low <= house.support <= high:
            yield "7.1.2", f"{name} has {house.support} popular support"
        if len(house.heirs) > 2:
            yield "10.3.2", f"{name} has {len(house.heirs)} active heirs"
        for key in house.heirs:
            if state.blocks[key].at in (INACTIVE, UNAVAILABLE, OUT) or c.heir_card[key] not in house.cards:
                yield "10.3", f"{key} is an heir of {name} without block or card"
