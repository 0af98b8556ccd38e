"""Stacks: who may lead whom (8.3.1, 16.1), for movement, interception and evasion alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypedDict

from games.crown_of_roses.query import at, attached, bound, command, enemies, party, rank
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.answers import Choice, Form, Series
from pbem.kernel.form import Field

KIT.chapter("16.1", "stacks, marching", "stacks.py", "land.py")


def free(table: Table, key: str) -> bool:
    """Whether a block may still move in this impulse."""
    block = table.state.blocks[key]
    # It has not moved (16.1) nor mustered (18.0), is not pinned (16.4) and receives no embassy (14.1.1).
    return not (block.moved or block.mustered or block.pinned or bound(table.state, key))


def size(table: Table, keys: Sequence[str]) -> int:
    """How many blocks count against command in movement: all but the Queen (10.3.3, 10.3.4)."""
    return sum(key != "margaret" for key in keys)


def leaders(table: Table, house: str, place: str, usable: Sequence[str]) -> list[str]:
    """Nobles who may lead a stack out of a place: with command enough for what is attached to them."""
    return [
        key
        for key in at(table.state, place, house)
        if key in usable
        and table.c.blocks[key].command
        and not table.state.blocks[key].host
        and size(table, attached(table.state, key)) <= command(table, key)
    ]


def led_by(table: Table, leader: str, usable: Sequence[str]) -> list[str]:
    """Blocks beside the leader that he may lead: unattached ones that do not rank above him (16.1)."""
    state = table.state
    place, house = state.blocks[leader].at, state.blocks[leader].owner
    return [
        key
        for key in at(state, place, house)
        if key in usable
        and key != leader
        and not state.blocks[key].host
        and (not table.c.blocks[key].noble or below(table, key, leader))
    ]


def below(table: Table, key: str, leader: str) -> bool:
    """Whether a noble may be led; Henry VI, heir or King, is led by anybody who can host him (10.3.3)."""
    if key == "henry_vi":
        return command(table, leader) >= table.c.attachment.royal_host_command
    return rank(table, key) <= rank(table, leader)


def fits(table: Table, leader: str, others: Sequence[str]) -> bool:
    """Whether the leader's command covers these hosts with what is attached to them, and to him."""
    state = table.state
    blocks = [block for key in others for block in party(state, key)] + attached(state, leader)
    return size(table, blocks) <= command(table, leader)


def followers(table: Table, leader: str, usable: Sequence[str], most: int = 99) -> Series[str]:
    """A list of blocks to lead, one by one as long as command lasts; `most` limits the blocks of the whole stack."""
    choices = led_by(table, leader, usable)

    def following(so_far: Sequence[str]) -> Choice[str] | None:
        left = [
            key
            for key in choices
            if key not in so_far
            and fits(table, leader, [*so_far, key])
            and len(whole(table, leader, [*so_far, key])) <= most
        ]
        return Choice(left, "block") if left else None

    return Series(following, 0, len(choices), "blocks")


def whole(table: Table, leader: str, others: Sequence[str]) -> list[str]:
    """The blocks of a stack: leader, followers, and what is attached to them."""
    return [block for key in (leader, *others) for block in party(table.state, key)]


def movable(table: Table, house: str, place: str) -> list[str]:
    """Unattached blocks of a house that may move out of a place."""
    state = table.state
    return [key for key in at(state, place, house) if not state.blocks[key].host and free(table, key)]


def standing(table: Table, house: str) -> list[str]:
    """Places where a house has blocks, in map order."""
    mine = {block.at for block in table.state.blocks.values() if block.owner == house}
    return [place for place in (*table.c.shires, *table.c.exiles) if place in mine]


class Order(TypedDict):
    """A stack: where from, who leads, which unattached blocks go along."""

    origin: str
    leader: str
    blocks: list[str]


class Stacks(NamedTuple):
    """What stacks can be formed: leaders by place, the blocks that may go by place, and how many may."""

    leaders: dict[str, list[str]]
    usable: Mapping[str, Sequence[str]]
    room: Mapping[str, int]


def stacks(
    table: Table, house: str, usable: Mapping[str, Sequence[str]], only: Sequence[str] = ()
) -> Stacks | None:
    """The stacks that a house can form of the `usable` blocks of each place, None if there are none.

    `only`: those who may lead, if not all. At a contested place only as many blocks may go as leave behind as many as
    there are enemies (16.4).
    """
    state = table.state
    room = {
        place: len(at(state, place, house)) - len(enemies(state, place, house))
        if table.c.is_place(place)
        else 0
        for place in usable
    }
    heads = {
        place: [
            key
            for key in leaders(table, house, place, blocks)
            if len(party(state, key)) <= room[place] and (not only or key in only)
        ]
        for place, blocks in usable.items()
    }
    able = {place: keys for place, keys in heads.items() if keys}
    return Stacks(able, usable, room) if able else None


def stack_fields(table: Table, found: Stacks) -> dict[str, Field]:
    """The fields of an `Order`."""
    return {
        "origin": Choice(list(found.leaders), "place"),
        "leader": lambda v: Choice(found.leaders[v.origin], "leader"),
        "blocks": lambda v: followers(table, v.leader, found.usable[v.origin], found.room[v.origin]),
    }


def stack_form(table: Table, found: Stacks) -> Form[Order]:
    """The order for a stack."""
    return Form(stack_fields(table, found))
