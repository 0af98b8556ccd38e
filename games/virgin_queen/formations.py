"""Formations and force pools (5.1, 5.3): where land units are, which go together, how many are left.

Unit keys: `regulars`, `mercenaries`, `cavalry` of the power's own pool; those of other pools that it commands
carry the pool: `walloon-regulars`, `huguenot-mercenaries`, `papacy-regulars`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any

import msgspec

from games.virgin_queen.counters import FEW, CounterChange, excess, room, shows, stacks
from games.virgin_queen.gate import BOUND, let_in, may_stand, station
from games.virgin_queen.query import allied, at_war, fortified, leaders_at, people_at, side_of, strength
from games.virgin_queen.state import OFF_MAP, SPAIN, QueenState, SpentUnits, Troops
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Budget, Distribution, Domain, Optional, Series, Subset

KIT.chapter("5.1", "leaders", "formations.py", "upkeep.py")
KIT.chapter("5.3", "land units", "counters.py", "formations.py")

KINDS = ("regulars", "mercenaries", "cavalry")
CHEAPEST = ("mercenaries", "cavalry", "regulars")
WITHOUT_LEADER = 4
NEVER_MOVES = ("knights_of_st_john",)
"""Pools that never leave their space (17.1)."""
_FIXED = frozenset(f"{owner}-{kind}" for owner in NEVER_MOVES for kind in KINDS)


class Formation(msgspec.Struct):
    """A formation at `space` (5.1). `units`: unit key → count. `came` is where it entered `space` from."""

    power: str
    space: str
    units: dict[str, int]
    leaders: list[str]
    came: str = ""
    barred: str = ""
    """A space into which it may not retreat (13.4)."""
    by_sea: bool = False

    @property
    def total(self) -> int:
        return sum(self.units.values())


def key_of(power: str, owner: str, kind: str) -> str:
    """Return the unit key of an owner's units for the power that commands them."""
    return kind if owner == power else f"{owner}-{kind}"


@cache
def owner_of(power: str, key: str) -> tuple[str, str]:
    """Return the owner and the kind of a unit key."""
    owner, dash, kind = key.rpartition("-")
    return (owner, kind) if dash else (power, key)


def count(state: QueenState, power: str, space: str) -> dict[str, int]:
    """Return the land units that a power commands in a space, by unit key."""
    here = state.land.get(space) or state.away.get(space)
    if here is None:
        return {}
    found = {}
    for owner, troops in here.items():
        if owner == power:
            prefix = ""
        elif side_of(state, owner) == power:
            prefix = f"{owner}-"
        else:
            continue
        if troops.regulars:
            found[prefix + "regulars"] = troops.regulars
        if troops.mercenaries:
            found[prefix + "mercenaries"] = troops.mercenaries
        if troops.cavalry:
            found[prefix + "cavalry"] = troops.cavalry
    return found


def add(table: Table, space: str, owner: str, kind: str, number: int) -> None:
    """Put units into a space or a place off the map (a negative number: take them out); delete empty entries."""
    if number > 0:
        let_in(table, owner, space)
    where = table.state.away if space in OFF_MAP else table.state.land
    here = where.setdefault(space, {})
    troops = here.setdefault(owner, Troops())
    left = getattr(troops, kind) + number
    if left < 0:
        raise AssertionError(f"{space}: {left} {kind} of {owner}")
    setattr(troops, kind, left)
    if not troops.total:
        del here[owner]
    if not here:
        del where[space]


def put(table: Table, space: str, power: str, units: Mapping[str, int], sign: int = 1) -> None:
    """Put units (by key) into a space; take them out with `sign=-1`."""
    for key, number in units.items():
        owner, kind = owner_of(power, key)
        add(table, space, owner, kind, sign * number)


def muster(table: Table, space: str, owner: str, kind: str, number: int) -> int:
    """17.1 Put as many new units as the counters can show, up to `number`, into a space; return how many."""
    number = room(table, owner, space, kind, number)
    if number:
        add(table, space, owner, kind, number)
        lone_leaders(table, side_of(table.state, owner), space)
    return number


