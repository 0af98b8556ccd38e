"""The form of an answer: its rows as a list, and one editor for the selected row."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.events import Key
from textual.message import Message
from textual.widgets import OptionList

from pbem.lazy_regex import clean
from pbem.tui.model.answer_fields import ArrangeLeaf, FormRow, PickLeaf
from pbem.tui.model.answer_tree import AnswerDraft
from pbem.tui.widgets.bars import Columns, refill
from pbem.tui.widgets.editors import Editor, Wording


class AnswerForm(Columns):
    """The rows on the left, the editor of one on the right. Posts `AnswerForm.Changed` after every change."""

    class Changed(Message):
        """The draft has changed."""

    class Finished(Message):
        """Enter was pressed on an answer that is complete, or a question of one part was answered."""

    class Ready(Message):
        """The last part was filled in: the next Enter finishes."""

    class Turned(Message):
        """Another part of the answer is being written."""

    owner: Wording
    draft: AnswerDraft | None = None
    shown: Sequence[FormRow] = ()
    ready = False  # whether the last part was just filled in: Enter then finishes

    def __init__(self, draft: AnswerDraft | None = None, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.draft = draft

    def compose(self) -> ComposeResult:
        editor = Editor()
        if self.draft is not None:  # a class that is set before there is anything to style costs nothing
            self._show_slots()
            editor.dress(self._first())
        yield OptionList(id="slots", compact=True)
        yield editor

    def load(self, draft: AnswerDraft | None, owner: Wording, *, priced: bool = True) -> None:
        self.draft, self.owner, self.ready, editor = draft, owner, False, self.query_one(Editor)
        editor.owner, editor.priced = owner, priced
        editor.faces = draft.names.printed if draft is not None else {}
        self.refill()
        self.edit(self._first())

    def refill(self) -> None:
        slots = self.query_one("#slots", OptionList)
        here = self.shown[slots.highlighted].path if self.shown and slots.highlighted is not None else ""
        self._show_slots()
        at = next((i for i, slot in enumerate(self.shown) if slot.path == here), 0)
        with self.prevent(OptionList.OptionHighlighted):
            refill(slots, [self._line(slot) for slot in self.shown], at)

    def _show_slots(self) -> None:
        self.shown = self.draft.slots() if self.draft is not None else []
        single = len(self.shown) == 1 and self.shown[0].leaf.kind == "choice"
        self.set_class(single, "-single")  # its choices say it all

    def _line(self, slot: FormRow) -> Text:
        line = Text("  " * slot.depth, end="")
        acts = getattr(slot.leaf, "acts", False)
        line.append(f"{clean(self.owner.field_words(slot.label))}{'' if acts else ': '}", "bold")
        if acts:
            return line
        if slot.leaf.held is None or slot.leaf.held == "":
            line.append("...", "dim")
        elif slot.leaf.held in ([], {}) or (slot.leaf.held == "no" and slot.path.endswith("?")):
            line.append(self.owner.row_words(None, []), "dim")
        else:
            wrong = slot.leaf.problem() is not None
            line.append(clean(self.owner.row_words(slot, slot.leaf.held)), "underline" if wrong else "")
        return line

    def _first(self) -> FormRow | None:
        if self.draft is None:
            return None
        return self.draft.missing() or next(iter(self.shown), None)

    def edit(self, slot: FormRow | None) -> None:
        if slot is not None:
            paths = [line.path for line in self.shown]
            slots = self.query_one("#slots", OptionList)
            if slot.path in paths:
                with self.prevent(OptionList.OptionHighlighted):
                    slots.highlighted = paths.index(slot.path)
        self.query_one(Editor).load(slot)
        self.post_message(self.Turned())

    def texts(self, part: str) -> list[Text]:
        """Return the rows of the parts (`#slots`) or of the choices (`#few`)."""
        prompts = (option.prompt for option in self.query_one(part, OptionList).options)
        return [prompt for prompt in prompts if isinstance(prompt, Text)]

    @property
    def slot(self) -> FormRow | None:
        return self.query_one(Editor).slot if self.draft is not None else None

    def take(self, key: str) -> bool:
        missing = self.draft.missing() if self.draft is not None else None
        for slot in (self.slot, missing, *self.shown):
            if slot is not None and not getattr(slot.leaf, "acts", False) and slot.leaf.use(key):
                several = isinstance(slot.leaf, PickLeaf | ArrangeLeaf)
                self.refill()
                missing = self.draft.missing() if self.draft is not None else None
                self.edit(slot if several else missing or slot)
                self.post_message(self.Changed())
                return True
        return False

    @on(OptionList.OptionHighlighted, "#slots")
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_index < len(self.shown):
            self.ready = False
            self.query_one(Editor).load(self.shown[event.option_index])
            self.post_message(self.Turned())

    def on_key(self, event: Key) -> None:
        if self.query_one("#slots").has_focus and self.query_one(Editor).find_by(event):
            event.stop()
            event.prevent_default()

    @on(OptionList.OptionSelected, "#slots")
    def _entered(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        editor = self.query_one(Editor)
        if editor.typed:  # keys that came before the search box had the focus
            editor.take()
        elif self.ready:
            self.post_message(self.Finished())
        else:
            editor.enter()

    @on(Editor.Set)
    def _set(self, event: Editor.Set) -> None:
        event.stop()
        if self.draft is None:
            return
        self.refill()
        missing = self.draft.missing()
        self.post_message(self.Changed())
        if not event.final:
            return
        self.edit(missing or event.slot)
        if missing is not None:
            self.query_one(Editor).enter()
            return
        self.query_one("#slots").focus()
        self.ready = True
        if len(self.shown) == 1 and event.slot.leaf.kind == "choice":
            self.post_message(self.Finished())
        else:
            self.post_message(self.Ready())

    @on(Editor.WholeTaken)
    def _answered(self, event: Editor.WholeTaken) -> None:
        event.stop()
        if self.draft is None:
            return
        self.draft.read(event.order)
        self.refill()
        self.edit(self._first())
        self.post_message(self.Changed())
        self.query_one("#slots").focus()
        self.ready = True
        self.post_message(self.Ready())

    def focus_first(self) -> None:
        if self.draft is not None and self.draft.missing() is not None:
            self.query_one(Editor).enter()
        else:
            self.query_one("#slots").focus()
