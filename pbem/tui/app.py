"""The app: which desk is shown, in which language and theme, at which point of the game. No game logic."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING

from textual.app import App
from textual.binding import Binding

from pbem import LANGUAGES
from pbem.report.cells import clean
from pbem.tui import themes
from pbem.tui.actions import GLOBAL, ROOMS, bindings
from pbem.tui.model.nodes import Draft
from pbem.tui.model.order import step
from pbem.tui.model.seat_desk import Asked, BadView, Desk
from pbem.tui.model.sources import Source, Stop
from pbem.tui.model.words import Words
from pbem.tui.palette import Acts
from pbem.tui.screens.room import Room
from pbem.tui.screens.tell import Confirm, Tell

if TYPE_CHECKING:
    from pbem.tui.model.ballots import Ballot
    from pbem.tui.model.letter import Letter
    from pbem.tui.model.senders import Outgoing, Sender


def make_room(name: str) -> Room:
    """A room by name. Its module is imported when it is first entered, so that the first screen comes soon."""
    room: Room = getattr(import_module(f"pbem.tui.screens.{name}"), f"{name.title()}Room")()
    return room


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


class PbemApp(App[None]):
    """One game seen from one seat."""

    ENABLE_COMMAND_PALETTE = True
    COMMANDS = {Acts}
    BINDINGS = [
        *bindings(GLOBAL),
        *(
            Binding(str(at), f"room('{name}')", name, show=False, id=f"room.{name}")
            for at, name in enumerate(ROOMS, 1)
        ),
    ]
    CSS = """
    Screen { background: $background; color: $foreground; }
    #status { background: $surface; color: $foreground; }
    #keys { background: $panel; dock: bottom; }
    """

    def __init__(
        self,
        source: Source,
        *,
        language: str = "",
        theme: str = "",
        to: str = "",
        sender: str = "",
        env: Mapping[str, str] | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        super().__init__()
        self.source = source
        self.now = now
        self.to, self.sender = to, sender
        self.env = os.environ if env is None else env
        self.drafts: dict[tuple[int, str], Draft] = {}
        self.letters: dict[str, Letter] = {}
        self.present: Desk = source.desk()
        self.past: Desk | None = None
        self.stop: Stop | None = None
        self.language = language if language in LANGUAGES else self._own_language()
        self.words = Words(self.language)
        self._first_theme = theme if theme in themes.NAMES else themes.NAMES[0]
        self._reads = 0

    def _own_language(self) -> str:
        own = str(self.present.document.get("language", ""))
        return own if own in LANGUAGES else LANGUAGES[0]

    def on_mount(self) -> None:
        for theme in themes.THEMES:
            self.register_theme(theme)
        self.theme = self._first_theme
        self.install_screen(make_room("map"), "map")
        self.push_screen("map")
        self.set_interval(1.0, self.tick, name="tick")

    def _fatal_error(self) -> None:
        """As Textual's own, but without the values of variables: a trace left on the terminal must not show hands."""
        from rich.segment import Segments
        from rich.traceback import Traceback

        trace = Traceback(show_locals=False, width=None)
        self._exit_renderables.append(Segments(self.console.render(trace, self.console.options)))
        self._close_messages_no_wait()

    # -- what is shown -----------------------------------------------------------------------------------------------

    @property
    def desk(self) -> Desk:
        """The desk at the point that is looked at."""
        return self.past or self.present

    @property
    def version(self) -> tuple[object, ...]:
        """Changes whenever a room must be drawn anew."""
        return (self._reads, self.language, self.theme, self.stop)

    @property
    def room(self) -> Room | None:
        """The room that is open, dialogs aside."""
        return next((one for one in reversed(self.screen_stack) if isinstance(one, Room)), None)

    def redraw(self) -> None:
        """Let the open room draw anew; the others do when they are entered."""
        if self.room is not None:
            self.room.refresh_all()

    def tick(self) -> None:
        """Once a second: time left, and whether the file has changed."""
        if self.room is not None and self.room.query("#status"):
            self.room.tick()
        if self.source.changed():
            self.reload()

    def reload(self) -> None:
        """Read the file again; if it cannot be read just now, keep what is there."""
        from pbem.save import SaveError

        try:
            self.present = self.source.desk()
        except (BadView, SaveError, OSError) as error:
            self.tell(str(error))
            return
        open_ = {(one.q, one.seat) for one in self.present.asked}
        self.drafts = {key: draft for key, draft in self.drafts.items() if key in open_}
        self.past, self.stop = None, None
        self._reads += 1
        self.redraw()

    def look_at(self, stop: Stop | None) -> None:
        """Look at an earlier point; None: the present."""
        self.stop = stop
        self.past = None if stop is None else self.source.at(stop)
        self.redraw()

    def tell(self, text: str) -> None:
        """A short message."""
        self.notify(clean(text), markup=False, timeout=6)

    # -- answers -----------------------------------------------------------------------------------------------------

    def fresh_draft(self, asked: Asked) -> Draft:
        """An empty answer to a question."""
        return Draft(asked.domain, self.present.names)

    def draft(self, asked: Asked) -> Draft:
        """The answer to a question as far as it is filled in; begun with the seat's own answer so far."""
        key = (asked.q, asked.seat)
        if key not in self.drafts:
            self.drafts[key] = self.fresh_draft(asked)
            if asked.answer:
                self.drafts[key].read(asked.answer)
        return self.drafts[key]

    def forget(self, asked: Asked) -> None:
        """Begin an answer anew."""
        self.drafts[asked.q, asked.seat] = self.fresh_draft(asked)

    def letter_of(self, seat: str, q: int) -> Letter:
        """The letter with acts and press that a seat is writing."""
        from pbem.tui.model.letter import Letter

        found = self.letters.get(seat)
        if found is None or found.q != q:
            kept = found.press if found is not None else []
            found = self.letters[seat] = Letter(seat, q, press=kept)
        return found

    def forget_letter(self, letter: Letter) -> None:
        """It has been sent."""
        self.letters.pop(letter.seat, None)
        self.redraw_now()

    def redraw_now(self) -> None:
        """Draw the open room anew, whatever has changed."""
        if self.room is not None:
            self.room.refresh_all(force=True)

    def ballots(self) -> list[Ballot]:
        """The receipts of sealed answers that are kept beside the file."""
        from pbem.tui.model import ballots

        return ballots.load(ballots.file_of(self.source.path))

    def senders(self) -> list[Sender]:
        """The ways out for a letter."""
        from pbem.tui.model.senders import senders_for

        return senders_for(self.source, self.copy_to_clipboard, self.env)

    def send(self, letter: Letter, then: Callable[[], None] | None = None) -> None:
        """Show the letter, ask which way it shall go, send it, and tell what came of it."""
        from pbem.tui.model.senders import NotSent, Outgoing

        words = self.words
        subject = words("mail.subject", game=self.present.name)
        out = Outgoing(
            self.present, letter, subject, words("mail.intro"), self.now(), to=self.to, sender=self.sender
        )
        if self.source.direct:
            self._play(out, then)
            return
        ways = {one.key: one for one in self.senders()}

        def chosen(key: str | None) -> None:
            if key is None:
                return
            try:
                said = ways[key].send(out)
            except NotSent as error:
                self.push_screen(Tell(words("send.failed"), str(error)))
                return
            if then is not None:
                then()
            if ways[key].key == "save":
                self.reload()
                said = words("sent.sealed") if self._sealed_now(letter) else said
            self.push_screen(Tell(words(f"sent.{key}"), said))

        shown = words("send.sealed") if self._secret(letter) else out.block
        choices = [(key, words(f"send.{key}")) for key in ways]
        self.push_screen(Confirm(words("send.how"), shown, choices), chosen)

    def _play(self, out: Outgoing, then: Callable[[], None] | None) -> None:
        """Straight into a game that is played here; what was refused is told, what was taken shows."""
        said = self.source.take(out.block, out.now)
        if said:
            self.push_screen(Tell(self.words("send.failed"), said))
            return
        if then is not None:
            then()
        self.next_turn()

    def next_turn(self) -> None:
        """Hand the keyboard over, behind a blank screen, if another person is asked next."""
        seat, before = self.source.turn(), self.present.seat
        if seat in ("", before):
            self.reload()
            return

        def sits(_: None) -> None:
            self.source.sit(seat)
            self.reload()

        from pbem.tui.screens.curtain import Curtain

        name = self.present.say(self.language).name(seat)
        self.push_screen(Curtain(self.words("play.curtain", seat=name)), sits)

    def action_hint(self) -> None:
        """Fill the form with what an understudy would answer."""
        from pbem.tui.screens.answer import AnswerRoom

        room = self.room
        if isinstance(room, AnswerRoom) and room.asked is not None and room.draft is not None:
            room.draft.read(self.source.hint(room.asked.seat))
            room.load_form()

    def action_take_back(self) -> None:
        """Take the last answer back."""
        if self.source.take_back(self.now()):
            self.next_turn()
        else:
            self.tell(self.words("play.nothing_back"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hints and takebacks are for games that are played here."""
        return self.source.direct if action in ("hint", "take_back") else True

    def _secret(self, letter: Letter) -> bool:
        """Whether the letter holds a sealed answer, which is not to stand on the screen."""
        return any(
            one.sealed and one.pace != "reaction" and one.q in letter.answers for one in self.present.asked
        )

    def _sealed_now(self, letter: Letter) -> bool:
        """Whether its sealed answer was taken as it is, so that the receipt would only show what is to be hidden."""
        held = {one.q: one.answer for one in self.present.asked if one.seat == letter.seat}
        return self._secret(letter) and all(held.get(q) == answer for q, answer in letter.answers.items())

    # -- actions -----------------------------------------------------------------------------------------------------

    def action_room(self, name: str) -> None:
        here = self.room.NAME if self.room is not None else ""
        if name not in ROOMS or name == here or not isinstance(self.screen, Room):
            return
        if not self.is_screen_installed(name):
            self.install_screen(make_room(name), name)
        self.switch_screen(name)

    def action_language(self) -> None:
        self.language = step(self.language, LANGUAGES, 1)
        self.words = Words(self.language)
        self.redraw()

    def action_theme(self) -> None:
        self.theme = step(self.theme, themes.NAMES, 1)
        self.redraw()

    def action_help(self) -> None:
        from pbem.tui.screens.help import help_text

        name = self.room.NAME if self.room is not None else ""
        if not isinstance(self.screen, Tell):
            self.push_screen(
                Tell(f"{self.words('act.help')}: {self.words(f'room.{name}')}", help_text(name, self.words))
            )

    def action_reload(self) -> None:
        self.reload()

    def action_leave(self) -> None:
        self.exit()
