"""Pack the coasts of the games' maps: `python .ci/coasts.py ATLAS`.

ATLAS is the unpacked npm package world-atlas 2 (`npm pack world-atlas@2`; ISC licence, Copyright 2013-2019 Michael
Bostock), which holds Natural Earth's land (public domain) as TopoJSON. Each game's land is cut out, projected as its
map is, simplified (Douglas and Peucker 1973), rounded to 1/200 of a degree and written to
`games/<game>/data/coast.txt`.
"""

from __future__ import annotations

import base64
import json
import math
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import games
from games.imperial_struggle import map_drawing as imperial_struggle
from pbem.kernel.geography import Conic, MapPanel, Panels
from pbem.report.coasts import GRID

Point = tuple[float, float]
Ring = list[Point]


class Cut(NamedTuple):
    """What part of which layer a map shows: `box` is west, south, east, north; `fine` the tolerance in degrees."""

    layer: str
    box: tuple[float, float, float, float]
    fine: float


CUTS = {
    "virgin_queen": {"": Cut("land-50m", (-30, 22, 50, 66), 0.03)},
    "crown_of_roses": {"": Cut("land-10m", (-16, 47, 8, 62), 0.01)},
    "sixteen_thirty": {"": Cut("land-50m", (-14, 33, 34, 66), 0.04)},
    "imperial_struggle": {
        name: Cut("land-10m" if panel.scale > 2 else "land-50m", panel.box, 0.04)
        for name, panel in imperial_struggle.CHART.parts.items()
    },
}
"""What is cut out for each game, by the panel of its map ("" if it has but one)."""


def rings(atlas: Path, layer: str) -> Iterator[Ring]:
    """Return the outlines of a layer, in longitude and latitude."""
    topology: dict[str, Any] = json.loads((atlas / f"{layer}.json").read_text("utf-8"))
    (wide, high), (left, low) = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs: list[Ring] = []
    for steps in topology["arcs"]:
        x = y = 0
        arc: Ring = []
        for right, up in steps:
            x, y = x + right, y + up
            arc.append((x * wide + left, y * high + low))
        arcs.append(arc)
    for shape in topology["objects"]["land"]["geometries"]:
        for polygon in shape["arcs"] if shape["type"] == "MultiPolygon" else [shape["arcs"]]:
            for numbers in polygon:
                ring: Ring = []
                for number in numbers:
                    arc = arcs[number] if number >= 0 else arcs[~number][::-1]
                    ring += arc[1:] if ring else arc
                yield ring[:-1] if ring[0] == ring[-1] else ring


def clipped(ring: Ring, box: tuple[float, float, float, float]) -> Ring:
    """Return what of a ring lies in the box (Sutherland and Hodgman 1974)."""
    west, south, east, north = box
    for axis, bound, sign in ((0, west, 1), (0, east, -1), (1, south, 1), (1, north, -1)):
        found: Ring = []
        for at, here in enumerate(ring):
            before = ring[at - 1]
            if (here[axis] - bound) * sign >= 0:
                if (before[axis] - bound) * sign < 0:
                    found.append(_crossing(before, here, axis, bound))
                found.append(here)
            elif (before[axis] - bound) * sign >= 0:
                found.append(_crossing(before, here, axis, bound))
        ring = found
    return ring


def _crossing(one: Point, other: Point, axis: int, bound: float) -> Point:
    part = (bound - one[axis]) / (other[axis] - one[axis])
    x, y = (a + (b - a) * part for a, b in zip(one, other, strict=True))
    return (bound, y) if axis == 0 else (x, bound)


def dense(ring: Ring, step: float = 2.0) -> Ring:
    """Return the ring with a point at least every `step` degrees: straight edges of the box are curves on the map."""
    found: Ring = []
    for at, here in enumerate(ring):
        before = ring[at - 1]
        count = int(max(abs(here[0] - before[0]), abs(here[1] - before[1])) // step)
        parts = ((number + 1) / (count + 1) for number in range(count))
        found += [(before[0] + (here[0] - before[0]) * p, before[1] + (here[1] - before[1]) * p) for p in parts]
        found.append(here)
    return found


def simplified(points: Ring, fine: float) -> Ring:
    """Return the points without which a line would be off by more than `fine`."""
    keep = {0, len(points) - 1}
    stack = [(0, len(points) - 1)]
    while stack:
        first, last = stack.pop()
        worst, far = fine, -1
        for at in range(first + 1, last):
            off = _distance(points[at], points[first], points[last])
            if off > worst:
                worst, far = off, at
        if far >= 0:
            keep.add(far)
            stack += [(first, far), (far, last)]
    return [points[at] for at in sorted(keep)]


def _distance(point: Point, one: Point, other: Point) -> float:
    (x, y), (left, top) = point, one
    wide, high = other[0] - left, other[1] - top
    length = wide * wide + high * high
    part = max(0.0, min(1.0, ((x - left) * wide + (y - top) * high) / length)) if length else 0.0
    return math.hypot(x - left - part * wide, y - top - part * high)


def area(ring: Ring) -> float:
    """Return the area of a ring, in square degrees."""
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1], strict=True))) / 2


def land(atlas: Path, cut: Cut, conic: Conic | MapPanel) -> list[Ring]:
    """Return the land of a map, on the map. Specks are left out."""
    found = []
    for ring in rings(atlas, cut.layer):
        inside = clipped(ring, cut.box)
        if len(inside) < 3:
            continue
        flat = [conic.at(*point) for point in dense(inside)]
        shape = simplified([*flat, flat[0]], cut.fine)[:-1]
        if len(shape) >= 3 and area(shape) >= 12 * cut.fine**2:
            found.append(shape)
    return found


def packed(shapes: list[Ring]) -> bytes:
    """Rings as zigzag varints: the number of points, then the steps from point to point."""
    out = bytearray()

    def put(value: int) -> None:
        value = value << 1 if value >= 0 else (-value << 1) - 1
        while value > 127:
            out.append(value & 127 | 128)
            value >>= 7
        out.append(value)

    for shape in shapes:
        put(len(shape))
        left = top = 0
        for x, y in shape:
            right, down = round(x * GRID), round(y * GRID)
            put(right - left)
            put(down - top)
            left, top = right, down
    return bytes(out)


def main(atlas: Path, say: Callable[[str], object] = print) -> None:
    """Write the coasts of all games that have them."""
    for slug, cuts in CUTS.items():
        chart = games.load(slug).chart
        parts: dict[str, Conic | MapPanel] = (
            dict(chart.parts) if isinstance(chart, Panels) else {"": chart} if chart else {}
        )
        shapes = [shape for name, cut in cuts.items() for shape in land(atlas, cut, parts[name])]
        text = base64.b85encode(zlib.compress(packed(shapes), 9)).decode()
        layers = ", ".join(dict.fromkeys(cut.layer for cut in cuts.values()))
        lines = [
            f"# Coasts: Natural Earth (public domain) by world-atlas 2.0.2 (ISC), {layers}; made by .ci/coasts.py",
            *(text[at : at + 118] for at in range(0, len(text), 118)),
        ]
        target = Path("games") / slug / "data" / "coast.txt"
        target.write_text("\n".join(lines) + "\n", "utf-8")
        say(f"{target}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
