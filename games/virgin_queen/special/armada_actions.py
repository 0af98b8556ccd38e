"""What Spain may do with the Armada (23.2): upgrades, troops built aboard, to and from its port, its own transport."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from games.virgin_queen import formations, impulse
from games.virgin_queen.counters import CounterChange
from games.virgin_queen.formations import Formation, chosen, join_spent, limit, may_lead
from games.virgin_queen.gate import all_may
from games.virgin_queen.land import moving
from games.virgin_queen.land.losses import check_siege
from games.virgin_queen.naval import transport
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import leaders_at
from games.virgin_queen.responses import offer
from games.virgin_queen.special import armada
from games.virgin_queen.state import ARMADA, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Amount, Choice, Distribution, Domain, Form, Optional, Subset, Values
from pbem.kernel.game import Rule

LISBON = "lisbon"
UPGRADE = "upgrade_armada"
MOVE = "move_clear"
Crew = tuple[dict[str, int], list[str]]
"""Units and leaders."""


class ShipCount(TypedDict):
    """How many, if more than one."""

    number: NotRequired[int]


class EmbarkAnswer(TypedDict):
    """Units that go aboard or ashore: all that may, if none are named."""

    units: NotRequired[dict[str, int]]
    leaders: NotRequired[list[str]]


class LandingAnswer(EmbarkAnswer):
    """The port of departure or landing."""

    port: str


def in_yard(table: Table) -> bool:
    """23.2 Return whether the Armada is in Seville, Corunna or Lisbon."""
    return armada.place(table) in table.c.special["armada"]["ports"]


def _levels(table: Table, ground: PowerMap) -> int | None:
    if ground.power != SPAIN or not table.state.armada or not in_yard(table):
        return None
    special = table.c.special["armada"]
    left = (max(special["strengths"]) - table.state.armada) // armada.LEVEL
    return min(left, ground.cp // int(special["upgrade_cp"])) or None


def _number(table: Table, ground: PowerMap, most: int) -> Form[ShipCount]:
    return Form(number=lambda v: Optional(Amount(1, most)) if most > 1 else None)


@KIT.action(UPGRADE, "23.2", _levels, _number)
def _upgrade(table: Table, power: str, order: ShipCount) -> None:
    """23.2 Raise it for 3 CP a level, also after damage or a move in the same turn."""
    number = order.get("number", 1)
    impulse.pay(table, int(table.c.special["armada"]["upgrade_cp"]) * number, UPGRADE)
    table.state.armada += armada.LEVEL * number
    table.log("sea.armada", rule="23.2", strength=table.state.armada)


def _build(word: str, listed: str, kind: str, cost: int) -> None:
    def find(table: Table, ground: PowerMap) -> int | None:
        """Return its room in a port of a Spanish home space, or in Lisbon."""
        at = armada.port(table, ground.power)
        if at != LISBON and at not in table.c.homes[SPAIN]:
            return None
        most = ground.left(SPAIN, ARMADA, kind, min(ground.cp // cost, armada.room(table)))
        return most if most > 0 else None

    @KIT.action(word, "23.2", find, _number, listed=listed)
    def run(table: Table, power: str, order: ShipCount) -> None:
        number = order.get("number", 1)
        impulse.pay(table, cost * number, listed)
        formations.add(table, ARMADA, SPAIN, kind, number)
        table.log("build.land", rule="23.2", power=power, space=ARMADA, owner=SPAIN, kind=kind, count=number)


_build("regular_aboard", "raise_regular", "regulars", 2)
_build("mercenary_aboard", "buy_mercenary", "mercenaries", 1)


def own(units: dict[str, int]) -> dict[str, int]:
    """Return the units that are Spain's own."""
    return {key: n for key, n in units.items() if formations.owner_of(SPAIN, key)[0] in armada.POOLS}