def levy(table: Table, space: str, owner: str, kind: str, number: int, power: str, rule: str = "6.1") -> None:
    """17.1 Muster units for a power, and tell how many if there are any."""
    if number := muster(table, space, owner, kind, number):
        table.log("build.land", rule=rule, power=power, space=space, owner=owner, kind=kind, count=number)


def desert(table: Table, space: str, power: str, gone: Mapping[str, int]) -> None:
    """6.1 Take out of a space what a power loses there without a battle."""
    put(table, space, power, gone, -1)
    if gone:
        table.log("event.deserted", rule="6.1", power=power, space=space, units=gone)


def change(table: Table, power: str, space: str, units: Mapping[str, int]) -> dict[str, int]:
    """5.3 Return the units that a power will lose in a space, with those for which there is no change then."""
    gone = dict(units)
    for owner in pieces(power, units):
        lost = {(space, kind): gone[key] for kind in KINDS if (key := key_of(power, owner, kind)) in gone}
        for (_, kind), number in excess(table, owner, [space], lost).items():
            gone[key_of(power, owner, kind)] = number
    return gone


def settle(table: Table, power: str, *places: str) -> None:
    """5.3 Remove units without change, after units of a power have left or come to places."""
    here = {place: count(table.state, power, place) for place in places}
    for owner in pieces(power, combined(here.values())):
        for (place, kind), number in excess(table, owner, places, {}).items():
            lost = {key_of(power, owner, kind): number}
            put(table, place, power, lost, -1)
            table.log("counters.lost", rule="5.3", power=power, space=place, units=lost)


def shift(
    table: Table, power: str, origin: str, to: str, units: dict[str, int], leaders: Iterable[str],
    *, forced: bool = False,
) -> None:  # fmt: skip
    """Move units and leaders; those without change (5.3) stay and leave `units`, or are lost if it is `forced`."""
    if not forced and not parting(table, power, origin, to)(units):
        going = max(partings(table, power, origin, to, units), key=lambda some: sum(some.values()), default={})
        units.clear()
        units.update(going)
    if mobile(units) != dict(units):
        raise AssertionError(f"{units} may not leave {origin}")
    put(table, origin, power, units, -1)
    put(table, to, power, units)
    for leader in leaders:
        station(table, leader, to)
    if forced:
        settle(table, power, origin, to)


def on_map(state: QueenState, owner: str) -> int:
    """Return how many land units of an owner are on the map, aboard the Armada or in a foreign war."""
    total = 0
    for here in state.land.values():
        if owner in here:
            troops = here[owner]
            total += troops.regulars + troops.mercenaries + troops.cavalry
    for here in state.away.values():
        if owner in here:
            total += here[owner].total
    return total


def pool_left(table: Table, owner: str) -> int:
    """Return how many more units of a pool the counters can show; both kinds share them (5.3, 17.1)."""
    return int(table.c.land_pools[owner].most) - on_map(table.state, owner)


def foot(units: Mapping[str, int]) -> int:
    """Return how many of the units are not cavalry."""
    return sum(number for key, number in units.items() if not key.endswith("cavalry"))


def limit(table: Table, leaders: Iterable[str]) -> int:
    """Return the most units of a formation with these leaders (5.1)."""
    commands = sorted((table.c.generals[leader].command for leader in leaders), reverse=True)
    return sum(commands[:2]) if commands else WITHOUT_LEADER


def rating(table: Table, leaders: Iterable[str]) -> int:
    """Return the best battle rating among leaders (5.1)."""
    return max((table.c.generals[leader].battle for leader in leaders), default=0)


def available(
    state: QueenState, power: str, space: str, *, why: Sequence[str] = (), leaders: Sequence[str] | None = None
) -> tuple[dict[str, int], list[str]]:
    """15 Return a power's units and leaders in a space, neither besieged nor spent by a reason in `why`.

    `leaders`: those in the space, if the caller knows them.
    """
    siege = state.sieges.get(space)
    if siege is not None and power not in siege.by:
        return {}, []
    units = mobile(count(state, power, space))
    leaders = leaders_at(state, power, space) if leaders is None else list(leaders)
    impulse = state.impulse
    if impulse is None or not impulse.spent:
        return units, leaders
    for spent in impulse.spent:
        if spent.space == space and spent.power == power and spent.why in why:
            for key, number in spent.units.items():
                units[key] = max(0, units.get(key, 0) - number)
            leaders = [leader for leader in leaders if leader not in spent.leaders]
    return {key: number for key, number in units.items() if number}, leaders


