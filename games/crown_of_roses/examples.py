"""The examples of Crown of Roses: an office under the hammer, a finished game (see `pbem.trial.stage`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.kernel.referee import Referee

if TYPE_CHECKING:
    from pbem.trial.stage import Stage


def mid_auction(referee: Referee) -> bool:
    """Turn 1: two offices are given, the third is on offer; all who are asked have several markers left."""
    state = referee.table.state
    asked = [pending.seat for pending in referee.pending()]
    rich = all(sum(state.houses[house].stock.values()) > 2 for house in asked if house in state.houses)
    return state.turn == 1 and len(state.auction) == 4 and rich and len(asked) > 2


def build(stage: Stage) -> None:
    """Write the saves."""
    stage.save(
        "cor-auction",
        mid_auction,
        seeds=range(200),
        what="sealed bids for an office: zeros as bluffs, four more offices to come",
    )
