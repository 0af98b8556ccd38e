"""Interception on land (13.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from games.virgin_queen import formations
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.formations import Formation, LongSeries, deserts
from games.virgin_queen.land.entering import hostile
from games.virgin_queen.land.losses import check_siege
from games.virgin_queen.query import (
    INTERCEPTED,
    TRIED,
    allied,
    at_war,
    fortified,
    friendly,
    mates,
    outcome,
    powers_in,
    seat_of,
    side_of,
    waterway,
)
from games.virgin_queen.state import INDEPENDENT, POWERS
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Menu, Optional, Subset
from pbem.kernel.game import Rule

KIT.chapter("13.2", "interception", "land/intercepting.py")
_ask_intercept = KIT.question("intercept", "13.2", "reaction")

TARGET = 9
WHEN = ("always", "failed", "succeeded")


def plus(table: Table, power: str, units: Mapping[str, int], leaders: Sequence[str], against: Mapping[str, int]) -> int:
    """13.2, 13.3 Return modifiers: best leader, cavalry (+1 the Ottomans' own, -1 against it), Telescope."""
    bonus = formations.rating(table, leaders)
    if power == "ottoman":
        bonus += units.get("cavalry", 0) > 0
    else:
        bonus -= against.get("cavalry", 0) > 0
    return bonus + ("telescope" in table.state.powers[power].science if power in table.state.powers else 0)


@cache
def chance(bonus: int) -> int:
    """Return the chance, in percent, that two dice and `bonus` reach 9."""
    need = TARGET - bonus
    return round(sum(a + b >= need for a in range(1, 7) for b in range(1, 7)) * 100 / 36)


def posts(table: Table, power: str, to: str) -> dict[str, tuple[dict[str, int], list[str]]]:
    """13.2 Return from where a power may intercept a move to `to`, with what; not over passes or when besieged."""
    # The second (passes), fourth (who has tried), fifth (besieged), sixth (who may march there) and seventh
    # restriction (leaders alone) of 13.2.
    state, c = table.state, table.c
    found = {}
    friends = mates(state, power)
    company = any(side in friends for side in powers_in(state, to))
    for space in (*c.clear[to], *waterway(table, power, to)):
        units, leaders = formations.available(state, power, space, why=("intercepted",))
        units, leaders = formations.may_go(table, power, units, to), formations.may_lead(table, leaders, to)
        if units or (leaders and company):
            found[space] = (units, leaders)
    return found


def may_intercept(table: Table, power: str, mover: str, to: str) -> bool:
    """13.2 Return whether a power may intercept a move to a space.

    The space is its enemy's, or its own units there count as enemies of the mover, who marches upon an ally's
    space (13.1). The restrictions are in the order of 13.2; `posts` checks those on single units.
    """
    state = table.state
    if power not in state.powers or power == mover:
        return False
    # Third: only at war with the mover, or where they count as enemies by 13.1.
    if not at_war(state, power, mover) and power not in hostile(table, mover, to):
        return False
    # Tenth: the space of another power must be an enemy's or an ally's.
    holder = state.control[to]
    if holder not in (power, INDEPENDENT) and not at_war(state, power, holder) and not allied(state, power, holder):
        return False
    # Eighth: not into a fortified space of the mover's side that is not besieged.
    if fortified(table, to) and friendly(state, mover, to) and to not in state.sieges:
        return False
    # Ninth: not where units are besieged, and where units are, only they themselves and their allies.
    here = powers_in(state, to)
    siege = state.sieges.get(to)
    if siege is not None and any(side not in siege.by for side in here):
        return False
    if any(side != power and not allied(state, power, side) for side in here):
        return False
    return bool(posts(table, power, to))


def _near(table: Table, to: str) -> set[str]:
    """Return the powers with units or army leaders next to a space, also over a waterway."""
    state, c = table.state, table.c
    around = {*c.clear[to], *([c.gates[to][0]] if to in c.gates else [])}
    found = {side_of(state, owner) for at in around if at in state.land for owner in state.land[at]}
    found |= {side_of(state, leader.power) for leader in state.leaders.values() if leader.at in around}
    return found


def intercept(table: Table, formation: Formation, to: str) -> Rule[bool]:
    """13.2 Resolve all attempts against a move, power by power in impulse order. Return whether one has succeeded."""
    state = table.state
    if not formation.total:
        return False
    near = _near(table, to)
    powers = [p for p in POWERS if p in near and may_intercept(table, p, formation.power, to)]
    seats: dict[str, list[str]] = {}
    for power in powers:
        if seat := seat_of(state, power):
            seats.setdefault(seat, []).append(power)
    if not seats:
        return False
    home = state.control[to] == formation.power and not fortified(table, to)
    about: dict[str, Any] = {
        "power": formation.power, "origin": formation.space, "space": to, "units": formation.total,
        "force": dict(formation.units), "leaders": list(formation.leaders), "touches": [] if home else list(seats),
    }  # fmt: skip
    domains = {seat: (lambda own=own: _domain(table, own, to)) for seat, own in seats.items()}
    replies = yield from _ask_intercept.window(domains, **about)
    for power in powers:
        seat = seat_of(state, power)
        answer = replies.of(seat)
        if answer == "pass":
            continue
        tries = [attempt for attempt in answer["with"] if attempt.get("power", seats[seat][0]) == power]
        if (yield from _attempts(table, power, tries, formation, to)):
            replies.took_effect(seat)
            return True
    return False


def _domain(table: Table, powers: Sequence[str], to: str) -> Domain:
    """Return `pass`, or attempts in order, one a space at most: `intercept <space> leaders=… units=… when=failed`."""
    by_power = {power: posts(table, power, to) for power in powers}

    def item(so_far: Sequence[Any]) -> Domain | None:
        used = {(past.get("power", powers[0]), past["origin"]) for past in so_far}
        left = {p: [s for s in found if (p, s) not in used] for p, found in by_power.items()}
        left = {p: spaces for p, spaces in left.items() if spaces}
        if not left:
            return None
        return Form(_fields(table, left, by_power, to, several=len(powers) > 1))

    most = sum(len(found) for found in by_power.values())
    return Menu({"pass": None, "intercept": LongSeries(item, 1, most, what="space leaders units")})


def _fields(
    table: Table, left: Mapping[str, list[str]], by_power: Mapping[str, Any], to: str, *, several: bool
) -> dict[str, Any]:
    first = next(iter(left))

    def power(v: Any) -> str:
        return str(v.power) if several else first  # a form may read only fields that it has

    def units(v: Any) -> Domain | None:
        here, chiefs = by_power[power(v)][v.origin]
        going = chiefs if v.leaders is None else v.leaders
        friends = mates(table.state, power(v))
        alone = any(side in friends for side in powers_in(table.state, to))
        way = (power(v), v.origin, to)
        return formations.units_domain(table, here, going, alone=alone, way=way) if here else None

    def leaders(v: Any) -> Domain | None:
        here, chiefs = by_power[power(v)][v.origin]
        alone = Optional(Subset(list(chiefs), 1, len(chiefs), what="leaders"))
        return formations.leaders_domain(chiefs) if here else alone

    fields: dict[str, Any] = {"power": Choice(list(left), what="power")} if several else {}
    fields["origin"] = lambda v: Choice(left[power(v)], what="space")
    fields["leaders"] = leaders
    fields["units"] = units
    fields["when"] = Optional(Choice(WHEN))
    return fields


def _attempts(
    table: Table, power: str, tries: Sequence[Mapping[str, Any]], formation: Formation, to: str
) -> Rule[bool]:
    """13.2 Resolve the attempts of one power, which may depend on each other and break its sieges (15.3)."""
    state = table.state
    success = False
    for attempt in tries:
        when = attempt.get("when", "always")
        if (when == "failed" and success) or (when == "succeeded" and not success):
            continue
        units, leaders = posts(table, power, to).get(attempt["origin"], ({}, []))
        units, leaders = dict(attempt.get("units", units)), list(attempt.get("leaders", leaders))
        group = Formation(power, attempt["origin"], units, leaders)
        if deserts(table, group):
            continue
        units = group.units
        bonus = plus(table, power, units, leaders, formation.units)
        roll = table.roll(
            2, "intercept.rolls", rule="13.2", power=power, origin=group.space, space=to, plus=bonus,
            units=dict(units), leaders=list(leaders),
        )  # fmt: skip
        works = roll.total + bonus >= TARGET
        table.stop_advance_orders(seat_of(state, formation.power))
        table.log("intercept.works" if works else "intercept.fails", rule="13.2", power=power, space=to)
        outcome(table, INTERCEPTED if works else TRIED, formation.power)
        if works:
            formations.shift(table, power, group.space, to, units, leaders)
            group.space = to
            success = True
            formations.lone_leaders(table, power, to)
            yield from relations.entered(table)
        formations.join_spent(state, group, "intercepted")
        if works:
            yield from check_siege(table, attempt["origin"])
    return success
