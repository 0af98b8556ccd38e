"""The drawn map: spaces and their links on a grid of characters, links as braille dots. Pure; the widget colours it.

Braille has 2 x 4 dots a character and is one cell wide everywhere (unlike lines and blocks, whose width is ambiguous).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pbem.kernel.view import MapSpace
from pbem.report.cells import width
from pbem.tui.model.ground import Ground, Seed, ground, land

LINK, NAME, NEAR, COAST, WATER, BORDER = "link", "name", "near", "coast", "water", "border"
"""What a cell holds besides badges (`side:<id>`): a link, a name, a link of the selected space, a
coast, the name of a sea, a border between two spaces."""

PLAIN = "-"
"""The ground of a map without coasts."""

_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_MARGIN_X, _MARGIN_Y = 4, 1

_BORDERED = 10
"""Columns from a space to the nearest, in the middle case, from which on borders are drawn."""


@dataclass(frozen=True)
class Lens:
    """What part of the map is seen: `zoom` 1 is all of it; `x`, `y` is the middle, 0 to 1."""

    zoom: float = 1.0
    x: float = 0.5
    y: float = 0.5

    def zoomed(self, factor: float) -> Lens:
        """Closer or farther, never smaller than the whole."""
        zoom = min(max(self.zoom * factor, 1.0), 16.0)
        return Lens(zoom, self.x, self.y) if zoom > 1 else Lens()

    def moved(self, right: float, down: float) -> Lens:
        """Panned by fractions of what is seen."""
        return Lens(self.zoom, _unit(self.x + right / self.zoom), _unit(self.y + down / self.zoom))


class Run(NamedTuple):
    """Neighbouring cells of a kind. `ground`: None is sea, "" land, else who controls it; `PLAIN` without coasts."""

    text: str
    what: str
    space: str
    ground: str | None


@dataclass
class Drawing:
    """`rows[y]` are runs that fill the width; `at` says where each space's badge stands."""

    rows: list[list[Run]]
    at: dict[str, tuple[int, int]] = field(default_factory=dict)

    def text(self) -> str:
        """The drawing without colours."""
        return "\n".join("".join(run[0] for run in row).rstrip() for row in self.rows)


@dataclass(frozen=True)
class Notes:
    """What is written besides badges and names, in the spaces' units.

    `seas` are id, name and place; `lands` space or side ("" for nobody) and place of more land;
    `short` and `weights` by space; `rings` says within which ring of the coast a space lies (None: at sea).
    """

    seas: Sequence[tuple[str, str, float, float]] = ()
    lands: Sequence[tuple[str, float, float]] = ()
    short: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, int] = field(default_factory=dict)
    rings: Mapping[str, int | None] = field(default_factory=dict)


@dataclass
class _Cell:
    text: str
    what: str
    space: str = ""
    ground: str | None = PLAIN


