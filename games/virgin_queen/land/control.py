"""Control of unfortified spaces (12.2), removing unrest (12.4), and what a change of control brings about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from games.virgin_queen import fleets, rules
from games.virgin_queen.impulse import pay
from games.virgin_queen.query import (
    allied,
    at_war,
    enemies_in,
    enemy_ships,
    fortified,
    leaders_at,
    loc,
    powers_in,
    strength,
    waterway,
)
from games.virgin_queen.state import INDEPENDENT, PROTESTANT
from pbem.kernel.answers import Choice, Domain, Form
from pbem.kernel.game import Play
from pbem.kernel.table import Table

LISTED = "control_unfortified"


def present(table: Table, power: str, space: str) -> bool:
    """12.2, 12.4 Units of the power in the space, or next to it (no pass) where no enemy unit is next to it."""
    state, c = table.state, table.c
    if strength(state, power, space):
        return True
    near = (*c.clear[space], *waterway(table, power, space))
    return any(strength(state, power, other) for other in near) and not any(
        enemies_in(state, power, other) for other in near
    )


def controllable(table: Table, power: str) -> Iterator[str]:
    """12.2 The unfortified spaces of which a power can take control now."""
    state = table.state
    for space in _reached(table, power):
        holder = state.control[space]
        if fortified(table, space) or not (holder == INDEPENDENT or at_war(state, power, holder)):
            continue
        strangers = [s for s in powers_in(state, space) if s != power and not allied(state, power, s)]
        if not strangers and present(table, power, space) and loc(table, power, space):
            yield space


def restless(table: Table, power: str) -> list[str]:
    """12.4 The spaces in unrest that a power can calm now."""
    state = table.state
    return [space for space in state.unrest if present(table, power, space)] if state.unrest else []


def _reached(table: Table, power: str) -> list[str]:
    """Spaces with units of the power and their neighbours without passes, in the order of the map's data."""
    state, c = table.state, table.c
    here = [space for space in state.land if strength(state, power, space)]
    found = {other for space in here for other in (space, *c.clear[space], *waterway(table, power, space))}
    return [space for space in c.spaces if space in found]


def _control_domain(table: Table, power: str) -> Domain | None:
    if next(controllable(table, power), None) is None:
        return None
    return Form(space=Choice(lambda: list(controllable(table, power)), what="space"))


def _control(table: Table, power: str, order: Mapping[str, Any]) -> Play:
    """12.2 Take control of an unfortified space."""
    pay(table, 1, LISTED)
    yield from take_over(table, order["space"], power, "12.2")


def _calm_domain(table: Table, power: str) -> Domain | None:
    spaces = restless(table, power)
    return Form(space=Choice(spaces, what="space")) if spaces else None


def _calm(table: Table, power: str, order: Mapping[str, Any]) -> Play:
    """12.4 Remove unrest."""
    pay(table, 1, LISTED)
    table.state.unrest.remove(order["space"])
    table.say("control.calm", rule="12.4", power=power, space=order["space"])
    yield from ()


def take_over(table: Table, space: str, power: str, rule: str) -> Play:
    """Put a space under a power's control: capitals of the Protestants fall (23.6), strange ships put to sea (12.2)."""
    state = table.state
    before = state.control[space]
    home = table.c.spaces[space].home
    back = home in state.minors and state.minors[home].ally == power
    state.control[space] = power
    if state.capitals.get(space) == PROTESTANT and power != PROTESTANT:
        del state.capitals[space]
        table.say("control.capital_falls", rule="23.6", space=space)
    if before == INDEPENDENT or not back:
        table.say("control.taken", rule=rule, power=power, space=space, before=before)
    else:
        table.say("control.regained", rule=rule, power=power, space=space, before=before)
    yield from put_to_sea(table, space, power)


def put_to_sea(table: Table, space: str, power: str) -> Play:
    """12.2 Ships in a port that is no longer friendly retreat to a sea zone next to it, as after a battle
    (16.2 step 9).
    """
    state = table.state
    strange = [fleet.power for fleet in state.fleets.get(space, ()) if fleet.power != power]
    for other in dict.fromkeys(strange):
        if not allied(state, other, power):
            yield from _sail(table, space, other)


def _sail(table: Table, space: str, power: str) -> Play:
    """Move the ships and naval leaders of a power from a port to a zone without enemies; without one they are lost."""
    state = table.state
    zones = [zone for zone in table.c.spaces[space].port if not enemy_ships(state, power, zone)]
    zone = yield from fleets.choose(table, power, "put_to_sea", zones, "12.2", space=space)
    for fleet in [one for one in state.fleets[space] if one.power == power]:
        for kind, number in list(fleet.ships.items()):
            if zone:
                fleets.take(state, space, fleet.owner, power, {kind: number})
                fleets.put(state, zone, fleet.owner, power, {kind: number})
            else:
                fleets.lose(table, space, fleet.owner, power, kind, number)
    for leader in leaders_at(state, power, space, naval=True):
        if zone:
            state.leaders[leader].at = zone
        else:
            fleets.to_track(state, leader)
    table.say("control.ships_leave", rule="12.2", power=power, space=space, zone=zone)


rules.ACTIONS["control"] = rules.Action("control", "12.2", LISTED, _control_domain, _control)
rules.ACTIONS["calm"] = rules.Action("calm", "12.4", LISTED, _calm_domain, _calm)
