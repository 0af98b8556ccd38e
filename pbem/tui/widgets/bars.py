"""The bars of the screens: time left on top, keys at the bottom, both clickable; the line for a search; panels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Click, Resize
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from pbem.lazy_regex import pattern


@dataclass(frozen=True)
class BarItem:
    """An item of a bar. `keep`: others are left out first; `shrinks`: before that, it is its key alone."""

    key: str
    label: str
    action: str = ""
    here: bool = False
    keep: bool = False
    shrinks: bool = False

    def parts(self, blank: str) -> tuple[str, str]:
        return f"{blank}{self.key}", f" {self.label} " if self.label else " "

    def width(self, blank: str) -> int:
        return sum(map(cell_len, self.parts(blank)))


class Bar(Widget):
    """One line of items. Posts `Bar.Chosen`. Without space, blanks shrink, then labels and items are left out."""

    @dataclass
    class Chosen(Message):
        """An item was clicked."""

        action: str

    items: tuple[BarItem, ...] = ()
    _spans: Sequence[tuple[int, int, str]] = ()

    def show(self, items: tuple[BarItem, ...]) -> None:
        if items != self.items:
            self.items = items
            self.refresh()

    def fitting(self) -> tuple[str, list[BarItem]]:
        shown, wide = list(self.items), self.size.width
        blank = " " if sum(item.width(" ") for item in shown) <= wide else ""
        for at, item in reversed([*enumerate(shown)]):
            if item.shrinks and not item.here and sum(item.width(blank) for item in shown) > wide:
                shown[at] = replace(item, label="")
        while shown and sum(item.width(blank) for item in shown) > wide:
            loose = [item for item in shown if not item.keep and not item.here]
            shown.remove((loose or shown)[-1])
        return blank, shown

    def render(self) -> Text:
        text, at = Text(no_wrap=True, overflow="crop", end=""), 0
        key_style = self.app.theme_variables.get("accent", "")
        blank, shown = self.fitting()
        spans = []
        for item in shown:
            key, label = item.parts(blank)
            here = "reverse bold" if item.here else ""
            text.append(key, f"bold {key_style} {here}".strip())
            text.append(label, here)
            spans.append((at, at + item.width(blank), item.action))
            at += item.width(blank)
        self._spans = spans
        return text

    def on_click(self, event: Click) -> None:
        for start, end, action in self._spans:
            if start <= event.x < end and action:
                event.stop()
                self.post_message(self.Chosen(action))
                return


class TextBar(Widget):
    """One line of plain text; `show` replaces it. The first of several texts that fits is drawn, else the last."""

    def __init__(self, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self.texts: tuple[Text, ...] = (Text(),)

    def show(self, *texts: str | Text) -> None:
        found = tuple(
            text if isinstance(text, Text) else Text(text, no_wrap=True, overflow="ellipsis", end="") for text in texts
        )
        if [(text, text.style) for text in found] != [(text, text.style) for text in self.texts]:
            more = found[0].plain.count("\n") != self.text.plain.count("\n")
            self.texts = found
            self.refresh(layout=more)

    @property
    def text(self) -> Text:
        return self.texts[0]

    def render(self) -> Text:
        wide = self.size.width
        return next((text for text in self.texts if text.cell_len <= wide), self.texts[-1])


class SearchBox(Input):
    """A line for a search in `rows`, hidden until `open`. Enter goes back to the rows, Esc shows all of them again."""

    BINDINGS = [Binding("escape", "close", show=False)]

    @dataclass
    class Searched(Message):
        """Other words are searched for."""

        needle: str

    def __init__(self, rows: str, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.rows = rows

    def open(self) -> None:
        self.add_class("-open")
        self.focus()

    def watch_value(self, value: str) -> None:
        if self.is_mounted:
            self.post_message(self.Searched(value))

    async def action_submit(self) -> None:
        """Go back to the rows. The line stays while there is a search."""
        self._rest()

    def _rest(self) -> None:
        self.set_class(bool(self.value), "-open")
        self.screen.query_one(self.rows).focus()

    def action_close(self) -> None:
        self.value = ""
        self._rest()


def refill(options: OptionList, rows: Sequence[Text], at: int | None, empty: str = "") -> None:
    """Show other rows in a list, with the cursor `at` one of them; without any, what is told instead."""
    options.clear_options()
    options.add_options([Option(row) for row in rows])
    if empty and not rows:
        options.add_option(Option(Text(empty), disabled=True))
    options.highlighted = at if rows else None


# Panels: a heading with the key of the screen that shows more, and a few lines below it, without borders.
# Containers that draw nothing but their background.


class Columns(Horizontal):
    """Widgets side by side, without a border."""

    BLANK: ClassVar[bool] = True


class Rows(Vertical):
    """Widgets below each other, without a border."""

    BLANK: ClassVar[bool] = True


class Prompt(VerticalScroll):
    """The text of a question; Tab leads to it where it has to be scrolled."""

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.text = Text()

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def show(self, text: Text) -> None:
        if text != self.text:
            self.text = text
            self.query_one(Static).update(text)
            self.scroll_home(animate=False)

    def allow_focus(self) -> bool:
        return self.max_scroll_y > 0


Body = Text | Callable[[int, int], Text]
"""The text of a panel, or a function that makes it for so many columns and rows."""


COMMA = pattern(r"(?=, |、)")


class PanelHeading(TextBar):
    """The heading of a panel: key, title, detail as far as whole parts of it fit. A click leads to the screen."""

    def __init__(self, room: str, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.room = room

    def tell(self, key: str, title: str, detail: str = "") -> None:
        head = Text(no_wrap=True, overflow="ellipsis", end="")
        head.append(f" {key} ", f"bold {self.app.theme_variables.get('accent', '')} reverse")
        head.append(f" {title}", "bold")
        hints = COMMA.split(detail) if detail else []
        self.show(*(head.copy().append(f"  {''.join(hints[:count])}") for count in range(len(hints), 0, -1)), head)

    def on_click(self, event: Click) -> None:
        event.stop()
        self.post_message(Bar.Chosen(f"app.screen('{self.room}')"))


class Panel(Rows):
    """A heading over some lines of text."""

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
