"""The common part of screens with a form: the draft of each question, its order text, checking and sending."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.widgets import Input

from pbem.kernel.rejections import RejectionReason
from pbem.lazy_regex import clean
from pbem.report.receipt import receipt_text
from pbem.report.viewfile import frame_from
from pbem.tui.model.answer_tree import ADD, DROP, AnswerDraft
from pbem.tui.model.badges import Badge
from pbem.tui.model.clock import until_or_left
from pbem.tui.model.order_draft import OrderDraft, code_for, letter_for
from pbem.tui.model.seat_view import ScreenLine, ScreenQuestion
from pbem.tui.screens.base import BaseScreen
from pbem.tui.screens.dialogs import TextDialog
from pbem.tui.screens.question_panels import diplomacy_text, hand_text, log_text, points_text
from pbem.tui.widgets.answer_form import AnswerForm
from pbem.tui.widgets.bars import TextBar
from pbem.tui.widgets.panels import Panel

LABELS = ("field", "expected", "word", "field_name")
"""Message prefixes under which a game or the reports name a field of a form."""


class AnswerScreen(BaseScreen):
    """A screen on which one question is answered at a time."""

    DEFAULT_CSS = """
    AnswerScreen #prompt { height: auto; padding: 0 1; background: $surface; }
    AnswerScreen #order { border: none; height: 1; background: $panel; }
    AnswerScreen #trouble { color: $error; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.at: tuple[int, str] | None = None
        self._loaded: tuple[int, str] | None = None

    def form(self) -> ComposeResult:
        yield AnswerForm(id="form")
        yield TextBar(id="trouble")
        yield Input(id="order", compact=True)

    def questions(self) -> tuple[ScreenQuestion, ...]:
        raise NotImplementedError

    @property
    def asked(self) -> ScreenQuestion | None:
        found = self.questions()
        return next(
            (asked for asked in found if (asked.q, asked.seat) == self.at), found[0] if found else None
        )

    @property
    def draft(self) -> AnswerDraft | None:
        return self.pbem.draft(self.asked) if self.asked is not None else None

    # -- words -------------------------------------------------------------------------------------------------------

    def value_words(self, value: Any, what: str = "") -> str:
        """Return a value of an answer in the reader's words; `what` is the kind of value."""
        say = self.desk.say(self.language)
        if value in (ADD, DROP) and self.words.has(f"form.{value}"):
            return self.words(f"form.{value}")
        if isinstance(value, str) and value.partition(" ")[0] in ("unless", "after") and " " in value:
            word, _, seat = value.partition(" ")
            return self.words(f"form.{word}", seat=say.value(seat))
        return clean(say.value(value, what))

    def field_words(self, field: Any) -> str:
        word, _, number = str(field).partition(" ")
        key = f"form.{word or 'answer'}"
        if self.words.has(key):
            return f"{self.words(key)} {number}".strip()
        say = self.desk.say(self.language)
        for prefix in LABELS:
            if say.has(f"{prefix}.{word}"):
                return f"{say.text(f'{prefix}.{word}')} {number}".strip()
        return f"{say.name(word)} {number}".strip()

    def answer_in_words(self, text: str) -> str:
        """Return an answer in the reader's words; "" for none."""
        asked = self.asked
        if not text or asked is None:
            return ""
        said = self.value_words(asked.domain.parse(text), getattr(asked.domain, "what", ""))
        return f"{self.words('form.aloud')} {said}"

    def problem_words(self, problem: RejectionReason | None) -> str:
        return clean(self.desk.say(self.language).render_problem(problem)) if problem is not None else ""

    def untils(self, due: datetime) -> tuple[str, ...]:
        """Return the deadline of a question, whatever point is shown; then shorter texts for a narrow line."""
        present = self.pbem.present
        return until_or_left(due, self.pbem.now(), present.zone, present.say(self.language), self.words)

    # -- drawing -----------------------------------------------------------------------------------------------------

    def load_form(self) -> None:
        asked = self.asked
        hints = {
            kind: self.words(f"hint.{kind}")
            for kind in ("choice", "pick", "arrange", "amount", "text", "free")
        }
        self.query_one(AnswerForm).load(self.draft, self.value_words, self.field_words, hints)
        self.query_one("#order", Input).placeholder = self.words(
            "form.order", syntax=self.desk.say(self.language).syntax(asked.syntax) if asked else ""
        )
        now = (asked.q, asked.seat) if asked is not None else None
        if now != self._loaded and self.query_one("#order").has_focus:
            self.query_one("#slots").focus()  # the input line belongs to another question
            with self.prevent(Input.Changed):
                self.query_one("#order", Input).value = self.draft.text() if self.draft is not None else ""
        self._loaded = now
        self.preview()

    def draw_score_history(self, lines: Sequence[ScreenLine], sides: Mapping[str, Badge]) -> None:
        """Draw the public panels: the log, which ends with `lines`, and the points."""
        desk, words, language = self.desk, self.words, self.language
        last, accent = lines[-40:], self.app.theme_variables["accent"]
        self.query_one("#log-panel", Panel).tell(
            "7", words("screen.log"), lambda _, high: log_text(last[-max(high, 1) :], language, accent)
        )
        self.query_one("#points-panel", Panel).tell(
            "2", words("players.points"), lambda wide, _: points_text(desk, language, sides, wide)
        )

    def draw_diplomacy(self, sides: Mapping[str, Badge]) -> None:
        """Draw the panels of the hand and of relations between seats."""
        cards, count = hand_text(self.desk, self.language, self.words)
        self.query_one("#hand-panel", Panel).tell("3", self.words("screen.hand"), cards, str(count))
        dealings = diplomacy_text(self.desk, self.language, sides)
        self.set_class(dealings is None, "-no-dealings")
        if dealings is not None:
            self.query_one("#dealings-panel", Panel).tell("2", dealings[0], dealings[1])

    def prompt_text(self) -> Text:
        """Return the question in full, with its default answer."""
        asked, words = self.asked, self.words
        if asked is None:
            return Text(self.pbem.present.result(self.language) or words("questions.none"))
        say = self.desk.say(self.language)
        text = Text(f"{asked.q}. ", style="bold")
        if self.desk.moderator:
            text.append(f"{say.name(asked.seat)}: ")
        text.append(asked.prompt(self.language))
        if asked.answered and asked.answer and not asked.sealed:
            text.append(f" {words('questions.answered', answer=say.faced(asked.answer))}")
        default = say.faced(asked.default) if asked.default else ""
        hidden = asked.sealed and asked.pace != "reaction"
        if not hidden:
            text.append(
                f" {words('questions.default', text=default) if default else words('questions.moderator')}",
                "italic",
            )
        guide = f"guide.{asked.kind}"
        if self.pbem.source.guided and say.has(guide):
            text.append(f"\n{say.text(guide)} [{asked.rule}]", self.app.theme_variables["accent"])
        return text

    def preview(self) -> None:
        """Show the order text, or what is wrong."""
        draft = self.draft
        order = self.query_one("#order", Input)
        text = draft.text() if draft is not None else ""
        if not order.has_focus:
            with self.prevent(Input.Changed):
                order.value = text
        problem = draft.problem() if draft is not None else None
        trouble = self.problem_words(problem) if not text else ""
        self.query_one("#trouble", TextBar).show(f" {trouble}")

    @on(AnswerForm.Changed)
    def _changed(self) -> None:
        self.preview()

    @on(Input.Changed, "#order")
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        draft = self.draft
        if draft is None or not self.query_one("#order").has_focus:
            return
        problem = draft.read(event.value) if event.value.strip() else None
        self.query_one("#trouble", TextBar).show(f" {self.problem_words(problem)}")
        if problem is None and event.value.strip():
            self.query_one(AnswerForm).refill()

    @on(Input.Submitted, "#order")
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self.draft is not None and self.draft.read(event.value) is None:
            self.query_one(AnswerForm).refill()
            self.preview()
            self.action_send()

    # -- actions -----------------------------------------------------------------------------------------------------

    def letter(self) -> OrderDraft | None:
        """Return the email to send. If there is nothing to send, show what is missing."""
        asked, draft = self.asked, self.draft
        if asked is None or draft is None:
            return None
        text = draft.text()
        if not text:
            self.pbem.tell(self.words("form.unfinished"))
            return None
        return letter_for(self.desk, asked, text)

    def action_check(self) -> None:
        letter = self.letter()
        if letter is not None:
            self.check_letter(letter)

    def check_letter(self, letter: OrderDraft) -> None:
        """Show the referee's reply, as far as it can be known here."""
        block = letter.block(self.desk.name, code_for(self.desk, letter.seat) or self._any_code(letter.seat))
        receipts = self.pbem.source.judge(block, letter.seat)
        say, about = self.desk.say(self.language), frame_from(self.pbem.present.document)
        text = "\n".join(receipt_text(receipt, say, about) for receipt in receipts)
        self.app.push_screen(TextDialog(self.words("act.check"), text))

    def _any_code(self, seat: str) -> str:
        """Return a reply code for the offline check. The moderator's move files need none."""
        return self.pbem.source.code(seat)

    def action_send(self) -> None:
        """Send the answer with the rest of the email."""
        alone = self.letter()
        if alone is None:
            return
        letter = self.pbem.letter_of(alone.seat)
        if letter.empty:
            self.pbem.send(alone)
            return
        for q, text in alone.answers.items():
            letter.add("answer", text, q=q)
        self.pbem.send(letter, then=lambda: self.pbem.forget_letter(letter))

    def action_put(self) -> None:
        asked = self.asked
        if asked is not None and asked.sealed and asked.pace != "reaction":
            self.pbem.tell(self.words("draft.sealed"))
            return
        alone = self.letter()
        if alone is not None:
            for q, text in alone.answers.items():
                self.pbem.letter_of(alone.seat).add("answer", text, q=q)
            self.pbem.tell(self.words("draft.put"))

    def action_default(self) -> None:
        asked, draft = self.asked, self.draft
        if asked is not None and draft is not None and asked.default:
            draft.read(asked.default)
            self.load_form()

    def action_clear(self) -> None:
        if self.asked is not None:
            self.pbem.forget(self.asked)
            self.load_form()

    def action_open(self) -> None:
        self.query_one(AnswerForm).focus_first()

    def action_back(self) -> None:
        """Move the focus from the editor to the rows, from there to the order text."""
        form = self.query_one(AnswerForm)
        inside = self.focused is not None and self.focused in form.query("Editor *")
        if inside or self.focused is self.query_one("#order"):
            form.query_one("#slots").focus()
        else:
            self.query_one("#order").focus()
