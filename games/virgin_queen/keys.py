"""Keys and what they give (4): cards (6.2) and victory points (25.2); the count of Protestant spaces (18.1, 25.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import itemgetter
from typing import Any

from games.virgin_queen.components import QueenComponents
from games.virgin_queen.state import ENGLAND, HRE, POWERS, PROTESTANT, SPAIN
from games.virgin_queen.table import KIT, Table

KIT.chapter("4", "power cards", "components.py", "keys.py")

LORD_KEYS = 3


@cache
def _look_up(
    c: QueenComponents,
) -> tuple[Callable[[Any], tuple[str, ...]], Callable[[Any], tuple[str, ...]], frozenset[str]]:
    """Return how to read the holders of all keys and the religions of the four areas; and their spaces."""
    land = [space for spaces in c.areas.values() for space in spaces]
    return itemgetter(*c.keys), itemgetter(*land), frozenset(land)


def keys(table: Table, power: str) -> list[str]:
    """Return the key spaces that count for a power: under its control and not in unrest (2.4, 12.4)."""
    state = table.state
    found = holders(table)
    return [key for key, holder in zip(table.c.keys, found, strict=True) if holder == power and key not in state.unrest]


def holders(table: Table) -> tuple[str, ...]:
    """Return who controls each key, in the order of `c.keys`, whether it is in unrest or not."""
    return _look_up(table.c)[0](table.state.control)


def number_of_keys(table: Table, power: str) -> int:
    """Return how many keys count for a power."""
    state = table.state
    number = _look_up(table.c)[0](state.control).count(power)
    if state.unrest:
        spaces = table.c.spaces
        number -= len([at for at in state.unrest if state.control[at] == power and spaces[at].type == "key"])
    return number


def rows(table: Table) -> tuple[int, int]:
    """Return the Protestants' keys in the Netherlands row and in the other row (23.6)."""
    mine = keys(table, PROTESTANT)
    dutch = sum(key in table.c.powers[PROTESTANT].netherlands_keys for key in mine)
    return dutch, len(mine) - dutch


def counted(table: Table, power: str) -> int:
    """Return keys on the track of a power; an activated major power never empties its last box (27.1)."""
    number = number_of_keys(table, power)
    if not table.state.powers[power].active:
        number = min(number, table.c.powers[power].auto_win_keys - 1)
    return number


def base_cards(table: Table, power: str) -> int:
    """Return cards from keys (6.2)."""
    card = table.c.powers[power]
    if power == PROTESTANT:
        return int(card.cards_by_min_of_rows[min(*rows(table), len(card.cards_by_min_of_rows) - 1)])
    track = card.key_track_cards
    return int(track[min(counted(table, power), len(track) - 1)])


def base_vp(table: Table, power: str) -> int:
    """Return basic VP from keys (25.2)."""
    card = table.c.powers[power]
    if power == PROTESTANT:
        dutch, others = rows(table)
        row = card.other_keys_vp
        return dutch * int(card.vp_per_netherlands_key) + int(row[min(others, len(row) - 1)])
    track = card.key_track_vp
    return int(track[min(counted(table, power), len(track) - 1)])


def protestant_spaces(table: Table) -> int:
    """Return Protestant spaces of the four areas, without those in unrest (12.4, 25.2)."""
    state = table.state
    _, religions, land = _look_up(table.c)
    number = religions(state.religion).count(PROTESTANT)
    if state.unrest:
        number -= len([at for at in state.unrest if at in land and state.religion[at] == PROTESTANT])
    return number


def religious_vp(table: Table, column: str) -> int:
    """Return special VP from Protestant spaces (25.2). Columns: spain, england, protestant, hre_catholic, others."""
    number = protestant_spaces(table)
    track = table.c.tables["protestant_space_vp"]["rows"]
    for row in track:
        if row["lo"] <= number <= row["hi"]:
            return int(row[column])
    return int(track[0 if number < track[0]["lo"] else -1][column])


def secret_vp(table: Table) -> int:
    """Return what the Empire's secret choice of religion is worth now (23.5); 0 if it has made none."""
    faith = table.state.hre_faith
    return religious_vp(table, f"hre_{faith}") if faith else 0


def vp(table: Table, power: str) -> int:
    """Return all VP of a power that everybody sees (25.2): not the Empire's secret ones (23.5)."""
    state, own = table.state, table.state.powers[power]
    total = base_vp(table, power) + sum(own.vp.values())
    if power in (SPAIN, ENGLAND, PROTESTANT):
        total += religious_vp(table, power)
    if power == "ottoman" and state.control["cyprus"] == power:
        total += table.c.special["bonus_vp"]["cyprus"]
    # Card 103: the Lord of the Netherlands, while the Protestants hold three keys.
    if own.stock.get("lord") and len(keys(table, PROTESTANT)) >= LORD_KEYS:
        total += own.stock["lord"]
    return total


def totals(table: Table, *, shown: bool = False) -> dict[str, int]:
    """Return VP of all powers; `shown` adds the Empire's secret ones."""
    found = {power: vp(table, power) for power in POWERS}
    if shown:
        found[HRE] += secret_vp(table)
    return found
