"""Limits on Action Points granted by Events (5.2 point 4): keys of `action_points.LIMITS`."""

from __future__ import annotations

from games.imperial_struggle.action_points import LIMITS, Purchase, Test
from games.imperial_struggle.table import Table

GERMAN_PRUSSIA_DUTCH = ("german-states", "prussia", "dutch-republic")
SPAIN_AUSTRIA = ("spain", "austria")


def _region(name: str) -> Test:
    def within(table: Table, seat: str, purchase: Purchase) -> bool:
        return bool(purchase.space) and table.c.region[purchase.space] == name

    return within


def _countries(names: tuple[str, ...]) -> Test:
    def within(table: Table, seat: str, purchase: Purchase) -> bool:
        return bool(purchase.space) and table.c.spaces[purchase.space].country in names

    return within


def _unflag_europe(table: Table, seat: str, purchase: Purchase) -> bool:
    """#2: removing opposing flags in Europe."""
    return purchase.kind == "shift" and purchase.removes and table.c.region[purchase.space] == "europe"


def _unflag_markets(table: Table, seat: str, purchase: Purchase) -> bool:
    """#11, #37: removing opposing flags from Markets."""
    return purchase.kind == "shift" and purchase.removes and table.c.spaces[purchase.space].type == "market"


def _beside_own(table: Table, seat: str, purchase: Purchase) -> bool:
    """#13: flagging an empty Market connected to a Market of one's own."""
    flags, space = table.state.flags, purchase.space
    if purchase.kind != "shift" or purchase.removes or table.c.spaces[space].type != "market":
        return False
    return any(
        flags[other] == seat and other not in table.state.conflicts for other in table.c.neighbours[space]
    )


LIMITS |= {
    "unflag-europe": _unflag_europe,
    "unflag-markets": _unflag_markets,
    "flag-next-to-own": _beside_own,
    "german-prussia-dutch": _countries(GERMAN_PRUSSIA_DUTCH),
    "spain-austria": _countries(SPAIN_AUSTRIA),
    **{region: _region(region) for region in ("europe", "north-america", "caribbean", "india")},
}