def mobile(units: Mapping[str, int]) -> dict[str, int]:
    """17.1 Return the units that may leave their space."""
    return {key: number for key, number in units.items() if key not in _FIXED}


def may_go(table: Table, power: str, units: Mapping[str, int], to: str) -> dict[str, int]:
    """Return which of a power's units may be in a space."""
    if power not in BOUND:
        return dict(units)
    return {key: n for key, n in units.items() if may_stand(table, owner_of(power, key)[0], to)}


def may_lead(table: Table, leaders: Iterable[str], to: str) -> list[str]:
    """Return which of the leaders may be in a space."""
    return [leader for leader in leaders if may_stand(table, leader, to)]


def pieces(power: str, units: Iterable[str], leaders: Iterable[str] = ()) -> list[str]:
    """Return the pools of units and the leaders, as the gate needs them."""
    return [*dict.fromkeys(owner_of(power, key)[0] for key in units), *leaders]


def leaders_domain(leaders: Sequence[str], least: int = 0) -> Domain | None:
    """Return the domain of leaders that go along; left out: all of them."""
    return Optional(Subset(list(leaders), least, len(leaders), what="leaders")) if leaders else None


def units_domain(
    table: Table, units: Mapping[str, int], leaders: Sequence[str], *, alone: bool, most: int = 99,
    way: tuple[str, str, str] | None = None,
) -> Domain:  # fmt: skip
    """Return the domain of units that go along, within the limit of the leaders; left out: all, if possible.

    `alone`: leaders may go without units (13.1). `most` is a further limit. `way`: whose units leave which
    space for which other one, as far as there is change for them (5.3).
    """
    cap = min(limit(table, leaders), most)
    least = 0 if alone and leaders else 1
    domain: Domain = Distribution(dict(units), (least, cap), what="units")
    if way is not None:
        domain = CounterChange(units, (least, cap), parting(table, *way))
    whole = sum(units.values())
    return Optional(domain) if least <= whole <= cap else domain


def parting(table: Table, power: str, origin: str, to: str) -> Callable[[Mapping[str, int]], bool]:
    """5.3 Return whether the counters show both parts of a power's stack that is divided."""
    known: dict[str, dict[tuple[str, str], int]] = {}

    def fits(units: Mapping[str, int]) -> bool:
        for owner in pieces(power, units):
            if owner not in known:
                known[owner] = stacks(table.state, owner)
            mine = {kind: n for key, n in units.items() for o, kind in [owner_of(power, key)] if o == owner}
            moved = {(origin, kind): -n for kind, n in mine.items()} | {(to, kind): n for kind, n in mine.items()}
            if not shows(table, owner, moved, known[owner]):
                return False
        return True

    return fits


def partings(
    table: Table, power: str, origin: str, to: str, units: Mapping[str, int], most: int = 99
) -> Iterator[dict[str, int]]:
    """5.3 Yield the parts of a stack, up to a number of units, for which there is change; computed on demand."""
    some = islice(Distribution(dict(units), (1, most), what="units").options(), FEW)
    return filter(parting(table, power, origin, to), some)


def chosen(
    value: Mapping[str, Any], units: Mapping[str, int], leaders: Sequence[str]
) -> tuple[dict[str, int], list[str]]:
    """Return the units and leaders that an order names; all of them if it names none."""
    return dict(value.get("units", units)), list(value.get("leaders", leaders))


def join_spent(state: QueenState, formation: Formation, why: str) -> None:
    """Note that a formation, at its present space, may not act again in this impulse for the reason `why`."""
    if state.impulse is not None:
        units, leaders = dict(formation.units), list(formation.leaders)
        state.impulse.spent.append(SpentUnits(formation.space, formation.power, why, units, leaders))