class Scale:
    """Where points of the map lie on a canvas, in dots (2 x 4 a cell); outside the canvas too."""

    def __init__(
        self, spaces: Sequence[MapSpace], wide: int, high: int, lens: Lens, most: float = 1.5
    ) -> None:
        left, top = min(s.x for s in spaces), min(s.y for s in spaces)
        span_x = max(s.x for s in spaces) - left or 1.0
        span_y = max(s.y for s in spaces) - top or 1.0
        room_x, room_y = max(wide - 2 * _MARGIN_X, 4) * 2, max(high - 2 * _MARGIN_Y, 2) * 4
        scale_x, scale_y = room_x / span_x, room_y / span_y
        # Fill the canvas, but do not pull the map out of shape by more than that.
        scale_x, scale_y = min(scale_x, scale_y * most), min(scale_y, scale_x * most)
        self.across, self.down = scale_x * lens.zoom, scale_y * lens.zoom
        self.middle = (left + span_x * lens.x, top + span_y * lens.y)
        self.centre = (wide, high * 2)

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The dot of a point."""
        right, down = (x - self.middle[0]) * self.across, (y - self.middle[1]) * self.down
        return self.centre[0] + right, self.centre[1] + down


def draw(
    spaces: Sequence[MapSpace],
    labels: dict[str, tuple[str, str]],
    wide: int,
    high: int,
    lens: Lens | None = None,
    chosen: str = "",
    *,
    ascii_only: bool = False,
    coast: Sequence[Sequence[tuple[float, float]]] = (),
    focus: Sequence[MapSpace] = (),
    notes: Notes | None = None,
) -> Drawing:
    """Draw the map on `wide` x `high` cells. `labels` gives each space its badge and its name.

    With coasts, in the spaces' units, land is told from sea, and only the links of the selected space are drawn.
    The canvas shows the `focus` (default: all) and what lies around it.
    """
    lens, notes = lens or Lens(), notes or Notes()
    scale = Scale(focus or spaces, wide, high, lens, 1.15 if coast else 1.5) if spaces else None
    dots = {s.id: scale.at(s.x, s.y) for s in spaces} if scale is not None else {}
    near = next((set(s.links) for s in spaces if s.id == chosen), set())
    ends = {tuple(sorted((s.id, other))) for s in spaces for other in s.links if other in dots}
    grid: list[list[_Cell]] = [[_Cell(" ", "") for _ in range(wide)] for _ in range(high)]
    mine = [pair for pair in sorted(ends) if chosen in pair]
    if coast and scale is not None:
        shown = [[scale.at(*point) for point in ring] for ring in coast]
        _dots(grid, _edges(shown, wide, high), COAST, ascii_only)
    else:
        others = [pair for pair in sorted(ends) if chosen not in pair]
        _dots(grid, ((dots[a], dots[b]) for a, b in others), LINK, ascii_only)
    _dots(grid, ((dots[a], dots[b]) for a, b in mine), NEAR, ascii_only)
    at = {}
    first = {s.id for s in focus}
    weight = notes.weights
    order = sorted(
        spaces,
        key=lambda s: (s.id != chosen, s.id not in near, s.id not in first, -weight.get(s.id, 0), not s.mark),
    )
    taken = [[False] * wide for _ in range(high)]
    for space in order:
        x, y = int(dots[space.id][0] // 2), int(dots[space.id][1] // 4)
        badge, _ = labels[space.id]
        spot = _free(taken, x - width(badge) // 2, y, width(badge))
        if spot is not None:
            _put(grid, taken, spot, badge, f"side:{space.side}", space.id)
            at[space.id] = (spot[0] + width(badge) // 2, spot[1])
    for space in order:
        if space.id in at:
            _name(grid, taken, at[space.id], labels[space.id], space.id, notes.short.get(space.id, ""))
    if coast and scale is not None:
        _tint(grid, shown, dots, spaces, notes, scale, ascii_only)
        for key, name, right, down in notes.seas:
            _sea(grid, taken, at, key, name, scale.at(right, down))
    return Drawing([list(_runs(row)) for row in grid], at)


def _tint(
    grid: list[list[_Cell]],
    coast: Sequence[Sequence[tuple[float, float]]],
    dots: dict[str, tuple[float, float]],
    spaces: Sequence[MapSpace],
    notes: Notes,
    scale: Scale,
    ascii_only: bool,
) -> None:
    """Say of each cell what lies under it, and draw the borders between spaces where there is place for them."""
    wide, high = len(grid[0]), len(grid)
    cells = {key: (int(x // 2), int(y // 4)) for key, (x, y) in dots.items()}
    near = sorted(
        min((abs(x - p) + 2 * abs(y - q) for other, (p, q) in cells.items() if other != key), default=8)
        for key, (x, y) in cells.items()
    )
    apart = near[len(near) // 2]
    holders = {s.id: s.side for s in spaces}
    seeds = [Seed(*cells[s.id], s.id, notes.rings.get(s.id)) for s in spaces]
    for key, right, down in notes.lands:
        x, y = scale.at(right, down)
        seeds.append(Seed(int(x // 2), int(y // 4), key, None))
    under = ground(land(coast, wide, high), seeds, min(3 * apart + 2, 40))
    if apart >= _BORDERED:
        _borders(grid, under, ascii_only)
    for row, told in zip(grid, under, strict=True):
        for cell, space in zip(row, told, strict=True):
            cell.ground = holders.get(space, space) if space is not None else None


def _borders(grid: list[list[_Cell]], under: Ground, ascii_only: bool) -> None:
    """Dots along the right and lower rim of cells whose neighbour there belongs to another space."""
    for y, row in enumerate(under):
        for x, here in enumerate(row):
            if not here or grid[y][x].what:
                continue
            bit = 0
            if x + 1 < len(row) and row[x + 1] and row[x + 1] != here:
                bit |= _BITS[0][1] | _BITS[2][1]
            if y + 1 < len(under) and under[y + 1][x] and under[y + 1][x] != here:
                bit |= _BITS[3][0] | _BITS[3][1]
            if bit:
                grid[y][x] = _Cell("." if ascii_only else chr(0x2800 + bit), BORDER)


def _sea(
    grid: list[list[_Cell]],
    taken: list[list[bool]],
    at: dict[str, tuple[int, int]],
    key: str,
    name: str,
    dot: tuple[float, float],
) -> None:
    """Write the name of a sea near its place, on water that is free."""
    x, y, size = int(dot[0] // 2) - width(name) // 2, int(dot[1] // 4), width(name)
    for down, right in (
        (0, 0),
        (1, 0),
        (-1, 0),
        (0, 4),
        (0, -4),
        (2, 0),
        (-2, 0),
        (1, 5),
        (-1, -5),
        (0, 8),
        (0, -8),
    ):
        row, left = y + down, x + right
        if _fits(taken, left, row, size) and all(
            cell.ground is None and not cell.what for cell in grid[row][left : left + size]
        ):
            _put(grid, taken, (left, row), name, WATER, key)
            for cell in grid[row][left : left + size]:
                cell.ground = None
            at[key] = (left + size // 2, row)
            return


def _edges(
    rings: Iterable[Sequence[tuple[float, float]]], wide: int, high: int
) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """The edges of rings that may be seen."""
    for ring in rings:
        for at, there in enumerate(ring):
            here = ring[at - 1]
            if (
                max(here[0], there[0]) >= 0
                and min(here[0], there[0]) <= wide * 2
                and max(here[1], there[1]) >= 0
                and min(here[1], there[1]) <= high * 4
            ):
                yield here, there


def _unit(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _dots(
    grid: list[list[_Cell]],
    lines: Iterable[tuple[tuple[float, float], tuple[float, float]]],
    what: str,
    ascii_only: bool,
) -> None:
    """Draw lines between dots."""
    wide, high = len(grid[0]), len(grid)
    bits: dict[tuple[int, int], int] = {}
    for (x1, y1), (x2, y2) in lines:
        steps = int(max(abs(x2 - x1), abs(y2 - y1), 1))
        if steps > 20000:
            continue
        for step in range(steps + 1):
            x, y = int(x1 + (x2 - x1) * step / steps), int(y1 + (y2 - y1) * step / steps)
            if 0 <= x < wide * 2 and 0 <= y < high * 4:
                cell = (x // 2, y // 4)
                bits[cell] = bits.get(cell, 0) | _BITS[y % 4][x % 2]
    for (x, y), bit in bits.items():
        grid[y][x] = _Cell("." if ascii_only else chr(0x2800 + bit), what)


def _free(taken: list[list[bool]], x: int, y: int, size: int) -> tuple[int, int] | None:
    """The place nearest to (x, y) with `size` free cells; None if it lies outside or is crowded."""
    if not (0 <= y < len(taken) and -size < x < len(taken[0])):
        return None
    x = min(max(x, 0), len(taken[0]) - size)
    for down, right in ((0, 0), (0, size), (0, -size), (1, 0), (-1, 0), (1, size), (-1, -size)):
        if _fits(taken, x + right, y + down, size):
            return x + right, y + down
    return None


def _fits(taken: list[list[bool]], x: int, y: int, size: int) -> bool:
    return 0 <= y < len(taken) and x >= 0 and x + size <= len(taken[0]) and not any(taken[y][x : x + size])


def _name(
    grid: list[list[_Cell]],
    taken: list[list[bool]],
    at: tuple[int, int],
    label: tuple[str, str],
    space: str,
    short: str,
) -> None:
    """Write the name right, left, below or above the badge where it covers nothing; else the short one, else none."""
    badge, long = label
    half = width(badge) // 2
    for name in (long, short) if short else (long,):
        size = width(name)
        for x, y in (
            (at[0] - half + width(badge), at[1]),
            (at[0] - half - size, at[1]),
            (at[0] - size // 2, at[1] + 1),
            (at[0] - size // 2, at[1] - 1),
        ):
            if _fits(taken, x, y, size):
                _put(grid, taken, (x, y), name, NAME, space)
                return


def _put(
    grid: list[list[_Cell]],
    taken: list[list[bool]],
    spot: tuple[int, int],
    text: str,
    what: str,
    space: str,
) -> None:
    x, y = spot
    for char in text:
        cells = width(char)
        if cells == 0:
            continue
        grid[y][x] = _Cell(char, what, space)
        taken[y][x] = True
        for extra in range(1, cells):
            grid[y][x + extra] = _Cell("", what, space)
            taken[y][x + extra] = True
        x += cells


def _runs(row: list[_Cell]) -> Iterable[Run]:
    text, first = "", row[0]
    for cell in row:
        if (cell.what, cell.space, cell.ground) != (first.what, first.space, first.ground):
            yield Run(text, first.what, first.space, first.ground)
            text, first = "", cell
        text += cell.text
    yield Run(text, first.what, first.space, first.ground)
