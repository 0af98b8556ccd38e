"""The cells of a drawn map: content, ground, and which are taken. Pure.

Braille has 2 x 4 dots a character and is one cell wide everywhere (lines and blocks have an ambiguous width).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pbem.report.text_width import width
from pbem.tui.model.land_fill import Ground, Point

PLAIN = "-"
"""The ground of a map without coasts."""

BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a braille character, by row and column."""

_LONGEST = 20000
"""A line of more dots is mostly far outside."""

Line = tuple[Point, Point]
"""Two ends, in dots."""


class CellRun(NamedTuple):
    """Neighbouring cells of a kind. `ground`: None is sea, "" land, else who controls it; `PLAIN` without coasts."""

    text: str
    what: str
    space: str
    ground: str | None


class Grid:
    """`high` rows of `wide` cells. With `ascii_only` dots are full stops."""

    def __init__(self, wide: int, high: int, *, ascii_only: bool = False) -> None:
        self.wide, self.high, self.ascii_only = wide, high, ascii_only
        self.text = [[" "] * wide for _ in range(high)]
        self.what = [[""] * wide for _ in range(high)]
        self.space = [[""] * wide for _ in range(high)]
        self.ground: Ground = [[PLAIN] * wide for _ in range(high)]
        self.taken = [[False] * wide for _ in range(high)]

    def copy(self) -> Grid:
        other = Grid(0, 0, ascii_only=self.ascii_only)
        other.wide, other.high = self.wide, self.high
        other.text = [row[:] for row in self.text]
        other.what = [row[:] for row in self.what]
        other.space = [row[:] for row in self.space]
        other.ground = [row[:] for row in self.ground]
        other.taken = [row[:] for row in self.taken]
        return other

    def dots(self, lines: Iterable[Line], what: str, *, keep: bool = False) -> None:
        """Draw lines between dots, over everything there. With `keep` nothing else is written over them."""
        for (x, y), bit in self._cells(lines).items():
            if not self.taken[y][x]:
                self.dot(x, y, bit, what)
                self.taken[y][x] = keep

    def dot(self, x: int, y: int, bit: int, what: str) -> None:
        self.text[y][x] = "." if self.ascii_only else chr(0x2800 + bit)
        self.what[y][x] = what

    def _cells(self, lines: Iterable[Line]) -> dict[tuple[int, int], int]:
        """Return the cells that lines go through, with the bits of their dots."""
        across, along = self.wide * 2, self.high * 4
        found: dict[tuple[int, int], int] = {}
        for (x1, y1), (x2, y2) in lines:
            steps = int(max(abs(x2 - x1), abs(y2 - y1), 1))
            if steps > _LONGEST:
                continue
            for step in range(steps + 1):
                x, y = int(x1 + (x2 - x1) * step / steps), int(y1 + (y2 - y1) * step / steps)
                if 0 <= x < across and 0 <= y < along:
                    cell = (x // 2, y // 4)
                    found[cell] = found.get(cell, 0) | BITS[y % 4][x % 2]
        return found

    def fits(self, x: int, y: int, size: int, high: int = 1) -> bool:
        """Check if so many cells from there are on the canvas and free."""
        if not (y >= 0 and y + high <= self.high and x >= 0 and x + size <= self.wide):
            return False
        return not any(any(row[x : x + size]) for row in self.taken[y : y + high])

    def put(self, spot: tuple[int, int], text: str, what: str, space: str) -> None:
        """Write a text; its cells are taken."""
        x, y = spot
        for char in text:
            cells = width(char)
            for at in range(cells):
                self.text[y][x + at] = "" if at else char
                self.what[y][x + at], self.space[y][x + at], self.taken[y][x + at] = what, space, True
            x += cells

    def paste(self, other: Grid, x: int, y: int) -> None:
        """Put another grid over the cells from there; they are taken."""
        end = x + other.wide
        for row in range(other.high):
            self.text[y + row][x:end] = other.text[row]
            self.what[y + row][x:end] = other.what[row]
            self.space[y + row][x:end] = other.space[row]
            self.ground[y + row][x:end] = other.ground[row]
            self.taken[y + row][x:end] = [True] * other.wide

    def rows(self) -> list[list[CellRun]]:
        return [list(self._runs(y)) for y in range(self.high)]

    def _runs(self, y: int) -> Iterator[CellRun]:
        first, begin = None, 0
        kinds = list(zip(self.what[y], self.space[y], self.ground[y], strict=True))
        for at, kind in enumerate(kinds):
            if kind != first:
                if first is not None:
                    yield CellRun("".join(self.text[y][begin:at]), *first)
                first, begin = kind, at
        if first is not None:
            yield CellRun("".join(self.text[y][begin:]), *first)
