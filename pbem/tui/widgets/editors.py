"""The editor of one row: a list that can be filtered, of choices, of things to mark or of counts; or a line of text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.events import Key
from textual.message import Message
from textual.widgets import Input, OptionList

from pbem.lazy_regex import clean
from pbem.tui.model.answer_fields import AmountLeaf, ArrangeLeaf, FormRow, PickLeaf
from pbem.tui.model.messages import ScreenMessages, fitting
from pbem.tui.model.seat_view import ScreenMeaning
from pbem.tui.widgets.bars import COMMA, Rows, TextBar, refill

LISTED = ("choice", "pick", "arrange")  # the kinds of rows that are edited in a list

FEWER = 0.8  # the share of what follows for which whole answers may be left out
MOST_ROWS, LEAST_WHOLE = 11, 2  # whole answers fill up a list to so many rows; at least so many are offered

SPINS = {"right": 1, "plus": 1, "equals_sign": 1, "left": -1, "minus": -1}  # keys that change a count


@dataclass(frozen=True)
class WholeAnswer:
    """A complete answer, offered next to the choices of its first part."""

    order: str
    face: str


class Wording(Protocol):
    """What says the parts of an answer in the reader's words."""

    @property
    def words(self) -> ScreenMessages: ...
    def row_words(self, row: FormRow | None, value: Any) -> str: ...
    def meaning(self, row: FormRow, value: Any) -> ScreenMeaning: ...
    def told(self, label: Text, row: FormRow, means: ScreenMeaning, follows: float) -> Text: ...
    def attempts(self) -> Iterator[float]: ...
    def has_room(self, rows: list[Text], follows: float) -> bool: ...
    def whole_answers(self, row: FormRow) -> list[WholeAnswer]: ...
    def field_words(self, field: Any) -> str: ...


