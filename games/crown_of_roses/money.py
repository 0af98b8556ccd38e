"""Influence markers (9.1): change, moving them between pool, stock and Roll of Parliament."""

from __future__ import annotations

from collections.abc import Mapping

from games.crown_of_roses.components import Components
from games.crown_of_roses.state import House


def compose(c: Components, pile: Mapping[str, int], points: int) -> dict[str, int] | None:
    """Markers of a pile that make exactly so many points, small ones first; None if there is no such change."""
    kinds = [key for key, marker in c.markers.items() if marker.value]
    rest = [0] * (len(kinds) + 1)
    for index in range(len(kinds) - 1, -1, -1):
        rest[index] = rest[index + 1] + c.markers[kinds[index]].value * pile.get(kinds[index], 0)

    def fill(index: int, left: int) -> dict[str, int] | None:
        if left == 0:
            return {}
        if index == len(kinds) or left < 0 or left > rest[index]:
            return None
        value = c.markers[kinds[index]].value
        for count in range(min(pile.get(kinds[index], 0), left // value), -1, -1):
            found = fill(index + 1, left - count * value)
            if found is not None:
                return {kinds[index]: count, **found} if count else found
        return None

    return fill(0, points)


def shift(source: dict[str, int], target: dict[str, int], markers: Mapping[str, int]) -> None:
    """Move markers from one pile to another; piles keep no empty entries. The source must hold them."""
    for key, count in markers.items():
        source[key] -= count
        if not source[key]:
            del source[key]
        target[key] = target.get(key, 0) + count


def clear_box(house: House, noble: str) -> int:
    """19.0 A house's markers on a noble go back to its pool; how many there were."""
    stack = house.roll.pop(noble, {})
    count = sum(stack.values())
    shift(dict(stack), house.pool, stack)
    return count
