"""Stacks: who may lead whom (8.3.1, 16.1), for movement, interception and evasion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypedDict

import msgspec

from games.crown_of_roses.query import attached, blocks_in, command, enemies, is_bound_by_embassy, party, rank
from games.crown_of_roses.refusals import block_meant
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Form, Series
from pbem.kernel.form import Field
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("16.1", "stacks, marching", "stacks.py", "land_movement.py")


def free(table: Table, key: str) -> bool:
    """Return whether a block may still move in this impulse."""
    block = table.state.blocks[key]
    # It has not moved (16.1) nor mustered (18.0), is not pinned (16.4) and receives no embassy (14.1.1).
    return not (block.moved or block.mustered or block.pinned or is_bound_by_embassy(table.state, key))


def size(keys: Sequence[str]) -> int:
    """Return how many blocks count against command in movement: all but the Queen (10.3.3, 10.3.4)."""
    return sum(key != "margaret" for key in keys)


def leaders(table: Table, house: str, place: str, usable: Sequence[str]) -> list[str]:
    """Return nobles who may lead a stack out of a place: with command enough for what is attached to them."""
    return [
        key
        for key in blocks_in(table.state, place, house)
        if key in usable
        and table.c.blocks[key].command
        and not table.state.blocks[key].host
        and size(attached(table.state, key)) <= command(table, key)
    ]


def led_by(table: Table, leader: str, usable: Sequence[str]) -> list[str]:
    """Return blocks that the leader may lead: unattached ones that do not rank above them (16.1)."""
    state = table.state
    place, house = state.blocks[leader].at, state.blocks[leader].owner
    return [
        key
        for key in blocks_in(state, place, house)
        if key in usable
        and key != leader
        and not state.blocks[key].host
        and (not table.c.blocks[key].noble or may_be_led(table, key, leader))
    ]


def may_be_led(table: Table, key: str, leader: str) -> bool:
    """Return whether a noble may be led; Henry VI, heir or King, by anybody who can host him (10.3.3)."""
    if key == "henry_vi":
        return command(table, leader) >= table.c.attachment.royal_host_command
    return rank(table, key) <= rank(table, leader)


def fits(table: Table, leader: str, others: Sequence[str]) -> bool:
    """Return whether the leader's command covers these hosts and all attached blocks."""
    state = table.state
    blocks = [block for key in others for block in party(state, key)] + attached(state, leader)
    return size(blocks) <= command(table, leader)


def followers(table: Table, leader: str, usable: Sequence[str], most: int = 99) -> Series[str]:
    """Return blocks to lead, one by one as long as command lasts; `most` limits the whole stack."""
    choices = led_by(table, leader, usable)

    def following(so_far: Sequence[str]) -> Choice[str] | None:
        left = [
            key
            for key in choices
            if key not in so_far
            and fits(table, leader, [*so_far, key])
            and len(blocks_of_stack(table, leader, [*so_far, key])) <= most
        ]
        return Choice(left, "block") if left else None

    return Series(following, 0, len(choices), "blocks", partial(bar_follower, table, leader, usable, most))


def blocks_of_stack(table: Table, leader: str, others: Sequence[str]) -> list[str]:
    """Return the blocks of a stack: leader, followers, and what is attached to them."""
    return [block for key in (leader, *others) for block in party(table.state, key)]


def movable(table: Table, house: str, place: str) -> list[str]:
    """Return unattached blocks of a house that may move out of a place."""
    state = table.state
    return [key for key in blocks_in(state, place, house) if not state.blocks[key].host and free(table, key)]


def standing(table: Table, house: str) -> list[str]:
    """Return places where a house has blocks, in map order."""
    mine = {block.at for block in table.state.blocks.values() if block.owner == house}
    return [place for place in (*table.c.shires, *table.c.exiles) if place in mine]


class StackOrder(TypedDict):
    """A stack: where from, who leads, which unattached blocks go along."""

    origin: str
    leader: str
    blocks: list[str]


class PossibleStacks(msgspec.Struct, frozen=True):
    """What stacks a house can form: leaders by place, the blocks that may go by place, and how many may."""

    house: str
    leaders: dict[str, list[str]]
    usable: Mapping[str, Sequence[str]]
    room: Mapping[str, int]


def stacks(
    table: Table, house: str, usable: Mapping[str, Sequence[str]], only: Sequence[str] = ()
) -> PossibleStacks | None:
    """Return the stacks that a house can form of the `usable` blocks of each place, None if there are none.

    `only`: those who may lead, if not all. At a contested place only as many blocks may go as leave behind as many as
    there are enemies (16.4).
    """
    state = table.state
    room = {place: room_at(table, house, place) for place in usable}
    heads = {
        place: [
            key
            for key in leaders(table, house, place, blocks)
            if len(party(state, key)) <= room[place] and (not only or key in only)
        ]
        for place, blocks in usable.items()
    }
    able = {place: keys for place, keys in heads.items() if keys}
    return PossibleStacks(house, able, usable, room) if able else None


def room_at(table: Table, house: str, place: str) -> int:
    """Return how many blocks may leave a place (16.4): as many as there are enemies stay."""
    if not table.c.is_place(place):
        return 0
    return len(blocks_in(table.state, place, house)) - len(enemies(table.state, place, house))


