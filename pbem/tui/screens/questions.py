"""Screen 4, the questions: what the player has to answer, until when, and a form made from the possible answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

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
from pbem.tui.screens import question_panels as panels
from pbem.tui.screens.answer_base import FLOWED, FOLLOWS, LARGE, MIDDLE, left_over
from pbem.tui.screens.board_base import SHORT, BoardScreen, room_of, told_more
from pbem.tui.screens.dialogs import ConfirmDialog, Dialog
from pbem.tui.screens.question_panels import own_cards, standings
from pbem.tui.widgets.answer_form import AnswerForm
from pbem.tui.widgets.bars import Columns, Panel, PanelHeading, Prompt, Rows, SearchBox, TextBar, refill
from pbem.tui.widgets.editors import FEWER, Editor
from pbem.tui.widgets.mapview import BoardMap
from pbem.tui.widgets.report_table import ReportTableWidget

LINE = 3  # rows of a line of text
MOST = 8  # rows of a long list for which facts make room
LONG = 12  # rows of the screen that a list of choices never has
BOARD, LONG_BOARD, STEP = 36, 48, 2
"""Least cells of the board, and of a table with the players' columns; those by which the question's column grows."""
LOW_LOG, LOW_BOARD = 4, 9  # least rows of the log and of a long board above facts for which there is no room beside it
OF_LOG, OF_BOARD = 2, 5  # rows that the log, then also the board gives so that no choice is cut
LEAST, LEAST_LIST = 6, 4  # rows of the question and of the hand, and of the choices, that others leave them
OPEN_FOR = 30  # seconds without a key after which a sealed answer is covered


class QuestionsScreen(BoardScreen):
    """All questions open to the seat, with map and panels. A negotiation has its own screen.

    A sealed answer that is filled in is covered when the player comes back, and after half a minute without a key.
    """

    NAME = "questions"
    BINDINGS = bindings("questions")

    opened: tuple[int, str] | None = None  # the sealed question whose answer is shown
    high_board = 0  # the least rows of the board above facts
    given = OF_LOG  # rows that others give to the choices
    wider = 0  # cells that the board leaves to the question
    _idle = 0
    _drawn_at = Size()  # the size of the screen for which question and choices are drawn

    def body(self) -> ComposeResult:
        self._drawn_at = self.app.size
        self.set_class(self.desk.has_board, "-board")  # before there is anything to lay out again
        self.set_class(not standings(self.desk, self.language)[0], "-no-dealings")
        self.sides = badges(self.desk, self.language)
        table, drawn = self.planned()[2:] if self.desk.has_board else (False, True)
        self.set_class(table, "-table").set_class(drawn, "-map")
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
                yield Panel("questions", id="low-facts")
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
            yield AnswerForm(self.draft, id="form")
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
        asked, self.sides = self.asked, badges(self.desk, self.language)
        covered = self.covered()
        usable = asked is not None and not room_of(asked) and not covered
        if covered:
            self.set_focus(None)
        for key in ("#form", "#order"):
            self.query_one(key).display = usable
        self.show_meant(())
        self.below = self.high_board = self.wider = 0
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
        self.query_one(Prompt).show(Text.assemble(lead, self.prompt_text(below=self.below)))

    def on_resize(self) -> None:
        self.call_after_refresh(self._resized)

    def _resized(self) -> None:
        if self._drawn_at != self.app.size:
            self._drawn_at, self.below, self.high_board, self.wider = self.app.size, 0, 0, 0
            self._draw_prompt()
            self.query_one(Editor).offer_again()
        self.share_rows()

    def _left(self, form: AnswerForm) -> tuple[int, int]:
        """Return the rows for the question and its choices while none of these is marked, and those above the list."""
        others = min(len(self.questions()), 5) if len(self.questions()) > 1 else 0
        above = 0 if form.has_class("-single") else self._rows_of(form.texts("#slots")) + 1
        shown = [key for key in ("#find", "#trouble") if self.query_one(key).display]
        return self.app.size.height - 4 - others, above + len(shown)

    def _rows_of(self, choices: Sequence[Text]) -> int:
        return sum(len(row.wrap(self.app.console, self.list_wide())) for row in choices)

    def attempts(self) -> Iterator[float]:
        """Try all that follows first, and a wider column before less of it: the board needs its width least.

        A long board, which scrolls anyway, also gives rows before choices are left out or cut.
        """
        whole = panels.table_for(self.desk, self.language, self.asked, "", ())
        sheet = told_more(whole, self.desk, self.language, self.sides)
        more = sheet is not None and whole is not None and len(sheet.columns) > len(whole.columns)
        most = self.app.size.width - (LONG_BOARD if more else BOARD) - super().answer_wide() if self._divides else 0
        wider, most = self.wider, max(most, self.wider)
        given = OF_BOARD if self._divides and self._low_rows() and self.high_board == LOW_BOARD else OF_LOG
        tries = [(follows, OF_LOG) for follows in FOLLOWS if follows >= FLOWED]
        tries += [(follows, given) for follows in FOLLOWS if follows <= FLOWED]
        for follows, self.given in dict.fromkeys(tries):
            for self.wider in range(most if follows == FEWER else wider, most + 1, STEP):
                yield follows

    def answer_wide(self) -> int:
        return super().answer_wide() + self.wider * self._divides

    def has_room(self, rows: list[Text], follows: float) -> bool:
        if not self._divides:
            return super().has_room(rows, follows)
        self.at_length = follows > 1
        return self._facts_below(self._rows_of(rows), 0 if self.at_length else self.given)[1]

    def _facts_below(self, chosen: int, taken: int) -> tuple[int, bool]:
        """Return how many facts stand below the board for so many rows of choices, and whether these fit then."""
        left, above = self._left(self.query_one(AnswerForm))
        facts, low = (self.facts_rows(wide) for wide in (self.answer_wide() - 2, self._low_wide))
        room = left - above - chosen - self.lines(self.prompt_text(below=len(facts)))
        count = left_over(facts, room)
        fitting = left_over(low[::-1], self._low_rows() + taken - LOW_LOG) if count else 0
        return min(count, len(low) - fitting), room >= 0 and count <= len(low) - fitting

    def _low_rows(self) -> int:
        """Return the rows below the least board for facts and for the log."""
        desk, language = self.desk, self.language
        if not self.high_board:
            sheet = panels.table_for(desk, language, self.asked, "", ())
            self.high_board = len(sheet.rows) + 2 if sheet is not None and len(sheet.rows) < SHORT else LOW_BOARD
        hand = self._low_hand(brief=True)
        return self.app.size.height - 5 - self.high_board - (hand + 1 if hand else 0)

    def _low_hand(self, *, brief: bool) -> int:
        """Return the rows of the hand below the board, none if its cards are the choices; `brief`: names in lines."""
        cards, offered = own_cards(self.desk, self.language), self.offered()
        if len(cards) <= self.app.size.height - LONG and all(offered.intersection(card.ids) for card in cards):
            return 0
        return self.hand_high(self._low_wide, brief=brief)

    @property
    def _low_wide(self) -> int:
        return self.app.size.width - self.answer_wide() - 3

    @property
    def _divides(self) -> bool:
        return self.app.size.width >= MIDDLE and self.beside

    def share_rows(self) -> None:
        """Give the choices their rows, the question the others, the hand what both leave, else a place below."""
        prompt, form, hand = self.query_one(Prompt), self.query_one(AnswerForm), self.query_one("#hand-panel")
        log = self.query_one("#foot")
        rules = ((prompt, "max_height"), (form, "height"), (form, "min_height"), (hand, "display"), (log, "height"))
        cleared = [widget.styles.clear_rule(rule) for widget, rule in rules]
        if any(cleared):
            form.refresh(layout=True)
        self.remove_class("-low-hand", "-low-facts")
        self.query_one("#answering").styles.width = self.answer_wide() + 1 if self._divides else None
        if not (self._divides and form.display):
            return
        (left, above), rows = self._left(form), self._rows_of(form.texts("#few")) or LINE
        for wanted, taken in product((rows, MOST, LEAST_LIST), (0, OF_LOG, OF_BOARD)):
            below, fits = self._facts_below(min(rows, wanted), taken)
            if fits:
                break
        self.below = max(self.below, below)
        self._draw_prompt()
        lines = self.lines(prompt.text)
        left -= min(len(self.meant.wrap(self.app.console, self.list_wide())), 4) if self.meant.plain else 0
        chosen = above + min(rows, max(left - lines - above, LEAST_LIST))
        prompt.styles.max_height = max(left - chosen, LEAST)
        form.styles.height = form.styles.min_height = chosen
        whole = self.hand_high(self.answer_wide() - 2, brief=True) + 1  # that of a question about its cards isn't cut
        hand.display = left - chosen - min(lines, left - chosen) >= max(LEAST, whole)
        low = 0 if hand.display else self._low_hand(brief=self.below > 0)
        self.set_class(low > 0, "-low-hand")
        self.query_one("#low-hand").styles.height = low
        rows = self.draw_low_facts(self._low_wide)
        if rows:  # the log is the first to make room for them
            high = 11 if self.app.size.width >= LARGE else 8
            log.styles.height = min(max(self._low_rows() - rows, LOW_LOG - OF_LOG), high)

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
