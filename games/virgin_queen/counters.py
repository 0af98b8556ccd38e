"""Counters by value (5.3, 17.1): which stacks the counters of a pool can show at once.

Land counters are worth 1, 2, 4 or 6. A stack is all units of one pool and kind in a space; both sides of the
counters come from one pool. Change is made at any time, so only the total counts: a pool without a small
counter can't show another odd stack.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from games.virgin_queen.components import LandPool
from games.virgin_queen.state import QueenState
from games.virgin_queen.table import Table
from pbem.kernel.domains import Distribution
from pbem.kernel.rejections import Rejection, because

Stack = tuple[str, str]
"""A place and a kind of unit."""
FEW = 200


def stacks(state: QueenState, owner: str) -> dict[Stack, int]:
    """Return the stacks of a pool on the map, aboard the Armada and in foreign wars."""
    found: dict[Stack, int] = {}
    for where in (state.land, state.away):
        for place, here in where.items():
            if owner in here:
                troops = here[owner]
                if troops.regulars:
                    found[place, "regulars"] = troops.regulars
                if troops.mercenaries:
                    found[place, "mercenaries"] = troops.mercenaries
                if troops.cavalry:
                    found[place, "cavalry"] = troops.cavalry
    return found


def enough(pool: LandPool, sizes: Sequence[int]) -> bool:
    """Return whether the counters of a pool show stacks of these sizes at once.

    Every odd stack takes a one. In pairs of units a six is 3, a four 2, a two 1, and two ones fill a pair too. So the
    most that sixes and fours can fill decides. A six leaves most room for fours where the number of pairs is odd.
    """
    odd = sum([size & 1 for size in sizes])
    # 17.1: every odd stack needs a one.
    if odd > pool.ones:
        return False
    pairs = [size >> 1 for size in sizes]
    need = sum(pairs) - pool.twos - ((pool.ones - odd) >> 1)
    # Ones and twos fill all pairs.
    if need <= 0:
        return True
    for sixes in range(pool.sixes + 1):
        if 3 * sixes + 2 * min(pool.fours, sum([room >> 1 for room in pairs])) >= need:
            return True
        fits = [i for i, room in enumerate(pairs) if room >= 3]
        if not fits:
            return False
        pairs[max(fits, key=lambda i: (pairs[i] & 1, pairs[i]))] -= 3
    return False


def shows(table: Table, owner: str, changes: Mapping[Stack, int], known: Mapping[Stack, int] | None = None) -> bool:
    """Return whether a pool's counters show its stacks, `known` or not, after units come (go, if below 0)."""
    found = dict(stacks(table.state, owner) if known is None else known)
    for stack, number in changes.items():
        found[stack] = found.get(stack, 0) + number
    return enough(table.c.land_pools[owner], [size for size in found.values() if size])


def room(table: Table, owner: str, place: str, kind: str, wanted: int) -> int:
    """17.1 Return how many units, up to `wanted`, the counters can show in addition in a place."""
    return next((n for n in range(wanted, 0, -1) if shows(table, owner, {(place, kind): n})), 0)


def excess(table: Table, owner: str, places: Collection[str], gone: Mapping[Stack, int]) -> dict[Stack, int]:
    """5.3 Return `gone` and the further losses until the rest can be shown; a stack that solves it alone is first."""
    known, lost = stacks(table.state, owner), dict(gone)
    while not shows(table, owner, {stack: -number for stack, number in lost.items()}, known):
        left = [stack for stack in known if stack[0] in places and known[stack] > lost.get(stack, 0)]
        if not left:
            break
        left.sort(key=lambda stack: (stack[1] == "regulars", not (known[stack] - lost.get(stack, 0)) & 1))
        tries = ({**lost, stack: lost.get(stack, 0) + 1} for stack in left)
        mended = (some for some in tries if shows(table, owner, {s: -n for s, n in some.items()}, known))
        lost = next(mended, {**lost, left[0]: lost.get(left[0], 0) + 1})
    return lost


class CounterChange(Distribution):
    """The units that leave a stack, as many as there is change for (5.3); for none, all (`formations.shift`)."""

    __slots__ = ("fits",)

    def __init__(
        self, units: Mapping[str, int], total: tuple[int, int], fits: Callable[[Mapping[str, int]], bool]
    ) -> None:
        super().__init__(dict(units), total, "units")
        self.fits = fits

    def _open(self, value: Mapping[str, int]) -> bool:
        if not value or self.fits(value):
            return True
        return not any(map(self.fits, islice(super().options(), FEW)))

    def check(self, value: Any) -> None:
        super().check(value)
        if not self._open(value):
            raise Rejection(because("change", "5.3"))

    def options(self) -> Iterator[dict[str, int]]:
        found = filter(self.fits, super().options())
        first = next(found, None)
        if first is None:
            yield from super().options()
        else:
            yield first
            yield from found

    def sample(self, below: Callable[[int], int]) -> dict[str, int]:
        value = super().sample(below)
        return value if self._open(value) else next(self.options())
