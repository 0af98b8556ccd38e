"""Panels: a heading with the key of the screen that shows more, and a few lines below it, without borders."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Click, Resize
from textual.widgets import Static

from pbem.tui.widgets.bars import Bar, TextBar

# Containers that draw nothing but their background.


class Columns(Horizontal):
    """Widgets side by side, without a border."""

    BLANK: ClassVar[bool] = True


class Rows(Vertical):
    """Widgets below each other, without a border."""

    BLANK: ClassVar[bool] = True


class Prompt(VerticalScroll):
    """The text of a question; Tab leads to it where it has to be scrolled."""

    DEFAULT_CSS = """
    Prompt { height: auto; padding-left: 1; background: $surface; scrollbar-size-vertical: 1; }
    Prompt > Static { height: auto; }
    """

    text = Text()

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def show(self, text: Text) -> None:
        self.text = text
        self.query_one(Static).update(text)
        self.scroll_home(animate=False)

    def allow_focus(self) -> bool:
        return self.max_scroll_y > 0


Body = Text | Callable[[int, int], Text]
"""The text of a panel, or a function that makes it for so many columns and rows."""


class PanelHeading(TextBar):
    """The heading of a panel: key, title, detail. A click leads to the screen."""

    DEFAULT_CSS = """
    PanelHeading { background: $panel; color: $foreground; text-wrap: nowrap; text-overflow: ellipsis; }
    """

    def __init__(self, room: str, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.room = room

    def tell(self, key: str, title: str, detail: str = "") -> None:
        text = Text(no_wrap=True, overflow="ellipsis", end="")
        text.append(f" {key} ", f"bold {self.app.theme_variables.get('accent', '')} reverse")
        text.append(f" {title}", "bold")
        text.append(f"  {detail}" if detail else "")
        self.show(text)

    def on_click(self, event: Click) -> None:
        event.stop()
        self.post_message(Bar.Chosen(f"app.screen('{self.room}')"))


class Panel(Rows):
    """A heading over some lines of text."""

    DEFAULT_CSS = """
    Panel { background: $surface; height: 1fr; }
    Panel > Static { height: 1fr; padding: 0 1; }
    """

    def __init__(self, room: str, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.room = room
        self.body: Body = Text()

    def compose(self) -> ComposeResult:
        yield PanelHeading(self.room)
        yield Static(markup=False)

    def tell(self, key: str, title: str, body: Body, detail: str = "") -> None:
        self.query_one(PanelHeading).tell(key, title, detail)
        self.body = body
        self._fill()

    def _fill(self) -> None:
        body, shown = self.body, self.query_one(Static)
        if isinstance(body, Text):
            shown.update(body)
        elif self.size:  # else it is filled when its size is known
            shown.update(body(max(self.size.width - 2, 1), max(self.size.height - 1, 0)), layout=False)

    def on_resize(self, event: Resize) -> None:
        if not isinstance(self.body, Text):
            self._fill()
