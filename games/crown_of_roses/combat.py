"""The combat step (20), as far as it goes: without battles an impulse ends with the stacking check (21.1)."""

from __future__ import annotations

from games.crown_of_roses.action import alive
from games.crown_of_roses.blocks import attrition
from games.crown_of_roses.query import at, owners
from games.crown_of_roses.rules import phase, unwritten
from games.crown_of_roses.state import State
from pbem.kernel.game import Play
from pbem.kernel.table import Table

UNCOUNTED = ("henry_vi", "margaret")
"""8.3.3 Blocks that do not count for stacking."""


@phase("combat")
def combat_step(table: Table) -> Play:
    """20, 21.1, 13.2 Battles are not written: with a contested shire play stops here for the moderator."""
    state: State = table.state
    if any(len(owners(state, shire)) > 1 for shire in table.c.shires):
        yield from unwritten(table, "20")
    stacking(table)
    yield from alive(table)
    if state.phase == "over":
        return
    _tower(table)
    for block in state.blocks.values():
        block.moved = block.pinned = False
    state.order, state.at, state.entries = [], 0, []
    if state.impulse == state.impulses:
        state.phase = "influence"
        table.say("impulse.over", rule="13.2", turn=state.turn)
    else:
        state.impulse += 1
        state.phase = "command"


def stacking(table: Table) -> None:
    """21.1, R-52 Where a house has more blocks than the limit all of them roll for attrition, leaders as others."""
    state: State = table.state
    for shire, card in table.c.shires.items():
        for house in owners(state, shire):
            here = at(state, shire, house)
            if sum(key not in UNCOUNTED for key in here) > card.sv + 1:
                table.say(
                    "stacking.over",
                    rule="21.1",
                    house=house,
                    place=shire,
                    count=len(here),
                    limit=card.sv + 1,
                    learns=True,
                )
                attrition(table, [key for key in here if key not in UNCOUNTED], "21.1")


def _tower(table: Table) -> None:
    """9.6 A garrison that lost its host goes to whoever holds London now; it is at full strength again."""
    state: State = table.state
    state.garrison.aside = False
    state.garrison.steps = len(table.c.garrison)
    here = at(state, "london")
    if not state.garrison.host and here:
        state.garrison.host = here[0]
        table.say("garrison.taken", rule="9.6", house=state.blocks[here[0]].owner)