def _form(units: dict[str, int], leaders: list[str], room: int) -> Form[EmbarkAnswer]:
    """Return `units=… leaders=…`; left out: all, as far as they fit."""

    def which(values: Values) -> Domain | None:
        if not units or not room:
            return None
        return Optional(Distribution(units, (0 if values.leaders else 1, min(room, sum(units.values()))), "units"))

    def who(values: Values) -> Domain | None:
        return Optional(Subset(leaders, 0 if units and room else 1, len(leaders), what="leaders")) if leaders else None

    return Form(leaders=who, units=which)


def _who(order: EmbarkAnswer, found: Crew, room: int) -> Crew:
    """Return who goes: those named; by default all leaders, and the units that fit."""
    units, leaders = found
    return dict(order.get("units", formations.some_of(units, room))), list(order.get("leaders", leaders))


def _quayside(table: Table, ground: PowerMap) -> Crew | None:
    """23.2 Return what may go aboard in port: Spain's units, also those beaten in this impulse, and army leaders."""
    at = armada.port(table, ground.power)
    if not at:
        return None
    units = own(formations.count(table.state, SPAIN, at)) if armada.room(table) else {}
    leaders = may_lead(table, leaders_at(table.state, SPAIN, at), ARMADA)
    return (units, leaders) if units or leaders else None


@KIT.action(
    "embark", "23.2", _quayside, lambda t, g, found: _form(*found, armada.room(t)), free=True, listed="naval_move"
)
def _embark(table: Table, power: str, order: EmbarkAnswer) -> None:
    at = armada.port(table, SPAIN)
    chiefs = may_lead(table, leaders_at(table.state, SPAIN, at), ARMADA)
    found = own(formations.count(table.state, SPAIN, at)), chiefs
    units, leaders = _who(order, found, armada.room(table))
    formations.shift(table, SPAIN, at, ARMADA, units, leaders)
    _forget(table, at)
    table.log("armada.embark", rule="23.2", power=power, space=at, units=units, leaders=leaders)


def _forget(table: Table, space: str) -> None:
    """13.1 Delete all notes on units that are gone."""
    here = formations.count(table.state, SPAIN, space)
    for spent in table.state.now.spent:
        if spent.space == space and spent.power == SPAIN:
            spent.units = {key: min(n, here[key]) for key, n in spent.units.items() if here.get(key)}


def crew(table: Table) -> Crew:
    """Return all units and leaders aboard."""
    return formations.count(table.state, SPAIN, ARMADA), leaders_at(table.state, SPAIN, ARMADA)


def _ashore(table: Table, ground: PowerMap) -> Crew | None:
    found = crew(table)
    return found if armada.port(table, ground.power) and any(found) else None


@KIT.action("disembark", "23.2", _ashore, lambda t, g, found: _form(*found, t.state.armada), free=True,
            listed="naval_move")  # fmt: skip
def _disembark(table: Table, power: str, order: EmbarkAnswer) -> Rule[None]:
    """23.2 Move units from the Armada into its port, for free; that may break a siege (15.3)."""
    at = armada.port(table, SPAIN)
    units, leaders = _who(order, crew(table), table.state.armada)
    formations.shift(table, SPAIN, ARMADA, at, units, leaders)
    table.log("armada.disembark", rule="23.2", power=power, space=at, units=units, leaders=leaders)
    yield from check_siege(table, at)


def _cap(table: Table, leaders: list[str]) -> int:
    """23.2 Return the most units of a crossing: five (16.3), or with a leader its strength and their command (5.1)."""
    return min(limit(table, leaders), table.state.armada if leaders else transport.MOST)


def _at_sea(table: Table, ground: PowerMap) -> str:
    """Return the sea zone of the Armada, "" in port, or if a power has none."""
    at = armada.place(table) if ground.power == SPAIN and ground.cp else ""
    return at if at in table.c.zones else ""


