"""Control of unfortified spaces (12.2), removing unrest (12.4), and the effects of a change of control."""

from __future__ import annotations

from typing import TypedDict

from games.virgin_queen import fleets, query
from games.virgin_queen.displacement import displace_ships
from games.virgin_queen.impulse import pay
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.state import FRANCE, INDEPENDENT, PROTESTANT
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Form, LazyChoice, lazy_choice
from pbem.kernel.game import Play

KIT.chapter("12.3", "fortified spaces", "land/control.py")
KIT.chapter("12.1", "lines of communication", "query.py")
KIT.chapter("12.2", "control of unfortified spaces", "land/control.py")
KIT.chapter("12.4", "unrest", "land/control.py")
KIT.question("put_to_sea", "12.2")
LISTED = "control_unfortified"


class ControlSpace(TypedDict):
    """The space."""

    space: str


def near(table: Table, power: str, space: str) -> tuple[str, ...]:
    """12.2 Return the spaces next to a space, without those over passes."""
    c = table.c
    return (*c.clear[space], *query.waterway(table, power, space)) if space in c.gates else c.clear[space]


def present(ground: PowerMap, space: str) -> bool:
    """12.2, 12.4 Return whether units are in the space, or next to it (no pass) without enemies next to it."""
    land, mine, foes = ground.state.land, ground.mine, ground.foes
    if not mine.isdisjoint(land.get(space, ())):
        return True
    around = [land[at] for at in near(ground.table, ground.power, space) if at in land]
    return any(not mine.isdisjoint(here) for here in around) and all(foes.isdisjoint(here) for here in around)


def controllable(ground: PowerMap) -> LazyChoice:
    """12.2 Return the unfortified spaces that a power can take control of now."""
    table, power, control, foes = ground.table, ground.power, ground.state.control, ground.foes
    found: list[str] = []
    for garrison in ground.garrisons:
        for at in (garrison, *near(table, power, garrison)):
            holder = control[at]
            if holder != power and (holder == INDEPENDENT or holder in foes) and at not in found:
                found.append(at)
    lines = query.CommunicationLines(table, power)

    def fits(at: str) -> bool:
        if query.fortified(table, at) or _strangers(ground, at):
            return False
        return present(ground, at) and lines.reaches(at)

    return lazy_choice(found, fits, "space", table.c.spaces)


def _strangers(ground: PowerMap, space: str) -> bool:
    others = [owner for owner in ground.state.land.get(space, ()) if owner not in ground.mine]
    return any(query.side_of(ground.state, owner) not in ground.mates for owner in others)


def _may_control(table: Table, ground: PowerMap) -> LazyChoice | None:
    found = controllable(ground)
    return found if found.any() else None


def restless(ground: PowerMap) -> list[str]:
    """12.4 Return the spaces in unrest that a power can calm now."""
    unrest = ground.state.unrest
    return [space for space in unrest if present(ground, space)] if unrest else []


def _take(table: Table, ground: PowerMap, spaces: LazyChoice) -> Form[ControlSpace]:
    return Form(space=spaces)


@KIT.action("control", "12.2", _may_control, _take, listed=LISTED)
def _control(table: Table, power: str, order: ControlSpace) -> Play:
    pay(table, 1, LISTED)
    take_over(table, order["space"], power, "12.2")
    yield from put_to_sea(table, order["space"], power)


def _quiet(table: Table, ground: PowerMap, spaces: list[str]) -> Form[ControlSpace]:
    return Form(space=Choice(spaces, what="space"))


@KIT.action("calm", "12.4", lambda table, ground: restless(ground) or None, _quiet, listed=LISTED)
def _calm(table: Table, power: str, order: ControlSpace) -> None:
    pay(table, 1, LISTED)
    table.state.unrest.remove(order["space"])
    table.log("control.calm", rule="12.4", power=power, space=order["space"])


def take_over(table: Table, space: str, power: str, rule: str) -> None:
    """12.2, 12.3 Put a space under a power's control.

    Capitals of the Protestants fall (23.6); a siege by the power is over (15). The caller handles other units there.
    """
    state = table.state
    before = state.control[space]
    if space in state.sieges and power in state.sieges[space].by:
        del state.sieges[space]
    home = table.c.spaces[space].home
    back = home in state.minors and state.minors[home].ally == power
    state.control[space] = power
    if state.capitals.get(space) == PROTESTANT and power != PROTESTANT:
        del state.capitals[space]
        state.capitals_lost.append(query.pool_of(table.c, PROTESTANT, space))
        # Paris was France's before it was the Huguenots' (card 111).
        if space in table.c.powers[FRANCE].capitals:
            state.capitals[space] = FRANCE
        table.log("control.capital_falls", rule="23.6", space=space)
    if before == INDEPENDENT or not back:
        table.log("control.taken", rule=rule, power=power, space=space, before=before)
    else:
        table.log("control.regained", rule=rule, power=power, space=space, before=before)


def put_to_sea(table: Table, space: str, power: str) -> Play:
    """12.2 Move ships from a port no longer friendly to a sea zone (16.2 step 9), people alone to a port (12.5)."""
    for other in query.other_sides(table.state, space, power):
        if not query.allied(table.state, other, power):
            if query.ships_of(table.state, other, space):
                yield from _sail(table, space, other)
            else:
                yield from displace_ships(table, space, other)


def _sail(table: Table, space: str, power: str) -> Play:
    """Move a power's ships from a port to a zone without enemies; without one they are lost."""
    zones = [zone for zone in table.c.spaces[space].port if not query.enemy_ships(table.state, power, zone)]
    zone = yield from fleets.choose(table, power, "put_to_sea", zones, "12.2", space=space)
    if zone:
        fleets.move_all(table, power, space, zone)
    else:
        fleets.lose_all(table, power, space)
    table.log("control.ships_leave", rule="12.2", power=power, space=space, zone=zone)
