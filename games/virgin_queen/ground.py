"""What a power finds on the map when it looks for something to do: worked out once for a whole menu of actions.

A `Ground` is good as long as the state stands still, as it does while a question is open; nobody keeps one longer.
"""

from __future__ import annotations

from functools import cached_property

from games.virgin_queen import fleets, forces, query
from games.virgin_queen.state import MINORS, State, Troops
from pbem.kernel.table import Table


class Ground:
    """The map as a power sees it: friends and foes, its units, leaders and ships, where it may build."""

    def __init__(self, table: Table, power: str) -> None:
        self.table = table
        self.power = power
        self.state: State = table.state
        self._pools: dict[str, int] = {}
        self._ships: dict[str, int] = {}
        self._open: dict[str, bool] = {}

    @cached_property
    def foes(self) -> frozenset[str]:
        """The owners at war with it."""
        return query.foes(self.state, self.power)

    @cached_property
    def mates(self) -> frozenset[str]:
        """The power and its allies."""
        return query.mates(self.state, self.power)

    @cached_property
    def mine(self) -> frozenset[str]:
        """The owners whose units it commands."""
        return query.mine(self.state, self.power)

    @cached_property
    def garrisons(self) -> list[str]:
        """The spaces with land units that it commands."""
        mine = self.mine
        return [space for space, here in self.state.land.items() if not mine.isdisjoint(here)]

    @cached_property
    def leaders(self) -> dict[str, list[str]]:
        """The free army leaders that it commands, by space."""
        mine, spaces = self.mine, self.table.c.spaces
        found: dict[str, list[str]] = {}
        for key, leader in self.state.leaders.items():
            if leader.power in mine and not leader.naval and not leader.captor and leader.at in spaces:
                found.setdefault(leader.at, []).append(key)
        return found

    def chiefs(self, space: str) -> list[str]:
        """Its free army leaders in a space."""
        return self.leaders.get(space, [])

    @cached_property
    def ports(self) -> list[str]:
        """The ports and sea zones with ships that it commands."""
        mine = self.mine
        return [
            place for place, here in self.state.fleets.items() if any(fleet.power in mine for fleet in here)
        ]

    def enemy_ships(self, place: str) -> bool:
        """Whether ships of its enemies are at a place."""
        here = self.state.fleets.get(place)
        return here is not None and any(fleet.power in self.foes for fleet in here)

    def menaced(self, space: str) -> bool:
        """Whether enemy units or ships are in a space."""
        here: dict[str, Troops] | None = self.state.land.get(space)
        return (here is not None and not self.foes.isdisjoint(here)) or self.enemy_ships(space)

    # -- building (17) -------------------------------------------------------------------------------------------------

    def open(self, space: str) -> bool:
        """17 Whether it may build in a home space: under its control, without unrest, enemy units and ships."""
        known = self._open.get(space)
        if known is None:
            state = self.state
            known = self._open[space] = (
                state.control[space] == self.power and space not in state.unrest and not self.menaced(space)
            )
        return known

    @cached_property
    def clients(self) -> list[str]:
        """Its minor powers."""
        minors = self.state.minors
        return [minor for minor in MINORS if minors[minor].ally == self.power]

    def pool_left(self, owner: str) -> int:
        """How many land units of a pool are left (17.1)."""
        if owner not in self._pools:
            self._pools[owner] = forces.pool_left(self.table, owner)
        return self._pools[owner]

    def ships_left(self, owner: str) -> int:
        """How many ships of a pool are left (17.1)."""
        if owner not in self._ships:
            self._ships[owner] = fleets.pool_left(self.table, owner)
        return self._ships[owner]
