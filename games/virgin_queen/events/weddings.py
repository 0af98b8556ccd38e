"""Cards of weddings (21): the royal wedding of 33 and 80, the jilting of 37, Louise of Lorraine (95)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import impulse
from games.virgin_queen.courts import weddings
from games.virgin_queen.events.common import choose
from games.virgin_queen.responses import response
from games.virgin_queen.state import ENGLAND, FRANCE
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.unwritten import left, part
from pbem.kernel.game import Rule

KIT.question("event_royal", "6.1")
left("21.1", 95)
part("23.3", 37)  # England must play it before it may pass (11), so that it never holds it at the weddings
POINTS = 2


def royal_wedding(table: Table, power: str, card: str) -> Rule[None]:
    """#33, #80 The wedding marker on a betrothed French royal: +2 on the roll, 1 VP if they wed; then 2 CP."""
    state = table.state
    found = [key for one in state.betrothed for key in one.couple if state.royals[key].power == FRANCE]
    state.wedding_marker = yield from choose(table, power, card, "royal", found)
    table.say("wedding.marker", rule="21.1", power=power, royal=state.wedding_marker)
    yield from impulse.spend(table, power, POINTS, "event")


def _hers(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    return power == ENGLAND and weddings.ELIZABETH in about["couple"]


@response("wedding", "the-virgin-queen", _hers)
def jilting(table: Table, power: str, about: Mapping[str, Any]) -> Rule[bool]:
    """#37 Elizabeth breaks off her betrothal before the wedding; the groom's power is compensated (23.3)."""
    couple = next(one for one in table.state.betrothed if weddings.ELIZABETH in one.couple)
    yield from weddings.jilt(table, couple)
    return True
