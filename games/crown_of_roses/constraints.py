"""Constraints that every pack of Crown of Roses must satisfy, by number; checked for corrections.

A number is a letter of a group and a count, as in A06. Each function of a group yields `(number, holds, what)`;
`check` reports those that don't hold. H (files) and the sums that no number of the pack enters (E07, F10, F13, F14,
F16) are not here. The groups are apart: a cold start does not read them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from pbem.kernel.pack import problem
from pbem.kernel.rejections import RejectionReason


def check(tables: Mapping[str, Mapping[str, Any]]) -> list[RejectionReason]:
    """Return a reason for each constraint that a pack's tables break, in the order of the numbers; [] if all hold."""
    # Only corrections need them, and they take a while to read.
    from games.crown_of_roses import constraints_map, constraints_pieces, constraints_setup
    from games.crown_of_roses.constraints import CrownTables

    box = CrownTables(tables)
    groups = (*constraints_map.GROUPS, *constraints_pieces.GROUPS, *constraints_setup.GROUPS)
    return [
        problem(text or "the rules say otherwise", rule=rule)
        for group in groups
        for rule, holds, text in group(box)
        if not holds
    ]


Tables: TypeAlias = Mapping[str, Mapping[str, Any]]
Finding: TypeAlias = tuple[str, bool, str]


class CrownTables:
    """The tables of a pack by id."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.shires = {s["id"]: s for s in tables["map"]["shires"]}
        self.blocks = {b["id"]: b for b in tables["blocks"]["blocks"]}
        self.ops = {c["number"]: c for c in tables["cards"]["operations"]}
        self.house = {c["number"]: c for c in tables["cards"]["house"]}
        self.offices = {o["id"]: o for o in tables["offices"]["offices"]}
        self.numbers = tables["tables"]
        self.border = {frozenset((b["a"], b["b"])): b["type"] for b in tables["map"]["borders"]}

    def neighbours(self, shire: str) -> set[str]:
        """Return shires across a land border, not over the Wash."""
        return {next(iter(pair - {shire})) for pair, kind in self.border.items() if shire in pair and kind != "wash"}

    def kind(self, a: str, b: str) -> str | None:
        return self.border.get(frozenset((a, b)))

    def limit(self, shire: str) -> int:
        """Return the number of blocks allowed for a player (7.2.9)."""
        return int(self.shires[shire]["sv"]) + 1

    def costs(self, path: list[str], friendly: set[str]) -> list[int]:
        """Return halves of a movement point by step (16.2); the shire that is left counts as friendly (R-03)."""
        halves = {kind: self.numbers["movement"][kind] for kind in ("clear", "rough", "fens")}
        found = []
        own = set(friendly)
        for a, b in itertools.pairwise(path):
            own.add(a)
            full = halves.get(self.kind(a, b) or "", 99)
            found.append(full // 2 if b in own else full)
        return found

    def loyal(self, house: str) -> set[str]:
        return {key for key, shire in self.shires.items() if shire["loyalty"] == house}


def dice(step: str) -> int:
    """Return how many dice a step rolls."""
    return sum(int(n) for n in re.findall(r"(\d)[RBG]", step))


def strength(step: str) -> int:
    """Return a step's worth for comparison: red 3, blue 2, green 1."""
    return sum(int(n) * {"R": 3, "B": 2, "G": 1}[c] for n, c in re.findall(r"(\d)([RBG])", step))
