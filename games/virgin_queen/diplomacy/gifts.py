"""Gifts between powers (9.1): how many a power may still give, and between which places mercenaries move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from games.virgin_queen import cards
from games.virgin_queen.formations import pool_left
from games.virgin_queen.query import SIDES, pool_of, seat_of
from games.virgin_queen.state import FRANCE, HRE, OTTOMAN, PROTESTANT, SPAIN, QueenState
from games.virgin_queen.table import Table

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

GIFT_LIMIT = {"cards": 2, "treasures": 2, "mercenaries": 4}
HIRE_TRACK = "hire_track"


def limit(table: Table, giver: str, receiver: str, gift: str, said: DealPromises = NOTHING) -> int:
    """9.1 Return how many of a kind a power may still give another this turn; none if some have come back."""
    state = table.state
    if seat_of(state, giver) == seat_of(state, receiver) or got(state, giver, receiver, gift, said):
        return 0
    # The sixth, seventh and eighth bullet of 9.1: cards, treasures, mercenaries.
    left = GIFT_LIMIT[gift] - state.powers[giver].used.get(f"{gift}-to-{receiver}", 0)
    if gift == "cards":
        return min(left, len(cards.loose(table, giver)) - said.count("cards", giver))
    if gift == "treasures":
        return min(left, len(state.powers[giver].treasures) - said.count("treasures", giver))
    there = sum(soldiers(state, giver, said).values())
    return min(left, there, billets(table, receiver) - said.count("billets", receiver))


def got(state: QueenState, giver: str, receiver: str, gift: str, said: DealPromises) -> bool:
    """9.1 Return whether such a gift came the other way this turn: mercenaries by power, cards and treasures by seat.

    A card or treasure that is promised counts too.
    """
    if gift == "mercenaries":
        return bool(state.powers[receiver].used.get(f"{gift}-to-{giver}"))
    word = f"{gift}-to-"
    given = [(a, b) for what, a, b in said.gifts if what == gift]
    for power, own in state.powers.items():
        if own.used:
            given += [(power, key.removeprefix(word)) for key in own.used if key.startswith(word)]
    if not given:
        return False
    sides = (seat_of(state, receiver), seat_of(state, giver))
    return any((seat_of(state, a), seat_of(state, b)) == sides for a, b in given)


def soldiers(state: QueenState, power: str, said: DealPromises = NOTHING) -> dict[str, int]:
    """9.1 Return where mercenaries may be taken: `space` or `space/dutch`, or the Empire's hire track."""
    found = {}
    for space, here in state.land.items():
        for owner, troops in here.items():
            if troops.mercenaries and SIDES.get(owner, owner) == power:
                found[space if owner == power else f"{space}/{owner}"] = troops.mercenaries
    if power == HRE and state.powers[HRE].stock.get("hire", 0):
        found[HIRE_TRACK] = state.powers[HRE].stock["hire"]
    left = {key: number - said.count("mercenaries", power, key) for key, number in found.items()}
    return {key: number for key, number in left.items() if number > 0}


def places(units: Iterable[str]) -> list[str]:
    """Return the spaces on the map where mercenaries are taken."""
    return [key.partition("/")[0] for key in units if key != HIRE_TRACK]


def capitals(table: Table, power: str) -> list[str]:
    """9.1 Return the capitals that may receive mercenaries: controlled, on the map, without unrest."""
    return [space for space in capitals_free(table, power) if space not in table.state.unrest]


def capitals_free(table: Table, power: str) -> list[str]:
    """9.1 Return the controlled capitals to which a leader may come home."""
    state = table.state
    return [space for space, holder in state.capitals.items() if holder == power and state.control[space] == power]


def billets(table: Table, power: str) -> int:
    """9.1 Return how many mercenaries a power could take; never the Ottomans or the Empire."""
    if power in (OTTOMAN, HRE):
        return 0
    pools = {pool_of(table.c, power, space) for space in capitals(table, power)}
    return sum(pool_left(table, pool) for pool in pools)
