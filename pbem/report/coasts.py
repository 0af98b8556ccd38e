"""The coasts of a game's map: rings of points in the units of its `MapSpace`s, from `data/coast.txt`."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import floor, inf

from pbem.data_cache import folder_of

Point = tuple[float, float]
Ring = tuple[Point, ...]

GRID = 200
"""Stored steps of a degree (`.ci/coasts.py`)."""


@lru_cache(maxsize=8)
def coasts(package: str) -> tuple[Ring, ...]:
    """Return the land of a game as rings; lakes are rings within rings. Empty if its map has no coasts."""
    found = folder_of(package, "data") / "coast.txt"
    if not found.is_file():
        return ()
    lines = found.read_text("utf-8").splitlines()
    text = "".join(line for line in lines if not line.startswith("# "))
    numbers = _numbers(zlib.decompress(base64.b85decode(text)))
    return tuple(_ring(count, numbers) for count in numbers)


def _numbers(packed: bytes) -> Iterator[int]:
    """Decode zigzag varints: seven bits a byte, the lowest first."""
    value = shift = 0
    for byte in packed:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value >> 1 if value % 2 == 0 else -(value + 1 >> 1)
            value = shift = 0


def _ring(count: int, numbers: Iterator[int]) -> Ring:
    x = y = 0
    points = []
    for _ in range(count):
        x, y = x + next(numbers), y + next(numbers)
        points.append((x / GRID, y / GRID))
    return tuple(points)


class CoastIndex:
    """An index from points to rings. The edges are sorted by bands of one unit, so that few are tested."""

    def __init__(self, rings: Sequence[Sequence[Point]]) -> None:
        self.rings = rings
        self._bands: dict[int, list[tuple[int, Point, Point]]] = {}
        self._boxes: list[tuple[float, float, float, float]] = []
        for number, ring in enumerate(rings):
            xs, ys = [x for x, _ in ring], [y for _, y in ring]
            self._boxes.append((min(xs), min(ys), max(xs), max(ys)))
            for at, there in enumerate(ring):
                here = ring[at - 1]
                low, high = sorted((floor(here[1]), floor(there[1])))
                for band in range(low, high + 1):
                    self._bands.setdefault(band, []).append((number, here, there))

    def ring_of(self, point: Point) -> int | None:
        """Return the smallest ring around a point; None at sea."""
        x, y = point
        inside: set[int] = set()
        for number, (x1, y1), (x2, y2) in self._bands.get(floor(y), ()):
            if (y1 > y) != (y2 > y) and x < x1 + (x2 - x1) * (y - y1) / (y2 - y1):
                inside ^= {number}
        return min(inside, key=lambda number: (len(self.rings[number]), -number), default=None)

    def nearest(self, point: Point) -> int:
        """Return the ring around a point, else the one with the nearest shore: a port may be a little off it."""
        found = self.ring_of(point)
        if found is not None:
            return found
        x, y = point
        best, far = 0, inf
        for number, (left, top, right, bottom) in enumerate(self._boxes):
            aside, above = max(left - x, 0.0, x - right), max(top - y, 0.0, y - bottom)
            if aside * aside + above * above >= far:
                continue
            near = min((x - p) ** 2 + (y - q) ** 2 for p, q in self.rings[number])
            if near < far:
                best, far = number, near
        return best
