"""The Irish march (24.2 step 6): Ireland's new ally may move one formation from Ulster to Dublin for nothing."""

from __future__ import annotations

from games.virgin_queen import rules
from games.virgin_queen.forces import WITHOUT_LEADER, Formation, limit
from games.virgin_queen.land import entering, moving
from games.virgin_queen.query import seat_of
from games.virgin_queen.table import Table
from pbem.kernel.answers import Choice
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask

ORIGIN, TO = "ulster", "dublin"


@rules.step("irish", "24.2")
def march(table: Table) -> Play:
    """24.2 step 6: all that stands at Ulster, up to the limit of its formation, if Dublin may be entered (13.1)."""
    state = table.state
    power = state.minors["ireland"].ally
    units, leaders = moving.ready(table, power, ORIGIN)
    most = max(WITHOUT_LEADER, limit(table, leaders))
    if not units or sum(units.values()) > most or not entering.may_enter(table, power, TO):
        return
    said = yield Ask(
        seat_of(state, power), "irish_march", Choice(("stay", "march")), rule="24.2", default="stay",
        about={"power": power},
    )  # fmt: skip
    if said == "march":
        table.say("minor.irish_march", rule="24.2", power=power, units=units)
        yield from moving.march(table, Formation(power, ORIGIN, units, leaders), TO)