def leave_siege(state: QueenState, power: str, space: str) -> None:
    """15.1 End a power's siege of a space; a siege without besiegers is over."""
    siege = state.sieges.get(space)
    if siege is not None:
        siege.by.pop(power, None)
        if not siege.by:
            del state.sieges[space]


def some_of(units: Mapping[str, int], number: int) -> dict[str, int]:
    """Return the given number of units, or all if there are fewer, in their order."""
    found: dict[str, int] = {}
    for key, there in units.items():
        if taken := min(number, there):
            found[key] = taken
            number -= taken
    return found


def cheapest(units: Mapping[str, int], number: int) -> dict[str, int]:
    """Return the cheapest units to lose: mercenaries before cavalry before regulars."""
    order = sorted(units, key=lambda key: CHEAPEST.index(key.rpartition("-")[2]))
    return some_of({key: units[key] for key in order}, number)


def capture(table: Table, leaders: Iterable[str], captor: str) -> None:
    """Put army leaders on the captor's power card (13.1, 14); a minor or independent captor frees them (README)."""
    state = table.state
    for key in leaders:
        leader = state.leaders[key]
        leader.at, leader.captor = "", side_of(state, captor)
        if leader.captor not in state.powers:
            leader.captor, leader.at = "", "card"
        table.log("leader.captured", rule="14", leader=key, power=leader.power, captor=captor)


def lone_leaders(table: Table, power: str, space: str) -> None:
    """13.1, 13.3 Capture the enemy leaders left without units in a power's space, unless behind walls of their side."""
    state = table.state
    if not strength(state, power, space) or not people_at(state, space, naval=False):
        return
    for side in state.powers:
        if at_war(state, power, side) and not strength(state, side, space):
            holder = state.control[space]
            inside = fortified(table, space) and (holder == side or allied(state, holder, side))
            if not inside and (alone := leaders_at(state, side, space)):
                capture(table, alone, power)


def combined(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Return the sum of unit counts."""
    total: dict[str, int] = {}
    for part in parts:
        for key, number in part.items():
            total[key] = total.get(key, 0) + number
    return total


ARRAS = "arras"
"""In Spain's `used` for the rest of the turn (6.1): the Union of Arras (card 109) is in force.

Foreign mercenaries, all but the Dutch, desert when they are to move or fight.
"""


def arras_in_force(table: Table, space: str) -> bool:
    """Return whether mercenaries desert in a space."""
    return bool(table.state.powers[SPAIN].used.get(ARRAS)) and space in table.c.areas["netherlands"]


def _leave(table: Table, power: str, space: str, units: dict[str, int]) -> bool:
    hired = {key: number for key, number in units.items() if number and key.endswith("mercenaries")}
    gone = {key: number for key, number in hired.items() if key != "dutch-mercenaries"}
    if gone:
        desert(table, space, power, gone)
        for key in gone:
            del units[key]
    return bool(gone)


def deserts(table: Table, formation: Formation) -> bool:
    """Remove a moving formation's foreign mercenaries; return whether none of the units it had is left."""
    if not formation.units or not arras_in_force(table, formation.space):
        return False
    _leave(table, formation.power, formation.space, formation.units)
    return not formation.units


def deserters(table: Table, formation: Formation, foes: Iterable[str], inside: dict[str, int] | None = None) -> bool:
    """Remove the foreign mercenaries of all sides before a battle; return whether there were any."""
    space = formation.space
    if not arras_in_force(table, space):
        return False
    gone = [_leave(table, formation.power, space, formation.units), _leave(table, formation.power, space, inside or {})]
    gone += [_leave(table, foe, space, count(table.state, foe, space)) for foe in foes]
    return any(gone)


_DRAWN = 24


class LongSeries(Series):
    """A `Series` that is described only where its first item has few answers: longer ones take about a second."""

    __slots__ = ()

    def describe(self, budget: Budget) -> dict[str, Any]:
        domain = self.item([]) if self.most > 1 else None
        if domain is not None and sum(1 for _ in islice(domain.options(), _DRAWN + 1)) > _DRAWN:
            return {"type": "unknown"}
        return super().describe(budget)
