"""How well a seat stands, for bots: no rule of the game. In each game it is found by its name."""

from __future__ import annotations

from collections import Counter

from games.virgin_queen.keys import number_of_keys, secret_vp, totals
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import HRE
from games.virgin_queen.table import Table
from games.virgin_queen.victory import playing
from pbem.kernel.game import Evaluation, compared

_OVER = 40.0
_LEAD = 0.5
"""How much the strongest of the others counts, next to the mean of all others."""
_KEY, _CARD, _TREASURE, _PATRONAGE = 0.4, 0.15, 0.3, 0.12
"""A key space, a card in hand, a treasure, a point put into artists and scientists at work."""
_SIEGE, _UNIT, _SHIP = 0.3, 0.05, 0.06
"""A siege under way, a land unit, a ship."""


def terms(table: Table, seat: str) -> Evaluation:
    """Return VP, keys, cards, treasures, patronage and forces of the seat's best power, compared with the others."""
    state = table.state
    if state.phase == "over":
        won = seat in {seat_of(state, power) for power in state.winners}
        return {"victory": _OVER if won else -_OVER}
    points = totals(table)
    units: Counter[str] = Counter()
    ships: Counter[str] = Counter()
    for garrison in state.land.values():
        for owner, troops in garrison.items():
            units[owner] += troops.total
    for fleets in state.fleets.values():
        for fleet in fleets:
            ships[fleet.power] += fleet.total
    best: dict[str, Evaluation] = {}
    for power in playing(state):
        own = state.powers[power]
        worth: Evaluation = {
            "vp": points[power] + (secret_vp(table) if power == HRE and own.seat == seat else 0),
            "keys": _KEY * number_of_keys(table, power),
            "cards": _CARD * len(own.hand),
            "treasures": _TREASURE * len(own.treasures),
            "patronage": _PATRONAGE * sum(work.cp for work in state.patronage if work.power == power),
            "sieges": _SIEGE * sum(power in siege.by for siege in state.sieges.values()),
            "forces": _UNIT * units[power] + _SHIP * ships[power],
        }
        if own.seat not in best or sum(worth.values()) > sum(best[own.seat].values()):
            best[own.seat] = worth
    return compared(best.__getitem__, seat, best, _LEAD) if seat in best else {}
