"""The drawn map as one widget of lines: zoomed, panned, with one space selected. Posts `MapView.Picked`."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import dist, hypot
from typing import ClassVar, NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.events import Click, MouseMove, MouseScrollDown, MouseScrollUp, Resize
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from pbem.kernel.view import MapSpace
from pbem.report.coasts import Ring
from pbem.tui.key_bindings import bindings
from pbem.tui.model import canvas
from pbem.tui.model.badges import NOBODY, Badge, contrast, ink_on, tint
from pbem.tui.model.canvas import Backdrop, Board, Drawing, Notes, Viewport
from pbem.tui.model.grid import PLAIN
from pbem.tui.model.insets import FRAME, INSET
from pbem.tui.model.seat_view import ScreenLine

# Terminals with few colours: which of them to use for sea, land, tints and badges.

TRUE, MANY, FEW = "truecolor", "256", "standard"
"""The colour depths of a terminal, as Rich names them; `standard` is 16 colours."""

STANDARD = (
    "#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa", "#555555", "#ff5555",
    "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff",
)  # fmt: skip
"""Rich's values for the 16 colours: it writes exactly these unchanged."""

_STEPS = (0, 95, 135, 175, 215, 255)
CUBE = (
    *(f"#{r:02x}{g:02x}{b:02x}" for r in _STEPS for g in _STEPS for b in _STEPS),
    *(f"#{grey:02x}{grey:02x}{grey:02x}" for grey in range(8, 248, 10)),
)
"""The colours 16 to 255 of a terminal with 256."""


_HUE = 0.3  # weight of lightness where there are few colours: hues tell sides apart
_GAP = 6  # cells between two changes in a line that are written as one: a new position costs as many bytes
_REACH = 4  # cells around a badge in which the pointer means its space


class TerrainColours(NamedTuple):
    """Colours of sea, land and letters, and the maximum share of a side's colour in its land."""

    sea: str
    earth: str
    letters: str
    share: float


GROUNDS: Mapping[tuple[str, bool], TerrainColours] = {
    (TRUE, True): TerrainColours("#0f1c26", "#2a2723", "#e0e0e0", 0.42),
    (TRUE, False): TerrainColours("#cfdde6", "#e2dac9", "#1d1b18", 0.48),
    (MANY, True): TerrainColours("#00005f", "#262626", "#ffffff", 0.46),
    (MANY, False): TerrainColours("#afd7ff", "#eeeeee", "#000000", 0.6),
    (FEW, True): TerrainColours("#000000", "#555555", "#ffffff", 0.0),
    (FEW, False): TerrainColours("#ffffff", "#aaaaaa", "#000000", 0.0),
}
"""By colour depth of the terminal and whether the theme is dark."""


@lru_cache(maxsize=1024)
def oklab(colour: str) -> tuple[float, float, float]:
    """Convert #rrggbb to OKLab (Ottosson 2020), where distances match perception."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


def nearest(colour: str, among: Iterable[str], but: Collection[str] = (), light: float = 1.0) -> str:
    """Return the most similar colour; `light` is the weight of lightness."""

    def seen(shade: str) -> tuple[float, float, float]:
        lightness, green_red, blue_yellow = oklab(shade)
        return light * lightness, green_red, blue_yellow

    here = seen(colour)
    return min(
        (shade for shade in among if shade not in but), key=lambda shade: dist(seen(shade), here), default=colour
    )


def limited(sides: Mapping[str, Badge], depth: str, ground: TerrainColours) -> dict[str, Badge]:
    """Return the badges in the terminal's colours, different ones as long as there are any, the strongest first."""
    if depth not in (MANY, FEW):
        return dict(sides)
    among, light = (CUBE, 1.0) if depth == MANY else (STANDARD, _HUE)
    used = {ground.earth}
    found: dict[str, Badge] = {}
    for side in sorted(sides, key=lambda key: -_chroma(sides[key].paper)):
        badge = sides[side]
        paper = nearest(badge.paper, among, used, light)
        if badge.paper not in {other.paper for key, other in sides.items() if key != side}:
            used.add(paper)
        found[side] = Badge(badge.letter, ink_on(paper), paper)
    return found


