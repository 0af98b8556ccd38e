"""Bonus conditions of Events (3.4.3, 5.2 point 1), checked before any effect; what granted points may buy (point 4)."""

from __future__ import annotations

from collections.abc import Callable

from games.imperial_struggle import board
from games.imperial_struggle.action_points import LIMITS, Purchase, Test
from games.imperial_struggle.components import BonusCondition
from games.imperial_struggle.state import OTHER
from games.imperial_struggle.table import Table

Check = Callable[[Table, str, BonusCondition], bool]

ISLES = ("ireland-prestige", "scotland-prestige")


def fulfilled(table: Table, seat: str, card: str) -> bool:
    """Return whether `seat` receives the bonus effect of `card` now."""
    condition = table.c.events[card].condition
    return _CHECKS[condition.kind](table, seat, condition)


def has_keyword(table: Table, seat: str, keyword: str) -> bool:
    """Return whether a face-up Ministry card of `seat` has the keyword (3.5.3)."""
    cards = table.c.ministries
    return any(keyword in cards[card].keywords for card in table.state.sides[seat].revealed)


def bonus_tiles(table: Table, seat: str) -> int:
    """Return the number of Bonus War tiles of `seat` in all theaters of the next war."""
    tiles = table.c.war_tiles
    return sum(bool(tiles[t].war) for theater in table.state.theaters.values() for t in theater[seat])


def _more_debt(table: Table, seat: str, condition: BonusCondition) -> bool:
    """Return whether `seat` has more Available Debt, which is limit minus Debt (6.4)."""
    state = table.state
    return board.available_debt(state, seat) - board.available_debt(state, OTHER[seat]) >= condition.by


def _isles(table: Table, seat: str, condition: BonusCondition) -> bool:
    held = {side: sum(board.counts(table.state, side, space) for space in ISLES) for side in OTHER}
    return held[seat] > held[OTHER[seat]]


_CHECKS: dict[str, Check] = {
    "none": lambda table, seat, condition: False,
    "keyword": lambda table, seat, condition: has_keyword(table, seat, condition.keyword),
    "more-available-debt": _more_debt,
    "more-bonus-tiles": lambda table, seat, condition: bonus_tiles(table, seat) > bonus_tiles(table, OTHER[seat]),
    "prestige-scot-ire": _isles,
    # The tile counts Exhausted or not.
    "advantage": lambda table, seat, condition: bool(table.state.advantages.get(condition.advantage) == seat),
}

# What Action Points granted by Events may buy (5.2 point 4).

GERMAN_PRUSSIA_DUTCH = ("german-states", "prussia", "dutch-republic")
SPAIN_AUSTRIA = ("spain", "austria")


def _region(name: str) -> Test:
    """Return the test for spending on spaces of one Region."""
    return lambda table, seat, purchase: bool(purchase.space) and table.c.region[purchase.space] == name


def _countries(names: tuple[str, ...]) -> Test:
    """Return the test for spending on Political spaces of these countries."""
    return lambda table, seat, purchase: bool(purchase.space) and table.c.spaces[purchase.space].country in names


def _beside_own(table: Table, seat: str, purchase: Purchase) -> bool:
    """#13: flagging an empty Market connected to a Market of one's own."""
    flags, space = table.state.flags, purchase.space
    if purchase.kind != "shift" or purchase.removes or table.c.spaces[space].type != "market":
        return False
    return any(flags[other] == seat and other not in table.state.conflicts for other in table.c.neighbours[space])


def _removing(where: Test) -> Test:
    """Return the test for removing opposing flags from some spaces."""
    return lambda table, seat, purchase: purchase.kind == "shift" and purchase.removes and where(table, seat, purchase)


LIMITS |= {
    "unflag-europe": _removing(_region("europe")),  # #2
    "unflag-markets": _removing(lambda table, seat, purchase: table.c.spaces[purchase.space].type == "market"),
    "flag-next-to-own": _beside_own,
    "german-prussia-dutch": _countries(GERMAN_PRUSSIA_DUTCH),
    "spain-austria": _countries(SPAIN_AUSTRIA),
    **{region: _region(region) for region in ("europe", "north-america", "caribbean", "india")},
}
