"""How well a seat stands: a hint for understudies, no rule of the game."""

from __future__ import annotations

from games.virgin_queen.keys import totals
from games.virgin_queen.table import Table
from games.virgin_queen.victory import playing

_CARD = 0.15


def value(table: Table, seat: str) -> float:
    """The best of the seat's powers, by VP as everybody sees them and cards; beside the best and the mean of others."""
    state = table.state
    points = totals(table)
    best: dict[str, float] = {}
    for power in playing(state):
        own = state.powers[power]
        best[own.seat] = max(best.get(own.seat, -99.0), points[power] + _CARD * len(own.hand))
    if seat not in best or len(best) < 2:
        return best.get(seat, 0.0)
    others = [worth for other_seat, worth in best.items() if other_seat != seat]
    return best[seat] - 0.5 * max(others) - 0.5 * sum(others) / len(others)
