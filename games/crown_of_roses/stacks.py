"""Stacks: who may lead whom (8.3.1, 16.1), for movement, interception and evasion alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.crown_of_roses.query import at, attached, bound, command, enemies, party, rank
from games.crown_of_roses.state import State
from games.crown_of_roses.table import Table
from pbem.kernel.answers import Choice, Domain, Form, Series


def free(table: Table, key: str) -> bool:
    """16.1, 16.4, 18.0 Whether a block may still move in this impulse: it did not, nor muster, and is not pinned.

    Nor does it receive an embassy (14.1.1).
    """
    block = table.state.blocks[key]
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
    state: State = table.state
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
        return bool(command(table, leader) >= table.c.attachment["royal_host_command"])
    return rank(table, key) <= rank(table, leader)


def fits(table: Table, leader: str, others: Sequence[str]) -> bool:
    """Whether the leader's command covers these hosts with what is attached to them, and to him."""
    state: State = table.state
    blocks = [one for key in others for one in party(state, key)] + attached(state, leader)
    return size(table, blocks) <= command(table, leader)


def followers(table: Table, leader: str, usable: Sequence[str], most: int = 99) -> Domain:
    """A list of blocks to lead, one by one as long as command lasts; `most` limits the blocks of the whole stack."""
    choices = led_by(table, leader, usable)

    def following(so_far: Sequence[str]) -> Choice | None:
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
    return [one for key in (leader, *others) for one in party(table.state, key)]


def movable(table: Table, house: str, place: str) -> list[str]:
    """Unattached blocks of a house that may move out of a place."""
    state: State = table.state
    return [key for key in at(state, place, house) if not state.blocks[key].host and free(table, key)]


def stay_behind(table: Table, house: str, place: str) -> int:
    """16.4 How many blocks must stay where enemies stand: as many as these."""
    return len(enemies(table.state, place, house))


def stack_form(
    table: Table,
    house: str,
    places: Sequence[str],
    usable: Mapping[str, Sequence[str]],
    only: Sequence[str] = (),
) -> Form | None:
    """The order for a stack: where from, who leads, who goes along; None if nobody can.

    `usable` gives the blocks by place, `only` those who may lead, if not all. At a contested place only as many
    blocks may go as leave enough behind (16.4).
    """
    state: State = table.state
    room = {
        place: len(at(state, place, house)) - stay_behind(table, house, place)
        if table.c.is_place(place)
        else 0
        for place in places
    }

    def heads(place: str) -> list[str]:
        return [
            key
            for key in leaders(table, house, place, usable[place])
            if len(whole(table, key, ())) <= room[place] and (not only or key in only)
        ]

    able = [place for place in places if heads(place)]
    if not able:
        return None
    return Form(
        origin=Choice(able, "place"),
        leader=lambda v: Choice(heads(v.origin), "leader"),
        blocks=lambda v: followers(table, v.leader, usable[v.origin], room[v.origin]),
    )