def _chroma(colour: str) -> float:
    _, green_red, blue_yellow = oklab(colour)
    return hypot(green_red, blue_yellow)


@lru_cache(maxsize=256)
def tinted(depth: str, ground: TerrainColours, paper: str) -> str:
    """Return the land colour of a side, if the terminal has such colours and names stay readable on it."""
    wanted = tint(ground.earth, paper, ground.letters, ground.share)
    if depth != MANY:
        return wanted
    read = (shade for shade in CUBE if contrast(shade, ground.letters) >= 4.5)
    return nearest(wanted, read, {ground.sea, ground.earth}, _HUE)


def changed_spans(before: Sequence[Strip], after: Sequence[Strip]) -> Iterator[Region]:
    """Yield where two pictures of the same size differ, as parts of lines."""
    for y, (old, new) in enumerate(zip(before, after, strict=True)):
        differ = [x for x, (was, now) in enumerate(zip(_cells(old), _cells(new), strict=False)) if was != now]
        if old.cell_length != new.cell_length:
            differ = [0, max(old.cell_length, new.cell_length) - 1]
        while differ:
            end = next((at for at in range(1, len(differ)) if differ[at] - differ[at - 1] > _GAP), len(differ))
            yield Region(differ[0], y, differ[end - 1] - differ[0] + 1, 1)
            differ = differ[end:]


def _cells(line: Strip) -> list[tuple[str, Style | None]]:
    """Return the cells of a line; a wide letter has two."""
    return [
        cell for segment in line for letter in segment.text for cell in ((letter, segment.style),) * cell_len(letter)
    ]