def _crossing(table: Table, ports: dict[str, Crew], room: int, *, ashore: bool) -> Form[LandingAnswer]:
    """Return `<port> units=… leaders=…`; left out: all, where all may go."""

    def who(values: Values) -> Domain | None:
        leaders = ports[values.port][1]
        return Optional(Subset(leaders, 0, len(leaders), what="leaders")) if leaders else None

    def which(values: Values) -> Domain:
        units, leaders = ports[values.port]
        cap = min(room, _cap(table, leaders if values.leaders is None else values.leaders))
        origin, to = (ARMADA, values.port) if ashore else (values.port, ARMADA)
        domain = CounterChange(units, (1, cap), formations.parting(table, SPAIN, origin, to))
        return Optional(domain) if sum(units.values()) <= cap else domain

    return Form(port=Choice(list(ports), "port"), leaders=who, units=which)


def _lifts(table: Table, ground: PowerMap) -> dict[str, Crew] | None:
    """23.2 Return the ports next to the Armada with troops that may come aboard: none besieged or beaten (16.3)."""
    zone = _at_sea(table, ground)
    if not zone or not armada.room(table):
        return None
    found: dict[str, Crew] = {}
    for at in ground.garrisons:
        if zone in transport.quays(table, SPAIN, at):
            units, leaders = moving.ready(table, SPAIN, at, ground.chiefs(at))
            if units := own(units):
                found[at] = units, may_lead(table, leaders, ARMADA)
    return found or None


@KIT.action(
    "armada_lift", "23.2", _lifts, lambda t, g, found: _crossing(t, found, armada.room(t), ashore=False), listed=MOVE
)
def _lift(table: Table, power: str, order: LandingAnswer) -> Rule[None]:
    """23.2 Move a formation from a port aboard the Armada at sea, for 1 CP; it may stay there."""
    at = order["port"]
    here, chiefs = moving.ready(table, SPAIN, at)
    units, leaders = chosen(order, own(here), may_lead(table, chiefs, ARMADA))
    impulse.pay(table, 1, MOVE)
    if (yield from _stopped(table, Formation(SPAIN, at, units, leaders), ARMADA)):
        return
    formations.shift(table, SPAIN, at, ARMADA, units, leaders)
    table.log("armada.embark", rule="23.2", power=power, space=at, units=units, leaders=leaders)
    yield from check_siege(table, at)


def _stopped(table: Table, formation: Formation, to: str) -> Rule[bool]:
    """16.3 Ask whether storms stop it; then the formation does not move again in this impulse."""
    about = {"power": SPAIN, "origin": formation.space, "space": to, "units": formation.total}
    if not (yield from offer(table, "transport", about)):
        return False
    join_spent(table.state, formation, "beaten")
    return True


def _landings(table: Table, ground: PowerMap) -> dict[str, Crew] | None:
    """23.2 Return ports next to the Armada in which a transport may end (16.3 step 3)."""
    zone = _at_sea(table, ground)
    if not zone:
        return None
    units, leaders = moving.ready(table, SPAIN, ARMADA)
    if not units:
        return None
    ports = transport.landings(table, SPAIN, zone)
    going = formations.pieces(SPAIN, units)
    ports = [at for at in ports if transport.may_land(table, SPAIN, at) and all_may(table, going, at)]
    return {at: (units, may_lead(table, leaders, at)) for at in ports} or None


@KIT.action(
    "armada_land", "23.2", _landings, lambda t, g, found: _crossing(t, found, t.state.armada, ashore=True), listed=MOVE
)
def _land(table: Table, power: str, order: LandingAnswer) -> Rule[None]:
    """23.2 Land a formation from the Armada at sea, for 1 CP; as at the end of a transport (16.3)."""
    to = order["port"]
    here, chiefs = moving.ready(table, SPAIN, ARMADA)
    units, leaders = chosen(order, here, may_lead(table, chiefs, to))
    impulse.pay(table, 1, MOVE)
    formation = Formation(SPAIN, ARMADA, units, leaders, by_sea=True)
    table.log("sea.transport", rule="23.2", power=power, origin=ARMADA, space=to, units=units, leaders=leaders)
    if not (yield from _stopped(table, formation, to)):
        yield from moving.march(table, formation, to)
