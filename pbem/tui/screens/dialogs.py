"""Dialogs: a text to read, a question with yes and no, a line to write, a choice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static, TextArea
from textual.widgets.option_list import Option

from pbem.lazy_regex import clean
from pbem.tui.model.messages import ScreenMessages, matches
from pbem.tui.widgets.bars import TextBar, refill

T = TypeVar("T")
MARKING = {"down": "cursor_down", "up": "cursor_up", "pagedown": "page_down", "pageup": "page_up"}


class Dialog(ModalScreen[T | None], Generic[T]):
    """A framed dialog with a heading. Subclasses give `body`; `FIRST` selects the first focus. Esc leaves."""

    FIRST: ClassVar[str] = ""
    BINDINGS = [Binding("escape", "leave", "leave", show=False)]

    def __init__(self, heading: str) -> None:
        super().__init__()
        self.heading = Text(heading, style="bold")

    def compose(self) -> ComposeResult:
        with Vertical():
            yield TextBar(id="title")
            yield from self.body()

    def body(self) -> ComposeResult:
        raise NotImplementedError

    def on_mount(self) -> None:
        closes = ScreenMessages(getattr(self.app, "language", ""))("dialog.closes")
        long = Text.assemble(self.heading, (f"  {closes}", "not bold dim"), end="")
        self.query_one("#title", TextBar).show(long, self.heading)
        self.query_one(self.FIRST).focus()

    def action_leave(self) -> None:
        self.dismiss(None)


class TextDialog(Dialog[None]):
    """A text to read; any of Esc, Enter, q closes it."""

    FIRST = "VerticalScroll"
    BINDINGS = [Binding("enter,q,question_mark", "leave", "leave", show=False)]

    def __init__(self, heading: str, text: str | Text, *, wide: bool = False) -> None:
        super().__init__(heading)
        self.set_class(wide, "-wide")
        self.said = text if isinstance(text, Text) else Text(clean(text))

    def body(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(self.said, markup=False)


class ConfirmDialog(Dialog[str]):
    """A text and a list of what to do; returns the key chosen, None if left."""

    FIRST = "OptionList"

    def __init__(self, heading: str, text: str, choices: list[tuple[str, str]]) -> None:
        super().__init__(heading)
        self.said, self.choices = Text(clean(text)), choices

    def body(self) -> ComposeResult:
        with VerticalScroll():
            yield Static(self.said, markup=False)
        yield OptionList(*(Option(Text(label), id=key) for key, label in self.choices), compact=True)

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option.id)


class InputDialog(Dialog[str]):
    """A line (or, with `long`, several) to write; returns it, None if left.

    The first key replaces `value`, or with `goes_on` is added to it. `typed` gets the text as it changes. `hint` stands
    below the line, and below that what `tell` says. What isn't among those that it `accepts` isn't taken.
    """

    FIRST = "#text"
    BINDINGS = [Binding("f8,ctrl+s", "take", "take", show=False, priority=True)]

    def __init__(
        self,
        heading: str,
        *,
        long: bool = False,
        value: str = "",
        secret: bool = False,
        goes_on: bool = False,
        typed: Callable[[str], object] = lambda text: None,
        hint: str = "",
        accepts: Callable[[str], bool] = lambda text: True,
    ) -> None:
        super().__init__(heading)
        self.long, self.first, self.secret, self.typed, self.accepts = long, value, secret, typed, accepts
        self.hint, self.goes_on = Text(clean(hint)), goes_on

    def body(self) -> ComposeResult:
        if self.long:
            yield TextArea(self.first, id="text")
        else:
            yield Input(self.first, id="text", password=self.secret, select_on_focus=not self.goes_on)
        yield Static(self.hint, markup=False)
        yield Static(id="told", markup=False)

    def tell(self, text: Text) -> None:
        for line in self.query("#told").results(Static):
            line.update(text)

    @property
    def text(self) -> str:
        box = self.query_one("#text")
        return box.text if isinstance(box, TextArea) else getattr(box, "value", "")

    @on(Input.Changed)
    @on(TextArea.Changed)
    def _changed(self) -> None:
        self.typed(self.text)

    @on(Input.Submitted)
    def action_take(self) -> None:
        if self.accepts(self.text):
            self.dismiss(self.text)
        else:
            self.app.bell()


# A dialog to choose one of a list: type to filter, Enter to take, Esc to leave.

ChoiceRow = tuple[str, Text, str]  # the result, the shown text, the searched text


def told_row(key: str, label: str, told: str) -> ChoiceRow:
    """Return a row with what is told of it."""
    return key, Text.assemble((f"{label}  ", "bold"), told), f"{label} {told}"


class ChooseDialog(Dialog[str]):
    """A list to choose from; returns the key of the chosen row, None if left.

    With `about`, what that says of the marked row is next to the list. `last` is a line below it.
    """

    FIRST = "Input"
    BINDINGS = [Binding(key, f"mark('{way}')", show=False) for key, way in MARKING.items()]

    def __init__(
        self, title: str, rows: Sequence[ChoiceRow], about: Callable[[str], Text] | None = None, last: str = ""
    ) -> None:
        super().__init__(f" {title}")
        self.rows, self.about, self.last = rows, about, last
        self.keys: list[str] = []
        self.set_class(about is not None, "-about")

    def body(self) -> ComposeResult:
        yield Input(compact=True)
        with Horizontal():
            yield OptionList(compact=True)
            with VerticalScroll():
                yield Static(id="about", markup=False)
        if self.last:
            yield Static(Text(self.last), id="last", markup=False)

    def on_mount(self) -> None:
        super().on_mount()
        self.fill("")

    def fill(self, needle: str) -> None:
        shown = [row for row in self.rows if matches(needle, (row[2],))]
        self.keys = [row[0] for row in shown]
        refill(self.query_one(OptionList), [row[1] for row in shown], 0)
        if not shown:
            self.query_one("#about", Static).update("")

    @on(OptionList.OptionHighlighted)
    def _marked(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if self.about is not None and event.option_index < len(self.keys):
            self.query_one("#about", Static).update(self.about(self.keys[event.option_index]))

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

    def action_mark(self, way: str) -> None:
        """Mark another row. The focus stays in the line, so that no letter is lost."""
        getattr(self.query_one(OptionList), f"action_{way}")()
