"""Queen Margaret (10.3.4): into play, one OPS more a turn, exile for ever."""

from __future__ import annotations

from typing import Any

from games.crown_of_roses.blocks import rehost
from games.crown_of_roses.events.common import event
from games.crown_of_roses.heirs import enter
from games.crown_of_roses.query import full, in_play
from games.crown_of_roses.rules import ACTIONS, Action
from games.crown_of_roses.state import OUT, UNDECLARED, State
from games.crown_of_roses.table import Table
from pbem.kernel.answers import Form
from pbem.kernel.game import Play

CARD, BLOCK = "queen_margaret", "margaret"


@event(
    CARD,
    can=lambda table, house: in_play(table, "henry_vi") and table.state.blocks[BLOCK].at != OUT,
)
def queen_margaret(table: Table, house: str, card: str) -> Play:
    """L2 Only while Henry VI is in play: the Queen enters in an estate, as an heir would, and finds a host there."""
    own, block = table.state.houses[house], table.state.blocks[BLOCK]
    own.command = ""
    own.cards.append(card)
    table.state.queen_used = False
    if in_play(table, BLOCK):
        return
    block.owner, block.at, block.host, block.steps = house, UNDECLARED, "", full(table.c, BLOCK)
    yield from enter(table, house, BLOCK, "10.3.4")
    rehost(table, BLOCK, block.at)


def _domain(table: Table, house: str) -> Form | None:
    state: State = table.state
    if CARD not in state.houses[house].cards or state.queen_used:
        return None
    return Form()


def _run(table: Table, house: str, order: Any) -> Play:
    """L2 Once a turn the card is turned face down: one OPS more in this impulse."""
    state: State = table.state
    assert state.step is not None  # the menu of actions belongs to a step
    state.queen_used = True
    state.step.left += 1
    table.say("queen.ops", rule="10.3.4", house=house)
    yield from ()


ACTIONS["queen"] = Action("queen", "10.3.4", _domain, _run, free=True)
