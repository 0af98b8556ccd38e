"""Dialogs that tell and ask: a text to read, a question with yes and no, a line to write."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from pbem.report.cells import clean
from pbem.tui.widgets.bars import Line

_BOX = """
    %s { align: center middle; }
    %s > Vertical { width: 78; max-width: 96%%; height: auto; max-height: 90%%; background: $surface;
        border: solid $primary; padding: 0 1; }
"""


class Tell(ModalScreen[None]):
    """A text to read; any of Esc, Enter, q closes it."""

    BINDINGS = [Binding("escape,enter,q,question_mark", "leave", "leave", show=False)]
    CSS = (_BOX % ("Tell", "Tell")) + "Tell VerticalScroll { height: auto; max-height: 100%; }"

    def __init__(self, title: str, text: str | Text) -> None:
        super().__init__()
        self.heading = title
        self.said = text if isinstance(text, Text) else Text(clean(text))

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Line(id="title")
            with VerticalScroll():
                yield Static(self.said, markup=False)

    def on_mount(self) -> None:
        self.query_one(Line).show(Text(self.heading, style="bold"))
        self.query_one(VerticalScroll).focus()

    def action_leave(self) -> None:
        self.dismiss(None)


class Confirm(ModalScreen[str | None]):
    """A text and a list of what to do; returns the key chosen, None if left."""

    BINDINGS = [Binding("escape", "leave", "leave", show=False)]
    CSS = (
        (_BOX % ("Confirm", "Confirm"))
        + """
    Confirm OptionList { height: auto; max-height: 10; border: none; margin-top: 1; }
    Confirm VerticalScroll { height: auto; max-height: 14; }
    """
    )

    def __init__(self, title: str, text: str, choices: list[tuple[str, str]]) -> None:
        super().__init__()
        self.heading, self.said, self.choices = title, Text(clean(text)), choices

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Line(id="title")
            with VerticalScroll():
                yield Static(self.said, markup=False)
            yield OptionList(*(Option(Text(label), id=key) for key, label in self.choices), compact=True)

    def on_mount(self) -> None:
        self.query_one(Line).show(Text(self.heading, style="bold"))
        self.query_one(OptionList).focus()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option.id)

    def action_leave(self) -> None:
        self.dismiss(None)


class Write(ModalScreen[str | None]):
    """A line (or, with `long`, several) to write; returns it, None if left."""

    BINDINGS = [
        Binding("escape", "leave", "leave", show=False),
        Binding("f8,ctrl+s", "take", "take", show=False, priority=True),
    ]
    CSS = (_BOX % ("Write", "Write")) + "Write TextArea { height: 12; }"

    def __init__(self, title: str, *, long: bool = False, value: str = "", secret: bool = False) -> None:
        super().__init__()
        self.heading, self.long, self.first, self.secret = title, long, value, secret

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Line(id="title")
            yield (
                TextArea(self.first, id="text")
                if self.long
                else Input(self.first, id="text", password=self.secret)
            )

    def on_mount(self) -> None:
        self.query_one(Line).show(Text(self.heading, style="bold"))
        self.query_one("#text").focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value)

    def action_take(self) -> None:
        box = self.query_one("#text")
        self.dismiss(box.text if isinstance(box, TextArea) else getattr(box, "value", ""))

    def action_leave(self) -> None:
        self.dismiss(None)
