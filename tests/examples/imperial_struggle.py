"""The examples of Imperial Struggle: an Action Round, a war, a finished game, two letters (`tests.examples.kit`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.imperial_struggle.table import Table
from pbem.kernel.referee import Referee

if TYPE_CHECKING:
    from tests.examples.kit import Examples


def open_round(referee: Referee) -> bool:
    """The first Action Round of turn 3, before a tile is taken."""
    table: Table = referee.table
    state = table.state
    return state.turn == 3 and state.rounds == 0 and referee.pending()[0].kind == "tile"


def mid_war(referee: Referee) -> bool:
    """A Territory is being taken in a war, and its owner may refuse."""
    return referee.pending()[0].kind == "refuse"


def build(examples: Examples) -> None:
    """Write three saves, and a mailbox with one full Action Round of each side; the first plays an Event."""
    examples.save("is-round", open_round, seeds=range(200), what="the first Action Round of turn 3")
    examples.save("is-war", mid_war, seeds=range(200), what="a Territory is being taken in a war; its owner may refuse")
    examples.save("is-finished", seeds=range(1, 200), what="a game played to its end")
    examples.turns(
        "is-round",
        "is-round",
        same=lambda referee: referee.table.state.rounds,
        fits=lambda number, lines: (
            5 <= len(lines) <= 9 and (number > 0 or any(line.startswith("event ") for line in lines))
        ),
        what="one email of each side with its whole Action Round; the first plays an Event",
    )
