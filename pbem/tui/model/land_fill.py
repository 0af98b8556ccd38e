"""The ground of the drawn map: sea, and land by who controls it, a cell each."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

Point = tuple[float, float]
Ground = list[list[str | None]]
"""By row and column: None is sea, "" neutral land, else the side that controls it."""


def land(rings: Sequence[Sequence[Point]], wide: int, high: int) -> list[list[int | None]]:
    """Return the ring around each cell's middle, None at sea.

    Rings are in dots (2 x 4 a cell), lakes rings within.
    """
    crossings: list[list[tuple[float, int]]] = [[] for _ in range(high)]
    for number, ring in enumerate(rings):
        for at, (x2, y2) in enumerate(ring):
            x1, y1 = ring[at - 1]
            low, up = (y1, y2) if y1 < y2 else (y2, y1)
            # A row's middle is at 4 * row + 2 dots.
            first, last = max(0, -int(-(low - 2) // 4)), min(high - 1, -int(-(up - 2) // 4) - 1)
            for row in range(first, last + 1):
                y = 4 * row + 2
                crossings[row].append((x1 + (x2 - x1) * (y - y1) / (y2 - y1), number))
    sizes = [len(ring) for ring in rings]
    return [_filled(sorted(row), wide, sizes) for row in crossings]


def _filled(crossings: list[tuple[float, int]], wide: int, sizes: Sequence[int]) -> list[int | None]:
    row: list[int | None] = [None] * wide
    for (left, ring), (right, other) in zip(crossings[::2], crossings[1::2], strict=False):
        # A cell's middle is at 2 * column + 1 dots.
        first, last = max(0, -int(-(left - 1) // 2)), min(wide - 1, -int(-(right - 1) // 2) - 1)
        if last >= first:
            # Land and its lake both contain the cells between their shores: the longer ring, the land, wins.
            row[first : last + 1] = [ring if sizes[ring] >= sizes[other] else other] * (last + 1 - first)
    return row


class LandSeed(NamedTuple):
    """Where a side's land begins: its cell, and the ring of coast around it (None: unknown)."""

    column: int
    row: int
    side: str
    ring: int | None


def ground(shore: list[list[int | None]], seeds: Iterable[LandSeed], reach: int) -> Ground:
    """Return who controls the land: each seed spreads over its ring, at most `reach` columns (two make a row)."""
    high, wide = len(shore), len(shore[0]) if shore else 0
    found: Ground = [[None if here is None else "" for here in row] for row in shore]
    taken = [[False] * wide for _ in range(high)]
    queues: list[deque[tuple[int, int, str, int | None]]] = [deque() for _ in range(reach + 3)]
    for seed in seeds:
        if 0 <= seed.column < wide and 0 <= seed.row < high:
            queues[0].append(seed)
    for step, queue in enumerate(queues[: reach + 1]):
        while queue:
            x, y, side, ring = queue.popleft()
            if taken[y][x]:
                continue
            here = shore[y][x]
            if here is not None:
                if ring is not None and here != ring:
                    continue
                taken[y][x], ring = True, here
                found[y][x] = side
            elif step:
                continue
            for right, down, cost in ((1, 0, 1), (-1, 0, 1), (0, 1, 2), (0, -1, 2)):
                at, row = x + right, y + down
                if 0 <= at < wide and 0 <= row < high and not taken[row][at] and shore[row][at] is not None:
                    queues[step + cost].append((at, row, side, ring))
    return found
