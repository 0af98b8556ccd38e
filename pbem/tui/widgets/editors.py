"""The editor of one row: a filterable list, a check list, a number, counts, or a line of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rich.segment import Segment
from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.events import Key
from textual.message import Message
from textual.strip import Strip
from textual.widgets import DataTable, Input, OptionList, SelectionList
from textual.widgets.option_list import Option, OptionDoesNotExist
from textual.widgets.selection_list import Selection

from pbem.lazy_regex import clean
from pbem.tui.model.answer_fields import AmountLeaf, ArrangeLeaf, FormRow, PickLeaf
from pbem.tui.model.messages import fitting
from pbem.tui.widgets.bars import TextBar
from pbem.tui.widgets.panels import Rows

# A check list whose marks are signs, not colours alone: [x] and [ ].


class CheckList(SelectionList[int]):
    """A `SelectionList` with marks in brackets. Each row is one line, so that rows and lines agree."""

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


Labeller = Callable[[Any], str]
"""Return a value or field as words."""

Pricer = Callable[[Any], str]
"""Return the price or chance of a value as words, "" if it has none."""


class ChoiceList(OptionList):
    """A list of choices. Enter before anything is marked posts `ChoiceList.Unmarked`."""

    @dataclass
    class Unmarked(Message):
        """Enter was pressed, and nothing is marked."""

    def action_select(self) -> None:
        if self.highlighted is None:
            self.post_message(self.Unmarked())
        else:
            super().action_select()


class CountEditor(DataTable[Text]):
    """Places with counts; right and left, + and - change the one under the cursor."""

    BINDINGS = [
        Binding("right,plus,equals_sign", "spin(1)", "more", show=False),
        Binding("left,minus", "spin(-1)", "less", show=False),
    ]

    @dataclass
    class Spun(Message):
        """A count was changed by one."""

        row: int
        by: int

    def action_spin(self, by: int) -> None:
        self.post_message(self.Spun(self.cursor_row, by))


class Editor(Rows):
    """The editor of the field of one row. Posts `Editor.Set`; `final` when the user has finished this row."""

    DEFAULT_CSS = """
    Editor > .tool { display: none; height: 1fr; border: none; }
    Editor > Input.tool { height: 3; border: tall $primary; }
    Editor.-choice > #few, Editor.-pick > #many, Editor.-arrange > #spins { display: block; }
    Editor.-choice > #find, Editor.-amount > #line, Editor.-text > #line, Editor.-free > #line { display: block; }
    Editor > #find { height: 1; border: none; }
    """

    @dataclass
    class Set(Message):
        """The field has a new value."""

        slot: FormRow
        final: bool

    @dataclass
    class Marked(Message):
        """The cursor is on a choice."""

        slot: FormRow
        value: Any

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.slot: FormRow | None = None
        self.name_of: Labeller = str
        self.price_of: Pricer = lambda value: ""
        self.field_of: Labeller = str
        self.hints: dict[str, str] = {}
        self.faces: Mapping[str, str] = {}
        self.keys: list[Any] = []
        self._sought = ""
        """What was typed to find a row of a check list or of counts."""

    def compose(self) -> ComposeResult:
        yield TextBar(id="what")
        # Selecting on focus would lose the first letter typed.
        yield Input(id="find", classes="tool", compact=True, select_on_focus=False)
        yield ChoiceList(id="few", classes="tool", compact=True)
        yield CheckList(id="many", classes="tool", compact=True)
        yield Input(id="line", classes="tool")
        yield CountEditor(id="spins", classes="tool", cursor_type="row")

    @property
    def kind(self) -> str:
        return self.slot.leaf.kind if self.slot is not None else ""

    def load(
        self, slot: FormRow | None, name_of: Labeller, field_of: Labeller, price_of: Pricer = lambda value: ""
    ) -> None:
        for kind in ("choice", "pick", "amount", "arrange", "text", "free"):
            self.set_class(slot is not None and slot.leaf.kind == kind, f"-{kind}")
        self.slot, self.name_of, self.field_of, self.price_of = slot, name_of, field_of, price_of
        self._sought = ""
        self._say(self._what(field_of) if slot is not None else "")
        self.query_one("#find", Input).placeholder = self.hints.get("choice", "") if self._alone else ""
        if slot is not None:
            with self.prevent(Input.Changed, OptionList.OptionHighlighted, SelectionList.SelectedChanged):
                self._fill(slot)

    def enter(self) -> None:
        where = {"choice": "#few", "pick": "#many", "arrange": "#spins"}.get(self.kind, "#line")
        if self.slot is not None:
            self.query_one(where).focus()

    @property
    def _alone(self) -> bool:
        """Whether the choices are all there is to answer, so that nothing has to name them."""
        return self.parent is not None and self.parent.has_class("-single")

    def _say(self, text: str) -> None:
        what = self.query_one("#what", TextBar)
        what.display = bool(text)
        what.show(text)

    def _what(self, field_of: Labeller) -> str:
        slot = self.slot
        assert slot is not None
        leaf, label = slot.leaf, field_of(slot.label)
        hint = self.hints.get(leaf.kind, "")
        if self._alone:
            return ""
        match leaf:
            case PickLeaf() | AmountLeaf():
                label += f" ({_span(leaf.least, leaf.most)})"
            case ArrangeLeaf():
                label += f" ({leaf.total} / {_span(leaf.least, leaf.most)})"
        return f"{label}   {hint}".rstrip()

    def _fill(self, slot: FormRow) -> None:
        leaf = slot.leaf
        match leaf.kind:
            case "choice":
                self.query_one("#find", Input).value = ""
                self._offer("")
            case "pick":
                assert isinstance(leaf, PickLeaf)
                self.keys = leaf.options
                many = self.query_one("#many", CheckList)
                many.clear_options()
                many.add_options(
                    [
                        Selection(Text(self._words(key)), at, key in (leaf.held or []))
                        for at, key in enumerate(self.keys)
                    ]
                )
                many.highlighted = 0 if self.keys else None
            case "arrange":
                self._spins(leaf)
            case _:
                line = self.query_one("#line", Input)
                line.value = "" if leaf.held is None else str(leaf.held)
                line.type = "integer" if leaf.kind == "amount" else "text"

    def _labels(self, keys: list[Any]) -> list[Text]:
        """Return the choices in words, each with its price; ids only where two things have the same name."""
        names = [clean(self.name_of(key)) for key in keys]
        faces = [self._face(key) for key in keys]
        found = []
        for key, name, face in zip(keys, names, faces, strict=True):
            unlike = {other for other, same in zip(faces, names, strict=True) if same == name} - {face}
            label = Text(f"{name}  [{key}]" if unlike else name)
            if (alike := self._alike(face)) > 1 and faces.count(face) == 1:
                label.append(f" x{alike}")
            price = self.price_of(key)
            found.append(label.append(f"  {price}", "bold") if price else label)
        return found

    def _face(self, key: Any) -> Any:
        """Return what is printed on a thing: things with the same face are one choice."""
        return self.faces.get(key, key) if isinstance(key, str) else key

    def _alike(self, face: Any) -> int:
        options = getattr(self.slot.leaf, "options", ()) if self.slot is not None else ()
        return sum(self._face(key) == face for key in options) if self.kind == "choice" else 1

    def _words(self, key: Any) -> str:
        return self._labels([key])[0].plain

    def _fit(self, needle: str) -> list[Any]:
        options = list(getattr(self.slot.leaf, "options", ())) if self.slot is not None else []
        held = self.slot.leaf.held if self.slot is not None else None
        different = {self._face(key): key for key in reversed(options)}
        if held in options:
            different[self._face(held)] = held
        shown = [key for key in options if different[self._face(key)] == key]
        return fitting(needle, shown, lambda key: (self.name_of(key), str(key)))

    def _offer(self, needle: str) -> None:
        assert self.slot is not None
        self.keys = self._fit(needle)
        few = self.query_one("#few", OptionList)
        few.clear_options()
        few.add_options([Option(label) for label in self._labels(self.keys)])
        held = self.slot.leaf.held
        # Nothing is marked before somebody chooses: a key that comes too early takes nothing.
        acts = getattr(self.slot.leaf, "acts", False)
        first = 0 if (needle or acts) and self.keys else None
        few.highlighted = self.keys.index(held) if held in self.keys else first
        if self.keys and few.highlighted is not None:
            self.post_message(self.Marked(self.slot, self.keys[few.highlighted]))

    def _spins(self, leaf: Any) -> None:
        table = self.query_one("#spins", CountEditor)
        row = table.cursor_row
        table.clear(columns=True)
        table.add_columns(Text(""), Text("+/-"), Text(""))
        self.keys = list(leaf.bounds)
        for place, (low, high) in leaf.bounds.items():
            count = Text(str(leaf.held.get(place, 0)), justify="right")
            table.add_row(Text(self._words(place)), count, Text(f"{low}-{high}"))
        table.move_cursor(row=min(row, len(self.keys) - 1))

    def _set(self, value: Any, *, final: bool) -> None:
        if self.slot is not None:
            self.slot.leaf.set(value)
            self.post_message(self.Set(self.slot, final))

    # -- events of the tools -----------------------------------------------------------------------------------------

    @on(Input.Changed, "#find")
    def _found(self, event: Input.Changed) -> None:
        event.stop()
        self._offer(event.value)

    @on(Input.Submitted, "#find")
    def _taken(self, event: Input.Submitted) -> None:
        event.stop()
        self.take()

    def take(self) -> bool:
        """Take the choice under the cursor. Return False if what was typed fits none."""
        at = self.query_one("#few", OptionList).highlighted
        if self.kind != "choice" or at is None or at >= len(self.keys):
            self.app.bell()
            key = "nothing" if self.typed else "choose"
            self._say(self.hints.get(key, ""))
            return False
        self._set(self.keys[at], final=True)
        return True

    @on(ChoiceList.Unmarked)
    def _unmarked(self, event: ChoiceList.Unmarked) -> None:
        event.stop()
        self.take()

    @property
    def typed(self) -> str:
        """What was typed to find a choice."""
        return self.query_one("#find", Input).value if self.kind == "choice" else ""

    @on(OptionList.OptionHighlighted, "#few")
    def _marked(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if self.slot is not None and event.option_index < len(self.keys):
            self.post_message(self.Marked(self.slot, self.keys[event.option_index]))

    @on(OptionList.OptionSelected, "#few")
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._set(self.keys[event.option_index], final=True)

    @on(SelectionList.SelectedChanged, "#many")
    def _checked(self, event: SelectionList.SelectedChanged[int]) -> None:
        event.stop()
        checked = set(event.selection_list.selected)
        self._set([key for at, key in enumerate(self.keys) if at in checked], final=False)

    @on(Input.Changed, "#line")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self._set(self._read(event.value), final=False)

    @on(Input.Submitted, "#line")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._set(self._read(event.value), final=True)

    def _read(self, text: str) -> Any:
        if self.kind == "amount":
            return int(text) if text.lstrip("+-").isdigit() else None
        return text

    @on(CountEditor.Spun)
    def _spun(self, event: CountEditor.Spun) -> None:
        event.stop()
        leaf = self.slot.leaf if self.slot is not None else None
        if isinstance(leaf, ArrangeLeaf) and self.slot is not None:
            leaf.spin(self.keys[event.row], event.by)
            self._spins(leaf)
            self._say(self._what(self.field_of))
            self.post_message(self.Set(self.slot, False))

    def on_key(self, event: Key) -> None:
        """Find a row by typing. Enter marks what was typed; without it, it goes on, as Tab does."""
        if self.kind == "choice":
            self._filter_key(event)
            return
        if self.kind not in ("pick", "arrange") or self.slot is None:
            return
        goes_on = event.key == "tab" or (event.key == "enter" and not self._sought)
        if goes_on or self._seek(event) or self._count(event):
            event.stop()
            event.prevent_default()
            if goes_on:
                self.post_message(self.Set(self.slot, True))
        else:
            self._sought = ""

    def _seek(self, event: Key) -> bool:
        """Go to the first row that begins as was typed. Return False if the key isn't a letter."""
        letter = event.character if event.is_printable and event.key not in ("space", "plus", "minus") else None
        if letter is None or letter.isdigit():
            return False
        found = fitting(self._sought + letter, self.keys, lambda key: (self.name_of(key), str(key)))
        if not found:
            self.app.bell()
            return True
        self._sought += letter
        row = self.keys.index(found[0])
        if self.kind == "pick":
            self.query_one("#many", CheckList).highlighted = row
        else:
            self.query_one("#spins", CountEditor).move_cursor(row=row)
        return True

    def _count(self, event: Key) -> bool:
        """Set the count of the row under the cursor by a digit."""
        leaf, digit = self.slot.leaf if self.slot is not None else None, event.character or ""
        if not isinstance(leaf, ArrangeLeaf) or not digit.isdecimal():
            return False
        row = self.query_one("#spins", CountEditor).cursor_row
        self.post_message(CountEditor.Spun(row, int(digit) - leaf.held.get(self.keys[row], 0)))
        return True

    def _filter_key(self, event: Key) -> None:
        find, few = self.query_one("#find", Input), self.query_one("#few", OptionList)
        if few.has_focus and self.find_by(event):
            event.stop()
            event.prevent_default()
        elif find.has_focus and event.key in ("down", "up"):
            event.stop()
            few.focus()

    def find_by(self, event: Key) -> bool:
        """Add a key to what is searched for, before the search box has the focus. Return False if it isn't text.

        No key is lost: what fits no choice leaves an empty list, and nothing is chosen then.
        """
        if self.kind != "choice" or self.slot is None:
            return False
        find = self.query_one("#find", Input)
        if event.character and event.character.isdigit() and not (find.value or self._fit(event.character)):
            return False  # it leads to another screen
        if event.key == "backspace" and find.value:
            find.value = find.value[:-1]
        elif event.is_printable and event.character and (find.value or event.character != " "):
            find.value += event.character
        else:
            return False
        find.focus()
        find.cursor_position = len(find.value)
        return True


def _span(least: int, most: int) -> str:
    return f"{least}-{most}" if least != most else str(least)
