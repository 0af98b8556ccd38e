"""A table of a view: sortable by any column, filtered by words, with a badge before spaces of the map."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.binding import Binding
from textual.events import Resize
from textual.message import Message
from textual.strip import Strip
from textual.widgets import DataTable

from pbem.lazy_regex import clean, pattern
from pbem.report.model import ReportTable
from pbem.report.text_width import wrap
from pbem.tui.model.messages import matches, sort_key

Badger = Callable[[str], "Text | None"]  # return the badge of a space, or None

BADGE = "badge"

MORE, LEGIBLE = 4, 9  # cells of the mark that there are more columns, and those from which a part of a column is shown
BAR = 2  # cells of a scroll bar
_WORDS = pattern(r"[!-~]+")
_IN_BRACKETS = pattern(r"(\d+\S*) \(.+\)")


class ReportTableWidget(DataTable[Text]):
    """Shows a `ReportTable`, its rows by the id in the first column of names. Posts `ReportTableWidget.Moved`."""

    BINDINGS = [
        Binding("less_than_sign,left", "columns(-1)", show=False),
        Binding("greater_than_sign,right", "columns(1)", show=False),
    ]

    @dataclass
    class Moved(Message):
        """The cursor came to the row of this id."""

        table: ReportTableWidget
        id: str

    sheet: ReportTable | None = None
    needle = ""
    sorted_by: int | None = None
    backwards = False
    ids: Sequence[str] = ()
    needed = 0  # the cells of all columns
    short = False  # whether cells are without what is in brackets, so that more columns have room
    high = 0  # the rows of all cells and of the heading
    _room = 0  # the cells for which the columns were made

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(
            id=id, cursor_type="row", zebra_stripes=False, header_height=1, cell_padding=0, fixed_columns=1
        )
        self.badge: Badger = lambda _: None

    def load(self, sheet: ReportTable, badge: Badger, needle: str | None = None) -> None:
        """Show `sheet`, keeping the row, and the order if it is the same table."""
        if self.sheet is not None and self.sheet.id != sheet.id:
            self.sorted_by, self.backwards, self.needle = None, False, ""
        if needle is not None:
            self.needle = needle
        here = self.here
        self.sheet, self.badge = sheet, badge
        self._fill()
        self.go(here)

    @property
    def here(self) -> str:
        return self.ids[self.cursor_row] if 0 <= self.cursor_row < len(self.ids) else ""

    def go(self, key: str) -> bool:
        if key not in self.ids:
            return False
        self.move_cursor(row=self.ids.index(key), animate=False)
        return True

    def sort_next(self) -> None:
        if self.sheet is None:
            return
        at = -1 if self.sorted_by is None else self.sorted_by
        self.sort_by(at + 1 if at + 1 < len(self.sheet.columns) else None)

    def sort_by(self, column: int | None) -> None:
        """Sort by a column; None: the game's own order."""
        here = self.here
        self.sorted_by = column
        self._fill()
        self.go(here)

    def reverse_sort(self) -> None:
        self.backwards = not self.backwards
        self.sort_by(self.sorted_by)

    def _fill(self) -> None:
        sheet = self.sheet
        assert sheet is not None
        name = next((at for at, column in enumerate(sheet.columns) if column.kind == "name"), 0)
        rows = list(zip(sheet.rows, sheet.raw, strict=True))
        if self.sorted_by is not None:
            by = self.sorted_by
            rows.sort(key=lambda row: sort_key(row[1][by], row[0][by]))
        if self.backwards:
            rows.reverse()
        rows = [row for row in rows if matches(self.needle, row[0])]
        badged = [self.badge(_id(raw, name)) for _, raw in rows]
        lead = any(badge is not None for badge in badged)
        heads = [(BADGE, Text(""))] if lead else []
        for at, column in enumerate(sheet.columns):
            arrow = (" v" if self.backwards else " ^") if at == self.sorted_by else ""
            heads.append((str(at), Text(clean(column.label) + arrow)))
        table = [
            [
                *([badge or Text("")] if lead else []),
                *(_cell(text, sheet.columns[at].kind) for at, text in enumerate(texts)),
            ]
            for (texts, _), badge in zip(rows, badged, strict=True)
        ]
        texts = [list(column) for column in zip((label for _, label in heads), *table, strict=True)]
        self.needed = 1 + sum(max(text.cell_len for text in column) + 1 for column in texts)
        self.short, self._room = self._crowded(), self.size.width
        if self.short:
            texts = [[_shortened(text) for text in column] for column in texts]
        self.ids, self.fixed_columns = [_id(raw, name) for _, raw in rows], 2 if lead else 1
        self._lay_out([key for key, _ in heads], [_aligned(column, first=not at) for at, column in enumerate(texts)])

    def _lay_out(self, keys: list[str], texts: list[list[Text]]) -> None:
        """Show columns of texts. Cells of two rows are better than cut ones; a table of fewer rows isn't."""
        many = 2 * len(self.ids) + 1
        for most, bar in ((self.size.height, 0), (many, BAR), (0, None)):
            fitted = texts if bar is None else self._fitted(texts, bar)
            heights = [max(text.plain.count("\n") for text in row) + 1 for row in zip(*fitted, strict=True)]
            self.high = sum(heights)
            if self.high <= most:
                break
        with self.app.batch_update():
            self.clear(columns=True)
            for key, cells in zip(keys, fitted, strict=True):
                # Without a width, Textual draws the whole table again once it has found it.
                self.add_column(cells[0], key=key, width=_wide(cells))
            for row in range(1, len(self.ids) + 1):
                self.add_row(*(cells[row] for cells in fitted), height=heights[row])

    def _fitted(self, texts: list[list[Text]], bar: int) -> list[list[Text]]:
        """Wrap the cells of the first column that would be cut, if a legible part of it fits."""
        left = (self._room or self.app.size.width // 2) - bar
        for at, column in enumerate(texts):
            room = left - (MORE if at + 1 < len(texts) else 0)
            if _wide(column) > room:
                words = (word for text in column for word in _WORDS.findall(text.plain))
                if at and room > max([LEGIBLE - 1, *map(len, words)]):
                    head, *cells = (Text("\n".join(wrap(text.plain, room - 1, "", " "))) for text in column)
                    head.pad_right(room - 1 - head.cell_len)
                    return [*texts[:at], [head, *cells], *texts[at + 1 :]]
                break
            left -= _wide(column)
        return texts

    def _crowded(self) -> bool:
        """Check if some columns do not fit. Before the layout, half of the screen is assumed."""
        return self.needed > (self._wide or self.app.size.width // 2)

    @property
    def _wide(self) -> int:
        return self.scrollable_content_region.width

    def _starts(self) -> list[int]:
        widths = [column.get_render_width(self) for column in self.ordered_columns]
        return [sum(widths[:at]) for at in range(len(widths) + 1)]

    def hidden_columns(self) -> tuple[int, int]:
        starts = self._starts()
        fixed, at = starts[min(self.fixed_columns, len(starts) - 1)], round(self.scroll_x)
        scrolled = list(pairwise(starts))[self.fixed_columns :]
        return (sum(begin < fixed + at for begin, _ in scrolled), sum(end > at + self._cells for _, end in scrolled))

    @property
    def _cells(self) -> int:
        """The cells for whole columns: all but those of the mark that there are more."""
        return self._wide - (MORE if round(self.scroll_x) < self.needed - self._wide else 0)

    def action_columns(self, by: int) -> None:
        starts = self._starts()[self.fixed_columns :]
        if not starts:
            return
        offsets = [start - starts[0] for start in starts[:-1]]
        here = max((at for at, offset in enumerate(offsets) if offset <= round(self.scroll_x)), default=0)
        if by < 0 or self.hidden_columns()[1]:
            self.scroll_to(x=offsets[min(max(here + by, 0), len(offsets) - 1)], animate=False, force=True)
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Leave out a column that would be cut, and mark in the heading that there are more."""
        strip = super().render_line(y)
        left, right = self.hidden_columns()
        strip = self._whole_columns(strip) if right else strip
        if y or (not left and not right):
            return strip
        mark = f"{f' ‹{left}' if left else ''}{f' {right}›' if right else ''} "
        accent = Style(color=self.app.theme_variables["accent"], bold=True)
        style = self.get_component_rich_style("datatable--header") + accent
        return Strip([*_marked_cut(strip, self._wide - cell_len(mark)), Segment(mark, style)])

    def _whole_columns(self, strip: Strip) -> Strip:
        starts, at, wide = self._starts(), round(self.scroll_x), self._wide
        last = max((end - at for end in starts if end - at <= self._cells), default=0)
        if last > starts[min(self.fixed_columns, len(starts) - 1)]:
            return strip.crop(0, last).adjust_cell_length(wide, next(iter(strip.crop(0, 1))).style)
        return _marked_cut(strip, wide)  # else a column that is wider than the table would never be seen

    def on_resize(self, event: Resize) -> None:
        """Prevent a redraw: columns have their widths, and Textual draws what comes into view."""
        event.prevent_default()
        if self.sheet is not None and (self.short != self._crowded() or (self.short and self._room != self.size.width)):
            self.sort_by(self.sorted_by)

    def on_data_table_header_selected(self, event: DataTable.HeaderSelected) -> None:
        event.stop()
        if event.column_key.value == BADGE:
            self.sort_by(None)
        elif self.sorted_by == int(event.column_key.value or 0):
            self.reverse_sort()
        else:
            self.sort_by(int(event.column_key.value or 0))

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        event.stop()
        if self.here:
            self.post_message(self.Moved(self, self.here))


def _wide(column: Sequence[Text]) -> int:
    return max(len_ for text in column for len_ in map(cell_len, text.plain.split("\n"))) + 1


def _id(raw: list[Any], name: int) -> str:
    return str(raw[name])


def _marked_cut(strip: Strip, wide: int) -> Strip:
    cut = strip.crop(wide - 1, wide)
    if not cut.text.strip():
        return strip.crop(0, wide)
    return Strip([*strip.crop(0, wide - 1), Segment("…", next(iter(cut)).style)])


def _shortened(text: Text) -> Text:
    found = _IN_BRACKETS.fullmatch(text.plain)
    return _cell(found[1], "number" if text.justify == "right" else "") if found else text


def _aligned(column: Sequence[Text], *, first: bool) -> list[Text]:
    """Return a heading and its cells, numbers below each other. One blank parts columns, and leads the first."""
    wide = max(text.cell_len for text in column)
    blank = " " * first
    return [
        Text.assemble(blank, " " * (wide - text.cell_len) if text.justify == "right" else "", text, no_wrap=True)
        for text in column
    ]


def _cell(text: str, kind: str) -> Text:
    return Text(clean(text), justify="right" if kind == "number" else "left", no_wrap=True)
