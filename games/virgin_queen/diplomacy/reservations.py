"""What the parts of a deal have promised so far, so that no later part promises it again (9.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from games.virgin_queen.state import FRANCE, PROTESTANT, SPAIN

_ALLIANCES = ("alliance", "lend", "borrow")
_RIVALS = {SPAIN: PROTESTANT, PROTESTANT: SPAIN}


class DealPromises:
    """Promises of the parts of a deal so far.

    `pairs` of powers that have a part, `allies` among them, `things` named (leaders, spaces, royals), `gifts`
    of cards and treasures as (kind, giver, receiver), and counts.
    """

    __slots__ = ("_counts", "allies", "gifts", "pairs", "things")

    def __init__(self) -> None:
        self.pairs: set[frozenset[str]] = set()
        self.allies: set[frozenset[str]] = set()
        self.things: set[str] = set()
        self.gifts: set[tuple[str, str, str]] = set()
        self._counts: Counter[tuple[str, ...]] = Counter()

    @classmethod
    def of(cls, parts: Iterable[Mapping[str, Any]]) -> DealPromises:
        found = cls()
        for part in parts:
            found._add(part)
        return found

    def count(self, *what: str) -> int:
        """Return how much is promised, by kind and power, for ships and mercenaries also by place."""
        return self._counts[what]

    def bars_alliance(self, a: str, b: str) -> bool:
        """9.2 Return whether it would ally France with Spain and the Protestants at once."""
        if FRANCE not in (a, b):
            return False
        rival = _RIVALS.get(b if a == FRANCE else a)
        return rival is not None and frozenset((FRANCE, rival)) in self.allies

    def _add(self, part: Mapping[str, Any]) -> None:
        p, q = part["power"], part["partner"]
        self.pairs.add(frozenset((p, q)))
        if any(clause in _ALLIANCES for clause in part["of"]):
            self.allies.add(frozenset((p, q)))
        for giver, receiver, way, ships in ((p, q, "give", "lend"), (q, p, "take", "borrow")):
            for gift in ("cards", "treasures"):
                if number := part.get(f"{way}_{gift}", 0):
                    self._counts[gift, giver] += number
                    self.gifts.add((gift, giver, receiver))
            for key, number in part.get(f"{way}_mercenaries", {}).items():
                self._counts["mercenaries", giver, key] += number
                self._counts["billets", receiver] += number
            for key, number in part.get(ships, {}).items():
                self._counts["ships", giver, key] += number
        for field in ("admirals", "return", "recover", "cede", "receive"):
            self.things.update(part.get(field, ()))
        self.things.update(part[field] for field in ("groom", "bride") if field in part)


NOTHING = DealPromises()
"""For the first part of a deal: nothing is promised yet."""
