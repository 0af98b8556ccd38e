"""The map for a power that looks for possible actions: computed once for a whole menu.

A `PowerMap` is valid while the state doesn't change, as during a question; don't keep one longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from games.virgin_queen import counters, fleets, query
from games.virgin_queen.state import MINORS, QueenState, Troops
from games.virgin_queen.table import Table


class PowerMap:
    """The map as a power sees it: friends and foes, its units, leaders and ships, where it may build."""

    __slots__ = (
        "_garrisons", "_leaders", "_open", "_pools", "_ports", "_ships", "cp", "foes", "mates", "mine",
        "power", "state", "table",
    )  # fmt: skip

    foes: frozenset[str]
    """Owners at war with it."""
    mates: frozenset[str]
    """The power and its allies."""
    mine: frozenset[str]
    """Owners of the units that it commands."""

    def __init__(self, table: Table, power: str) -> None:
        self.table = table
        self.power = power
        self.state: QueenState = table.state
        impulse = table.state.impulse
        self.cp: int = 0 if impulse is None else impulse.cp
        self._pools: dict[str, dict[counters.Stack, int]] = {}
        self._ships: dict[str, int] = {}
        self._open: dict[str, bool] = {}
        self._garrisons: list[str] | None = None
        self._leaders: dict[str, list[str]] | None = None
        self._ports: list[str] | None = None

    if not TYPE_CHECKING:  # otherwise mypy accepts any name as a field

        def __getattr__(self, name: str) -> Any:
            # Reached only while the slots are empty: many actions need none of the three.
            if name not in ("foes", "mates", "mine"):
                raise AttributeError(name)
            found = query.relations(self.state, self.power)
            self.foes, self.mates, self.mine = found.foes, found.mates, found.mine
            return getattr(found, name)

    @property
    def garrisons(self) -> list[str]:
        """The spaces with land units that it commands."""
        found = self._garrisons
        if found is None:
            apart = self.mine.isdisjoint
            found = [space for space, here in self.state.land.items() if not apart(here)]
            self._garrisons = found
        return found

    @property
    def leaders(self) -> dict[str, list[str]]:
        """The free army leaders that it commands, by space."""
        found = self._leaders
        if found is None:
            mine, spaces = self.mine, self.table.c.spaces
            found = self._leaders = {}
            for key, leader in self.state.leaders.items():
                if leader.power in mine and leader.at in spaces and not leader.naval and not leader.captor:
                    found.setdefault(leader.at, []).append(key)
        return found

    def chiefs(self, space: str) -> list[str]:
        return self.leaders.get(space, [])

    @property
    def ports(self) -> list[str]:
        """The ports and sea zones with ships that it commands."""
        found = self._ports
        if found is None:
            mine = self.mine
            found = self._ports = []
            for place, here in self.state.fleets.items():
                for fleet in here:
                    if fleet.power in mine:
                        found.append(place)
                        break
        return found

    def enemy_ships(self, place: str) -> bool:
        here = self.state.fleets.get(place)
        return here is not None and any(fleet.power in self.foes for fleet in here)

    def menaced(self, space: str) -> bool:
        here: dict[str, Troops] | None = self.state.land.get(space)
        return (here is not None and not self.foes.isdisjoint(here)) or self.enemy_ships(space)

    # -- building (17) -------------------------------------------------------------------------------------------------

    def open(self, space: str) -> bool:
        """17 Return whether it may build in a home space: controlled, without unrest, enemy units and ships."""
        known = self._open.get(space)
        if known is None:
            state = self.state
            known = self._open[space] = (
                state.control[space] == self.power and space not in state.unrest and not self.menaced(space)
            )
        return known

    @property
    def clients(self) -> list[str]:
        minors = self.state.minors
        return [minor for minor in MINORS if minors[minor].ally == self.power]

    def shows(self, owner: str, space: str, kind: str, number: int) -> bool:
        """Return whether a pool has counters for more units in a space: the given number (5.3, 17.1)."""
        if owner not in self._pools:
            self._pools[owner] = counters.stacks(self.state, owner)
        return counters.shows(self.table, owner, {(space, kind): number}, self._pools[owner])

    def left(self, owner: str, space: str, kind: str, most: int) -> int:
        """17.2 Return how many units, up to a maximum, can be raised in a space one after another."""
        return next((n - 1 for n in range(1, most + 1) if not self.shows(owner, space, kind, n)), most)

    def ships_left(self, owner: str) -> int:
        if owner not in self._ships:
            self._ships[owner] = fleets.pool_left(self.table, owner)
        return self._ships[owner]
