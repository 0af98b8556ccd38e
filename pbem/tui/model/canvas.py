"""The drawn map: coasts, badges, names and links on a grid of characters. Pure; the widget colours it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pbem.kernel.view import MapSpace
from pbem.report.text_width import width
from pbem.tui.model import insets
from pbem.tui.model.grid import BITS, CellRun, Grid, Ground, LandSeed, Line, Point, ground, land

LINK, NAME, COAST, WATER, BORDER, ARROW = "link", "name", "coast", "water", "border", "arrow"
"""What a cell holds besides badges (`side:<id>`)."""

_MARGIN_X, _MARGIN_Y = 4, 1

_BORDERED = 10  # median distance of neighbouring spaces, in columns, from which borders are drawn
_HEAD = 5.0  # dots of the head of an arrow, and its distance from the middle of a badge

_ASIDE = ((0, 0), (1, 0), (-1, 0), (0, 4), (0, -4), (2, 0), (-2, 0), (1, 5), (-1, -5), (0, 8), (0, -8))
"""Places tried for the name of a sea: rows down and columns to the right."""


@dataclass(frozen=True)
class Viewport:
    """The visible part of the map: `zoom` 1 is all of it; `x`, `y` is the middle, 0 to 1."""

    zoom: float = 1.0
    x: float = 0.5
    y: float = 0.5

    def zoomed(self, factor: float) -> Viewport:
        """Zoom in or out, never beyond the whole map."""
        zoom = min(max(self.zoom * factor, 1.0), 16.0)
        return Viewport(zoom, self.x, self.y) if zoom > 1 else Viewport()

    def moved(self, right: float, down: float) -> Viewport:
        """Pan by fractions of the visible part."""
        return Viewport(self.zoom, _unit(self.x + right / self.zoom), _unit(self.y + down / self.zoom))


@dataclass
class Drawing:
    """A drawn map: `rows[y]` are runs that fill the width; `at` has the position of each space's badge."""

    rows: list[list[CellRun]]
    at: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Notes:
    """Labels and hints besides badges and names, in the spaces' units.

    `seas` are id, name and place; `lands` are space or side ("" for nobody) and place of further land; `short` and
    `weights` are by space; `rings` has the ring of coast around a space (None: at sea); `insets` are name and spaces
    of dense parts.
    """

    seas: Sequence[tuple[str, str, float, float]] = ()
    lands: Sequence[tuple[str, float, float]] = ()
    short: Mapping[str, str] = field(default_factory=dict)
    weights: Mapping[str, int] = field(default_factory=dict)
    rings: Mapping[str, int | None] = field(default_factory=dict)
    insets: Sequence[tuple[str, frozenset[str]]] = ()


