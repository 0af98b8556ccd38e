"""Losses, retreats (14.1), broken sieges (15.3) and destruction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.virgin_queen import formations
from games.virgin_queen.diplomacy import relations
from games.virgin_queen.formations import Formation
from games.virgin_queen.land.entering import garrison, refuges, way_out
from games.virgin_queen.query import at_war, leaders_at, powers_in, seat_of, strength
from games.virgin_queen.state import ON_CARD
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice, Distribution, Domain, Form, Menu, Optional, Subset
from pbem.kernel.game import Play, Rule

KIT.chapter("14.1", "retreat", "land/losses.py")
KIT.chapter("15.3", "a siege is broken", "land/losses.py")
_ask_losses = KIT.question("losses", "14", "reaction")
_ask_retreat = KIT.question("retreat", "14.1", "reaction")
_ask_fall_back = KIT.question("fall_back", "15.3", "reaction")


def choose_losses(
    table: Table, power: str, space: str, units: Mapping[str, int], number: int, rule: str
) -> Rule[dict[str, int]]:
    """14 step 8, 15.1 step 8 Return which units a power loses, more without change (5.3); none is removed yet."""
    number = min(number, sum(units.values()))
    seat = seat_of(table.state, power)
    if not number or number == sum(units.values()) or len(units) == 1 or not seat:
        return formations.change(table, power, space, formations.cheapest(units, number))
    domain = Menu({"cheapest": None, "lose": Distribution(dict(units), number, what="units")})
    about: dict[str, Any] = {"power": power, "space": space, "count": number}
    answer = yield from _ask_losses(seat, domain, "cheapest", rule=rule, **about)
    lost = formations.cheapest(units, number) if answer == "cheapest" else answer["with"]
    return formations.change(table, power, space, lost)


def share(table: Table, strengths: Mapping[str, int], hits: int) -> dict[str, int]:
    """9.2 Return losses of allied defenders: equal, until one is eliminated; a remainder is random."""
    left = dict(strengths)
    losses = dict.fromkeys(strengths, 0)
    hits = min(hits, sum(left.values()))
    while hits:
        alive = [power for power in left if left[power]]
        if hits < len(alive):
            while hits:
                power = alive.pop(table.dice.roll(1, len(alive))[0] - 1)
                losses[power] += 1
                hits -= 1
            break
        for power in alive:
            losses[power] += 1
            left[power] -= 1
            hits -= 1
    return losses


def destroy(table: Table, power: str, space: str, units: Mapping[str, int], leaders: Sequence[str], rule: str) -> None:
    """Eliminate units; an enemy there captures their leaders, or they return to the power card."""
    state = table.state
    formations.put(table, space, power, units, -1)
    foes = [side for side in powers_in(state, space) if at_war(state, power, side) and side in state.powers]
    holder = state.control[space]
    captor = foes[0] if foes else holder if holder in state.powers and at_war(state, power, holder) else ""
    if captor:
        formations.capture(table, leaders, captor)
    else:
        for key in leaders:
            state.leaders[key].at = ON_CARD
    if units:
        table.log("battle.destroyed", rule=rule, power=power, space=space, units=dict(units))
    formations.settle(table, power, space)


def fall_back(table: Table, power: str, space: str, formation: Formation | None = None) -> Play:
    """15.3 Retreat a besieger who no longer outnumbers those inside, with all units there, or eliminate them."""
    state = table.state
    formations.leave_siege(state, power, space)
    units, leaders = formations.count(state, power, space), leaders_at(state, power, space)
    if formation is not None:
        formation.space = ""
    if not units and not leaders:
        return
    going = formations.mobile(units)
    spaces = way_out(table, power, space) if going or leaders else []
    table.log("siege.broken", rule="15.3", power=power, space=space)
    if not spaces:
        destroy(table, power, space, units, leaders, "15.3")
        return
    to = spaces[0]
    seat = seat_of(state, power)
    if len(spaces) > 1 and seat:
        about: dict[str, Any] = {"power": power, "space": space}
        to = yield from _ask_fall_back(seat, Choice(spaces), spaces[0], **about)
    away = formations.may_lead(table, leaders, to)
    stuck = [key for key in leaders if key not in away]
    lost = {key: number for key, number in units.items() if key not in going}
    formations.shift(table, power, space, to, going, away, forced=True)
    table.log("battle.retreats", rule="15.3", power=power, space=space, to=to)
    if stuck or lost:
        destroy(table, power, space, lost, stuck, "15.3")
    yield from relations.entered(table)


def check_siege(table: Table, space: str) -> Play:
    """15.3 Break the siege of every power that does not outnumber those inside."""
    state = table.state
    siege = state.sieges.get(space)
    for power in list(siege.by) if siege is not None else ():
        few = strength(state, power, space) <= garrison(table, space, power)
        if few:
            table.stop_advance_orders()
        if few or (not at_war(state, power, state.control[space]) and state.control[space] in state.powers):
            yield from fall_back(table, power, space)


def retreat(table: Table, power: str, space: str, *, room: int, barred: tuple[str, ...]) -> Rule[int]:
    """14.1 Retreat beaten defenders; return how many went inside.

    Up to `room` units and any leaders go into the fortification, the rest to one space next to it. Powers that
    nobody plays keep what fits inside and lose the rest (24.1).
    """
    state = table.state
    units, leaders = formations.count(state, power, space), leaders_at(state, power, space)
    if not units:
        if leaders:
            destroy(table, power, space, {}, leaders, "14")
        return 0
    answer: dict[str, Any] = {"inside": keep(units, room)}
    if seat := seat_of(state, power):
        about: dict[str, Any] = {"power": power, "space": space, "room": room}
        answer = yield from _ways(seat, units, leaders, refuges(table, power, space, barred), about)
    return go_back(table, power, space, units, leaders, answer)


def go_back(
    table: Table, power: str, space: str, units: Mapping[str, int], leaders: Sequence[str], answer: Mapping[str, Any]
) -> int:
    """14.1 Execute an answer of `retreat_domain` for beaten units and leaders; return how many went inside."""
    inside, to = answer.get("inside", {}), answer.get("to", "")
    lost = {key: n - inside.get(key, 0) for key, n in units.items() if n > inside.get(key, 0)}
    going = formations.mobile(lost) if to else {}
    lost = {key: n for key, n in lost.items() if key not in going}
    # Without a way out leaders stay with the units inside; without any they are captured.
    stay = answer.get("stay", leaders if inside and not to else [])
    away = formations.may_lead(table, [key for key in leaders if key not in stay], to) if to else []
    if going or away:
        formations.shift(table, power, space, to, going, away, forced=True)
        if going:
            formations.lone_leaders(table, power, to)
        table.log("battle.retreats", rule="14.1", power=power, space=space, to=to)
        formations.join_spent(table.state, Formation(power, to, going, away), "beaten")
    stuck = [key for key in leaders if key not in (*stay, *away)]
    if stuck or lost:
        destroy(table, power, space, lost, stuck, "14.1")
    return sum(inside.values())


def _ways(
    seat: str, units: Mapping[str, int], leaders: Sequence[str], spaces: Sequence[str], about: dict[str, Any]
) -> Rule[dict[str, Any]]:
    """14.1 Return which units go inside and where the others go: the power's choice, where there is one."""
    room = about["room"]
    if not leaders and not formations.mobile(units):
        spaces = ()
    if not room and len(spaces) < 2:
        return {"to": spaces[0]} if spaces else {}
    if not spaces and sum(units.values()) <= room:
        return {"inside": dict(units)}
    domain = retreat_domain(units, leaders, spaces, room)
    return (yield from _ask_retreat(seat, domain, lambda: _default(units, spaces, room), **about))


