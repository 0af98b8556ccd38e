"""The core presence of a religion (18.1), and turning a space to the other religion."""

from __future__ import annotations

from games.virgin_queen.table import KIT, Table

KIT.chapter("18.1", "the core presence of a religion", "religion/core.py")


def others_left(table: Table, area: str, religion: str) -> int:
    """18.1 Return how many spaces of an area may turn to a religion: all of the other one but the last."""
    religions = table.state.religion
    return len([at for at in table.c.areas[area] if religions[at] != religion]) - 1


def last(table: Table, space: str) -> bool:
    """18.1 Return whether a space is the last of its religion in its area; spaces in unrest count."""
    religions = table.state.religion
    mine = religions[space]
    return [religions[other] for other in table.c.areas[table.c.spaces[space].area]].count(mine) < 2


def turn_over(table: Table, space: str, religion: str, rule: str = "18.1") -> bool:
    """2.3, 18.1 Turn a space over, unless it is the last of its religion in its area; return whether it turned."""
    religions = table.state.religion
    if religions[space] == religion or last(table, space):
        return False
    religions[space] = religion
    table.log("event.turned", rule=rule, space=space, religion=religion)
    return True
