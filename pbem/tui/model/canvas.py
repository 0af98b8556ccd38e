"""The drawn map: spaces and their links on a grid of characters, links as braille dots. Pure; the widget colours it.

Braille has 2 x 4 dots a character and is one cell wide everywhere (unlike lines and blocks, whose width is ambiguous).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pbem.kernel.view import MapSpace
from pbem.report.cells import width

LINK, NAME, NEAR = "link", "name", "near"
"""What a cell holds besides badges (`side:<id>`): a link, a name, a link of the selected space."""

_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_MARGIN_X, _MARGIN_Y = 4, 1


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


@dataclass
class Drawing:
    """`rows[y]` are runs `(text, what, space)` that fill the width; `at` says where each space's badge stands."""

    rows: list[list[tuple[str, str, str]]]
    at: dict[str, tuple[int, int]] = field(default_factory=dict)

    def text(self) -> str:
        """The drawing without colours."""
        return "\n".join("".join(run[0] for run in row).rstrip() for row in self.rows)


@dataclass
class _Cell:
    text: str
    what: str
    space: str = ""


def project(spaces: Sequence[MapSpace], wide: int, high: int, lens: Lens) -> dict[str, tuple[float, float]]:
    """Where each space lies, in dots (2 x 4 a cell); outside the canvas too."""
    if not spaces:
        return {}
    left, top = min(s.x for s in spaces), min(s.y for s in spaces)
    span_x = max(s.x for s in spaces) - left or 1.0
    span_y = max(s.y for s in spaces) - top or 1.0
    room_x, room_y = max(wide - 2 * _MARGIN_X, 4) * 2, max(high - 2 * _MARGIN_Y, 2) * 4
    scale_x, scale_y = room_x / span_x, room_y / span_y
    # Fill the canvas, but do not pull the map out of shape by more than half.
    scale_x, scale_y = min(scale_x, scale_y * 1.5), min(scale_y, scale_x * 1.5)
    scale_x, scale_y = scale_x * lens.zoom, scale_y * lens.zoom
    middle_x, middle_y = left + span_x * lens.x, top + span_y * lens.y
    return {s.id: (wide + (s.x - middle_x) * scale_x, high * 2 + (s.y - middle_y) * scale_y) for s in spaces}


def draw(
    spaces: Sequence[MapSpace],
    labels: dict[str, tuple[str, str]],
    wide: int,
    high: int,
    lens: Lens | None = None,
    chosen: str = "",
    *,
    ascii_only: bool = False,
) -> Drawing:
    """Draw the map on `wide` x `high` cells. `labels` gives each space its badge and its name."""
    lens = lens or Lens()
    dots = project(spaces, wide, high, lens)
    near = next((set(s.links) for s in spaces if s.id == chosen), set())
    ends = {tuple(sorted((s.id, other))) for s in spaces for other in s.links if other in dots}
    grid: list[list[_Cell]] = [[_Cell(" ", "") for _ in range(wide)] for _ in range(high)]
    mine = [pair for pair in sorted(ends) if chosen in pair]
    _links(grid, dots, [pair for pair in sorted(ends) if chosen not in pair], LINK, ascii_only)
    _links(grid, dots, mine, NEAR, ascii_only)
    at = {}
    order = sorted(spaces, key=lambda s: (s.id != chosen, s.id not in near))
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
            _name(grid, taken, at[space.id], labels[space.id], space.id)
    return Drawing([list(_runs(row)) for row in grid], at)


def _unit(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _links(
    grid: list[list[_Cell]],
    dots: dict[str, tuple[float, float]],
    pairs: Iterable[tuple[str, ...]],
    what: str,
    ascii_only: bool,
) -> None:
    wide, high = len(grid[0]), len(grid)
    bits: dict[tuple[int, int], int] = {}
    for one, other in pairs:
        (x1, y1), (x2, y2) = dots[one], dots[other]
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
) -> None:
    """Write the name right, left, below or above the badge, wherever it covers nothing; else leave it out."""
    badge, name = label
    size, half = width(name), width(badge) // 2
    right = at[0] - half + width(badge)
    for x, y in (
        (right, at[1]),
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


def _runs(row: list[_Cell]) -> Iterable[tuple[str, str, str]]:
    text, what, space = "", row[0].what, row[0].space
    for cell in row:
        if (cell.what, cell.space) != (what, space):
            yield text, what, space
            text, what, space = "", cell.what, cell.space
        text += cell.text
    yield text, what, space
