"""A check list whose boxes are signs, not colours alone: [x] and [ ]."""

from __future__ import annotations

from rich.segment import Segment
from textual.strip import Strip
from textual.widgets import SelectionList
from textual.widgets.option_list import OptionDoesNotExist


class CheckList(SelectionList[int]):
    """As `SelectionList`, with brackets for boxes. Each row is one line, so that rows and lines agree."""

    DEFAULT_CSS = """
    CheckList { text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def render_line(self, y: int) -> Strip:
        strip = super().render_line(y)
        segments = list(strip)
        try:
            row = self.get_option_at_index(self.scroll_offset.y + y)
        except OptionDoesNotExist:
            return strip
        if len(segments) < 4:
            return strip
        sign = "x" if row.value in self.selected else " "
        style, meta = segments[3].style, segments[1].style
        rest = style + meta.from_meta(meta.meta) if style is not None and meta is not None else style
        return Strip([Segment(f"[{sign}]", rest), *segments[3:]])
