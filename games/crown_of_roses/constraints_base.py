"""The tables of a pack as constraints look at them, and what a finding is."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

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
