"""Room 4, the questions: what I must answer, until when, and a form made from the answers that are possible."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from pbem.report.cells import clean
from pbem.tui.model.order import step
from pbem.tui.model.seat_desk import Asked
from pbem.tui.screens.answer import AnswerRoom
from pbem.tui.screens.room import bound
from pbem.tui.widgets.bars import Line
from pbem.tui.widgets.slots import SlotForm


class QuestionsRoom(AnswerRoom):
    """All questions open to the seat; those of a negotiation and ballots are answered in rooms of their own."""

    NAME = "questions"
    BINDINGS = bound("questions")
    CSS = """
    QuestionsRoom #asked { height: auto; max-height: 5; border: none; background: $panel; }
    QuestionsRoom #due { color: $accent; }
    """

    def body(self) -> ComposeResult:
        yield OptionList(id="asked", compact=True)
        yield Line(id="due")
        yield Static(id="prompt", markup=False)
        yield from self.form()

    def questions(self) -> tuple[Asked, ...]:
        return self.pbem.present.asked

    def draw(self) -> None:
        questions = self.questions()
        asked = self.query_one("#asked", OptionList)
        asked.display = len(questions) > 1
        with self.prevent(OptionList.OptionHighlighted):
            asked.clear_options()
            asked.add_options([Option(self._line(question)) for question in questions])
            if self.asked is not None:
                asked.highlighted = questions.index(self.asked)
        self.draw_question()

    def _line(self, one: Asked) -> Text:
        say = self.desk.say(self.language)
        state = self.words("questions.done") if one.answered else self.words("questions.open")
        return Text(
            clean(f"{one.q} {say.name(one.seat)}: {say.label(f'kind.{one.kind}')} ({state})"), no_wrap=True
        )

    def draw_question(self) -> None:
        """The question under the cursor."""
        asked = self.asked
        text = self.prompt_text()
        elsewhere = room_of(asked) if asked is not None else ""
        if elsewhere:
            text.append(f"\n{self.words(f'questions.{elsewhere}')}", "bold")
        self.query_one("#prompt", Static).update(text)
        usable = asked is not None and not elsewhere
        for key in ("#form", "#trouble", "#order"):
            self.query_one(key).display = usable
        if usable:
            self.load_form()
        if self.focused is None and usable:
            self.query_one(SlotForm).query_one("#slots").focus()
        self.every_second()

    def every_second(self) -> None:
        super().every_second()
        line = self.query("#due")
        asked = self.asked
        if line and asked is not None and asked.due:
            line.first(Line).show(f" {self.until(asked)}")
        elif line:
            line.first(Line).show(f" {self.words('questions.no_due')}" if asked is not None else "")

    @on(OptionList.OptionHighlighted, "#asked")
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.show_question(event.option_index)

    @on(OptionList.OptionSelected, "#asked")
    def _entered(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_open()

    def show_question(self, index: int) -> None:
        """Turn to one of the questions."""
        questions = self.questions()
        if index < len(questions):
            self.at = (questions[index].q, questions[index].seat)
            self.draw_question()

    def action_next_question(self, by: int) -> None:
        """Turn to the next question."""
        keys = [f"{question.q}:{question.seat}" for question in self.questions()]
        if keys and self.asked is not None:
            self.show_question(keys.index(step(f"{self.asked.q}:{self.asked.seat}", keys, by)))
            self.query_one("#asked", OptionList).highlighted = keys.index(f"{self.asked.q}:{self.asked.seat}")

    def action_open(self) -> None:
        elsewhere = room_of(self.asked) if self.asked is not None else ""
        if elsewhere:
            self.pbem.action_room(elsewhere)
        else:
            super().action_open()


def room_of(asked: Asked) -> str:
    """The room in which a question is answered, if it is not this one."""
    if asked.talk:
        return "talk"
    return "ballot" if asked.sealed and asked.pace != "reaction" else ""
