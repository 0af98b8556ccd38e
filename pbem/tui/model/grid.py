"""The cells of a drawn map. Braille has 2 x 4 dots a cell, one wide everywhere, unlike lines and blocks. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pbem.report.text_width import width

Point = tuple[float, float]
Ground = list[list[str | None]]  # by row and column: None is sea, "" neutral land, else the side that controls it

PLAIN = "-"  # the ground of a map without coasts

BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a braille character, by row and column."""

_LONGEST = 20000  # a line of more dots is mostly far outside

Line = tuple[Point, Point]  # two ends, in dots


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
        if not (y >= 0 and y + high <= self.high and x >= 0 and x + size <= self.wide):
            return False
        return not any(any(row[x : x + size]) for row in self.taken[y : y + high])

    def put(self, spot: tuple[int, int], text: str, what: str, space: str) -> None:
        x, y = spot
        for char in text:
            cells = width(char)
            for at in range(cells):
                self.text[y][x + at] = "" if at else char
                self.what[y][x + at], self.space[y][x + at], self.taken[y][x + at] = what, space, True
            x += cells

    def paste(self, other: Grid, x: int, y: int) -> None:
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


def land(rings: Sequence[Sequence[Point]], wide: int, high: int) -> list[list[int | None]]:
    """Return the ring around each cell's middle, None at sea. Rings are in dots (2 x 4 a cell), lakes rings within."""
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
