"""The sequence of play (11): phases of a turn; starts again at any checkpoint by `state.phase`."""

from __future__ import annotations

from games.crown_of_roses.rules import PHASES, SECTIONS, Unwritten
from pbem.kernel.game import Play
from pbem.kernel.questions import Checkpoint
from pbem.kernel.table import Table


def play(table: Table) -> Play:
    """From the first draw phase on. Raises `Unwritten` where play comes to a phase that is not there yet."""
    state = table.state
    while state.phase != "over":
        yield Checkpoint()
        run = PHASES.get(state.phase)
        if run is None:
            raise Unwritten(SECTIONS[state.phase])
        yield from run(table)
