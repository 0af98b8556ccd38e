"""The coasts of a game's map: rings of points in the units of its `MapSpace`s, unpacked from `data/coast.txt`."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache

Ring = tuple[tuple[float, float], ...]

GRID = 200
"""Steps of a degree in which points are written (`.ci/coasts.py`)."""


@lru_cache(maxsize=8)
def coasts(package: str) -> tuple[Ring, ...]:
    """The land of a game, as rings; lakes are rings within rings. Empty if its map has no coasts."""
    from importlib.resources import files

    found = files(package) / "data" / "coast.txt"
    if not found.is_file():
        return ()
    lines = found.read_text("utf-8").splitlines()
    text = "".join(line for line in lines if not line.startswith("# "))
    numbers = _numbers(zlib.decompress(base64.b85decode(text)))
    return tuple(_ring(count, numbers) for count in numbers)


def _numbers(packed: bytes) -> Iterator[int]:
    """Zigzag varints: seven bits a byte, the lowest first."""
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


def ring_of(point: tuple[float, float], rings: Sequence[Sequence[tuple[float, float]]]) -> int | None:
    """The smallest ring around a point; None at sea."""
    x, y = point
    found: int | None = None
    for number, ring in enumerate(rings):
        if found is not None and len(ring) > len(rings[found]):
            continue
        inside = False
        for at, (x2, y2) in enumerate(ring):
            x1, y1 = ring[at - 1]
            if (y1 > y) != (y2 > y) and x < x1 + (x2 - x1) * (y - y1) / (y2 - y1):
                inside = not inside
        if inside:
            found = number
    return found


def nearest_ring(point: tuple[float, float], rings: Sequence[Sequence[tuple[float, float]]]) -> int:
    """The ring around a point, else the one whose shore is nearest: a port may lie a little off it."""
    found = ring_of(point, rings)
    if found is not None:
        return found
    x, y = point
    return min(range(len(rings)), key=lambda at: min((x - p) ** 2 + (y - q) ** 2 for p, q in rings[at]))
