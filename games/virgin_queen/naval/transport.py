"""Naval transport (16.3): up to five units from port to port over zones with own ships, 1 CP a step.

The whole way is one order, so that no unit is left at sea (16.3 step 2). Antwerp and Rotterdam are next to the
North Sea for the controller of the gate and its allies (16.7).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from games.virgin_queen import fleets, formations, impulse
from games.virgin_queen.components import INLAND_ZONE
from games.virgin_queen.formations import Formation, chosen, deserts, join_spent, may_lead
from games.virgin_queen.land import entering, moving
from games.virgin_queen.land.moving import LandMove
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import friendly
from games.virgin_queen.responses import offer
from games.virgin_queen.state import ARMADA
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Optional, Subset
from pbem.kernel.game import Play

KIT.chapter("16.7", "Antwerp and Rotterdam", "naval/transport.py", "naval/piracy.py", "land/assault.py")
KIT.chapter("16.3", "naval transport", "naval/transport.py")
MOST = 5


def quays(table: Table, power: str, space: str) -> tuple[str, ...]:
    """16.3, 16.7 Return the sea zones next to a port, for transport."""
    if space in table.c.inland:
        return (INLAND_ZONE,) if friendly(table.state, power, table.c.gates[space][1]) else ()
    return table.c.spaces[space].port


def landings(table: Table, power: str, zone: str) -> list[str]:
    """Return ports next to a zone, the inland ones included if their gate is open."""
    inland = table.c.inland if zone == INLAND_ZONE else ()
    return [*table.c.ports[zone], *(space for space in inland if quays(table, power, space))]


def ways(table: Table, power: str, origin: str) -> dict[str, int]:
    """16.3 Return port → CP: 1 into the first zone, 1 to each further one, 1 ashore; own ships in every zone."""
    cp = table.state.now.cp
    steps: dict[str, int] = {}
    queue = []
    for zone in quays(table, power, origin):
        if convoys(table, power, zone):
            steps[zone] = 1
            queue.append(zone)
    for zone in queue:
        for other in table.c.zones[zone].adjacent:
            if other not in steps and steps[zone] + 2 <= cp and convoys(table, power, other):
                steps[other] = steps[zone] + 1
                queue.append(other)
    found: dict[str, int] = {}
    for zone, price in steps.items():
        for port in landings(table, power, zone):
            if port != origin and price + 1 <= cp and may_land(table, power, port):
                found[port] = min(found.get(port, 99), price + 1)
    return found


def convoys(table: Table, power: str, zone: str) -> bool:
    """16.3, 23.2 Return whether a power's ships in a zone may carry a formation; the Armada has its own transport."""
    return any(kind != ARMADA for kind in fleets.counts(table.state, power, zone))


def may_land(table: Table, power: str, port: str) -> bool:
    """16.3 step 3 Return whether a formation may land: no enemy ships, and a space that land units may enter."""
    return not fleets.enemies(table, power, port) and entering.may_enter(table, power, port)


def origins(ground: PowerMap) -> Iterator[tuple[str, dict[str, int]]]:
    """Yield the ports from which something may be carried, with targets and their CP."""
    table, power = ground.table, ground.power
    at_sea = {place for place in ground.ports if place in table.c.zones}
    if not at_sea:
        return
    for space in ground.garrisons:
        zones = quays(table, power, space)
        if at_sea.isdisjoint(zones):
            continue
        if units := moving.ready(table, power, space, ground.chiefs(space))[0]:
            to = {at: cp for at, cp in ways(table, power, space).items() if formations.may_go(table, power, units, at)}
            if to:
                yield space, to


def _find(table: Table, ground: PowerMap) -> dict[str, dict[str, int]] | None:
    return dict(origins(ground)) or None if ground.cp > 1 else None


def _form(table: Table, ground: PowerMap, found: dict[str, dict[str, int]]) -> Form[LandMove]:
    """Return `transport <origin> <to> units=… leaders=…`; left out: all, up to five units."""
    power = ground.power

    def leaders(values: Any) -> Domain | None:
        chiefs = may_lead(table, moving.ready(table, power, values.origin)[1], values.to)
        return Optional(Subset(chiefs, 0, len(chiefs), what="leaders")) if chiefs else None

    def units(values: Any) -> Domain:
        here, chiefs = moving.ready(table, power, values.origin)
        here = formations.may_go(table, power, here, values.to)
        going = may_lead(table, chiefs, values.to) if values.leaders is None else values.leaders
        way = (power, values.origin, values.to)
        return formations.units_domain(table, here, going, alone=False, most=MOST, way=way)

    return Form(
        origin=Choice([at for at in table.c.spaces if at in found], "port"),
        to=lambda v: Choice(list(found[v.origin]), "port"),
        leaders=leaders,
        units=units,
    )


@KIT.action("transport", "16.3", _find, _form, listed="move_clear")
def _run(table: Table, power: str, order: LandMove) -> Play:
    """16.3 Transport a formation; at the end it enters as by a march (13.1)."""
    origin, to = order["origin"], order["to"]
    here, chiefs = moving.ready(table, power, origin)
    units, leaders = chosen(order, formations.may_go(table, power, here, to), may_lead(table, chiefs, to))
    price = ways(table, power, origin)[to]
    impulse.pay(table, price, "move_clear")
    formation = Formation(power, origin, units, leaders, by_sea=True)
    table.log("sea.transport", rule="16.3", power=power, origin=origin, space=to, units=units, leaders=leaders)
    about = {"power": power, "origin": origin, "space": to, "units": formation.total}
    if (yield from offer(table, "transport", about)):
        join_spent(table.state, formation, "beaten")
        return
    if deserts(table, formation):
        return
    yield from moving.march(table, formation, to)
