"""A dialog with the form of one act; returns its order text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Static

from pbem.tui.model.answer_tree import AnswerDraft
from pbem.tui.screens.dialogs import Dialog
from pbem.tui.widgets.answer_form import AnswerForm
from pbem.tui.widgets.bars import TextBar

if TYPE_CHECKING:
    from pbem.tui.screens.answer_base import AnswerScreen


class FormDialog(Dialog[str]):
    """The form of an act. Enter on the whole, or F8, puts it into the email; Esc leaves."""

    FIRST = "AnswerForm"
    BINDINGS = [Binding("f8,ctrl+s", "take", "take", show=False, priority=True)]
    DEFAULT_CSS = """
    FormDialog > Vertical { width: 90%; max-width: 130; height: 75%; min-height: 18; padding: 0; }
    FormDialog #aloud { height: auto; max-height: 4; padding: 0 1; }
    FormDialog #trouble { color: $error; }
    """

    def __init__(self, title: str, draft: AnswerDraft, owner: AnswerScreen) -> None:
        super().__init__(f" {title}")
        self.draft, self.owner = draft, owner
        self.heading = Text.assemble(self.heading, f"   F8 {owner.words('fill.take')}", end="")

    def body(self) -> ComposeResult:
        yield AnswerForm(id="form")
        yield TextBar(id="trouble")
        yield Static(id="aloud", markup=False)

    def on_mount(self) -> None:
        super().on_mount()
        words = self.owner.words
        hints = {kind: words(f"hint.{kind}") for kind in ("choice", "pick", "arrange", "amount", "text", "free")}
        form = self.query_one(AnswerForm)
        form.load(self.draft, self.owner.row_words, self.owner.field_words, hints)
        form.focus_first()
        self.preview()

    @on(AnswerForm.Changed)
    def preview(self) -> None:
        text, aloud = self.draft.text(), self.owner.words("form.aloud")
        self.query_one("#aloud", Static).update(Text(f"{aloud} {self.owner.answer_in_words(text)}" if text else ""))
        trouble = "" if text else self.owner.problem_words(self.draft.problem())
        self.query_one("#trouble", TextBar).show(f" {trouble}")

    @on(AnswerForm.Ready)
    def _ready(self) -> None:
        if self.draft.text():
            self.query_one("#trouble", TextBar).show(f" Enter: {self.owner.words('fill.take')}")

    @on(AnswerForm.Finished)
    def action_take(self) -> None:
        text = self.draft.text()
        if text:
            self.dismiss(text)
