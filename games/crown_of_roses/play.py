"""The sequence of play (11): phases of a turn; starts again at any checkpoint by `state.phase`."""

from __future__ import annotations

from games.crown_of_roses.heirs import watch
from games.crown_of_roses.rules import PHASES
from games.crown_of_roses.state import State
from games.crown_of_roses.table import Table
from pbem.kernel.game import Play
from pbem.kernel.questions import Checkpoint


def play(table: Table) -> Play:
    """From the first draw phase to the end: each phase says what follows it."""
    state: State = table.state
    while state.phase != "over":
        yield Checkpoint()
        if state.phase == "command":
            watch(table)
        yield from PHASES[state.phase](table)
