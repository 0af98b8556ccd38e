"""Land units in winter (20.4): which must go home, which may, by which way, and losses.

Each power writes a plan of moves; the rest is automatic: units that must leave go to the nearest fortified
space with room, else to a capital, without attrition where that is possible. So every plan can be executed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from games.virgin_queen.formations import LongSeries, cheapest, count, owner_of, put, settle
from games.virgin_queen.gate import lead, may_stand, station
from games.virgin_queen.power_map import PowerMap
from games.virgin_queen.query import FAR, hops, leaders_at
from games.virgin_queen.state import ARMADA, ON_CARD, PROTESTANT
from games.virgin_queen.table import Table
from games.virgin_queen.winter.return_paths import WinterPaths
from pbem.kernel.domains import Choice, Distribution, Domain, Form, Optional, Subset, lazy_choice

LIMIT = 4
NO_LIMIT = 999

Order = Mapping[str, Any]


class ReturnPlan:
    """The moves of one power: `orders` so far, and the units that remain, by space."""

    def __init__(self, ways: WinterPaths, orders: Sequence[Order] = ()) -> None:
        self.ways = ways
        self.orders: list[dict[str, Any]] = []
        self._units: dict[str, dict[str, int]] = {}
        self._final: dict[str, int] = {}
        self.moved: dict[tuple[str, str], int] = {}
        for order in orders:
            self.add(order)

    def units(self, space: str) -> dict[str, int]:
        found = self._units.get(space)
        if found is None:
            found = self._units[space] = self.ways.movable(space).copy()
        return found

    def final(self, space: str) -> int:
        """Return how many units count for the limit of a space in the end."""
        found = self._final.get(space)
        if found is None:
            found = self._final[space] = self.ways.counting(space)
        return found

    def targets(self, space: str, key: str) -> Iterator[str]:
        ways = self.ways
        homes = ways.capitals(key)
        if space in homes:
            return
        yield from homes
        leaving = space == ARMADA or ways.must_leave(space)
        for at in ways.nearest(space, owner_of(ways.power, key)[0]) if leaving else ():
            if at not in homes and self.final(at) < LIMIT:
                yield at

    def room(self, space: str, to: str, key: str) -> int:
        """20.4 Return how many more units may set out for a place: it takes 4, a capital any number (23.6).

        Of those that suffer attrition only half arrive.
        """
        if to in self.ways.capitals(key):
            return NO_LIMIT
        left = LIMIT - self.final(to)
        if left <= 0 or not self.ways.attrition(space, to):
            return left
        before = self.moved.get((space, to), 0)
        return 2 * (left + before // 2) + 1 - before

    def add(self, order: Order) -> None:
        """Note a move; a second one between the same two spaces joins the first."""
        space, to, units = order["origin"], order["to"], dict(order["units"])
        for key, number in units.items():
            self._take(space, key, number, 0 if self.ways.at_home(space, key) else number)
        share = 2 if self.ways.attrition(space, to) else 1
        before = self.moved.get((space, to), 0)
        after = before + sum(number for key, number in units.items() if not self.ways.at_home(to, key))
        self.moved[space, to] = after
        self._final[to] = self.final(to) + after // share - before // share
        for known in self.orders:
            if known["origin"] == space and known["to"] == to:
                for key, number in units.items():
                    known["units"][key] = known["units"].get(key, 0) + number
                return
        self.orders.append({**order, "units": units})

    def goals(self, space: str) -> dict[str, list[str]]:
        """Return target → unit keys that may still be ordered there from a space."""
        done = [order["to"] for order in self.orders if order["origin"] == space]
        found: dict[str, list[str]] = {}
        for key in self.units(space):
            for to in self.targets(space, key):
                if to not in done:
                    found.setdefault(to, []).append(key)
        return found

    def may_leave(self, space: str) -> bool:
        done = [order["to"] for order in self.orders if order["origin"] == space]
        return any(to not in done for key in self.units(space) for to in self.targets(space, key))

    def may_order(self) -> bool:
        return any(self.may_leave(space) for space in self.ways.stacks)

    def complete(self) -> dict[str, dict[str, int]]:
        """Add the moves that must still be made; return the units that have nowhere to go, by space."""
        lost: dict[str, dict[str, int]] = {}
        for space in self.ways.stacks:
            leaving = self.ways.must_leave(space)
            while leaving or self.final(space) > LIMIT:
                here = self.units(space)
                movable = [unit for unit in here if leaving or not self.ways.at_home(space, unit)]
                if not movable:
                    break
                key = min(movable, key=lambda unit: "mercenaries" not in unit)
                most = here[key] if leaving else min(here[key], self.final(space) - LIMIT)
                to = self._best(space, owner_of(self.ways.power, key)[0], self.targets(space, key))
                if to is None:
                    self._drop(lost, space, key, most)
                    continue
                number = min(most, self.room(space, to, key))
                self.add({"origin": space, "to": to, "units": {key: number}})
        return lost

    def _best(self, space: str, owner: str, targets: Iterable[str]) -> str | None:
        """Return the target without attrition if possible, and of those the nearest."""
        ways, found = self.ways, [*targets]
        if len(found) < 2:
            return found[0] if found else None
        near, steps = ways.nearest(space, owner), hops(ways.table, ways.power, space)
        order = sorted(found, key=lambda to: (to not in near, steps.get(to, FAR)))
        return next((to for to in order if not ways.attrition(space, to)), order[0])

    def _drop(self, lost: dict[str, dict[str, int]], space: str, key: str, number: int) -> None:
        here = lost.setdefault(space, {})
        here[key] = here.get(key, 0) + number
        self._take(space, key, number, number)

    def _take(self, space: str, key: str, number: int, counted: int) -> None:
        here = self.units(space)
        here[key] -= number
        if not here[key]:
            del here[key]
        self._final[space] = self.final(space) - counted


def domain(ways: WinterPaths) -> Domain | None:
    """Return the moves that a power may order: `origin to units [leaders] [losses]`, one after another."""
    known: dict[str, Domain | None] = {}

    def item(so_far: Sequence[Any]) -> Domain | None:
        # Describing, listing and checking the moves needs the same beginnings over and over.
        key = repr(so_far)
        if key not in known:
            plan = ReturnPlan(ways, so_far)
            known[key] = _move(plan) if plan.may_order() else None
        return known[key]

    return LongSeries(item, 0, 40, "move") if ReturnPlan(ways).may_order() else None


def _move(plan: ReturnPlan) -> Form:
    table, power = plan.ways.table, plan.ways.power
    known: dict[str, dict[str, list[str]]] = {}

    def goals(origin: str) -> dict[str, list[str]]:
        if origin not in known:
            known[origin] = plan.goals(origin)
        return known[origin]

    def units(values: Any) -> Domain:
        here = plan.units(values.origin)
        keys = goals(values.origin)[values.to]
        room = min(plan.room(values.origin, values.to, key) for key in keys)
        return Distribution({key: here[key] for key in keys}, (1, min(room, sum(here[key] for key in keys))), "units")

    def leaders(values: Any) -> Domain | None:
        gone = [leader for order in plan.orders for leader in order.get("leaders", ())]
        here = [leader for leader in leaders_at(table.state, power, values.origin) if leader not in gone]
        return Optional(Subset(here, 0, len(here), what="leaders")) if here else None

    def losses(values: Any) -> Domain | None:
        if not plan.ways.attrition(values.origin, values.to):
            return None
        number = (sum(values.units.values()) + 1) // 2
        return Optional(Distribution(dict(values.units), number, "units"))

    return Form(
        origin=lazy_choice(plan.ways.stacks, plan.may_leave, "space"),
        to=lambda v: Choice(list(goals(v.origin)), "space"),
        units=units,
        leaders=leaders,
        losses=losses,
    )


def troops_home(table: Table, power: str, orders: Sequence[Order] = ()) -> None:
    """20.4 Execute the return of a power's land units: the ordered moves, and those that must be made."""
    state = table.state
    ways = WinterPaths(table, power)
    plan = ReturnPlan(ways, orders)
    lost = plan.complete()
    before = PowerMap(table, power).leaders
    for space, units in lost.items():
        put(table, space, power, units, -1)
        table.log("winter.lost", rule="20.4", power=power, space=space, units=units, reveals=True)
    went: dict[str, str] = {}
    for order in plan.orders:
        _march(table, power, plan, order)
        went.setdefault(order["origin"], order["to"])
        for leader in order.get("leaders", ()):
            lead(table, leader, order["to"])
    settle(table, power, *lost, *[order[end] for order in plan.orders for end in ("origin", "to")])
    # 20.4 step 3: leaders without units go too.
    for space, leaders in before.items():
        left = [leader for leader in leaders if state.leaders[leader].at == space]
        if left and not count(state, power, space) and (space in went or ways.must_leave(space)):
            for leader in left:
                found = [went[space]] if space in went else [*ways.capitals(), *ways.nearest(space, leader)]
                open_ = [at for at in found if may_stand(table, leader, at)]
                lead(table, leader, (open_ or found or [""])[0])


