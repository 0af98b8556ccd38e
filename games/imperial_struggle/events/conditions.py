"""Bonus conditions of Events (3.4.3, 5.2 point 1): checked when the card is played, before any effect."""

from __future__ import annotations

from collections.abc import Callable

from games.imperial_struggle import board
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


def _keyword(table: Table, seat: str, condition: BonusCondition) -> bool:
    return has_keyword(table, seat, condition.keyword)


def _more_debt(table: Table, seat: str, condition: BonusCondition) -> bool:
    """Return whether `seat` has more Available Debt, which is limit minus Debt (6.4)."""
    state = table.state
    return board.available_debt(state, seat) - board.available_debt(state, OTHER[seat]) >= condition.by


def _more_tiles(table: Table, seat: str, condition: BonusCondition) -> bool:
    return bonus_tiles(table, seat) > bonus_tiles(table, OTHER[seat])


def _isles(table: Table, seat: str, condition: BonusCondition) -> bool:
    held = {side: sum(board.counts(table.state, side, space) for space in ISLES) for side in OTHER}
    return held[seat] > held[OTHER[seat]]


def _advantage(table: Table, seat: str, condition: BonusCondition) -> bool:
    """Return whether `seat` holds the tile, Exhausted or not."""
    return bool(table.state.advantages.get(condition.advantage) == seat)


_CHECKS: dict[str, Check] = {
    "none": lambda table, seat, condition: False,
    "keyword": _keyword,
    "more-available-debt": _more_debt,
    "more-bonus-tiles": _more_tiles,
    "prestige-scot-ire": _isles,
    "advantage": _advantage,
}
