"""Screen 4, the questions: what the player has to answer, until when, and a form made from the possible answers."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.geometry import Size
from textual.widgets import Input, OptionList, Static

from pbem.lazy_regex import clean
from pbem.tui.key_bindings import bindings
from pbem.tui.model import ballots
from pbem.tui.model.badges import badges
from pbem.tui.model.charts import bars
from pbem.tui.model.order_draft import OrderDraft
from pbem.tui.model.seat_view import ScreenQuestion
from pbem.tui.screens.answer_base import MIDDLE
from pbem.tui.screens.board_base import BoardScreen, room_of
from pbem.tui.screens.dialogs import ConfirmDialog, Dialog
from pbem.tui.screens.question_panels import hand_text, own_cards
from pbem.tui.widgets.answer_form import AnswerForm
from pbem.tui.widgets.bars import Columns, Panel, PanelHeading, Prompt, Rows, SearchBox, TextBar, refill
from pbem.tui.widgets.editors import Editor
from pbem.tui.widgets.mapview import BoardMap
from pbem.tui.widgets.report_table import ReportTableWidget

LOW_HAND = 4  # most rows of the hand below the board
LINE = 3  # rows of a line of text
LEAST = 6  # rows of a list of choices, of its question and of the hand below which they aren't cut for one another
OPEN_FOR = 30  # seconds without a key after which a sealed answer is covered


class QuestionsScreen(BoardScreen):
    """All questions open to the seat, with map and panels. A negotiation has its own screen.

    A sealed answer that is filled in is covered when the player comes back, and after half a minute without a key.
    """

    NAME = "questions"
    BINDINGS = bindings("questions")
    DEFAULT_CSS = """
    QuestionsScreen {
        #rooms, #left, #foot, #places, #map, #legend, Panel { display: none; }
        #top, #answering, #left, #board { height: 1fr; }
        #asked { height: auto; max-height: 5; border: none; background: $panel; }
        #due.-here, #map-head.-here { background: $primary 40%; color: $foreground; }
        #note { height: auto; max-height: 3; padding: 0 1; color: $text-muted; }
        #legend { height: auto; max-height: 3; }
        &.-table #places, &.-map #map, &.-map #legend { display: block; }
        &.-board #left { display: block; width: 1fr; }
        &.-middle #prompt { max-height: 14; }
        &.-small.-whole #asked, &.-small.-whole #prompt { display: none; }
        &.-board.-low-hand #low-hand { display: block; margin-top: 1; }
    }
    QuestionsScreen.-board.-small {
        #top { layout: vertical; }
        #prompt { max-height: 7; }
        #left { min-height: 8; }
        #answering { height: auto; max-height: 14; }
        #order { dock: bottom; }
        #meaning { display: none; }
        AnswerForm { height: 5; }
        AnswerForm.-single, AnswerForm.-single > Editor, AnswerForm.-single #few { height: auto; }
        AnswerForm.-single #few { max-height: 4; }
        &.-whole AnswerForm.-single { height: 0; }
    }
    QuestionsScreen.-board.-middle, QuestionsScreen.-board.-large {
        #answering { dock: right; width: 46; padding-left: 1; }
        AnswerForm { layout: vertical; min-height: 8; max-height: 22; }
        AnswerForm > #slots { width: 100%; height: auto; max-height: 60%; }
        #foot { display: block; height: 8; margin-top: 1; }
        #log-panel { display: block; width: 2fr; }
        #hand-panel { display: block; height: 1fr; min-height: 5; margin-top: 1; }
    }
    QuestionsScreen.-board.-large {
        #answering { width: 58; }
        #foot { height: 11; }
        #points-panel, #dealings-panel { display: block; margin-left: 1; width: 1fr; max-width: 38; min-width: 30; }
        #dealings-panel { min-width: 34; }
        &.-no-dealings #dealings-panel { display: none; }
        #space-panel { display: block; height: auto; max-height: 11; margin-top: 1; }
        #space-panel Static { height: auto; }
    }
    QuestionsScreen.-board AnswerForm.-single > #slots { height: 0; }
    """

    opened: tuple[int, str] | None = None  # the sealed question whose answer is shown
    _idle = 0
    _drawn_at = Size()  # the size of the screen for which question and choices are drawn

    def body(self) -> ComposeResult:
        self._drawn_at = self.app.size
        self.set_class(self.desk.has_board, "-board")  # before there is anything to lay out again
        self.add_class("-map")
        with Columns(id="top"):
            yield from self._answering()
            with Rows(id="left"):
                with Rows(id="board"):
                    yield PanelHeading("map", id="map-head")
                    yield SearchBox("#places", id="needle")
                    yield ReportTableWidget(id="places")
                    yield Static(id="note", markup=False)
                    yield BoardMap(id="map")
                    yield TextBar(id="legend")
                yield Panel("hand", id="low-hand")
                with Columns(id="foot"):
                    yield Panel("log", id="log-panel")
                    yield Panel("players", id="points-panel")
                    yield Panel("players", id="dealings-panel")

    def _answering(self) -> ComposeResult:
        with Rows(id="answering"):
            yield TextBar(id="due")
            yield OptionList(id="asked", compact=True)
            yield Prompt(id="prompt")
            yield AnswerForm(id="form")
            yield Static(id="meaning", markup=False)
            yield TextBar(id="trouble")
            yield Input(id="order", compact=True)
            yield Panel("map", id="space-panel")
            yield Panel("hand", id="hand-panel")

    def questions(self) -> tuple[ScreenQuestion, ...]:
        return self.pbem.present.asked

    def draw(self) -> None:
        questions = self.questions()
        asked = self.query_one("#asked", OptionList)
        asked.display = len(questions) > 1
        with self.prevent(OptionList.OptionHighlighted):
            at = questions.index(self.asked) if self.asked is not None else None
            refill(asked, [self._line(question) for question in questions], at)
        self.draw_question()
        self.draw_panels()

    def _line(self, one: ScreenQuestion) -> Text:
        state = self.words("questions.done") if one.answered else self.words("questions.open")
        name, kind = self.say.name(one.seat), self.say.label(f"kind.{one.kind}")
        return Text(clean(f"{one.q} {name}: {kind} ({state})"), no_wrap=True)

    def draw_question(self) -> None:
        asked = self.asked
        covered = self.covered()
        usable = asked is not None and not room_of(asked) and not covered
        if covered:
            self.set_focus(None)
        for key in ("#form", "#meaning", "#trouble", "#order"):
            self.query_one(key).display = usable
        self._draw_prompt()
        if usable:
            self.load_form()
        self.share_rows()
        if self.focused is None and usable:
            self.call_after_refresh(self._start_answer)  # once it is displayed
        self.draw_board()
        self.every_second()

    def _draw_prompt(self) -> None:
        elsewhere = room_of(self.asked) if self.asked is not None else ""
        key = "ballot.closed" if self.covered() else f"questions.{elsewhere}" if elsewhere else ""
        lead = (f"{self.words(key)}\n", "bold") if key else ""
        self.query_one(Prompt).show(Text.assemble(lead, self.prompt_text()))

    def on_resize(self) -> None:
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        if self._drawn_at != self.app.size:
            self._drawn_at = self.app.size
            self._draw_prompt()
            self.query_one(Editor).offer_again()
        self.share_rows()

    def _left(self, form: AnswerForm) -> tuple[int, int, int]:
        """Return the rows for the question and its choices, those that the question needs, and those above the list."""
        others = min(len(self.questions()), 5) if len(self.questions()) > 1 else 0
        meant = min(max(len(self.meant.wrap(self.app.console, self.list_wide())), 1), 4)
        wide = self.answer_wide() - 2  # to which the facts are wrapped
        lines = len(self.query_one(Prompt).text.wrap(self.app.console, wide))
        above = 1 if form.has_class("-single") else len(form.shown) + 2
        return self.app.size.height - 5 - others - meant, lines, above

    def _rows_of(self, choices: Sequence[Text]) -> int:
        return sum(len(row.wrap(self.app.console, self.list_wide())) for row in choices)

    def has_room(self, rows: list[Text], follows: int) -> bool:
        left, lines, above = self._left(self.query_one(AnswerForm))
        self.at_length = follows > 1
        return self._divides and self._rows_of(rows) <= left - lines - above

    @property
    def _divides(self) -> bool:
        return self.app.size.width >= MIDDLE and self.beside

    def share_rows(self) -> None:
        """Give the choices their rows, the question the others, the hand what both leave, else a place below."""
        prompt, form, hand = self.query_one(Prompt), self.query_one(AnswerForm), self.query_one("#hand-panel")
        rules = ((prompt, "max_height"), (form, "height"), (form, "min_height"), (hand, "display"))
        cleared = [widget.styles.clear_rule(rule) for widget, rule in rules]
        if any(cleared):
            form.refresh(layout=True)
        self.set_class(False, "-low-hand")
        if not (self._divides and form.display):
            return
        left, lines, above = self._left(form)
        chosen = above + min(self._rows_of(form.choices) or LINE, max(left - lines - above, LEAST))
        prompt.styles.max_height = max(left - chosen, LEAST)
        form.styles.height = form.styles.min_height = chosen
        hand.display = left - chosen - min(lines, left - chosen) >= LEAST
        cards = own_cards(self.desk, self.language)
        self.set_class(not hand.display and bool(cards), "-low-hand")
        names = hand_text(cards, (), self.app.size.width - self.answer_wide() - 4, LOW_HAND)
        self.query_one("#low-hand").styles.height = 2 + names.plain.rstrip().count("\n")

    def _start_answer(self) -> None:
        if self.focused is None and not self.has_class("-whole"):  # else the board was opened meanwhile
            self.query_one(AnswerForm).focus_first()

    @property
    def beside(self) -> bool:
        return self.desk.has_board

    def covered(self) -> bool:
        """Check if the answer that is filled in must be hidden. A question without one is opened."""
        asked = self.asked
        if asked is None or not asked.secret or self.opened == (asked.q, asked.seat):
            return False
        if self.is_filled():
            return True
        self.opened = asked.q, asked.seat
        return False

    def cover(self) -> None:
        self.opened = None
        self._shown = None
        if self.is_current:
            self.draw_question()

    def on_screen_suspend(self) -> None:
        if not isinstance(self.app.screen, Dialog):
            self.opened, self._shown = None, None

    def on_key(self) -> None:
        self._idle = 0

    def action_reveal(self) -> None:
        asked = self.asked
        if asked is not None and self.covered():
            self.opened = asked.q, asked.seat
            self.draw_question()
            self.query_one(AnswerForm).focus_first()

    def action_send(self) -> None:
        asked = self.asked
        if asked is None or not asked.secret:
            super().action_send()
            return
        email = self.order_draft() if not self.covered() else None
        if email is None:
            return
        order = email.answers[asked.q]

        def confirmed(key: str) -> None:
            if key != "yes":
                return
            at = self.pbem.now().isoformat(timespec="seconds")
            ballot = ballots.commit(self.pbem.present, asked.q, asked.seat, asked.kind, order, at)
            self.cover()
            self.pbem.send(email, then=lambda: self._keep(asked, ballot))

        choices = [("yes", self.words("ballot.yes")), ("no", self.words("ballot.no"))]
        said = self.answer_in_words(order) or order
        self.pbem.drop_keys()  # those that come now answer the dialog
        self.pbem.ask(ConfirmDialog(self.words("ballot.confirm"), said, choices), confirmed)

    def _keep(self, asked: ScreenQuestion, ballot: ballots.Ballot) -> None:
        ballots.keep(ballots.file_of(self.pbem.source.beside), ballot)
        self.pbem.forget(asked)
        self.at = None  # on to the next question
        self.refresh_all(force=True)

    def every_second(self) -> None:
        super().every_second()
        self._idle += 1
        if self._idle >= OPEN_FOR and self.opened is not None:
            self._idle = 0
            if self.is_filled():
                if isinstance(self.app.screen, ConfirmDialog):  # it shows the answer to be sealed
                    self.app.screen.dismiss(None)
                self.cover()

    def draw_panels(self) -> None:
        sides = badges(self.desk, self.language)
        until = self.pbem.stop.n if self.pbem.stop is not None else self.desk.moves
        self.draw_log([line for line in self.pbem.present.log if line.n <= until], sides)
        desk, language = self.desk, self.language
        self.query_one("#points-panel", Panel).tell(
            "2", self.words("players.points"), lambda wide, _: bars(desk.view.scores, desk, language, sides, wide)
        )
        self.draw_diplomacy(sides)

    @on(OptionList.OptionHighlighted, "#asked")
    def _moved(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.show_question(event.option_index)

    @on(OptionList.OptionSelected, "#asked")
    def _entered(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_open()

    def show_question(self, index: int) -> None:
        questions = self.questions()
        if index < len(questions):
            self.at = (questions[index].q, questions[index].seat)
            self.draw_question()

    def action_next_question(self, by: int) -> None:
        if self.asked is not None:
            at = (self.questions().index(self.asked) + by) % len(self.questions())
            self.show_question(at)
            self.query_one("#asked", OptionList).highlighted = at

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "sheet":
            return bool(self.pbem.present.document.get("sheet_kinds")) and not self.pbem.present.moderator
        return super().check_action(action, parameters)

    def action_sheet(self) -> None:
        def written(lines: list[str]) -> None:
            if lines:
                self.pbem.send(OrderDraft(self.pbem.present.seat, lines=lines))

        self.write_sheet(written)

    def action_open(self) -> None:
        elsewhere = room_of(self.asked) if self.asked is not None else ""
        if self.covered():
            self.action_reveal()
        elif elsewhere:
            self.pbem.action_screen(elsewhere)
        else:
            super().action_open()
