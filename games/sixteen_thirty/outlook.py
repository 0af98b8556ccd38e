"""How well a seat stands: a hint for understudies, no rule of the game."""

from __future__ import annotations

from games.sixteen_thirty.scoring import points
from games.sixteen_thirty.table import Table

_LATER = 0.6
"""What a point of this turn's score is worth in each turn to come: countries change hands."""
_CARD = 0.15


def value(table: Table, seat: str) -> float:
    """Points scored, points to come if nothing changes, and cards; beside the best of the others and their mean."""
    state = table.state
    left = max(1, 8 - state.turn)

    def worth(owner: str) -> float:
        player = state.players[owner]
        now = sum(gained for _, gained in points(state, owner))
        return player.score + now * left * _LATER + _CARD * len(player.hand)

    mine = worth(seat)
    others = [worth(other) for other in state.players if other != seat]
    return 0.7 * (mine - max(others)) + 0.3 * (mine - sum(others) / len(others))