class MapView(Widget, can_focus=False):
    """Draws spaces with the badge of their holder; `PBEM_ASCII=1` draws links with full stops."""

    @dataclass
    class Picked(Message):
        """A space was clicked. `taken`: it is an answer, if one is being written."""

        id: str
        taken: bool = True

    class Sized(Message):
        """The size of the map has changed."""

    spaces: Sequence[MapSpace] = ()
    labels: Mapping[str, tuple[str, str]] = {}
    sides: Mapping[str, Badge] = {}
    coast: Sequence[Ring] = ()
    around: Sequence[MapSpace] = ()
    notes = Notes()
    lens = Viewport()
    chosen = ""
    ways: Sequence[tuple[str, str]] = ()
    rims: frozenset[str] = frozenset()
    near: frozenset[str] = frozenset()  # the neighbours of the selected space
    _limited: tuple[tuple[Mapping[str, Badge], str, TerrainColours], dict[str, Badge]] | None = None
    _drawing: Drawing | None = None
    _drawn = Size()
    _behind: tuple[tuple[object, ...], Backdrop] | None = None

    def load(
        self,
        spaces: Sequence[MapSpace],
        labels: Mapping[str, tuple[str, str]],
        sides: Mapping[str, Badge],
        coast: Sequence[Ring],
        around: Sequence[MapSpace],
        notes: Notes,
    ) -> None:
        """Show these spaces, with coasts also those `around`. `labels`: id → badge and name."""
        before = self.spaces, self.labels, self.sides, self.coast, self.around, self.notes
        if before != (spaces, labels, sides, coast, around, notes):
            self.spaces, self.labels, self.sides = spaces, labels, sides
            self.coast, self.around, self.notes = coast, around, notes
            self._redraw()

    def tell(self, lines: Iterable[ScreenLine]) -> None:
        said = list(lines)
        ways = [(line.way[0], line.way[1]) for line in said if line.way]
        rims = frozenset(key for line in said for key in line.at)
        if (ways, rims) != (self.ways, self.rims):
            self.ways, self.rims = ways, rims
            self._redraw()

    def choose(self, space: str) -> None:
        """Select a space and bring it into sight. Only what changes is written again: a slow line matters."""
        if space == self.chosen:
            return
        before = self._strips() if self._drawing is not None else []
        self.chosen = space
        self.near = next((frozenset(s.links) for s in self.around or self.spaces if s.id == space), frozenset())
        self._drawing = None
        if not before or (self.lens.zoom > 1 and space not in self.drawing.at):
            self.refresh()
            if self.lens.zoom > 1 and space not in self.drawing.at:
                self.action_centre()
            return
        spans = [*changed_spans(before, self._strips())]
        if spans:
            self.refresh(*spans)

    def _strips(self) -> list[Strip]:
        return [self.render_line(y) for y in range(self.size.height)]

    def look(self, lens: Viewport) -> None:
        self.lens = lens
        self._redraw()

    def action_zoom(self, way: int) -> None:
        closer = self.lens.zoom == 1 and way > 0
        self.look(self.lens.zoomed(1.5 if way > 0 else 1 / 1.5))
        if closer:
            self.action_centre()

    def action_pan(self, right: int, down: int) -> None:
        self.look(self.lens.moved(right * 0.2, down * 0.2))

    def action_centre(self) -> None:
        found = next((s for s in self.around or self.spaces if s.id == self.chosen), None)
        if found is None:
            return
        xs, ys = [s.x for s in self.spaces], [s.y for s in self.spaces]
        wide, high = max(xs) - min(xs) or 1, max(ys) - min(ys) or 1
        self.look(Viewport(self.lens.zoom, (found.x - min(xs)) / wide, (found.y - min(ys)) / high))

    def let_go(self) -> None:
        self._drawing = self._behind = None

    @property
    def drawing(self) -> Drawing:
        if self._drawing is None or self._drawn != self.size:
            self._drawn = self.size
            wide, high = max(self.size.width, 1), max(self.size.height, 1)
            board = Board(self.around or self.spaces, self.labels, self.coast, self.spaces, self.notes, self.ways)
            behind = self._backdrop(board, wide, high) if board.spaces else None
            self._drawing = canvas.draw(board, wide, high, chosen=self.chosen, behind=behind)
        return self._drawing

    def _backdrop(self, board: Board, wide: int, high: int) -> Backdrop:
        ascii_only = os.environ.get("PBEM_ASCII", "") not in ("", "0")
        spaces = [space.id for space in board.spaces], [space.id for space in board.focus]
        key = (wide, high, self.lens, spaces, board.coast, board.notes, ascii_only)
        if self._behind is None or self._behind[0] != key:
            self._behind = key, canvas.backdrop(board, wide, high, self.lens, ascii_only=ascii_only)
        return self._behind[1]

    def render_line(self, y: int) -> Strip:
        base = self.visual_style.rich_style
        rows = self.drawing.rows
        if y >= len(rows):
            return Strip.blank(self.size.width, base)
        looks: dict[tuple[str, str, str | None], Style] = {}
        segments: list[Segment] = []
        for text, what, space, ground in rows[y]:
            key = what, space, ground
            if key not in looks:
                looks[key] = base + self._under(ground) + self._style(what, space)
            look, last = looks[key], segments[-1].style if segments else None
            if last is not None and last.bgcolor == look.bgcolor and not what and not last.underline:
                # Blanks look the same in any colour: fewer changes of style are fewer bytes for the terminal.
                segments[-1] = Segment(segments[-1].text + text, last)
            else:
                segments.append(Segment(text, look))
        return Strip(segments)

    @property
    def depth(self) -> str:
        """The colour depth of the terminal; full if it is unknown, and in pictures."""
        return TRUE if self.app.is_headless else self.app.console.color_system or TRUE

    @property
    def grounds(self) -> TerrainColours:
        dark = self.app.current_theme.dark
        return GROUNDS.get((self.depth, dark)) or GROUNDS[TRUE, dark]

    @property
    def badges(self) -> Mapping[str, Badge]:
        key = self.sides, self.depth, self.grounds
        if self._limited is None or self._limited[0] != key:
            self._limited = key, limited(*key)
        return self._limited[1]

    def _under(self, side: str | None) -> Style:
        if side == PLAIN:
            return Style()
        grounds = self.grounds
        if side is None:
            return Style(bgcolor=grounds.sea)
        badge = self.sides.get(side, NOBODY) if side else None
        return Style(
            bgcolor=tinted(self.depth, grounds, badge.paper) if badge is not None else grounds.earth,
            color=grounds.letters if self.depth != TRUE else None,
        )

    def _style(self, what: str, space: str) -> Style:
        colours = self.app.theme_variables
        here = space == self.chosen and bool(space)
        if what == canvas.ARROW:
            return Style(color=colours["error"], bold=True)
        if what == canvas.NAME and space in self.rims and not here:
            return Style(color=colours["background"], bgcolor=colours["error"], bold=True)
        if what.startswith("side:"):
            badge = self.badges.get(what.removeprefix("side:"), NOBODY)
            return Style.parse(badge.style) + Style(underline=here)
        if what == canvas.WATER and not here:
            return Style(italic=True, dim=True)
        if what == INSET:
            return Style(color=colours["background"], bgcolor=colours["accent"], bold=True)
        if what == FRAME:
            return Style(color=colours["accent"])
        if what == canvas.COAST:
            return Style(dim=True)
        if what == canvas.BORDER:
            return Style(color=self.grounds.letters, dim=True)
        if what == canvas.LINK:
            return Style(color=colours["text-muted"])
        if here:
            ink, paper = colours["block-cursor-foreground"], colours["block-cursor-background"]
            return Style(color=ink, bgcolor=paper, bold=True)
        return Style(color=colours["accent"], bold=True) if what == canvas.NAME and space in self.near else Style()

    def _redraw(self) -> None:
        self._drawing = None
        self.refresh()

    def on_resize(self, event: Resize) -> None:
        if self._drawn != self.size:  # a first picture may have been drawn before this event
            self._redraw()
        self.post_message(self.Sized())

    def on_click(self, event: Click) -> None:
        at = self.drawing.at
        if at:
            near = min(at, key=lambda key: (at[key][0] - event.x) ** 2 + 4 * (at[key][1] - event.y) ** 2)
            self.post_message(self.Picked(near))

    def on_mouse_move(self, event: MouseMove) -> None:
        at = self.drawing.at
        near = [key for key, (x, y) in at.items() if y == event.y and abs(x - event.x) <= _REACH]
        self.tooltip = self.labels[near[0]][1] if near and near[0] in self.labels else None

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        event.stop()
        self.look(self.lens.zoomed(1.25))

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        event.stop()
        self.look(self.lens.zoomed(0.8))


