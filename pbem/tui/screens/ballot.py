"""Screen 6, the sealed answer: hidden until it is opened, a receipt, and later how it was counted."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Static

from pbem.lazy_regex import clean
from pbem.report.text_width import pad, width
from pbem.timestamps import moment
from pbem.tui.model import ballots
from pbem.tui.model.badges import badges
from pbem.tui.model.clock import local
from pbem.tui.model.seat_view import ScreenQuestion
from pbem.tui.screens.answer_base import AnswerScreen
from pbem.tui.screens.base import bound
from pbem.tui.screens.dialogs import ConfirmDialog, InputDialog, TextDialog
from pbem.tui.screens.questions import room_of
from pbem.tui.widgets.answer_form import AnswerForm
from pbem.tui.widgets.panels import Columns, Panel, Rows

ENVELOPE = (
    ".--------------------------.",
    "| '.                    .' |",
    "|    '.              .'    |",
    "|       '.   (##)  .'      |",
    "|          '-(##)-'        |",
    "|                          |",
    "'--------------------------'",
)

OPEN_FOR = 30.0
"""Seconds after which an open ballot closes by itself."""


class BallotScreen(AnswerScreen):
    """Ballots, bids and command cards. While closed, only the public question is shown."""

    NAME = "ballot"
    BINDINGS = bound("ballot")
    DEFAULT_CSS = """
    BallotScreen #cover { height: 1fr; content-align: center middle; text-align: center; background: $surface; }
    BallotScreen #sealed { width: 1fr; }
    BallotScreen #around { display: none; }
    BallotScreen.-wide #around { display: block; width: 46; margin-left: 1; }
    BallotScreen #around Static { text-wrap: nowrap; text-overflow: ellipsis; }
    BallotScreen.-wide #points-panel { height: 12; margin-top: 1; }
    BallotScreen #receipts { height: auto; max-height: 9; padding: 0 1; color: $text-muted; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.held_open = False

    def body(self) -> ComposeResult:
        yield Static(id="prompt", markup=False)
        with Columns():
            with Rows(id="sealed"):
                yield Static(id="cover", markup=False)
                yield from self.form()
            with Rows(id="around"):
                yield Panel("log", id="log-panel")
                yield Panel("players", id="points-panel")
        yield Static(id="receipts", markup=False)

    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(1.0, self._grow_old)
        self._age = 0.0

    def questions(self) -> tuple[ScreenQuestion, ...]:
        return tuple(asked for asked in self.pbem.present.asked if room_of(asked) == "ballot")

    # -- drawing -----------------------------------------------------------------------------------------------------

    def draw(self) -> None:
        asked = self.asked
        if asked is None:
            self.held_open = False
        self.query_one("#prompt", Static).update(
            self.prompt_text() if asked is not None else Text(self.words("ballot.none"))
        )
        for key in ("#form", "#trouble", "#order"):
            self.query_one(key).display = self.held_open
        cover = self.query_one("#cover", Static)
        cover.display = not self.held_open
        cover.update(self._envelope(asked))
        self.draw_score_history(self.desk.log, badges(self.desk, self.language))
        self.query_one("#receipts", Static).update(self._receipts())
        if self.held_open:
            self.load_form()
        elif asked is not None:
            self.query_one(AnswerForm).load(None, self.row_words, self.field_words)
            self.query_one("#order").value = ""  # type: ignore[attr-defined]
            self.set_focus(None)

    def _envelope(self, asked: ScreenQuestion | None) -> Text:
        """Draw the envelope, and how it is opened."""
        if asked is None:
            return Text(self.words("ballot.empty"))
        wide = max(width(line) for line in ENVELOPE)
        return Text("\n".join([*(pad(line, wide) for line in ENVELOPE), "", self.words("ballot.closed")]))

    def _receipts(self) -> Text:
        text = Text()
        say = self.desk.say(self.language)
        mine = [
            ballot for ballot in self.pbem.ballots() if self.desk.moderator or ballot.seat == self.desk.seat
        ]
        for ballot in mine[-3:]:
            at = local(moment(ballot.at), self.pbem.present.zone, say)
            text.append(
                self.words(
                    "ballot.receipt",
                    q=ballot.q,
                    at=at,
                    kind=say.label(f"kind.{ballot.kind}"),
                    hash=ballot.commitment[:16],
                )
            )
            lines = ballots.counted(self.pbem.present, ballot)
            for line in lines:
                text.append(f"\n   {clean(line.of(self.language))}", "bold")
            if not lines:
                text.append(f"\n   {self.words('ballot.waits')}")
            text.append("\n")
        return text

    # -- actions -----------------------------------------------------------------------------------------------------

    def action_reveal(self) -> None:
        if self.asked is None:
            return
        self.held_open = not self.held_open
        self._age = 0.0
        self.draw()
        if self.held_open:
            self.query_one(AnswerForm).focus_first()

    def action_hide(self) -> None:
        self.held_open = False
        self.draw()

    def on_screen_suspend(self) -> None:
        """Close the ballot when the player leaves the screen."""
        if not isinstance(self.app.screen, (ConfirmDialog, TextDialog)):
            self.held_open = False
            self._shown = None

    def on_key(self) -> None:
        self._age = 0.0

    def _grow_old(self) -> None:
        self._age += 1.0
        if self.held_open and self._age >= OPEN_FOR:
            if isinstance(self.app.screen, ConfirmDialog):  # it asks to confirm the seal
                self.app.screen.dismiss(None)
            self.action_hide()

    def action_open(self) -> None:
        if self.held_open:
            super().action_open()
        else:
            self.action_reveal()

    def action_seal(self) -> None:
        """Ask to confirm, give the receipt, send."""
        self.action_send()

    def action_send(self) -> None:
        if not self.held_open or self.asked is None:
            return
        letter = self.letter()
        asked = self.asked
        if letter is None:
            return
        order = letter.answers[asked.q]

        def confirmed(key: str | None) -> None:
            if key != "yes":
                return
            ballot = ballots.commit(
                self.pbem.present,
                asked.q,
                asked.seat,
                asked.kind,
                order,
                self.pbem.now().isoformat(timespec="seconds"),
            )
            self.action_hide()
            self.pbem.send(letter, then=lambda: self._keep(ballot))

        choices = [("yes", self.words("ballot.yes")), ("no", self.words("ballot.no"))]
        say = self.desk.say(self.language)
        self.app.push_screen(
            ConfirmDialog(self.words("ballot.confirm"), say.faced(order), choices), confirmed
        )

    def _keep(self, ballot: ballots.Ballot) -> None:
        ballots.keep(ballots.file_of(self.pbem.source.path), ballot)
        self.refresh_all(force=True)

    def action_verify(self) -> None:
        """Compare the answer that the player claims with the last receipt."""
        kept = [
            ballot for ballot in self.pbem.ballots() if self.desk.moderator or ballot.seat == self.desk.seat
        ]
        if not kept:
            self.pbem.tell(self.words("ballot.no_receipt"))
            return

        def said(text: str | None) -> None:
            if text is not None:
                key = "ballot.fits" if ballots.verify(kept[-1], text) else "ballot.differs"
                self.app.push_screen(TextDialog(self.words("act.verify"), self.words(key, q=kept[-1].q)))

        self.app.push_screen(InputDialog(self.words("ballot.verify", q=kept[-1].q), secret=True), said)
