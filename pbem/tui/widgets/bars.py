"""The two bars of every room: rooms and time left on top, keys at the bottom. Both are clickable."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual.events import Click
from textual.message import Message
from textual.widget import Widget


@dataclass(frozen=True)
class Item:
    """A piece of a bar: a key, a label, and what a click does (an action; "" for nothing)."""

    key: str
    label: str
    action: str = ""
    here: bool = False


class Bar(Widget):
    """One line of items; what does not fit is left out. Posts `Bar.Chosen`."""

    DEFAULT_CSS = """
    Bar { height: 1; width: 100%; background: $panel; color: $foreground; }
    """

    @dataclass
    class Chosen(Message):
        """An item was clicked."""

        action: str

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.items: tuple[Item, ...] = ()
        self._spans: list[tuple[int, int, str]] = []

    def show(self, items: tuple[Item, ...]) -> None:
        """Draw these."""
        if items != self.items:
            self.items = items
            self.refresh()

    def render(self) -> Text:
        text, at = Text(no_wrap=True, overflow="crop", end=""), 0
        key_style = self.app.theme_variables.get("accent", "")
        self._spans = []
        for item in self.items:
            key, label = f" {item.key}" if item.key else " ", f" {item.label} "
            size = cell_len(key) + cell_len(label)
            if at + size > self.size.width:
                break
            here = "reverse bold" if item.here else ""
            text.append(key, f"bold {key_style} {here}".strip())
            text.append(label, here)
            self._spans.append((at, at + size, item.action))
            at += size
        return text

    def on_click(self, event: Click) -> None:
        for start, end, action in self._spans:
            if start <= event.x < end and action:
                event.stop()
                self.post_message(self.Chosen(action))
                return


class Line(Widget):
    """One line of plain text; `show` replaces it."""

    DEFAULT_CSS = """
    Line { height: 1; width: 100%; color: $text-muted; }
    """

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self.text = Text("")

    def show(self, text: str | Text) -> None:
        """Draw this."""
        self.text = text if isinstance(text, Text) else Text(text, no_wrap=True, overflow="ellipsis", end="")
        self.refresh()

    def render(self) -> Text:
        return self.text
