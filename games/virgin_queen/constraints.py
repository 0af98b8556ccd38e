"""What any pack of Virgin Queen must satisfy, by number of `facts/virgin_queen/constraints.md` (A01 to A84): run on
moderators' corrections.

Each function of a group yields `(number, holds, what)`; `check` reports those that do not hold. A number such as `5.4`
is the section of a rule that has no number of its own there. Not checked here:

- A06 of Scotland, A16 of spaces without a link, A84: only inferred (`[R]`); who has the printed map and set-up knows
  better. `inferred` tests them on the pack that ships.
- A47 (who may ally) is a rule of play, no fact of the box: `relations.may_ally`.
- A73, second half ("unlocks Portugal"): a matter of play; that the card is the one that unlocks is checked.
- B01 to B43 hold of a running game, not of a pack: `invariants.py`, the cases, and the domains of the questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from games.virgin_queen.state import MINORS, POWERS
from pbem.kernel.pack import problem
from pbem.kernel.problems import Problem

Tables: TypeAlias = Mapping[str, Mapping[str, Any]]
Entry: TypeAlias = Mapping[str, Any]
Finding: TypeAlias = tuple[str, bool, str]

AREAS = ("netherlands", "france", "england", "scotland")
LAND = ("connections", "passes", "waterways")


def by_id(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Entries by their id."""
    return {entry["id"]: entry for entry in entries}


class Box:
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
        """All spaces joined to a space, by whatever kind of link."""
        return [other for kind in LAND for other in self.spaces[space][kind]]

    def group(self, name: str) -> set[str]:
        """The sea zones of a group."""
        return {key for key, zone in self.zones.items() if zone["group"] == name}

    def split(self, faction: str) -> list[Entry]:
        """The split home spaces of the Dutch or the Huguenots (2.5)."""
        return [space for space in self.spaces.values() if space.get("home_upper") == faction]

    def homes(self, power: str) -> set[str]:
        """Home spaces of a power; those of the factions are their split ones."""
        if power in ("dutch", "huguenot"):
            return {space["id"] for space in self.split(power)}
        return {key for key, space in self.spaces.items() if space["home"] == power}

    def units(self, owner: str) -> int:
        """The most units that an owner's counters show."""
        pool = self.land[owner]
        return int(pool["ones"] + 2 * pool["twos"] + 4 * pool["fours"] + 6 * pool["sixes"])


def parts(nodes: Iterable[str], near: Callable[[str], Iterable[str]]) -> int:
    """Into how many parts a graph falls."""
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


def check(tables: Tables) -> list[Problem]:
    """Every constraint that a pack's tables break, by number; [] if all hold."""
    from games.virgin_queen import (
        constraints_cards,
        constraints_map,
        constraints_powers,
        constraints_setup,
        constraints_units,
    )

    modules = (constraints_map, constraints_powers, constraints_units, constraints_cards, constraints_setup)
    return _run(tables, [group for module in modules for group in module.GROUPS])


def inferred(tables: Tables) -> list[Problem]:
    """What is only inferred of the printed game: kept by the pack that ships, not asked of a moderator's."""
    from games.virgin_queen import constraints_map, constraints_setup

    return _run(tables, [*constraints_map.INFERRED, *constraints_setup.INFERRED])


def _run(tables: Tables, groups: Iterable[Callable[[Box], Iterator[Finding]]]) -> list[Problem]:
    box = Box(tables)
    return [problem(text, rule=rule) for group in groups for rule, holds, text in group(box) if not holds]


def counted(entries: Iterable[Entry], field: str) -> Counter[Any]:
    """How often each value of a field stands in entries."""
    return Counter(entry[field] for entry in entries)


MAJORS_WITH_COLOUR = POWERS[:5]
"""The Protestants have split spaces only (2.5)."""
HOMES = (*MAJORS_WITH_COLOUR, *MINORS, "independent")
