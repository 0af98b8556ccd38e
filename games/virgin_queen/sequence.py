"""The sequence of play (7): turns of ten phases; restarts at any checkpoint by `state.phase`."""

from __future__ import annotations

from games.virgin_queen.table import KIT, Table
from pbem.kernel.game import Play
from pbem.kernel.questions import Checkpoint

KIT.chapter("7", "sequence of play", "sequence.py")

PHASES = ("cards", "negotiation", "ransom", "war", "spring", "action", "winter", "weddings", "patrons", "victory")
"""7 The phases of a turn; the diplomacy phase is `negotiation`, `ransom` and `war`."""


def play(table: Table) -> Play:
    """Play from the first deal to the end of the game."""
    state = table.state
    while state.phase != "over":
        yield Checkpoint()
        phase = state.phase
        stay = yield from KIT.phases[phase](table)
        if state.phase == phase and not stay:
            follow(table, phase)


def follow(table: Table, phase: str) -> None:
    """Go to the next phase; after the last, to the next turn."""
    state = table.state
    at = PHASES.index(phase) + 1
    if at == len(PHASES):
        state.turn += 1
        at = 0
    state.phase = PHASES[at]
