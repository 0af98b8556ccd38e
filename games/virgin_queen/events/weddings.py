"""Cards of weddings (21): the royal wedding of 33 and 80, the jilting of 37, Louise of Lorraine (95)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import impulse
from games.virgin_queen.courts import weddings
from games.virgin_queen.courts.deaths import ELIZABETH
from games.virgin_queen.diplomacy import clauses, execute
from games.virgin_queen.events.common import choose
from games.virgin_queen.query import seat_of
from games.virgin_queen.responses import response
from games.virgin_queen.state import ENGLAND, FRANCE
from games.virgin_queen.table import KIT, Table
from pbem.kernel.game import Play, Rule

KIT.question("event_royal", "6.1")
POINTS = 2
LOUISE = "louise_of_lorraine"


def royal_wedding(table: Table, power: str, card: str) -> Rule[None]:
    """#33, #80 Put the wedding marker on a betrothed French royal: +2 on the roll, 1 VP if they wed; then 2 CP."""
    state = table.state
    found = [key for betrothal in state.betrothed for key in betrothal.couple if state.royals[key].power == FRANCE]
    state.wedding_marker = yield from choose(table, power, card, "royal", found)
    table.log("wedding.marker", rule="21.1", power=power, royal=state.wedding_marker)
    yield from impulse.spend(table, power, POINTS, "event")


def _hers(table: Table, power: str, about: Mapping[str, Any]) -> bool:
    return power == ENGLAND and ELIZABETH in about["couple"]


@response("wedding", "the-virgin-queen", _hers, sheet=False)
def jilting(table: Table, power: str, about: Mapping[str, Any]) -> Rule[bool]:
    """Resolve #37: Elizabeth breaks off her betrothal before the wedding. The groom's power is compensated (23.3)."""
    couple = next(betrothal for betrothal in table.state.betrothed if ELIZABETH in betrothal.couple)
    yield from weddings.jilt(table, couple)
    return True


# -- Louise of Lorraine (#95) ------------------------------------------------------------------------------------------


def grooms(table: Table, power: str) -> list[str]:
    """#95 Return the men that a player may marry to Louise, of any power they negotiate for (FAQ 28)."""
    return clauses.bachelors(table, seat_of(table.state, power))


@response("negotiation", "louise-of-lorraine", lambda t, p, a: bool(grooms(t, p)))
def louise(table: Table, power: str, about: Mapping[str, Any]) -> Play:
    """Resolve #95: betroth Louise to a man of the player; she counts for that power by the higher rating alone."""
    man = yield from choose(table, power, "louise-of-lorraine", "royal", grooms(table, power))
    bride = table.state.royals[LOUISE]
    bride.power = table.state.royals[man].power
    yield from execute.betroth(table, man, LOUISE)
