"""Which Markets are connected to what their side holds, and which are Isolated (5.4.1)."""

from __future__ import annotations

from games.imperial_struggle.components import StruggleComponents
from games.imperial_struggle.state import BRITAIN, FRANCE, NOBODY, StruggleState
from games.imperial_struggle.table import Table


def connected(table: Table, seat: str, market: str) -> bool:
    """Return whether the Market is connected to what `seat` holds, so that `seat` may shift it (5.4.1)."""
    c, state = table.c, table.state
    flags = state.flags
    # A Territory, Fort or Naval space.
    for anchor in c.anchors[market]:
        if flags[anchor] == seat:
            return True
    # Another Market without Conflict marker that is not Isolated and has not changed hands this round.
    now = state.round
    for other in c.neighbours[market]:
        if (
            flags[other] == seat
            and other not in state.conflicts
            and (now is None or (other not in now.isolated and other not in now.changed))
        ):
            return True
    return False


def isolated(c: StruggleComponents, state: StruggleState) -> list[str]:
    """Return the Isolated Markets: without friendly chain to an own Territory, Fort or Squadron (5.4.1).

    The Markets of the chain have no Conflict marker: a marker isolates those behind it, not its own. Damaged Forts
    anchor.
    """
    flags, conflicts = state.flags, state.conflicts
    loose: list[str] = []
    for market, anchors in c.markets:
        owner = flags[market]
        if owner == BRITAIN or owner == FRANCE:  # noqa: SIM109 - at every round: a tuple costs more
            for anchor in anchors:
                if flags[anchor] == owner:
                    break
            else:
                loose.append(market)
    # The rest depends on Markets that are tied to something, link by link.
    while loose:
        left = []
        for market in loose:
            owner = flags[market]
            for other in c.neighbours[market]:
                if flags[other] == owner and other not in conflicts and other not in loose:
                    break
            else:
                left.append(market)
        if len(left) == len(loose):
            break
        loose = left
    return loose


def isolates(table: Table, market: str) -> bool:
    """Return whether unflagging this Market would isolate another one that is not Isolated now (7.1.2, Event 4)."""
    c, state = table.c, table.state
    owner = state.flags[market]
    # Only what has no anchor of its own can depend on another Market.
    if not any(
        state.flags[other] == owner and not any(state.flags[anchor] == owner for anchor in c.anchors[other])
        for other in c.neighbours[market]
    ):
        return False
    before = isolated(c, state)
    state.flags[market] = NOBODY
    after = isolated(c, state)
    state.flags[market] = owner
    return any(other not in before for other in after if other != market)
