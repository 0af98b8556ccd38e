"""Insets: a dense part of the map, drawn larger in the emptiest place of the canvas, with a label on the map."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pbem.report.text_width import cut, width
from pbem.tui.model.grid import PLAIN, Grid

INSET, FRAME = "inset", "frame"  # what a cell holds: the label or the title of an inset, its frame
CROWDED = 5  # median distance of spaces, in columns, below which a dense part gets its inset

_SIZES = ((48, 22), (42, 19), (36, 16))  # columns and rows of an inset including its frame, the best first
_STEP_X, _STEP_Y = 4, 2
_MOST = 0.06  # share of the spaces that an inset may cover
_CORNERS = "\u284f\u28b9\u28c7\u28f8"
_TOP, _BOTTOM, _LEFT, _RIGHT = "\u2809", "\u28c0", "\u2847", "\u28b8"

Cell = tuple[int, int]


class CellRect(NamedTuple):
    """A rectangle of cells."""

    x: int
    y: int
    wide: int
    high: int

    def holds(self, cell: Cell) -> bool:
        return self.x <= cell[0] < self.x + self.wide and self.y <= cell[1] < self.y + self.high


def place(
    own: Sequence[Cell], others: Sequence[Cell], first: Collection[Cell], wide: int, high: int
) -> CellRect | None:
    """Return the emptiest place for an inset, or None. It may cover some `others`, but none of `first` and `own`."""
    seen = [cell for cell in others if 0 <= cell[0] < wide and 0 <= cell[1] < high]
    found: list[tuple[int, int, CellRect]] = []
    for number, size in enumerate(_SIZES):
        if size[0] <= wide // 2 and size[1] <= high * 2 // 3:
            costs = _costs(own, seen, first, wide, high, size)
            found += [(cost, number, box) for cost, box in costs if cost <= max(2, _MOST * len(seen))]
    return min(found, key=lambda place: place[:2])[2] if found else None


def _costs(
    own: Sequence[Cell], others: Sequence[Cell], first: Collection[Cell], wide: int, high: int, size: tuple[int, int]
) -> Iterator[tuple[int, CellRect]]:
    left, right = min(x for x, _ in own) - 2, max(x for x, _ in own) + 2
    top, bottom = min(y for _, y in own) - 1, max(y for _, y in own) + 1
    across, along = size
    columns = [*range(0, wide - across, _STEP_X), wide - across]
    rows = [*range(0, high - along, _STEP_Y), high - along]
    for y in rows:
        for x in columns:
            if x <= right and left < x + across and y <= bottom and top < y + along:
                continue
            box = CellRect(x, y, across, along)
            if not any(box.holds(cell) for cell in first):
                yield sum(box.holds(cell) for cell in others), box


def frame(grid: Grid, name: str) -> None:
    """Draw a frame around a grid, with its name in the upper edge."""
    wide, high = grid.wide, grid.high
    corners = "...." if grid.ascii_only else _CORNERS
    top, bottom, left, right = "...." if grid.ascii_only else (_TOP, _BOTTOM, _LEFT, _RIGHT)
    for y in range(high):
        first, last = (corners[0], corners[1]) if y == 0 else (corners[2], corners[3])
        edge = y in (0, high - 1)
        for x in range(wide) if edge else (0, wide - 1):
            text = top if y == 0 else bottom
            if x == 0:
                text = first if edge else left
            elif x == wide - 1:
                text = last if edge else right
            grid.text[y][x], grid.what[y][x], grid.space[y][x] = text, FRAME, ""
    _write(grid, 2, 0, f" {cut(name, wide - 6)} ")


def _write(grid: Grid, x: int, y: int, text: str) -> None:
    grid.put((x, y), text, INSET, "")
    grid.ground[y][x : x + width(text)] = [PLAIN] * width(text)


def plate(grid: Grid, cells: Iterable[Cell], name: str, counts: Mapping[str, int]) -> None:
    """Write the name of an inset, and below it how many spaces each side holds there, in the middle of its spaces."""
    told = list(cells)
    x, y = sum(x for x, _ in told) // len(told), sum(y for _, y in told) // len(told)
    lines = [f" {name} ", f" {' '.join(f'{letter}{count}' for letter, count in counts.items())} "]
    size = max(map(width, lines))
    left = min(max(x - size // 2, 0), max(grid.wide - size, 0))
    for row, line in enumerate(lines, y):
        text = cut(line, grid.wide)
        if grid.fits(left, row, width(text)):
            _write(grid, left, row, text + " " * max(min(size, grid.wide) - width(text), 0))
