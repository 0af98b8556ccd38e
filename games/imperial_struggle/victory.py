"""The winner (2.5, 4.1.13, 7.4)."""

from __future__ import annotations

from typing import Any

from games.imperial_struggle.state import BRITAIN, FRANCE, SEATS, StruggleState
from games.imperial_struggle.table import KIT, Table

KIT.chapter("2.5", "automatic victory", "victory.py")
KIT.chapter("4.1.13", "Victory Check", "victory.py")
KIT.chapter("7.4", "Victory Check of a war", "victory.py", "sequence.py")


def won_all_awards(table: Table, everything: int, rule: str) -> bool:
    """Return whether one side won all Awards and demanded commodities, or every theater of the war by its top row."""
    state = table.state
    for seat in SEATS:
        if everything and state.swept.get(seat, 0) >= everything:
            finish(table, seat, "sweep", rule)
            return True
    return False


def check_points(table: Table, rule: str) -> bool:
    """Check victory by points: 0 or less: Britain; 30 or more: France. Runs in Victory Check phases only."""
    vp, scoring = table.state.vp, table.c.scoring
    if vp <= scoring["britain_wins"]:
        finish(table, BRITAIN, "points", rule)
    elif vp >= scoring["france_wins"]:
        finish(table, FRANCE, "points", rule)
    else:
        return False
    return True


def finish(table: Table, winner: str, how: str, rule: str) -> None:
    """End the game."""
    state = table.state
    state.phase, state.winner, state.how = "over", winner, how
    state.round, state.active = None, ""
    table.log(f"over.{how}", rule=rule, winner=winner, vp=state.vp)


def result(state: StruggleState) -> dict[str, Any] | None:
    """Return the winner, and the points as each side counts them: how far the marker is on its side of 15."""
    if state.phase != "over":
        return None
    return {"scores": {BRITAIN: 30 - state.vp, FRANCE: state.vp}, "winners": [state.winner], "how": state.how}
