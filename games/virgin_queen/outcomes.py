"""The public outcomes of a line, for plans with branches (`if lost: …`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.virgin_queen.query import seat_of
from games.virgin_queen.table import Table

WON, LOST, INTERCEPTED, EVADED, TRIED = "won", "lost", "intercepted", "evaded", "tried"
OUTCOMES: Mapping[str, Sequence[str]] = {
    WON: ("move", "naval_move", "assault"),
    LOST: ("move", "naval_move", "assault"),
    INTERCEPTED: ("move", "naval_move"),
    EVADED: ("move", "naval_move"),
    TRIED: ("move",),
}


def outcome(table: Table, word: str, power: str) -> None:
    """Note the outcome of a step of the power whose impulse it is; others follow no plan now."""
    if power == table.state.active:
        table.record_outcome(word, seat_of(table.state, power))
