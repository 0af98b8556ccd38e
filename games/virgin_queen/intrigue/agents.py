"""Informants and Jesuits (19.2), what they are worth in dice, and their reset in winter (20.8)."""

from __future__ import annotations

from games.virgin_queen.state import Informant
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.unwritten import left

KIT.chapter("19.2", "placing agents and Jesuits")
KIT.chapter("20.8", "espionage is reset in winter")
left("19.2", 80, 81)

INFORMANTS = 2
USED = "assassination"
"""In `Power.used`: the marker of assassinations is on the turn track; an English rebellion uses it too (19.3, 19.4)."""


def informant(table: Table, power: str, target: str) -> Informant | None:
    """19.2 The informant of a power on a card, neutralised or not."""
    return table.state.spies.get(power, {}).get(target)


def spying(table: Table, power: str, target: str) -> bool:
    """19 Whether its informant gives a power dice against a target: there since the impulse began (FAQ 30), at work."""
    found = informant(table, power, target)
    return found is not None and not found.neutral and found.since < table.state.impulses


def place(table: Table, power: str, target: str, origin: str = "") -> None:
    """19.2 Put an informant on a card: from the pool, or from the card `origin`."""
    mine = table.state.spies.setdefault(power, {})
    if origin:
        del mine[origin]
    mine[target] = Informant(since=table.state.impulses)


def remove(table: Table, power: str, target: str) -> None:
    """Take an informant off a card, back into the pool; who has none left there is not listed."""
    del table.state.spies[power][target]
    if not table.state.spies[power]:
        del table.state.spies[power]
