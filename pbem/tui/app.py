"""The app: its screens, keys and dialogs, and the sending of emails. No game logic."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from rich.text import Text
from textual import work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Static

from pbem import LANGUAGES
from pbem.lazy_regex import clean
from pbem.tui import themes
from pbem.tui.game_app import GameApp
from pbem.tui.key_bindings import SCREENS, bindings
from pbem.tui.model.badges import badges
from pbem.tui.model.messages import ScreenMessages, step
from pbem.tui.screens.base import BaseScreen
from pbem.tui.screens.dialogs import ChoiceRow, ChooseDialog, ConfirmDialog, TextDialog
from pbem.tui.screens.help import CommandProvider

if TYPE_CHECKING:
    from pbem.tui.model.game_source import Hint
    from pbem.tui.model.order_draft import OrderDraft
    from pbem.tui.model.seat_view import ScreenQuestion
    from pbem.tui.model.submit import OrderSubmission, Sender
    from pbem.tui.screens.answer_base import AnswerScreen


class HandOverScreen(Screen[None]):
    """A blank screen with one line between two players at one keyboard; Enter or a click opens it."""

    BINDINGS = [Binding("enter,space", "open", "open", show=False)]

    def __init__(self, text: str) -> None:
        super().__init__()
        self.said = Text(clean(text), style="bold")

    def compose(self) -> ComposeResult:
        yield Static(self.said, markup=False)

    def on_click(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        self.dismiss(None)


def make_screen(name: str) -> BaseScreen:
    """Make a screen by name. Its module is imported at first use, so that the first screen comes soon."""
    room: BaseScreen = getattr(import_module(f"pbem.tui.screens.{name}"), f"{name.title()}Screen")()
    return room


class PbemApp(GameApp):
    """One game seen from one seat, with a screen for each part of it."""

    way = ""  # how emails are sent, once it was chosen; `action_way` forgets it

    ENABLE_COMMAND_PALETTE = True
    COMMANDS = {CommandProvider}
    BINDINGS = [
        *bindings(),
        *(
            Binding(str(at), f"screen('{name}')", name, show=False, id=f"screen.{name}")
            for at, name in enumerate(SCREENS, 1)
        ),
    ]
    CSS = """
    Screen { background: $background; color: $foreground; }
    #status { background: $surface; color: $foreground; }
    #keys { background: $panel; dock: bottom; }
    """

    def on_mount(self) -> None:
        first = self.first_screen()
        self.announce_turn()
        self.install_screen(make_screen(first), first)
        self.push_screen(first)
        self.set_interval(1.0, self.every_second, name="second")

    def on_ready(self) -> None:
        """Freeze the objects of the first screen, so that the garbage collector skips them."""
        if not gc.isenabled():
            gc.freeze()
            gc.enable()
        self.after(0.5, self.read_whole_log)  # after the first picture

    def read_whole_log(self) -> None:
        if self.present is not self.whole():
            self._reads += 1
            self.redraw()

    def _fatal_error(self) -> None:
        """Show an error as Textual does, but without the values of variables: a traceback must not show hands."""
        from rich.segment import Segments
        from rich.traceback import Traceback

        trace = Traceback(show_locals=False, width=None)
        self._exit_renderables.append(Segments(self.console.render(trace, self.console.options)))
        self._close_messages_no_wait()

    def first_screen(self) -> str:
        first = next((asked for asked in self.present.asked if not asked.answered), None)
        talks = first is not None and first.talk
        return "moderator" if self.present.moderator else "negotiation" if talks else "questions"

    def reload(self) -> None:
        """Read the file again, and go where a new question is answered."""
        before = set(self._announced)
        super().reload()
        at_answers = isinstance(self.screen, BaseScreen) and self.room_name in ("questions", "negotiation")
        if at_answers and not self.present.moderator and set(self._announced) - before:
            self.action_screen(self.first_screen())

    @property
    def room(self) -> BaseScreen | None:
        return next((room for room in reversed(self.screen_stack) if isinstance(room, BaseScreen)), None)

    @property
    def room_name(self) -> str:
        return self.room.NAME if self.room is not None else ""

    def redraw(self, *, force: bool = False) -> None:
        if self.room is not None:
            self.room.refresh_all(force=force)

    def every_second(self) -> None:
        if self.room is not None and self.room.query_one_optional("#status"):
            self.room.every_second()
        self.keep_drafts()
        self.look()

    def look(self) -> None:
        if not self.playing and self.source.changed():
            self.reload()

    def senders(self) -> list[Sender]:
        from pbem.tui.model.submit import senders_for

        return senders_for(self.source, self.copy_to_clipboard, self.env)

    def send(self, email: OrderDraft, then: Callable[[], None] | None = None) -> None:
        from pbem.tui.model.submit import NotSent, OrderSubmission

        words = self.words
        subject = words("mail.subject", game=self.present.name)
        out = OrderSubmission(self.present, email, subject, words("mail.intro"), self.now(), self.to, self.sender)
        if self.source.direct:
            self.sent = self.playing = True
            self.redraw_bars()
            self._take(out, then)
            return
        ways = {sender.key: sender for sender in self.senders()}

        def chosen(key: str) -> None:
            self.way, self.sent = key, True
            try:
                said = ways[key].send(out)
            except NotSent as error:
                self.push_screen(TextDialog(words("send.failed"), str(error)))
                return
            if then is not None:
                then()
            if ways[key].key == "save":
                self.reload()
                said = words("sent.sealed") if self._sealed_now(email) else said
            self.push_screen(TextDialog(words(f"sent.{key}"), said))

        if self.way in ways:
            chosen(self.way)
            return
        self.drop_keys()  # those that come now answer the dialog
        shown = words("send.sealed") if self._secret(email) else out.block
        choices = [(key, words(f"send.{key}")) for key in ways]
        self.ask(ConfirmDialog(words("send.how"), shown, choices), chosen)

    @work(thread=True, exclusive=True, exit_on_error=False)
    def _take(self, out: OrderSubmission, then: Callable[[], None] | None) -> None:
        """Execute orders and let the bots answer, next to the screen. Accepted orders show by themselves."""
        try:
            said = self.source.take(out.block, out.now)
        except Exception as error:
            said = str(error)
        self.call_from_thread(self._answered, said, then)

    def _answered(self, said: str, then: Callable[[], None] | None) -> None:
        self.playing = False
        if said:
            self.redraw_bars()
            self.push_screen(TextDialog(self.words("send.failed"), said))
            return
        if then is not None:
            then()
        self.next_turn()

    def redraw_bars(self) -> None:
        if self.room is not None:
            self.room.every_second()

    def next_turn(self) -> None:
        """Hand over the keyboard, behind a blank screen, if another player is asked next."""
        seat, before = self.source.turn(), self.present.seat
        if seat in ("", before):
            self.reload()
            return

        def sits(_: None) -> None:
            self.source.sit(seat)
            self.reload()

        name = self.present.say(self.language).name(seat)
        person = self.source.person(seat)
        said = self.words("play.hand_over", seat=f"{person} ({name})" if person else name)
        self.push_screen(HandOverScreen(said), sits)

    def action_hint(self) -> None:
        if (room := self._answering()) is not None and room.asked is not None:
            self._think(room.asked)

    def _answering(self) -> AnswerScreen | None:
        from pbem.tui.screens.answer_base import AnswerScreen

        return self.room if isinstance(self.room, AnswerScreen) else None

    @work(thread=True, exclusive=True, exit_on_error=False, group="hint")
    def _think(self, asked: ScreenQuestion) -> None:
        self.call_from_thread(self._hinted, asked, self.source.hints(asked.seat))

    def _hinted(self, asked: ScreenQuestion, hints: list[Hint]) -> None:
        room = self._answering()
        if room is None or room.asked is None or (room.asked.q, room.asked.seat) != (asked.q, asked.seat):
            return

        def chosen(at: str | None) -> None:
            if at and room.draft is not None:
                room.draft.read(hints[int(at)].order)
                room.load_form()

        if len(hints) == 1:
            chosen("0")
            return
        say, words = self.present.say(self.language), self.words
        rows = [
            (str(at), f"{say.faced(hint.order)}  {hint.worth:+.1f}\n  {hint.reason(say, words)}")
            for at, hint in enumerate(hints)
        ]
        self.push_screen(ConfirmDialog(words("play.hints"), words("play.hints.about"), rows), chosen)

    def action_take_back(self) -> None:
        if self.source.take_back(self.now()):
            self.next_turn()
        else:
            self.tell(self.words("play.nothing_back"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow hints and takebacks only in games that are played here, and screens that are of use to the reader."""
        if action == "screen":
            return parameters[0] in self.screens()
        return self.source.direct if action in ("hint", "take_back") else True

    def _secret(self, email: OrderDraft) -> bool:
        """Check if the email has a sealed answer, which must not be on the screen."""
        return any(asked.secret and asked.q in email.answers for asked in self.present.asked)

    def _sealed_now(self, email: OrderDraft) -> bool:
        """Check if its sealed answer was accepted as it is, so that the receipt would only show hidden text."""
        held = {asked.q: asked.answer for asked in self.present.asked if asked.seat == email.seat}
        return self._secret(email) and all(held.get(q) == answer for q, answer in email.answers.items())

    def action_screen(self, name: str) -> None:
        """Go to a screen; `map` is the board of the questions, hand and charts are dialogs."""
        if name not in SCREENS or not isinstance(self.screen, BaseScreen):
            return
        if name in ("players", "hand"):
            self.action_charts() if name == "players" else self.action_hand()
            return
        board = name == "map"
        name = "questions" if board else name
        if name != self.room_name:
            if not self.is_screen_installed(name):
                self.install_screen(make_screen(name), name)
            self.screen.let_go()
            self.switch_screen(name)
        if board:
            self.call_later(self._to_board)

    def _to_board(self) -> None:
        from pbem.tui.screens.board_base import BoardScreen

        if isinstance(self.room, BoardScreen):
            self.room.show_board()

    def action_charts(self) -> None:
        from pbem.tui.model.charts import plots_text

        wide = min(self.size.width * 9 // 10, 120) - 6
        sides = badges(self.desk, self.language)
        text = plots_text(self.desk, self.language, self.words, sides, self.source.figures(), wide)
        self.push_screen(TextDialog(self.words("screen.players"), text, wide=True))

    def action_hand(self) -> None:
        from pbem.tui.screens.question_panels import hand_rows, hidden_hands

        desk, language = self.desk, self.language
        others = hidden_hands(desk, language)
        last = self.words("hand.others", counts=others) if others else ""
        self._look_up("screen.hand", hand_rows(desk, language, badges(desk, language)), last)

    def _look_up(self, title: str, rows: Sequence[ChoiceRow], last: str = "") -> None:
        from pbem.tui.screens.board_base import BoardScreen
        from pbem.tui.screens.question_panels import thing_text

        def taken(key: str) -> None:
            if isinstance(self.room, BoardScreen):
                self.room.choose(key)

        about = partial(thing_text, self.desk, self.language, self.words)
        self.ask(ChooseDialog(self.words(title), rows, about, last), taken)

    def action_find(self) -> None:
        if isinstance(self.screen, BaseScreen):
            say = self.desk.say(self.language)
            names = sorted((clean(say.name(key)), key) for key in self.desk.names.names)
            self._look_up("act.find", [(key, Text(name), f"{name} {key}") for name, key in names])

    def action_language(self) -> None:
        self.language = step(self.language, LANGUAGES, 1)
        self.words = ScreenMessages(self.language)
        self.redraw()

    def action_theme(self) -> None:
        self.apply_theme(step(self.theme, themes.NAMES, 1))

    def apply_theme(self, theme: str) -> None:
        """Redraw everything in this theme. Its own colours must be known before texts use them."""
        self.theme = theme
        self.get_css_variables()
        self.redraw()

    def action_help(self) -> None:
        from pbem.tui.screens.help import help_text

        if not isinstance(self.screen, TextDialog):
            title = f"{self.words('act.help')}: {self.words(f'screen.{self.room_name}')}"
            text = help_text(self.room_name, self.words, self.screens())
            if (room := self._answering()) is not None and room.asked is not None:
                text.append("\n").append_text(room.prompt_text(72))  # a small terminal cuts it
            self.push_screen(TextDialog(title, text))

    def action_way(self) -> None:
        self.way = ""
        self.tell(self.words("send.asked_again"))

    def action_reload(self) -> None:
        self.reload()

    def action_leave(self) -> None:
        self.keep_drafts()
        count = self.drafts_left()
        self.exit(message=self.words("draft.kept", count=count) if count else None)

    def on_app_blur(self) -> None:
        self.keep_drafts()
