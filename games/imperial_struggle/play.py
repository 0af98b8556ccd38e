"""The sequence of play (4.0): Peace Turns, and the wars between them. Starts again at any checkpoint by
`state.phase`.
"""

from __future__ import annotations

from games.imperial_struggle.rounds import action_round
from games.imperial_struggle.scoring import close_turn
from games.imperial_struggle.table import Table
from games.imperial_struggle.tiles import plan_war
from games.imperial_struggle.upkeep import begin_turn, initiative, ministers
from games.imperial_struggle.wartime import war
from pbem.kernel.game import Play
from pbem.kernel.questions import Checkpoint


def play(table: Table) -> Play:
    """From the first deal to the end of the game."""
    state = table.state
    while state.phase != "over":
        yield from Checkpoint()
        match state.phase:
            case "planning":
                yield from plan_war(table)
                state.phase = "turn"
            case "turn":
                yield from begin_turn(table)
            case "ministry":
                yield from ministers(table)
            case "initiative":
                yield from initiative(table)
            case "action":
                yield from action_round(table)
            case "close":
                close_turn(table)
            case "war":
                yield from war(table)
