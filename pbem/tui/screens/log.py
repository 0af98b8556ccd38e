"""Screen 7, the log: public and private lines, searchable; with steps through the finished part of the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.events import Resize
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from pbem.report.text_width import pad, wrap
from pbem.tui.key_bindings import bindings
from pbem.tui.model.badges import badges
from pbem.tui.model.messages import matches
from pbem.tui.screens.base import BaseScreen
from pbem.tui.screens.question_panels import FEW, ROOMY, around, show_map
from pbem.tui.widgets.bars import Columns, SearchBox, TextBar
from pbem.tui.widgets.mapview import MapView

INDENT = 6  # cells of the column of badges


class LogRow(NamedTuple):
    """A line after move `n`, with the letter of a seat in its style; or a heading."""

    n: int
    text: str
    letter: str = ""
    style: str = ""
    head: bool = False


class LogView(ScrollView, can_focus=True, inherit_bindings=False):
    """The lines of a log. Those after `until` are dim: at that point of the game they haven't happened yet."""

    BINDINGS = [
        Binding("j,down", "scroll_down", "down", show=False),
        Binding("k,up", "scroll_up", "up", show=False),
        Binding("pagedown", "page_down", "page down", show=False),
        Binding("pageup", "page_up", "page up", show=False),
    ]

    lines: Sequence[LogRow] = ()
    needle = ""
    until: int | None = None
    _rows: Sequence[tuple[LogRow, str, bool]] = ()
    _wide = 0

    def load(self, lines: Sequence[LogRow], needle: str = "", until: int | None = None) -> None:
        self.lines, self.needle, self.until = lines, needle, until
        self._wrap()
        self.call_after_refresh(self.show_place)

    def _wrap(self) -> None:
        self._wide = max(self._cells, 20)
        self._rows = [
            (line, part, at == 0)
            for line in self.lines
            if matches(self.needle, (line.text,))
            for at, part in enumerate(wrap(line.text, self._wide - INDENT - 1))
        ]
        self.virtual_size = Size(self._wide, len(self._rows))
        self.refresh()

    def show_place(self) -> None:
        told = [at for at, (line, _, _) in enumerate(self._rows) if self.until is None or line.n <= self.until]
        self.scroll_to(y=max((told[-1] if told else 0) - self.size.height + 1, 0), animate=False)

    @property
    def _cells(self) -> int:
        """Width of a row in cells, always without that of the scroll bar."""
        return self.scrollable_content_region.width

    def on_resize(self, event: Resize) -> None:
        if max(self._cells, 20) != self._wide:
            self._wrap()
            self.show_place()

    def render_line(self, y: int) -> Strip:
        base = self.visual_style.rich_style
        at = y + self.scroll_offset.y
        if at >= len(self._rows):
            return Strip.blank(self.size.width, base)
        line, text, first = self._rows[at]
        style = base + Style(dim=self.until is not None and line.n > self.until)
        letter = Segment(pad(f" {line.letter}", 3), Style.parse(line.style)) if first and line.letter else None
        look = style + Style(bold=line.n == self.until or line.head, underline=line.head)
        strip = Strip([Segment("  ", style), letter or Segment("   ", style), Segment(" ", style), Segment(text, look)])
        return strip.adjust_cell_length(self.size.width, base)


class LogScreen(BaseScreen):
    """The log and the map at that time. Other screens show the same point until the present is shown again."""

    NAME = "log"
    BINDINGS = bindings("log")

    def body(self) -> ComposeResult:
        yield TextBar(id="place")
        yield SearchBox("#log", id="needle")
        with Columns():
            yield LogView(id="log")
            yield MapView(id="map")

    def on_mount(self) -> None:
        super().on_mount()
        self.set_focus(self.query_one(LogView))  # before the first picture, which would be drawn twice

    def draw(self) -> None:
        desk, language = self.desk, self.language
        sides = badges(desk, language)
        lines = []
        for line in self.pbem.whole().log:
            badge = sides.get(line.who) if line.who else None
            mark = (badge.letter, badge.style) if badge is not None else ("", "")
            lines.append(LogRow(line.n, line.of(language), *mark, line.head))
        until = self.pbem.stop.n if self.pbem.stop is not None else None
        self.query_one(LogView).load(lines, self.query_one(SearchBox).value, until)
        view, last = self.query_one(MapView), self.pbem.last_lines()
        told = {space.id for space in desk.view.map}.intersection(key for line in last for key in line.at)
        shown = around(desk.view.map, told, max(FEW, view.size.width * view.size.height // ROOMY))
        show_map(view, desk, language, sides, shown)
        view.tell(last)
        self.query_one("#place", TextBar).show(f" {self._place()}")

    @on(MapView.Sized)
    def _sized(self, event: MapView.Sized) -> None:
        event.stop()
        self.draw()

    @on(SearchBox.Searched)
    def _sought(self, event: SearchBox.Searched) -> None:
        log = self.query_one(LogView)
        log.load(log.lines, event.needle, log.until)

    def action_filter(self) -> None:
        self.query_one(SearchBox).open()

    def _place(self) -> str:
        stops = self.pbem.source.stops()
        if not stops:
            return self.words("log.lines", count=len(self.pbem.whole().log))
        if self.pbem.stop is None:
            return self.words("log.present", n=self.pbem.present.moves, of=len(stops) - 1)
        kind = self.say.label(f"kind.{self.pbem.stop.label}") if self.pbem.stop.label else ""
        return self.words("log.past", n=self.pbem.stop.n, of=self.pbem.present.moves, kind=kind)

    def action_step(self, by: int) -> None:
        stops = self.pbem.source.stops()
        if not stops:
            self.pbem.tell(self.words("log.no_replay"))
            return
        numbers = [stop.n for stop in stops]
        at = numbers.index(self.pbem.stop.n) if self.pbem.stop is not None else len(stops) - 1
        if self.pbem.stop is None and by > 0:
            return
        at = min(max(at + by, 0), len(stops) - 1)
        self.set_class(bool(self.desk.view.map), "-follow")
        self.pbem.look_at(None if at == len(stops) - 1 else stops[at])

    def action_first(self) -> None:
        stops = self.pbem.source.stops()
        if stops:
            self.pbem.look_at(stops[0])
        else:
            self.query_one(LogView).scroll_home(animate=False)

    def action_last(self) -> None:
        self.pbem.look_at(None)
        self.query_one(LogView).scroll_end(animate=False)

    def action_follow(self) -> None:
        self.toggle_class("-follow")
