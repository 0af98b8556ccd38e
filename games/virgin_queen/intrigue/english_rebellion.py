"""The rising of the English Catholics (19.4 steps 2 to 7), by the plot of 19.4 or card 78."""

from __future__ import annotations

from games.virgin_queen.diplomacy import relations
from games.virgin_queen.formations import levy
from games.virgin_queen.query import at_war, seat_of
from games.virgin_queen.religion.uprising import crushed, rise
from games.virgin_queen.state import CATHOLIC, ENGLAND, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.game import Rule

KIT.chapter("19.4", "the English Catholic rebellion", "intrigue/")
REGULARS = 2
DICE, SPACES = 5, 4


def targets(table: Table) -> list[str]:
    """19.4 step 2 Return the Catholic spaces of England under English control, without siege or unrest."""
    state = table.state
    return [
        at
        for at in table.c.areas[ENGLAND]
        if state.control[at] == ENGLAND
        and state.religion[at] == CATHOLIC
        and at not in state.sieges
        and at not in state.unrest
    ]


def rising(table: Table, space: str, *, dice: int = DICE, most: int = SPACES, rule: str = "19.4") -> Rule[bool]:
    """19.4 steps 3 to 7 Resolve a rising in a space; card 78 uses it too (FAQ 28). Return whether it succeeded."""
    state = table.state
    table.log("rising.begins", rule=rule, space=space)
    table.stop_advance_orders(seat_of(state, ENGLAND))
    if not (yield from crushed(table, space, CATHOLIC, dice, "19.4")):
        return False
    yield from rise(table, SPAIN, space, CATHOLIC, most, "19.4")
    levy(table, space, SPAIN, "regulars", REGULARS, SPAIN, "19.4")
    if not at_war(state, SPAIN, ENGLAND):
        yield from relations.declare(table, SPAIN, ENGLAND)
    return True
