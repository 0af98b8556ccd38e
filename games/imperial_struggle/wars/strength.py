"""Theater strength: War tiles, markers, and the bonus strength list of the display (7.1.3, 7.1.4)."""

from __future__ import annotations

from functools import lru_cache

from games.imperial_struggle import board
from games.imperial_struggle.components import StruggleComponents, Theater, War
from games.imperial_struggle.events.conditions import has_keyword
from games.imperial_struggle.state import BRITAIN, OTHER
from games.imperial_struggle.table import KIT, Table

KIT.chapter("7.1.3", "bonus strength", "wars/strength.py")

DOMINATED = "french-and-indian-war"
"""The theater in which the Atlantic Dominance marker counts."""


def strength(table: Table, war: War, theater: Theater, seat: str) -> dict[str, int]:
    """Return what each element gives `seat`. Stores the Conflict markers that gave strength (7.5)."""
    state, c = table.state, table.c
    lying = state.theaters[theater.id][seat]
    return {
        "tiles": sum([c.war_tiles[tile].value for tile in lying]),
        "markers": _markers(table, theater, seat),
        "alliances": len(alliances(table, war, theater, seat)),
        "keyword": int(bool(theater.keyword) and has_keyword(table, seat, theater.keyword)),
        "squadrons": len(board.squadrons(state, c, seat, theater.squadrons)),
        "forts": _forts(table, theater, seat) if theater.forts else 0,
        "conflicts": _conflicts(table, theater, seat) if theater.conflicts else 0,
    }


def _forts(table: Table, theater: Theater, seat: str) -> int:
    """Return the number of own undamaged Forts in the theater's Regions."""
    flags, damaged = table.state.flags, table.state.damaged
    there = board.lying_in(table.c, "fort", theater.regions)
    return len([s for s in there if flags[s] == seat and s not in damaged])


def _markers(table: Table, theater: Theater, seat: str) -> int:
    """Return the strength of Byng (#18) and Atlantic Dominance, 2 each."""
    found = int(seat == BRITAIN and table.state.byng == theater.id)
    found += int(theater.id == DOMINATED and table.state.dominance == seat)
    return found * table.c.special.marker_strength


def alliances(table: Table, war: War, theater: Theater, seat: str) -> list[str]:
    """Return the spaces of the listed countries with the dots of this war that count for `seat`."""
    return [s for s in listed(table.c, war.id, theater.id) if board.counts(table.state, seat, s)]


@lru_cache(maxsize=64)
def listed(c: StruggleComponents, war_id: str, theater_id: str) -> tuple[str, ...]:
    """Return the spaces of the countries of a theater with the dots of the war."""
    war = c.wars[war_id]
    theater = next(there for there in war.theaters if there.id == theater_id)
    listed = (space for country in theater.countries for space in c.of_country[country])
    return tuple(space for space in listed if war.dots in c.spaces[space].dots)


def _conflicts(table: Table, theater: Theater, seat: str) -> int:
    """Return the number of Conflict markers on spaces flagged by the other side, in the theater's Regions."""
    state, c = table.state, table.c
    found = [s for s in state.conflicts if state.flags[s] == OTHER[seat] and c.region[s] in theater.regions]
    state.counted.extend(s for s in found if s not in state.counted)
    return len(found)