class Scale:
    """The mapping of map points to canvas dots (2 x 4 a cell), also outside the canvas."""

    def __init__(self, spaces: Sequence[MapSpace], wide: int, high: int, lens: Viewport, most: float = 1.5) -> None:
        left, top = min(s.x for s in spaces), min(s.y for s in spaces)
        span_x = max(s.x for s in spaces) - left or 1.0
        span_y = max(s.y for s in spaces) - top or 1.0
        room_x, room_y = max(wide - 2 * _MARGIN_X, 4) * 2, max(high - 2 * _MARGIN_Y, 2) * 4
        scale_x, scale_y = room_x / span_x, room_y / span_y
        # Fill the canvas, but don't distort the map by more than this factor.
        scale_x, scale_y = min(scale_x, scale_y * most), min(scale_y, scale_x * most)
        self.across, self.down = scale_x * lens.zoom, scale_y * lens.zoom
        self.middle = (left + span_x * lens.x, top + span_y * lens.y)
        self.centre = (wide, high * 2)

    def at(self, x: float, y: float) -> Point:
        right, down = (x - self.middle[0]) * self.across, (y - self.middle[1]) * self.down
        return self.centre[0] + right, self.centre[1] + down

    def ring(self, points: Iterable[Point]) -> list[Point]:
        (left, top), (wide, high), across, down = self.middle, self.centre, self.across, self.down
        return [(wide + (x - left) * across, high + (y - top) * down) for x, y in points]

    def cell(self, x: float, y: float) -> tuple[int, int]:
        right, down = self.at(x, y)
        return int(right // 2), int(down // 4)


@dataclass(frozen=True)
class Board:
    """The input of a drawing. The canvas shows the `focus` (default: all); `ways` are moves: from where to where."""

    spaces: Sequence[MapSpace]
    labels: Mapping[str, tuple[str, str]]
    coast: Sequence[Sequence[Point]] = ()
    focus: Sequence[MapSpace] = ()
    notes: Notes = field(default_factory=Notes)
    ways: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Backdrop:
    """What stays while viewport and canvas stay: coast, ground, borders, links."""

    grid: Grid
    scale: Scale
    under: Ground  # by row and column: None is sea, "" neutral land, else its space or side
    insets: tuple[Placed, ...] = ()


@dataclass(frozen=True)
class Placed:
    """An inset on the canvas: a board of its own in a rectangle."""

    name: str
    spaces: frozenset[str]
    box: insets.CellRect
    board: Board
    behind: Backdrop


def backdrop(board: Board, wide: int, high: int, lens: Viewport, *, ascii_only: bool = False) -> Backdrop:
    """Draw what is behind badges and names. The board has spaces."""
    grid = Grid(wide, high, ascii_only=ascii_only)
    scale = Scale(board.focus or board.spaces, wide, high, lens, 1.15 if board.coast else 1.5)
    if not board.coast:
        dots = {s.id: scale.at(s.x, s.y) for s in board.spaces}
        ends = {tuple(sorted((s.id, other))) for s in board.spaces for other in s.links if other in dots}
        grid.dots(((dots[a], dots[b]) for a, b in sorted(ends)), LINK)
        return Backdrop(grid, scale, grid.ground)
    shown = [scale.ring(ring) for ring in board.coast]
    grid.dots(_edges(shown, wide, high), COAST)
    under, apart = _under(board, scale, shown, wide, high)
    if apart >= _BORDERED:
        _borders(grid, under)
    return Backdrop(grid, scale, under, tuple(_insets(board, scale, grid)))


def _insets(board: Board, scale: Scale, grid: Grid) -> Iterator[Placed]:
    cells = {s.id: scale.cell(s.x, s.y) for s in board.spaces}
    first = {s.id for s in board.focus} if len(board.focus) < len(board.spaces) else set()
    for name, spaces in board.notes.insets:
        own = [s for s in board.spaces if s.id in spaces]
        here = [cells[s.id] for s in own]
        seen = [(x, y) for x, y in here if 0 <= x < grid.wide and 0 <= y < grid.high]
        if len(seen) < len(own) / 2 or len(own) < 2 or _apart(here) >= insets.CROWDED:
            continue
        others = [cell for key, cell in cells.items() if key not in spaces]
        box = insets.place(here, others, [cells[key] for key in first - spaces], grid.wide, grid.high)
        if box is not None:
            part = replace(board, focus=own, notes=replace(board.notes, insets=(), seas=()))
            behind = backdrop(part, box.wide, box.high, Viewport(), ascii_only=grid.ascii_only)
            yield Placed(name, spaces, box, part, behind)


def draw(
    board: Board,
    wide: int,
    high: int,
    lens: Viewport | None = None,
    chosen: str = "",
    *,
    ascii_only: bool = False,
    behind: Backdrop | None = None,
) -> Drawing:
    """Draw the map on `wide` x `high` cells. With coasts, no links are drawn."""
    if not board.spaces:
        return Drawing(Grid(wide, high).rows())
    behind = behind or backdrop(board, wide, high, lens or Viewport(), ascii_only=ascii_only)
    grid, at = _layers(board, behind, chosen)
    return Drawing(grid.rows(), at)


def _layers(board: Board, behind: Backdrop, chosen: str) -> tuple[Grid, dict[str, tuple[int, int]]]:
    """Draw backdrop, insets, badges, names, seas. Return the positions of badges."""
    grid, scale = behind.grid.copy(), behind.scale
    at: dict[str, tuple[int, int]] = {}
    if board.coast:
        holders = {s.id: s.side for s in board.spaces}
        grid.ground = [[holders.get(key, key) if key else key for key in row] for row in behind.under]
    for placed in behind.insets:
        at |= _paste(grid, board, scale, placed, chosen)
    order = [space for space in _by_importance(board, chosen) if space.id not in at]
    at |= _badges(grid, board, scale, order)
    grid.dots(_arrows(board, scale, at, behind.insets), ARROW, keep=True)
    for space in order:
        if space.id in at:
            _name(grid, at[space.id], board.labels[space.id], space.id, board.notes.short.get(space.id, ""))
    if board.coast:
        for key, name, right, down in board.notes.seas:
            _sea(grid, at, key, name, scale.cell(right, down))
    return grid, at


def _paste(grid: Grid, board: Board, scale: Scale, placed: Placed, chosen: str) -> dict[str, tuple[int, int]]:
    """Draw an inset in its rectangle, and its label on the map. Return where the badges of its own spaces are."""
    part, shown = _layers(placed.board, placed.behind, chosen)
    insets.frame(part, placed.name)
    grid.paste(part, placed.box.x, placed.box.y)
    own = [s for s in board.spaces if s.id in placed.spaces]
    counts = Counter(board.labels[s.id][0].rstrip("0123456789") for s in own)
    insets.plate(grid, [scale.cell(s.x, s.y) for s in own], placed.name, dict(counts.most_common()))
    return {key: (x + placed.box.x, y + placed.box.y) for key, (x, y) in shown.items() if key in placed.spaces}


def _by_importance(board: Board, chosen: str) -> list[MapSpace]:
    first, weight = {s.id for s in board.focus}, board.notes.weights
    moved = {key for way in board.ways for key in way}
    groups = [{chosen}, moved, first]
    return sorted(
        board.spaces, key=lambda s: (*(s.id not in group for group in groups), -weight.get(s.id, 0), not s.mark)
    )


def _badges(grid: Grid, board: Board, scale: Scale, order: Iterable[MapSpace]) -> dict[str, tuple[int, int]]:
    at = {}
    for space in order:
        badge, _ = board.labels[space.id]
        x, y = scale.cell(space.x, space.y)
        spot = _free(grid, x - width(badge) // 2, y, width(badge))
        if spot is not None:
            grid.put(spot, badge, f"side:{space.side}", space.id)
            at[space.id] = (spot[0] + width(badge) // 2, spot[1])
    return at


def _arrows(board: Board, scale: Scale, at: Mapping[str, tuple[int, int]], placed: Sequence[Placed]) -> Iterator[Line]:
    """Yield the moves as arrows between badges. An end in an inset moves to its place on the map."""
    known = {s.id: scale.at(s.x, s.y) for s in board.spaces}
    known |= {key: scale.at(x, y) for key, _, x, y in board.notes.seas}
    apart = {key for inset in placed for key in inset.spaces}
    for way in board.ways:
        if known.keys() >= set(way):
            both = len(apart.intersection(way)) != 1
            ends = [
                (at[key][0] * 2 + 1.0, at[key][1] * 4 + 2.0) if key in at and (both or key not in apart) else known[key]
                for key in way
            ]
            yield from _arrow(ends[0], ends[1])


def _arrow(start: Point, end: Point) -> Iterator[Line]:
    (x1, y1), (x2, y2) = start, end
    long = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    if long < 2 * _HEAD:
        return
    right, down = (x2 - x1) / long, (y2 - y1) / long
    tip = (x2 - right * _HEAD, y2 - down * _HEAD)
    yield start, tip
    yield (start[0] - down, start[1] + right), (tip[0] - down, tip[1] + right)
    for side in (1, -1):
        yield (tip, (tip[0] - (right + side * down) * _HEAD * 0.6, tip[1] - (down - side * right) * _HEAD * 0.6))


def _under(board: Board, scale: Scale, coast: Sequence[Sequence[Point]], wide: int, high: int) -> tuple[Ground, int]:
    """Return the owner of each cell, and the median distance of neighbouring spaces in columns."""
    cells = {s.id: scale.cell(s.x, s.y) for s in board.spaces}
    apart = _apart(list(cells.values()))
    seeds = [LandSeed(*cells[s.id], s.id, board.notes.rings.get(s.id)) for s in board.spaces]
    seeds += [LandSeed(*scale.cell(right, down), key, None) for key, right, down in board.notes.lands]
    return ground(land(coast, wide, high), seeds, min(3 * apart + 2, 40)), apart


def _apart(cells: Sequence[tuple[int, int]]) -> int:
    """Return the median distance to the nearest other cell in columns; a row counts two."""
    near = []
    ordered = sorted(cells)
    for number, (x, y) in enumerate(ordered):
        best = 1 << 30
        for others in (ordered[number + 1 :], ordered[number - 1 :: -1] if number else ()):
            for p, q in others:
                if abs(p - x) >= best:
                    break
                best = min(best, abs(p - x) + 2 * abs(q - y))
        near.append(best if len(ordered) > 1 else 8)
    return sorted(near)[len(near) // 2]


def _borders(grid: Grid, under: Ground) -> None:
    for y, row in enumerate(under):
        below = under[y + 1] if y + 1 < len(under) else [None] * len(row)
        for x, here in enumerate(row):
            if not here or grid.what[y][x]:
                continue
            bit = 0
            if x + 1 < len(row) and row[x + 1] and row[x + 1] != here:
                bit |= BITS[0][1] | BITS[2][1]
            if below[x] and below[x] != here:
                bit |= BITS[3][0] | BITS[3][1]
            if bit:
                grid.dot(x, y, bit, BORDER)


def _sea(grid: Grid, at: dict[str, tuple[int, int]], key: str, name: str, cell: tuple[int, int]) -> None:
    size = width(name)
    for down, right in _ASIDE:
        left, row = cell[0] - size // 2 + right, cell[1] + down
        if (
            grid.fits(left, row, size)
            and not any(grid.what[row][left : left + size])
            and all(under is None for under in grid.ground[row][left : left + size])
        ):
            grid.put((left, row), name, WATER, key)
            at[key] = (left + size // 2, row)
            return


def _edges(rings: Iterable[Sequence[Point]], wide: int, high: int) -> Iterator[Line]:
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


def _free(grid: Grid, x: int, y: int, size: int) -> tuple[int, int] | None:
    """Return the place nearest to (x, y) with `size` free cells, or None."""
    if not (0 <= y < grid.high and -size < x < grid.wide):
        return None
    x = min(max(x, 0), grid.wide - size)
    for down, right in ((0, 0), (0, size), (0, -size), (1, 0), (-1, 0), (1, size), (-1, -size)):
        if grid.fits(x + right, y + down, size):
            return x + right, y + down
    return None


def _name(grid: Grid, at: tuple[int, int], label: tuple[str, str], space: str, short: str) -> None:
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
            if grid.fits(x, y, size):
                grid.put((x, y), name, NAME, space)
                return
