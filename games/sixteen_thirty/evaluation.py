"""How well a seat stands, for bots: no rule of the game."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

from games.sixteen_thirty.table import Table
from pbem.kernel.game import Evaluation, compared

_LEAD = 0.7
"""How much the strongest of the others counts, next to the mean of all others."""
_LATER, _FADING = 0.6, 0.5
"""What a point of this turn's score is worth in each turn to come, and the part of it that an inferior pile keeps."""
_ROOM, _STATUS, _CARD = 0.25, 0.1, 0.4
"""The same for votes in hand that fit own counters; a step of status of an own counter; any card in hand."""
_WON = 25.0


def terms(table: Table, seat: str) -> Evaluation:
    """Return points scored and to come, votes in hand, own countries and cards, compared with the others."""
    state = table.state
    found = compared(partial(_worth, table), seat, state.players, _LEAD)
    if state.phase == "over":
        best = max(player.score for player in state.players.values())
        found["victory"] = _WON if state.players[seat].score == best else -_WON
    return found


def _worth(table: Table, owner: str) -> Evaluation:
    state, c = table.state, table.c
    player = state.players[owner]
    if state.phase == "over":
        return {"points": player.score}
    left = _expected(tuple(sorted(c.ends_on.items())), state.turn)
    coming, room, status = 0.0, 0, 0
    for country in player.counters:
        land, pile = state.countries[country], player.piles.get(country)
        votes = pile.votes if pile is not None else 0
        status += land.status
        fading = pile is not None and pile.inferior
        coming += min(land.status, votes) * (_FADING if fading else 1)
        if land.status > votes and not fading:
            fits = c.fits[country]
            room += min(land.status - votes, sum(c.cards[key].votes for key in player.hand if key in fits))
    return {
        "points": player.score,
        "coming": _LATER * left * coming,
        "room": _ROOM * left * room,
        "status": _STATUS * left * status,
        "cards": _CARD * len(player.hand),
    }


@cache
def _expected(ends_on: tuple[tuple[int, int], ...], turn: int) -> float:
    """Return how often points will be scored from this turn on, as things stand."""
    chances: Mapping[int, int] = dict(ends_on)
    if turn not in chances or turn == ends_on[-1][0]:
        return 1.0
    return 1.0 + (1 - chances[turn] / 6) * _expected(ends_on, turn + 1)
