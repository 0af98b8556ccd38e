"""The sequence of play (11): phases of a turn; starts again at any checkpoint by `state.phase`."""

from __future__ import annotations

from games.crown_of_roses.rules import PHASES, SECTIONS, unwritten
from games.crown_of_roses.setup import start_of
from games.crown_of_roses.state import State
from pbem.kernel.game import Play
from pbem.kernel.questions import Checkpoint
from pbem.kernel.table import Table

AFTER = {
    "combat": "influence", "influence": "king", "king": "victory", "victory": "offices", "offices": "winter",
    "winter": "cleanup", "cleanup": "draw",
}  # fmt: skip
"""11.0 What follows a phase that sets no phase itself."""


def play(table: Table) -> Play:
    """From the first draw phase to the end. Where a phase is not written play stops for the moderator (`unwritten`)."""
    state: State = table.state
    while state.phase != "over":
        yield Checkpoint()
        phase = state.phase
        run = PHASES.get(phase)
        if run is not None:
            yield from run(table)
            continue
        yield from unwritten(table, SECTIONS[phase])
        if phase == "cleanup":
            _next_turn(table)
        elif state.phase == phase:
            state.phase = AFTER[phase]


def _next_turn(table: Table) -> None:
    """11.0 The turn marker goes on; after the last turn of the scenario the game is over (25)."""
    state: State = table.state
    if state.turn >= start_of(table.c, state).last_turn:
        state.phase = "over"
        table.say("game.over", rule="25", turn=state.turn, learns=True)
        return
    state.turn += 1
    state.breaker = ""
    state.phase = "draw"
    for office in state.offices.values():
        office.used = False
