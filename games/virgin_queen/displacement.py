"""Displacement (12.5): units sent to their nearest fortified space or port when control changes without war."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from games.virgin_queen import fleets, query
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.formations import count, leave_siege, mobile, owner_of, pieces, put
from games.virgin_queen.gate import all_may, lead, station
from games.virgin_queen.state import ENGLAND, MINORS, ON_CARD, PROTESTANT, SPAIN
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play

KIT.chapter("12.5", "displacement", "displacement.py")
_ask_displace = KIT.question("displace", "12.5", "reaction")


def displace(table: Table, space: str, powers: Iterable[str]) -> Play:
    """12.5 Make these powers leave a space; ships see `fleets`. That may mean war (9.5)."""
    for power in powers:
        yield from displace_land(table, space, power)
        yield from displace_ships(table, space, power)
    yield from relations.entered(table)


def part(table: Table, one: str, other: str) -> Play:
    """9.4, 12.5 Displace one of two powers that come to war in a space: the one that does not hold it."""
    state = table.state
    for space in state.control:
        holder = query.side_of(state, state.control[space])
        if holder in (one, other) and {one, other} <= {*query.other_sides(state, space)}:
            yield from displace(table, space, [other if holder == one else one])


def settle_entry(table: Table) -> Play:
    """9.5 Separate English and Spanish troops in the Netherlands when war comes in spring, where nobody fights."""
    before = query.at_war(table.state, ENGLAND, SPAIN)
    yield from relations.entered(table)
    if not before and query.at_war(table.state, ENGLAND, SPAIN):
        yield from part(table, ENGLAND, SPAIN)


def displace_land(table: Table, space: str, power: str) -> Play:
    """12.5 Displace the land units and army leaders of one power; eliminate those with nowhere to go."""
    state = table.state
    units, leaders = count(state, power, space), query.leaders_at(state, power, space)
    if not units and not leaders:
        return
    put(table, space, power, units, -1)
    leave_siege(state, power, space)
    going = mobile(units)
    if lost := {key: number for key, number in units.items() if key not in going}:
        table.log("displace.fixed", rule="17.1", power=power, space=space, units=lost)
    for some in _companies(power, going) if going or leaders else ():
        yield from _go(table, space, power, some, leaders)
        leaders = []


def _companies(power: str, units: Mapping[str, int]) -> list[dict[str, int]]:
    """Return the units that go together: all, but the Protestants' by pool, as their capitals differ (23.6)."""
    if power != PROTESTANT or len(units) < 2:
        return [dict(units)]
    found: dict[str, dict[str, int]] = {}
    for key, number in units.items():
        found.setdefault(owner_of(power, key)[0], {})[key] = number
    return list(found.values())


def _go(table: Table, space: str, power: str, units: Mapping[str, int], leaders: Sequence[str]) -> Play:
    state = table.state
    targets = havens(table, power, space, pieces(power, units), () if units else leaders)
    if not targets:
        for leader in leaders:
            station(table, leader, ON_CARD)
        table.log("displace.lost", rule="12.5", power=power, space=space, units=units)
        return
    to = targets[0]
    seat = query.seat_of(state, power)
    if len(targets) > 1 and seat:
        about: dict[str, Any] = {"power": power, "space": space, "force": dict(units)}
        to = yield from _ask_displace(seat, Choice(targets), targets[0], **about)
    put(table, to, power, units)
    for leader in leaders:
        lead(table, leader, to)
    table.log("displace.moves", rule="12.5", power=power, space=space, to=to)


def havens(
    table: Table, power: str, space: str, owners: Collection[str] = (), leaders: Sequence[str] = ()
) -> list[str]:
    """12.5 Return the nearest open fortified spaces that the power controls, ties included, and capitals.

    Capitals must be under friendly control. All must be open to the pools and leaders that go; for the
    Protestants only those that serve the pools (23.6).
    """
    state, c = table.state, table.c
    pool: Sequence[str] = c.homes[power] if power in MINORS else list(c.spaces)
    own = [key for key in pool if key != space and state.control[key] == power and query.fortified(table, key)]
    safe = [key for key in own if not query.enemies_in(state, power, key)]
    mine = [key for key in safe if all_may(table, (*owners, *leaders), key)]
    if not mine:
        return []
    steps = query.hops(table, power, space)
    best = min(steps.get(key, query.FAR) for key in mine)
    nearest = [key for key in mine if steps.get(key, query.FAR) == best]
    capitals = [key for key in mine if state.capitals.get(key) == power and key not in nearest]
    return nearest + [key for key in capitals if all(query.serves(table, key, owner) for owner in owners)]


def displace_ships(table: Table, space: str, power: str) -> Play:
    """12.5 Displace ships, naval leaders and captains of one power from a port; leaders without ships too."""
    if fleets.crews(table.state, power, space):
        yield from fleets.displace(table, space, power)
