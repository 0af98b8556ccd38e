"""The start of a game (scenario data): campaign for 2, 3 or 4 houses, short game for 2."""

from __future__ import annotations

from games.crown_of_roses.components import HOUSES, HouseStart, RosesComponents, RosesScenario
from games.crown_of_roses.money import compose
from games.crown_of_roses.query import full
from games.crown_of_roses.state import OUT, Block, Garrison, House, OfficeHolder, RosesState
from games.crown_of_roses.table import Table

SEATS = {n: HOUSES[:n] for n in (2, 3, 4)}
"""5.0 The houses by number of players."""


def setup(table: Table) -> RosesState:
    """Return the state before the first draw phase."""
    c: RosesComponents = table.c
    begin = c.beginning(table.scenario, len(table.seats))
    state = RosesState(
        beginning=begin.id,
        turn=begin.first_turn,
        houses={start.id: _house(c, start) for start in begin.houses},
        blocks={key: Block(steps=full(c, key)) for key in c.blocks},
        offices={key: OfficeHolder() for key in c.offices},
        deck=list(c.operations),
        removed=list(begin.removed_cards),
        garrison=Garrison(begin.garrison, len(c.garrison)),
    )
    for key in (*begin.out, *begin.captured):
        state.blocks[key].at = OUT
    for start in begin.houses:
        _place(c, state, start)
    table.shuffle(state.deck)
    return state


def _house(c: RosesComponents, start: HouseStart) -> House:
    pool = {key: marker.count for key, marker in c.markers.items()}
    stock = compose(c, pool, start.ip)
    if stock is None:
        raise ValueError(f"{start.id}: a stock of {start.ip} IP can't be laid out in markers (9.1)")
    return House(
        hand=list(start.cards_in_hand),
        cards=list(start.cards_in_play),
        heirs=list(start.heirs),
        stock=stock,
        pool={key: pool[key] - stock.get(key, 0) for key in pool if pool[key] > stock.get(key, 0)},
        support=start.support,
    )


def _place(c: RosesComponents, state: RosesState, start: HouseStart) -> None:
    """Place blocks, attached blocks, offices with their blocks (10.5; not the King's with Henry VI, 10.3.3)."""
    for key, shire in start.start:
        block = state.blocks[key]
        block.at, block.owner = shire, start.id
    for key, host in start.attached:
        _attach(state, key, host)
    for office, noble in start.offices:
        state.offices[office].holder = noble
        if noble != "henry_vi":
            _attach(state, c.offices[office].block, noble)


def _attach(state: RosesState, key: str, host: str) -> None:
    block, carrier = state.blocks[key], state.blocks[host]
    block.at, block.owner, block.host = carrier.at, carrier.owner, host


def start_of(c: RosesComponents, state: RosesState) -> RosesScenario:
    """Return the scenario entry a game began with."""
    return c.beginnings[state.beginning]
