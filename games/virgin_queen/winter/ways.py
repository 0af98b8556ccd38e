"""The ways home in winter (20.4): to which spaces, how near, and whether without attrition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from games.virgin_queen.forces import count, owner_of
from games.virgin_queen.query import distance, fortified, neighbours, relations, serves
from games.virgin_queen.state import MINORS
from games.virgin_queen.table import Table

STAYS = ("knights_of_st_john", "morisco")
"""Pools that never move in winter (17.1, 23.1)."""


class Ways:
    """What a power's plans for the winter rest upon: worked out once, while control and treaties stand still."""

    def __init__(self, table: Table, power: str) -> None:
        self.table = table
        self.power = power
        known = relations(table.state, power)
        self._mates, self._mine = known.mates, known.mine
        self._capitals: dict[str, list[str]] = {}
        self._nearest: dict[str, list[str]] = {}
        self._floods: list[_Flood] = []
        self._costly: dict[tuple[str, str], bool] = {}
        self._walls: list[str] | None = None
        self._base: tuple[dict[str, dict[str, int]], dict[str, int]] | None = None

    def base(self) -> tuple[dict[str, dict[str, int]], dict[str, int]]:
        """The power's land units that may move, by space, and how many count for the limit of each space; copies."""
        if self._base is None:
            movable, counting = {}, {}
            for space, here in self._units():
                movable[space] = {k: n for k, n in here.items() if owner_of(self.power, k)[0] not in STAYS}
                counting[space] = sum([n for key, n in here.items() if not self.at_home(space, key)])
            self._base = movable, counting
        movable, counting = self._base
        return {space: {**here} for space, here in movable.items()}, {**counting}

    def _units(self) -> Iterator[tuple[str, dict[str, int]]]:
        """The power's land units, by space."""
        state, apart = self.table.state, self._mine.isdisjoint
        return (
            (space, count(state, self.power, space)) for space, here in state.land.items() if not apart(here)
        )

    def capitals(self, key: str = "") -> list[str]:
        """Capitals that the power controls: a Protestant one for its own faction only (23.6), for a minor power's units
        its keys too. `key` is the unit key, "" for leaders.
        """
        owner = owner_of(self.power, key)[0]
        if owner not in self._capitals:
            self._capitals[owner] = self._find_capitals(owner)
        return self._capitals[owner]

    def _find_capitals(self, owner: str) -> list[str]:
        state, c = self.table.state, self.table.c
        found = [
            space
            for space, holder in state.capitals.items()
            if holder == self.power and state.control[space] == self.power
            if owner == self.power or serves(self.table, space, owner)
        ]
        if owner in MINORS:
            found += [
                key
                for key in c.homes[owner]
                if c.spaces[key].type == "key" and state.control[key] == self.power
            ]
        return found

    def at_home(self, space: str, key: str) -> bool:
        """20.4 Whether units are in a capital of theirs, a minor power's in one of its keys (24.3): no limit there."""
        return space in self.capitals(key)

    def must_leave(self, space: str) -> bool:
        """20.4 step 2: units in an unfortified space, or in a fortified one that their power does not control."""
        return self.table.state.control[space] != self.power or not fortified(self.table, space)

    def nearest(self, space: str) -> list[str]:
        """20.4 step 2: the nearest fortified spaces that a power controls, counted straight, whoever holds the way."""
        found = self._nearest.get(space)
        if found is None:
            table = self.table
            if self._walls is None:
                self._walls = [
                    at
                    for at, holder in table.state.control.items()
                    if holder == self.power and fortified(table, at)
                ]
            steps = [(distance(table, space, at), at) for at in self._walls if at != space]
            best = min(steps)[0] if steps else 0
            found = self._nearest[space] = [at for number, at in steps if number == best]
        return found

    def attrition(self, space: str, to: str) -> bool:
        """20.4 Whether the way costs half of the stack: it is free through friendly spaces without unrest and any sea
        zones; enemies do not count.
        """
        known = self._costly.get((space, to))
        if known is None:
            known = self._costly[space, to] = not self._free(space, to)
        return known

    def _free(self, space: str, to: str) -> bool:
        if not self._open(to):
            return False
        starts = [space] if self._open(space) else [at for at in self._near(space) if self._open(at)]
        return any(self._linked(start, to) for start in starts)

    def _linked(self, one: str, other: str) -> bool:
        for flood in self._floods:
            if one in flood.found:
                return flood.reaches(other)
        flood = _Flood(self, one)
        self._floods.append(flood)
        return flood.reaches(other)

    def _open(self, place: str) -> bool:
        state = self.table.state
        holder = state.control.get(place)
        return holder is None or (holder in self._mates and place not in state.unrest)

    def _near(self, place: str) -> Iterable[str]:
        c = self.table.c
        if place in c.zones:
            return (*c.ports[place], *c.zones[place].adjacent)
        return (*neighbours(self.table, self.power, place), *c.spaces[place].port)


class _Flood:
    """The places that can be reached from one without attrition, as far as somebody has asked."""

    __slots__ = ("at", "found", "queue", "ways")

    def __init__(self, ways: Ways, start: str) -> None:
        self.ways = ways
        self.found = {start}
        self.queue = [start]
        self.at = 0

    def reaches(self, to: str) -> bool:
        found, queue, ways = self.found, self.queue, self.ways
        while to not in found and self.at < len(queue):
            for other in ways._near(queue[self.at]):
                if other not in found and ways._open(other):
                    found.add(other)
                    queue.append(other)
            self.at += 1
        return to in found
