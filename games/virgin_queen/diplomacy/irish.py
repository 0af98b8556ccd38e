"""The Irish march (24.2 step 6): Ireland's new ally may move one formation from Ulster to Dublin for nothing."""

from __future__ import annotations

from games.virgin_queen.formations import WITHOUT_LEADER, Formation, limit, may_go, may_lead
from games.virgin_queen.land import entering, moving
from games.virgin_queen.query import seat_of
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play

_ask_irish_march = KIT.question("irish_march", "24.2")

ORIGIN, TO = "ulster", "dublin"


@KIT.entry("irish_war", "march")
def march(table: Table, power: str, _: None) -> Play:
    """24.2 step 6: March with all units at Ulster up to the limit, if Dublin is open to them (13.1)."""
    state = table.state
    units, leaders = moving.ready(table, power, ORIGIN)
    most = max(WITHOUT_LEADER, limit(table, leaders))
    units, leaders = may_go(table, power, units, TO), may_lead(table, leaders, TO)
    if not units or sum(units.values()) > most or not entering.may_enter(table, power, TO):
        return
    said = yield from _ask_irish_march(seat_of(state, power), Choice(("stay", "march")), "stay", power=power)
    if said == "march":
        table.log("minor.irish_march", rule="24.2", power=power, units=units)
        yield from moving.march(table, Formation(power, ORIGIN, units, leaders), TO)
