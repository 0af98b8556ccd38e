"""When lasting cards leave the table (10.4): at the end of an impulse, of the operations phase, at the King Phase."""

from __future__ import annotations

from games.crown_of_roses.blocks import leave
from games.crown_of_roses.draw import discard
from games.crown_of_roses.state import INACTIVE, RosesState
from games.crown_of_roses.table import KIT, Table

KIT.chapter("10.4", "lasting cards", "card_expiry.py", "action.py")

OPERATIONS = "ops_phase"
COMBAT = ("combat_step", "until_end_of_combat_step")
KING = "until_king_phase_or_eliminated"
LASTING = (OPERATIONS, *COMBAT, KING)
"""Durations of cards that lie on the table while they last."""


def _end(table: Table, *durations: str) -> None:
    state: RosesState = table.state
    over = [card for card in state.lasting if table.c.cards[card].duration in durations]
    for card in over:
        state.lasting.remove(card)
        discard(table, card)
    if over:
        table.log("lasting.over", rule="10.4", cards=over)


def impulse_over(table: Table) -> None:
    """After the combat of an impulse: Embassy and Love Day are over, and what cards added to command (14.2.2)."""
    state: RosesState = table.state
    state.boosts, state.embassy = {}, None
    _end(table, *COMBAT)


def operations_over(table: Table) -> str:
    """13.2, 14.1.3 After the last impulse; returns the phase that follows: with Affairs of State the King Phase."""
    state: RosesState = table.state
    _end(table, OPERATIONS)
    after = "king" if state.affairs else "influence"
    state.affairs = False
    return after


def dismiss_events(table: Table) -> None:
    """24.1.2 Rebels leave the map, mercenaries become inactive (their cards go with them: `blocks.leave`)."""
    state: RosesState = table.state
    state.rebels = {}
    for key, block in state.blocks.items():
        if table.c.blocks[key].kind == "mercenary" and block.owner:
            leave(table, key, INACTIVE)
