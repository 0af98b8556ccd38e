"""Screens with a search: `/` opens the search box, Enter goes back to the rows, Esc shows all of them again."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.widgets import Input

from pbem.tui.screens.base import BaseScreen
from pbem.tui.widgets.report_table import ReportTableWidget

# The search box is hidden until it is used.


class SearchBox(Input):
    """A search box. It sends `Input.Changed` at every key and `Input.Submitted` at Enter."""

    DEFAULT_CSS = """
    SearchBox { display: none; height: 3; }
    SearchBox.-open { display: block; }
    """

    def open(self) -> None:
        self.add_class("-open")
        self.focus()

    def rest(self) -> None:
        """Keep the box while there is a search; hide it otherwise."""
        self.set_class(bool(self.value), "-open")

    def close(self) -> None:
        self.value = ""
        self.rest()


class SearchScreen(BaseScreen):
    """A screen with a `SearchBox`. `SEARCHED` selects the widget of the rows, which gets the first focus."""

    SEARCHED: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__()
        self.needle = ""

    def search(self) -> None:
        raise NotImplementedError

    def on_mount(self) -> None:
        super().on_mount()
        self.set_focus(self.query_one(self.SEARCHED))  # before the first picture, which would be drawn twice

    def draw_bars(self) -> None:
        super().draw_bars()
        self.query_one(SearchBox).placeholder = self.words("map.filter")

    def action_filter(self) -> None:
        self.query_one(SearchBox).open()

    @on(Input.Changed, "#needle")
    def _changed(self, event: Input.Changed) -> None:
        self.needle = event.value
        self.search()

    @on(Input.Submitted, "#needle")
    def _found(self) -> None:
        self.query_one(SearchBox).rest()
        self.query_one(self.SEARCHED).focus()

    def action_unfocus(self) -> None:
        self.query_one(SearchBox).close()
        self.query_one(self.SEARCHED).focus()


class TableScreen(SearchScreen):
    """A screen whose rows are those of a table."""

    SEARCHED = "#sheet"

    def search(self) -> None:
        table = self.query_one(ReportTableWidget)
        if table.sheet is not None:
            table.load(table.sheet, table.badge, self.needle)

    def action_sort(self) -> None:
        self.query_one(ReportTableWidget).sort_next()

    def action_reverse(self) -> None:
        self.query_one(ReportTableWidget).reverse_sort()
