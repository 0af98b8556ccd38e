"""The end of the turn (7): scores, the first player's marker, leaders and unrest, the early end."""

from __future__ import annotations

from typing import Any

from games.sixteen_thirty.influence import votes_of
from games.sixteen_thirty.state import ThirtyState
from games.sixteen_thirty.table import KIT, Table

KIT.chapter("7", "scoring, first player, leaders and unrest, early end, victory", "scoring.py")


@KIT.phase("end")
def end_of_turn(table: Table) -> None:
    """Score, pass the marker, clear the map, and check whether the game goes on."""
    score(table)
    pass_first_player(table)
    clear_map(table)
    if not ends_now(table):
        state = table.state
        state.turn += 1
        state.active = state.first
        state.phase = "player"


def points(state: ThirtyState, seat: str) -> list[tuple[str, int]]:
    """Return the smaller of the country's status and the own influence, by counter; two counters count twice."""
    counters = state.players[seat].counters
    return [(key, min(state.countries[key].status, votes_of(state, seat, key))) for key in counters]


def score(table: Table) -> None:
    """Add up the points. The counters stay secret, only totals are logged (S-25)."""
    state = table.state
    for seat, player in state.players.items():
        scored = points(state, seat)
        gained = sum(value for _, value in scored)
        player.score += gained
        player.history.append(player.score)
        table.log(
            "score.turn", rule="7", seat=seat, points=gained, score=player.score, turn=state.turn,
            private={seat: {"counters": [f"{country} {value}" for country, value in scored]}},
        )  # fmt: skip


def pass_first_player(table: Table) -> None:
    """Pass the first player's marker clockwise."""
    state = table.state
    state.first = table.clockwise(state.first)[1]
    table.log("turn.first", rule="7", seat=state.first)


def clear_map(table: Table) -> None:
    """Remove all leaders and unrest."""
    for land in table.state.countries.values():
        land.leader = land.unrest = False


def ends_now(table: Table) -> bool:
    """End the game on a roll up to the turn's number (S-27), or on the last turn. Returns whether it ended."""
    state = table.state
    number = table.c.ends_on[state.turn]
    if state.turn < table.c.last_turn and not number:
        return False
    if state.turn < table.c.last_turn:
        roll = table.roll(1, "end.roll", rule="7", turn=state.turn, number=number)
        if roll.total > number:
            return False
    state.phase = "over"
    final = result(state)
    assert final is not None
    for seat, player in state.players.items():
        countries = sorted(player.counters)
        table.log("end.counters", rule="7", reveals=True, seat=seat, countries=countries, score=player.score)
    table.log("end.won", rule="end", winners=final["winners"], score=max(final["scores"].values()))
    return True


def result(state: ThirtyState) -> dict[str, Any] | None:
    """Return the scores and the winners: most points win; ties stay ties."""
    if state.phase != "over":
        return None
    scores = {seat: player.score for seat, player in state.players.items()}
    return {"scores": scores, "winners": [seat for seat, total in scores.items() if total == max(scores.values())]}
