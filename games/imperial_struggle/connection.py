"""Which Markets are tied to what their side holds, and which hang in the air (5.4.1)."""

from __future__ import annotations

from games.imperial_struggle.components import Components
from games.imperial_struggle.state import BRITAIN, FRANCE, NOBODY, State
from games.imperial_struggle.table import Table


def connected(table: Table, seat: str, market: str) -> bool:
    """Whether `seat` may shift this Market (5.4.1).

    It takes an own Territory, Fort or Squadron next to it, or an own Market without Conflict marker that is not
    Isolated and has not changed hands this round.
    """
    c, state = table.c, table.state
    flags = state.flags
    for anchor in c.anchors[market]:
        if flags[anchor] == seat:
            return True
    now = state.round
    for other in c.neighbours[market]:
        if (
            flags[other] == seat
            and other not in state.conflicts
            and (now is None or (other not in now.isolated and other not in now.changed))
        ):
            return True
    return False


def isolated(c: Components, state: State) -> list[str]:
    """The flagged Markets that no chain of friendly, marker-free Markets ties to an own Territory, Fort or
    Squadron (5.4.1).

    A marker does not isolate its own Market, only those behind it. Damaged Forts anchor.
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
    # The rest hangs on Markets that are tied to something, link by link.
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
    """Whether taking the flag off this Market would isolate another one that is not Isolated now (7.1.2, Event 4)."""
    c, state = table.c, table.state
    owner = state.flags[market]
    # Only what has no anchor of its own can hang on another Market.
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
