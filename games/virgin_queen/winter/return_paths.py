"""The ways home in winter (20.4): to which spaces, how near, and whether without attrition."""

from __future__ import annotations

from games.virgin_queen.formations import KINDS, NEVER_MOVES, count, owner_of
from games.virgin_queen.gate import BOUND, may_stand
from games.virgin_queen.query import fortified, hops, relations, serves, waterway
from games.virgin_queen.special import armada
from games.virgin_queen.state import ARMADA, MINORS
from games.virgin_queen.table import Table

STAYS = (*NEVER_MOVES, "morisco")
"""Pools that never move in winter (17.1, 23.1)."""
_STAYING = frozenset(f"{owner}-{kind}" for owner in STAYS for kind in KINDS)


class WinterPaths:
    """The facts for a power's winter plans: computed once, while control and treaties don't change."""

    def __init__(self, table: Table, power: str, harbour: str = "") -> None:
        self.table = table
        self.harbour = harbour or (armada.port(table, power) if armada.aboard(table) else "")
        """Where the Armada is, if it has troops aboard: they may stay there or go home from there (23.2)."""
        self.power = power
        known = relations(table.state, power)
        self.mates, self._mine = known.mates, known.mine
        self._by_pool: dict[str, list[str]] = {}
        self._nearest: dict[tuple[str, str], list[str]] = {}
        self._floods: list[_Flood] = []
        self._costly: dict[tuple[str, str], bool] = {}
        self._movable: dict[str, dict[str, int]] = {}

    @property
    def stacks(self) -> list[str]:
        apart = self._mine.isdisjoint
        found = [space for space, owners in self.table.state.land.items() if not apart(owners)]
        return [*found, ARMADA] if self.harbour else found

    def movable(self, space: str) -> dict[str, int]:
        """Return the power's land units in a space that may move, by unit key. Don't change the result."""
        found = self._movable.get(space)
        if found is None:
            here = count(self.table.state, self.power, space)
            found = {key: number for key, number in here.items() if key not in _STAYING}
            self._movable[space] = found
        return found

    def counting(self, space: str) -> int:
        """Return how many land units of the power, outside capitals of theirs, count for the limit of a space."""
        total = 0
        for owner, troops in self.table.state.land.get(space, {}).items():
            if owner in self._mine and space not in self._of_pool(owner):
                total += troops.total
        return total

    def capitals(self, key: str = "") -> list[str]:
        """23.6 Return the capitals under the power that serve a unit key ("": leaders); keys for a minor power."""
        return self._of_pool(owner_of(self.power, key)[0])

    def _of_pool(self, owner: str) -> list[str]:
        found = self._by_pool.get(owner)
        if found is None:
            state, c, power = self.table.state, self.table.c, self.power
            own = [at for at, holder in state.capitals.items() if holder == state.control[at] == power]
            found = [at for at in own if owner == power or serves(self.table, at, owner)]
            if owner in MINORS:
                found += [at for at in c.homes[owner] if c.spaces[at].type == "key" and state.control[at] == power]
            self._by_pool[owner] = found
        return found

    def at_home(self, space: str, key: str) -> bool:
        """20.4 Return whether units are without limit: in a capital of theirs, or a minor power's key (24.3)."""
        return space in self.capitals(key)

    def must_leave(self, space: str) -> bool:
        """20.4 step 2: Return whether units must leave: the space is unfortified or not controlled by their power."""
        if space == ARMADA:
            return False
        return self.table.state.control[space] != self.power or not fortified(self.table, space)

    def nearest(self, space: str, piece: str) -> list[str]:
        """20.4 step 2: Return the nearest fortified spaces, counted straight, controlled and open to a piece."""
        if space == ARMADA:
            here = self.harbour
            return self.nearest(here, piece) if self.must_leave(here) else [here]
        found = self._nearest.get((space, piece))
        if found is None:
            table, control = self.table, self.table.state.control
            found, best = [], 0
            for at, steps in hops(table, self.power, space).items():  # the nearest first
                if found and steps > best:
                    break
                mine = control[at] == self.power and at != space and fortified(table, at)
                if mine and (self.power not in BOUND or may_stand(table, piece, at)):
                    found.append(at)
                    best = steps
            if len(found) > 1:
                found = [at for at in table.c.spaces if at in found]
            self._nearest[space, piece] = found
        return found

    def attrition(self, space: str, to: str) -> bool:
        """20.4 Return whether half of the stack is lost, without a way over friendly, quiet spaces and sea zones."""
        known = self._costly.get((space, to))
        if known is None:
            known = self._costly[space, to] = not self._free(space, to)
        return known

    def _free(self, space: str, to: str) -> bool:
        space = self.harbour if space == ARMADA else space
        if space == to:  # going ashore in port
            return True
        if not self._open(to):
            return False
        if self._open(space):
            return self._linked(space, to)
        return any(self._open(start) and self._linked(start, to) for start in self.near(space))

    def _linked(self, one: str, other: str) -> bool:
        for flood in self._floods:
            if one in flood.found:
                return flood.reaches(other)
        flood = _Flood(self, one)
        self._floods.append(flood)
        return flood.reaches(other)

    def _open(self, place: str) -> bool:
        """20.4 Return whether a place is open: a friendly space without unrest, or a sea zone."""
        state = self.table.state
        holder = state.control.get(place)
        return holder is None or (holder in self.mates and place not in state.unrest)

    def near(self, place: str) -> tuple[str, ...]:
        """Return the spaces and sea zones next to a place, over waterways that the power may use (2.5)."""
        beside = self.table.c.near[place]
        if place in self.table.c.gates:
            return (*beside, *waterway(self.table, self.power, place))
        return beside


class _Flood:
    """The places that can be reached from one without attrition, computed on demand."""

    __slots__ = ("at", "found", "queue", "ways")

    def __init__(self, ways: WinterPaths, start: str) -> None:
        self.ways = ways
        self.found = {start}
        self.queue = [start]
        self.at = 0

    def reaches(self, to: str) -> bool:
        found, queue, ways = self.found, self.queue, self.ways
        control, unrest, mates = ways.table.state.control, ways.table.state.unrest, ways.mates
        while to not in found and self.at < len(queue):
            for other in ways.near(queue[self.at]):
                if other in found:
                    continue
                if (holder := control.get(other)) is None or (holder in mates and other not in unrest):
                    found.add(other)
                    queue.append(other)
            self.at += 1
        return to in found
