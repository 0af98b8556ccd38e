"""A dialog to choose one of a list: type to filter, Enter to take, Esc to leave."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from pbem.tui.model.order import matches
from pbem.tui.screens.tell import Dialog

ChoiceRow = tuple[str, Text, str]
"""What is returned, what is shown, what is searched."""


class Chooser(Dialog[str]):
    """Returns the key of the chosen row, None if the dialog was left."""

    FIRST = "Input"
    BINDINGS = [Binding("down", "into", "into", show=False)]
    DEFAULT_CSS = """
    Chooser > Vertical { width: 60; max-width: 90%; height: 80%; padding: 0; }
    Chooser OptionList { height: 1fr; border: none; }
    """

    def __init__(self, title: str, rows: Sequence[ChoiceRow]) -> None:
        super().__init__(f" {title}")
        self.rows = rows
        self.keys: list[str] = []

    def body(self) -> ComposeResult:
        yield Input(compact=True)
        yield OptionList(compact=True)

    def on_mount(self) -> None:
        super().on_mount()
        self.fill("")

    def fill(self, needle: str) -> None:
        """Show the rows that match."""
        shown = [row for row in self.rows if matches(needle, (row[2],))]
        self.keys = [row[0] for row in shown]
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options([Option(row[1]) for row in shown])
        options.highlighted = 0 if shown else None

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        self.fill(event.value)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        at = self.query_one(OptionList).highlighted
        self.dismiss(self.keys[at] if at is not None else None)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self.keys[event.option_index])

    def action_into(self) -> None:
        self.query_one(OptionList).focus()