def recallable(table: Table, power: str) -> list[str]:
    """23.6 Return the army leaders on the map whom the Protestants may take back to their power card."""
    if power != PROTESTANT:
        return []
    return [leader for here in PowerMap(table, power).leaders.values() for leader in here]


def to_card(table: Table, power: str, leaders: Sequence[str]) -> None:
    """23.6 Return leaders to the power card; they come again in spring or with a rebellion."""
    for leader in leaders:
        station(table, leader, ON_CARD)
    if leaders:
        table.log("winter.to_card", rule="23.6", power=power, leaders=list(leaders), reveals=True)


def _march(table: Table, power: str, plan: ReturnPlan, order: Order) -> None:
    """20.4 Move one stack; half of it, rounded up, is lost to attrition if the way is not open."""
    space, to, units = order["origin"], order["to"], dict(order["units"])
    put(table, space, power, units, -1)
    if plan.ways.attrition(space, to):
        number = (sum(units.values()) + 1) // 2
        losses = order.get("losses")
        if losses is None or sum(losses.values()) != number:
            losses = cheapest(units, number)
        for key, loss in losses.items():
            units[key] -= loss
        table.log("winter.attrition", rule="20.4", power=power, space=space, to=to, units=losses, reveals=True)
    units = {key: number for key, number in units.items() if number}
    put(table, to, power, units)
    table.log("winter.returns", rule="20.4", power=power, space=space, to=to, units=units, reveals=True)
