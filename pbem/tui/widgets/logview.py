"""The log as one widget of lines: wrapped to its width, filtered, with the position of the shown point."""

from __future__ import annotations

from collections.abc import Sequence
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

INDENT = 6
"""Cells of the column of badges."""


class LogRow(NamedTuple):
    """A line after move `n`, with the letter of a seat in its style; or a heading."""

    n: int
    text: str
    letter: str = ""
    style: str = ""
    head: bool = False


class LogView(ScrollView, can_focus=True, inherit_bindings=False):
    """The lines of a log. Those after `until` are dim: at that point of the game they haven't happened yet."""

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
        self.lines: Sequence[LogRow] = ()
        self.needle = ""
        self.until: int | None = None
        self._rows: list[tuple[LogRow, str, bool]] = []
        self._wide = 0

    def load(self, lines: Sequence[LogRow], needle: str = "", until: int | None = None) -> None:
        """Show these lines from the last one before the shown point."""
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
        """Scroll to the last line before the shown point."""
        told = [at for at, (line, _, _) in enumerate(self._rows) if self.until is None or line.n <= self.until]
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
        line, text, first = self._rows[at]
        style = base + Style(dim=self.until is not None and line.n > self.until)
        letter = Segment(pad(f" {line.letter}", 3), Style.parse(line.style)) if first and line.letter else None
        look = style + Style(bold=line.n == self.until or line.head, underline=line.head)
        strip = Strip([Segment("  ", style), letter or Segment("   ", style), Segment(" ", style), Segment(text, look)])
        return strip.adjust_cell_length(self.size.width, base)
