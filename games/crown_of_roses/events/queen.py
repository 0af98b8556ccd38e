"""Queen Margaret (10.3.4): into play, one OPS more a turn, exile for ever."""

from __future__ import annotations

from typing import TypedDict

from games.crown_of_roses.blocks import rehost
from games.crown_of_roses.events.common import event, needs
from games.crown_of_roses.heirs import enter
from games.crown_of_roses.query import full, in_play, step_of
from games.crown_of_roses.state import OUT, UNDECLARED
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Form
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

CARD, BLOCK = "queen_margaret", "margaret"


def _no_queen(table: Table, house: str, card: str) -> RejectionReason | None:
    """Return why the Queen can't come (L2): only while Henry VI is in play, and she isn't out of it for good."""
    if table.state.blocks[BLOCK].at == OUT:
        return because("out_of_play", "10.3.4", block=BLOCK)
    return needs(table, card, ["henry_vi"])


@event(CARD, bar=_no_queen)
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


class NoFields(TypedDict):
    """A form without fields."""


def _find(table: Table, house: str) -> bool | None:
    """Return whether the Queen's card is face up before the house (10.3.4)."""
    state = table.state
    return (CARD in state.houses[house].cards and not state.queen_used) or None


def _form(table: Table, house: str, _: bool) -> Form[NoFields]:
    return Form()


@KIT.reason("queen")
def _why(table: Table, house: str) -> RejectionReason | None:
    """Return why the Queen gives a house no OPS now (10.3.4)."""
    if CARD not in table.state.houses[house].cards:
        return because("not_before_you", "10.3.4", card=CARD)
    return because("queen_used", "10.3.4", card=CARD) if table.state.queen_used else None


@KIT.action("queen", "10.3.4", _find, _form, free=True)
def _queen(table: Table, house: str, order: NoFields) -> None:
    """L2 Once a turn the card is turned face down: one OPS more in this impulse."""
    table.state.queen_used = True
    step_of(table).left += 1
    table.log("queen.ops", rule="10.3.4", house=house)