def keep(units: Mapping[str, int], room: int) -> dict[str, int]:
    """Return the most valuable units that fit."""
    lost = formations.cheapest(units, max(0, sum(units.values()) - room))
    return {key: number - lost.get(key, 0) for key, number in units.items() if number > lost.get(key, 0)}


def _default(units: Mapping[str, int], spaces: Sequence[str], room: int) -> dict[str, Any]:
    """Return the default: all that can go into the nearest refuge, the others inside, as far as they fit."""
    going = formations.mobile(units) if spaces else {}
    inside = keep({key: n for key, n in units.items() if key not in going}, room)
    answer: dict[str, Any] = {"inside": inside} if inside else {}
    return {**answer, "to": spaces[0]} if spaces and inside != units else answer


def retreat_domain(
    units: Mapping[str, int], leaders: Sequence[str], spaces: Sequence[str], room: int
) -> Domain[dict[str, Any]]:
    """Return `inside=… stay=… <to>`: units and leaders that go inside, and where the others go."""
    whole = sum(units.values())
    fields: dict[str, Any] = {}
    if room:
        most = min(room, whole)
        inside = Distribution(dict(units), (0 if spaces else most, most), what="units")
        fields["inside"] = Optional(inside) if spaces else inside
        if leaders and spaces:
            domain = Optional(Subset(list(leaders), 0, len(leaders), what="leaders"))
            fields["stay"] = lambda v: domain if v.inside else None
    if spaces:

        def to(v: Any) -> Domain | None:
            inside = (v.inside or {}) if room else {}
            go = any(number > inside.get(key, 0) for key, number in formations.mobile(units).items())
            if leaders and not go:  # leaders alone
                go = not inside or (v.stay is not None and len(v.stay) < len(leaders))
            return Choice(list(spaces), what="space") if go else None

        fields["to"] = to
    return Form(fields)
