"""The reaction sheet as a page to write on: order lines as `pbem.report.sheet` gives them, each with its cards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pbem.orders.statements import uncommented


def lines_of(sheet: Iterable[Mapping[str, Any]], name: Callable[[str], str]) -> list[str]:
    """The lines of the page; behind each stand the names of the cards that it is for."""
    found = []
    for entry in sheet:
        cards = ", ".join(name(card) for card in entry["cards"])
        found.append(f"{entry['line']}    # {cards}" if cards else str(entry["line"]))
    return found


def orders_in(text: str) -> list[str]:
    """The order lines of a page that has been written on, without comments."""
    plain = (uncommented(line.strip()).strip() for line in text.splitlines())
    return [line for line in plain if line]
