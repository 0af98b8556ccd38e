"""The tables of a pack as the constraints read them, and what several groups of them need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from games.virgin_queen.state import MINORS, POWERS

Tables: TypeAlias = Mapping[str, Mapping[str, Any]]
Entry: TypeAlias = Mapping[str, Any]
Finding: TypeAlias = tuple[str, bool, str]

AREAS = ("netherlands", "france", "england", "scotland")
LAND = ("connections", "passes", "waterways")


def by_id(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Return entries by id."""
    return {entry["id"]: entry for entry in entries}


class QueenTables:
    """The tables of a pack by id."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.spaces = by_id(tables["map"]["spaces"])
        self.zones = by_id(tables["map"]["zones"])
        self.oceans = by_id(tables["map"]["oceans"])
        self.powers = by_id(tables["powers"]["powers"])
        self.minors = by_id(tables["powers"]["minors"])
        self.activated = by_id(tables["powers"]["activated"])
        self.rulers = by_id(tables["powers"]["rulers"])
        self.land = by_id(tables["units"]["land_pools"])
        self.naval = by_id(tables["units"]["naval_pools"])
        self.cards = by_id(tables["cards"]["cards"])
        self.numbers = {card["number"]: card for card in self.cards.values()}
        self.titles = {card["name"]: card for card in self.cards.values()}
        self.people = {
            kind: by_id(tables["units"][kind])
            for kind in ("army_leaders", "naval_leaders", "captains", "royals", "artists", "scientists")
        }
        self.areas = {
            area["id"]: [space for space in self.spaces.values() if space.get("area") == area["id"]]
            for area in tables["map"]["areas"]
        }

    def links(self, space: str) -> list[str]:
        """Return all spaces joined to a space, by any kind of link."""
        return [other for kind in LAND for other in self.spaces[space][kind]]

    def group(self, name: str) -> set[str]:
        return {key for key, zone in self.zones.items() if zone["group"] == name}

    def split(self, faction: str) -> list[Entry]:
        """Return the split home spaces of the Dutch or the Huguenots (2.5)."""
        return [space for space in self.spaces.values() if space.get("home_upper") == faction]

    def homes(self, power: str) -> set[str]:
        """Return the home spaces of a power; those of the factions are their split ones."""
        if power in ("dutch", "huguenot"):
            return {space["id"] for space in self.split(power)}
        return {key for key, space in self.spaces.items() if space["home"] == power}

    def units(self, owner: str) -> int:
        """Return the most units that an owner's counters show."""
        pool = self.land[owner]
        return int(pool["ones"] + 2 * pool["twos"] + 4 * pool["fours"] + 6 * pool["sixes"])


def parts(nodes: Iterable[str], near: Callable[[str], Iterable[str]]) -> int:
    """Return into how many parts a graph is divided."""
    left, number = set(nodes), 0
    while left:
        number += 1
        todo = [left.pop()]
        while todo:
            for other in near(todo.pop()):
                if other in left:
                    left.remove(other)
                    todo.append(other)
    return number


def counted(entries: Iterable[Entry], field: str) -> Counter[Any]:
    """Return how often each value of a field occurs in entries."""
    return Counter(entry[field] for entry in entries)


MAJORS_WITH_COLOUR = POWERS[:5]
"""The Protestants have only split spaces (2.5)."""
HOMES = (*MAJORS_WITH_COLOUR, *MINORS, "independent")
