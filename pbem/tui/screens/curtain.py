"""The curtain between two people at one keyboard: nothing of the game is on the screen until the next one is there."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Static

from pbem.report.cells import clean


class Curtain(Screen[None]):
    """A blank screen with one line; Enter or a click opens it."""

    BINDINGS = [Binding("enter,space", "open", "open", show=False)]
    DEFAULT_CSS = """
    Curtain { align: center middle; background: $background; }
    Curtain Static { width: auto; }
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.said = Text(clean(text), style="bold")

    def compose(self) -> ComposeResult:
        yield Static(self.said, markup=False)

    def on_click(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        self.dismiss(None)