# The drawn map with a cursor: arrows move from space to space, Enter chooses, possible answers are highlighted.


class BoardMap(MapView, can_focus=True):
    """A map to answer on: `lit` are the spaces that the current part may name, `held` those it names."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "walk(-1,0)", show=False),
        Binding("right", "walk(1,0)", show=False),
        Binding("up", "walk(0,-1)", show=False),
        Binding("down", "walk(0,1)", show=False),
        Binding("enter,space", "take", show=False),
        *bindings("map"),
    ]

    lit: frozenset[str] = frozenset()
    held: frozenset[str] = frozenset()

    def mark(self, lit: Collection[str], held: Collection[str]) -> None:
        found = frozenset(lit), frozenset(held)
        if found != (self.lit, self.held):
            self.lit, self.held = found
            self.refresh()

    def _style(self, what: str, space: str) -> Style:
        style = super()._style(what, space)
        if space in self.held:
            if what.startswith("side:") or space == self.chosen:
                return style + Style(bold=True, underline=True)
            colours = self.app.theme_variables
            return style + Style(color=colours["background"], bgcolor=colours["foreground"], bold=True, underline=True)
        if space in self.lit:
            accent = Style() if what.startswith("side:") else Style(color=self.app.theme_variables["warning"])
            return style + accent + Style(bold=True, underline=True)
        return style

    def action_walk(self, right: int, down: int) -> None:
        """Select the nearest space in a direction; cells are twice as high as wide."""
        at = self.drawing.at
        here = at.get(self.chosen)
        if here is None:
            here = (self.size.width // 2, self.size.height // 2)
        best, far = "", float("inf")
        for key, (x, y) in at.items():
            across, along = x - here[0], 2 * (y - here[1])
            ahead = across * right + along * down
            aside = abs(across * down) + abs(along * right)
            if key != self.chosen and ahead > 0 and ahead + 2 * aside < far and aside <= 2 * ahead:
                best, far = key, ahead + 2 * aside
        if best:
            self.post_message(self.Picked(best, taken=False))

    def action_take(self) -> None:
        if self.chosen:
            self.post_message(self.Picked(self.chosen))