def stack_fields(table: Table, found: PossibleStacks, why: Why | None = None) -> dict[str, Field]:
    """Return the fields of a `StackOrder`. `why` may say of a possible place or leader what else bars it."""
    return {
        "origin": Choice(list(found.leaders), "place", partial(_no_origin, table, found, why)),
        "leader": lambda v: Choice(found.leaders[v.origin], "leader", partial(_no_leader, table, found, v.origin, why)),
        "blocks": lambda v: followers(table, v.leader, found.usable[v.origin], found.room[v.origin]),
    }


def stack_form(table: Table, found: PossibleStacks, why: Why | None = None) -> Form[StackOrder]:
    """Return the order for a stack."""
    return Form(stack_fields(table, found, why))


# -- why a stack can't be formed --------------------------------------------------------------------------------------

Why = Callable[[str], RejectionReason | None]


def bar_block(table: Table, house: str, place: str, key: str) -> RejectionReason | None:
    """Return why a block of a house may not leave a place; None if nothing bars it, or if it isn't a block."""
    if not (key := block_meant(table, key)):
        return None
    block = table.state.blocks[key]
    if block.owner != house or block.at != place:
        return because("not_yours", "16.1", block=key, place=place)
    if block.host:
        return because("attached", "8.3.3", block=key, host=block.host)
    if is_bound_by_embassy(table.state, key):
        return because("embassy_bound", "14.1.1", block=key)
    if block.moved:
        return because("moved", "16.1", block=key)
    if block.mustered:
        return because("mustered", "18.0", block=key)
    return because("pinned", "16.4", block=key) if block.pinned else None


def bar_leader(
    table: Table, house: str, place: str, usable: Sequence[str], room: int, key: str
) -> RejectionReason | None:
    """Return why a block can't lead a stack out of a place; None if nothing bars it, or if it isn't a block."""
    key = block_meant(table, key)
    if key not in usable:
        return bar_block(table, house, place, key)
    guests, able = attached(table.state, key), command(table, key)
    if not table.c.blocks[key].command:
        return because("no_command", "8.3.1", block=key)
    if size(guests) > able:
        return because("overloaded", "8.3.1", block=key, command=able, count=size(guests))
    return because("room", "16.4", place=place, count=max(room, 0)) if 1 + len(guests) > room else None


def bar_follower(
    table: Table, leader: str, usable: Sequence[str], most: int, so_far: Sequence[str], key: str
) -> RejectionReason | None:
    """Return why a leader can't lead a block, with those named before it."""
    place, house = table.state.blocks[leader].at, table.state.blocks[leader].owner
    key = block_meant(table, key)
    if key == leader or key in so_far:
        return because("in_stack", "16.1", block=key)
    if key not in usable:
        return bar_block(table, house, place, key)
    if key not in led_by(table, leader, usable):
        return because("rank", "16.1", block=key, leader=leader)
    if not fits(table, leader, [*so_far, key]):
        return because("command", "8.3.1", leader=leader, command=command(table, leader))
    fitting = len(blocks_of_stack(table, leader, [*so_far, key])) <= most
    return None if fitting else because("room", "16.4", place=place, count=most)


def bar_origin(table: Table, house: str, place: str, usable: Sequence[str]) -> RejectionReason | None:
    """Return why no stack of the `usable` blocks can leave a place."""
    if not blocks_in(table.state, place, house):
        return because("nobody_there", "16.1", place=place)
    if not usable:
        hosts = [key for key in blocks_in(table.state, place, house) if not table.state.blocks[key].host]
        alone = bar_block(table, house, place, hosts[0]) if len(hosts) == 1 else None
        return alone or because("all_held", "16.1", place=place)
    room = room_at(table, house, place)
    problems = [bar_leader(table, house, place, usable, room, key) for key in usable]
    if any(problem is None for problem in problems):
        return None
    found = [problem for problem in problems if problem is not None and problem.key != "no.no_command"]
    return found[0] if found else because("leaderless", "16.1", place=place)


def bar_stacks(table: Table, house: str, usable: Mapping[str, Sequence[str]]) -> RejectionReason | None:
    """Return why no stack can leave any of the places: what bars it at the first where a block may still go."""
    if not usable:
        return because("off_map", "16.1")
    problems = [bar_origin(table, house, place, keys) for place, keys in usable.items() if keys]
    if None in problems:
        return None
    held = (bar_block(table, house, place, key) for place in usable for key in blocks_in(table.state, place, house))
    embassy = (problem for problem in held if problem is not None and problem.rule == "14.1.1")
    return problems[0] if problems else next(embassy, because("all_moved", "16.1"))


def _no_origin(table: Table, found: PossibleStacks, why: Why | None, place: str) -> RejectionReason | None:
    if place in found.leaders or not table.c.is_place(place):
        return None
    if not blocks_in(table.state, place, found.house):
        return because("nobody_there", "16.1", place=place)
    if place not in found.usable:
        return why(place) if why is not None else None
    return bar_origin(table, found.house, place, found.usable[place]) or (why(place) if why is not None else None)


def _no_leader(table: Table, found: PossibleStacks, place: str, why: Why | None, key: str) -> RejectionReason | None:
    problem = bar_leader(table, found.house, place, found.usable[place], found.room[place], key)
    return problem or (why(key) if why is not None else None)
