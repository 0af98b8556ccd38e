"""The log as one widget of lines: wrapped to its width, filtered, with the position of the shown point."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.binding import Binding
from textual.events import Resize
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from pbem.report.text_width import pad, wrap
from pbem.tui.model.messages import matches

NUMBER = 6
"""Cells of the column of move numbers, or of badges."""


class LineMark(NamedTuple):
    """How a line is marked: the letter of a seat in its style; whether it is a heading."""

    letter: str = ""
    style: str = ""
    head: bool = False


class LogView(ScrollView, can_focus=True, inherit_bindings=False):
    """Lines `(move, text)`. Those after `until` are dim: at that point of the game they haven't happened yet."""

    DEFAULT_CSS = """
    LogView { height: 1fr; width: 1fr; background: $background; overflow-x: hidden; scrollbar-gutter: stable; }
    """
    BINDINGS = [
        Binding("j,down", "scroll_down", "down", show=False),
        Binding("k,up", "scroll_up", "up", show=False),
        Binding("pagedown", "page_down", "page down", show=False),
        Binding("pageup", "page_up", "page up", show=False),
    ]

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.lines: Sequence[tuple[int, str]] = ()
        self.needle = ""
        self.until: int | None = None
        self.marks: Sequence[LineMark] = ()
        """A mark for each line; without them, numbers of moves are shown."""
        self._rows: list[tuple[int, str, bool]] = []
        self._marked: list[LineMark] = []
        self._wide = 0

    def load(
        self,
        lines: Sequence[tuple[int, str]],
        needle: str = "",
        until: int | None = None,
        marks: Sequence[LineMark] = (),
    ) -> None:
        """Show these lines from the last one before the shown point."""
        self.lines, self.needle, self.until, self.marks = lines, needle, until, marks
        self._wrap()
        self.call_after_refresh(self.show_place)

    def _wrap(self) -> None:
        self._wide = max(self._cells, 20)
        self._rows, self._marked = [], []
        for (n, text), mark in zip(self.lines, self.marks or repeat(LineMark()), strict=False):
            if matches(self.needle, (text,)):
                for at, part in enumerate(wrap(text, self._wide - NUMBER - 1)):
                    self._rows.append((n, part, at == 0))
                    self._marked.append(mark)
        self.virtual_size = Size(self._wide, len(self._rows))
        self.refresh()

    def show_place(self) -> None:
        """Scroll to the last line before the shown point."""
        told = [at for at, (n, _, _) in enumerate(self._rows) if self.until is None or n <= self.until]
        self.scroll_to(y=max((told[-1] if told else 0) - self.size.height + 1, 0), animate=False)

    @property
    def _cells(self) -> int:
        """Width of a row in cells, always without that of the scroll bar."""
        return self.scrollable_content_region.width

    @property
    def count(self) -> int:
        return len(self._rows)

    def on_resize(self, event: Resize) -> None:
        if max(self._cells, 20) != self._wide:
            self._wrap()
            self.show_place()

    def render_line(self, y: int) -> Strip:
        base = self.visual_style.rich_style
        at = y + self.scroll_offset.y
        if at >= len(self._rows):
            return Strip.blank(self.size.width, base)
        n, text, first = self._rows[at]
        future = self.until is not None and n > self.until
        style = base + Style(dim=True) if future else base
        now = self.until is not None and n == self.until
        mark = self._marked[at]
        if self.marks:
            letter = Segment(pad(f" {mark.letter}", 3), Style.parse(mark.style)) if first and mark.letter else None
            lead = [Segment("  ", style), letter or Segment("   ", style), Segment(" ", style)]
        else:
            number = pad(str(n) if first else "", NUMBER - 1, right=True) + " "
            lead = [Segment(number, style + Style(color=self.app.theme_variables["accent"], bold=True))]
        look = style + Style(bold=now or mark.head, underline=mark.head)
        strip = Strip([*lead, Segment(text, look)])
        return strip.adjust_cell_length(self.size.width, base)
