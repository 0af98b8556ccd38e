"""What lies under the drawn map: sea, and land by who controls it, a cell each."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

Point = tuple[float, float]
Ground = list[list[str | None]]
"""By row and column: None is sea, "" land that is nobody's, else the side that controls it."""


def land(rings: Iterable[Sequence[Point]], wide: int, high: int) -> list[list[bool]]:
    """Which cells are land, by their middle; rings are in dots (2 x 4 a cell), lakes are rings within rings."""
    crossings: list[list[float]] = [[] for _ in range(high)]
    for ring in rings:
        for at, (x2, y2) in enumerate(ring):
            x1, y1 = ring[at - 1]
            low, up = (y1, y2) if y1 < y2 else (y2, y1)
            # A row's middle lies at 4 * row + 2 dots.
            first, last = max(0, -int(-(low - 2) // 4)), min(high - 1, -int(-(up - 2) // 4) - 1)
            for row in range(first, last + 1):
                y = 4 * row + 2
                crossings[row].append(x1 + (x2 - x1) * (y - y1) / (y2 - y1))
    return [_filled(sorted(row), wide) for row in crossings]


def _filled(crossings: list[float], wide: int) -> list[bool]:
    row = [False] * wide
    for left, right in zip(crossings[::2], crossings[1::2], strict=False):
        # A cell's middle lies at 2 * column + 1 dots.
        first, last = max(0, -int(-(left - 1) // 2)), min(wide - 1, -int(-(right - 1) // 2) - 1)
        if last >= first:
            row[first : last + 1] = [True] * (last + 1 - first)
    return row


def ground(
    shore: list[list[bool]], seeds: Mapping[str, tuple[int, int]], sides: Mapping[str, str], reach: int
) -> Ground:
    """Who controls the land: each space spreads over it from its cell, at most `reach` columns (two make a row).

    `seeds` maps space → column and row, `sides` space → side.
    """
    high, wide = len(shore), len(shore[0]) if shore else 0
    found: Ground = [["" if here else None for here in row] for row in shore]
    taken = [[False] * wide for _ in range(high)]
    rings: list[deque[tuple[int, int, str]]] = [deque() for _ in range(reach + 3)]
    for space, (x, y) in seeds.items():
        if 0 <= x < wide and 0 <= y < high:
            rings[0].append((x, y, sides[space]))
    for step, ring in enumerate(rings[: reach + 1]):
        while ring:
            x, y, side = ring.popleft()
            if taken[y][x]:
                continue
            taken[y][x] = True
            if found[y][x] is not None:
                found[y][x] = side
            for right, down, cost in ((1, 0, 1), (-1, 0, 1), (0, 1, 2), (0, -1, 2)):
                at, row = x + right, y + down
                if 0 <= at < wide and 0 <= row < high and not taken[row][at] and shore[row][at]:
                    rings[step + cost].append((at, row, side))
    return found