class Editor(Rows):
    """The editor of the field of one row. Posts `Editor.Set`; `final` when the user has finished this row."""

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

    @dataclass
    class WholeTaken(Message):
        """A whole answer was chosen."""

        order: str

    owner: Wording
    slot: FormRow | None = None
    priced = True  # whether what an answer costs is said next to it
    faces: Mapping[str, str] = {}
    keys: Sequence[Any] = ()

    def compose(self) -> ComposeResult:
        yield TextBar(id="what")
        # Selecting on focus would lose the first letter typed.
        yield Input(id="find", classes="tool", compact=True, select_on_focus=False)
        yield OptionList(id="few", classes="tool", compact=True)
        yield Input(id="line", classes="tool")

    @property
    def kind(self) -> str:
        return self.slot.leaf.kind if self.slot is not None else ""

    def dress(self, slot: FormRow | None) -> None:
        """Take a row, and show what its kind is edited with."""
        self.slot = slot
        listed = self.kind in LISTED
        self.set_class(listed, "-listed")
        self.set_class(slot is not None and not listed, "-written")
        self.set_class(self._chooses, "-choice")

    def load(self, slot: FormRow | None) -> None:
        self.dress(slot)
        listed = self.kind in LISTED
        self._say(*(self._what() if slot is not None else ("",)))
        find = self.query_one("#find", Input)
        if slot is None:
            return
        with self.prevent(Input.Changed, OptionList.OptionHighlighted):
            find.value, self.keys = "", []
            if listed:
                self._offer()
            else:
                line = self.query_one("#line", Input)
                line.value = "" if slot.leaf.held is None else str(slot.leaf.held)
                line.type = "integer" if slot.leaf.kind == "amount" else "text"

    def offer_again(self) -> None:
        if self.kind in LISTED:
            self._say(*self._what())  # what was said of other letters no longer holds
            self._offer()

    def enter(self) -> None:
        if self.slot is not None:
            self.query_one("#few" if self.kind in LISTED else "#line").focus()

    @property
    def _chooses(self) -> bool:
        """Whether one of the rows is chosen; else rows are marked or counted."""
        return self.kind == "choice"

    @property
    def _alone(self) -> bool:
        """Whether the choices are all there is to answer, so that nothing has to name them."""
        return self.parent is not None and self.parent.has_class("-single")

    def _say(self, *texts: str) -> None:
        what = self.query_one("#what", TextBar)
        what.display = any(texts)
        what.show(*texts)

    def _what(self) -> list[str]:
        """Return what is edited and how: all of that, then less."""
        slot = self.slot
        assert slot is not None
        leaf, label = slot.leaf, self.owner.field_words(slot.label)
        hint = self.owner.words(f"hint.{leaf.kind}")
        if self._alone:
            return [""]
        match leaf:
            case PickLeaf() | AmountLeaf():
                label += f" ({_span(leaf.least, leaf.most)})"
            case ArrangeLeaf():
                label += f" ({leaf.total} / {_span(leaf.least, leaf.most)})"
        hints = COMMA.split(hint)
        return [f"{label}   {''.join(hints[:count])}".rstrip() for count in range(len(hints), -1, -1)]

    def _labels(self, keys: list[Any]) -> list[Text]:
        names = [self._called(key) for key in keys]
        faces = [self._face(key) for key in keys]
        slot = self.slot if self.priced else None
        meant = [self.owner.meaning(slot, key) if slot is not None else ScreenMeaning() for key in keys]
        said = list(zip(names, meant, strict=True))  # an id tells apart what nothing else does
        found = []
        for key, name, face, told in zip(keys, names, faces, said, strict=True):
            unlike = {other for other, same in zip(faces, said, strict=True) if same == told and other != face}
            if isinstance(key, WholeAnswer) or all(isinstance(other, WholeAnswer) for other in unlike):
                unlike.clear()  # what follows from them differs
            label = Text(f"{name}  [{key}]" if unlike else name)
            if (alike := self._alike(face)) > 1 and faces.count(face) == 1:
                label.append(f" x{alike}")
            found.append(label)
        if slot is None:
            return found
        rows = list(zip(found, meant, strict=True))
        whole = sum(isinstance(key, WholeAnswer) for key in keys)
        for follows in self.owner.attempts():
            found = [self.owner.told(label.copy(), slot, means, follows) for label, means in rows]
            least = min(whole, 1) if follows == FEWER else whole
            for count in range(len(rows), len(rows) - whole + least - 1, -1):
                if self.owner.has_room(found[:count], follows):
                    return found[:count]
        return found

    def _called(self, key: Any) -> str:
        return key.face if isinstance(key, WholeAnswer) else clean(self.owner.row_words(self.slot, key))

    def _face(self, key: Any) -> Any:
        """Return what is printed on a thing: things with the same face are one choice."""
        return self.faces.get(key, key) if isinstance(key, str) else key

    def _alike(self, face: Any) -> int:
        options = getattr(self.slot.leaf, "options", ()) if self.slot is not None else ()
        return sum(self._face(key) == face for key in options) if self._chooses else 1

    def _fit(self, needle: str) -> list[Any]:
        leaf = self.slot.leaf if self.slot is not None else None
        shown: list[Any] = [*getattr(leaf, "options", ()), *getattr(leaf, "bounds", ())]
        if leaf is not None and self._chooses:
            different = {self._face(key): key for key in reversed(shown)}
            if leaf.held in shown:
                different[self._face(leaf.held)] = leaf.held
            shown = [key for key in shown if different[self._face(key)] == key]
        elif leaf is not None:  # things with the same face are next to each other
            faces = [*dict.fromkeys(map(self._face, shown))]
            shown.sort(key=lambda key: faces.index(self._face(key)))
        if self.slot is not None and self._chooses and self.priced:
            shown += self.owner.whole_answers(self.slot)[: max(MOST_ROWS - len(shown), LEAST_WHOLE)]
        return fitting(needle, shown, lambda key: (self._called(key), getattr(key, "order", str(key))))

    def _offer(self) -> None:
        assert self.slot is not None
        leaf, few, needle, here = self.slot.leaf, self.query_one("#few", OptionList), self.typed, self.row
        self.keys = self._fit(needle)
        labels = self._labels(self.keys)
        self.keys = self.keys[: len(labels)]
        self.query_one("#find").display = bool(needle)
        at: int | None = self.keys.index(here) if here in self.keys else 0
        if self._chooses:
            # Nothing is marked before somebody chooses: a key that comes too early takes nothing.
            acts = getattr(leaf, "acts", False)
            at = self.keys.index(leaf.held) if leaf.held in self.keys else 0 if needle or acts else None
        refill(few, [self._marked_row(*row) for row in zip(self.keys, labels, strict=True)], at)
        if self.keys and at is not None:
            self.post_message(self.Marked(self.slot, self.keys[at]))

    def _marked_row(self, key: Any, label: Text) -> Text:
        match self.slot.leaf if self.slot is not None else None:
            case PickLeaf(held=held):
                return Text(f"[{'x' if key in (held or ()) else ' '}] ").append_text(label)
            case ArrangeLeaf(held=held, bounds=bounds):
                low, high = bounds[key]
                return Text(f"{held.get(key, 0):>2}  ").append_text(label).append(f"  {low}-{high}", "dim")
        return label

    @property
    def row(self) -> Any:
        at = self.query_one("#few", OptionList).highlighted
        return self.keys[at] if at is not None and at < len(self.keys) else None

    def _set(self, value: Any, *, final: bool) -> None:
        if self.slot is not None:
            self.slot.leaf.set(value)
            self.post_message(self.Set(self.slot, final))

    @on(Input.Changed, "#find")
    def _search_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.offer_again()

    @on(Input.Submitted, "#find")
    def _search_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.take()

    def take(self) -> None:
        """Take the row under the cursor. In a list of several, without anything typed, go on to the next part."""
        if self.row is not None and (self._chooses or self.typed):
            self._use(self.row)
        elif self._chooses or self.typed:
            self.app.bell()
            self._say(self.owner.words(f"hint.{'nothing' if self.typed else 'choose'}"))
        elif self.slot is not None:
            self.post_message(self.Set(self.slot, True))

    def _use(self, key: Any, by: int = 1) -> None:
        if self.slot is None or key is None:
            return
        if isinstance(key, WholeAnswer):
            self.post_message(self.WholeTaken(key.order))
            return
        self.slot.leaf.use(key, by)
        self.post_message(self.Set(self.slot, self._chooses))
        if not self._chooses:
            self._say(*self._what())
            with self.prevent(Input.Changed):
                self.query_one("#find", Input).value = ""
            self._offer()
            self.query_one("#few", OptionList).highlighted = self.keys.index(key)

    @property
    def typed(self) -> str:
        return self.query_one("#find", Input).value if self.kind in LISTED else ""

    @on(OptionList.OptionHighlighted, "#few")
    def _marked(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if self.slot is not None and event.option_index < len(self.keys):
            self.post_message(self.Marked(self.slot, self.keys[event.option_index]))

    @on(OptionList.OptionSelected, "#few")
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self._use(self.keys[event.option_index])

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

    def on_key(self, event: Key) -> None:
        find, few = self.query_one("#find", Input), self.query_one("#few", OptionList)
        if find.has_focus and event.key in ("down", "up"):
            event.stop()
            few.focus()
        elif few.has_focus and self._on_list(event):
            event.stop()
            event.prevent_default()

    def _on_list(self, event: Key) -> bool:
        leaf, row = self.slot.leaf if self.slot is not None else None, self.row
        if event.key == "enter" or (event.key == "tab" and not (self._chooses or self.typed)):
            self.take()
        elif isinstance(leaf, PickLeaf) and event.key == "space" and not self.typed:
            self._use(row)
        elif isinstance(leaf, ArrangeLeaf) and (event.key in SPINS or (event.character or "").isdecimal()):
            by = SPINS.get(event.key) or int(event.character or "") - leaf.held.get(row, 0)
            self._use(row, by)
        else:
            return self.find_by(event)
        return True

    def find_by(self, event: Key) -> bool:
        """Search for one key more, before the box has the focus. Return False if it isn't text.

        No key is lost: what fits no choice leaves an empty list, and nothing is chosen then.
        """
        if self.kind not in LISTED:
            return False
        find = self.query_one("#find", Input)
        if event.character and not (event.character.isalpha() or find.value or self._fit(event.character)):
            return False  # a digit leads to another screen, a mark to help or to the board
        if event.key == "backspace" and find.value:
            find.value = find.value[:-1]
        elif event.is_printable and event.character and (find.value or event.character != " "):
            find.value += event.character
        else:
            return False
        if self._chooses and find.value:  # digits and blanks count and mark in other lists
            find.display = True  # what isn't shown can't be focused
            find.focus()
            find.cursor_position = len(find.value)
        return True


def _span(least: int, most: int) -> str:
    return f"{least}-{most}" if least != most else str(least)
