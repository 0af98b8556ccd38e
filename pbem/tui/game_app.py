"""The part of the app that screens know: the current seat view, the language, drafts of answers and emails."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from textual.app import App

from pbem import LANGUAGES
from pbem.lazy_regex import clean
from pbem.tui import themes
from pbem.tui.model.answer_tree import AnswerDraft
from pbem.tui.model.game_source import ReplayPoint, Source
from pbem.tui.model.messages import ScreenMessages
from pbem.tui.model.seat_view import ScreenLine, ScreenQuestion, SeatView, ViewFileError

if TYPE_CHECKING:
    from textual.screen import Screen

    from pbem.tui.model.ballots import Ballot
    from pbem.tui.model.order_draft import OrderDraft


def utc_now() -> datetime:
    """Return the time, with its zone."""
    return datetime.now(UTC)


class GameApp(App[None]):
    """One game seen from one seat. `PbemApp` adds the screens, the keys and the dialogs."""

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
        self.drafts: dict[tuple[int, str], AnswerDraft] = {}
        self.letters: dict[str, OrderDraft] = {}
        self.present: SeatView = source.desk()
        self.past: SeatView | None = None
        self.stop: ReplayPoint | None = None
        self.language = language if language in LANGUAGES else self._own_language()
        self.words = ScreenMessages(self.language)
        for known in themes.THEMES:
            self.register_theme(known)
        self._begin_with(theme if theme in themes.NAMES else themes.NAMES[0])
        self._reads = 0

    def _begin_with(self, theme: str) -> None:
        """Set a theme before the app runs. Set later, it makes Textual parse and apply all styles twice."""
        self.set_reactive(App.theme, theme)
        dark = self.current_theme.dark
        self.set_class(dark, "-dark-mode", update=False)
        self.set_class(not dark, "-light-mode", update=False)
        self.stylesheet.set_variables(self.get_css_variables())

    def _own_language(self) -> str:
        own = str(self.present.document.get("language", ""))
        return own if own in LANGUAGES else LANGUAGES[0]

    # -- display -----------------------------------------------------------------------------------------------------

    @property
    def desk(self) -> SeatView:
        return self.past or self.present

    @property
    def version(self) -> tuple[object, ...]:
        """A value that changes whenever a screen must be redrawn."""
        return (self._reads, self.language, self.theme, self.stop)

    @property
    def room(self) -> Screen[None] | None:
        raise NotImplementedError

    @property
    def room_name(self) -> str:
        raise NotImplementedError

    def redraw(self, *, force: bool = False) -> None:
        """Redraw the open screen, with `force` even if nothing has changed. Others are redrawn when they open."""
        raise NotImplementedError

    def reload(self) -> None:
        """Read the file again. If it can't be read now, keep the old data."""
        from pbem.save import SaveError

        try:
            self.present = self.source.desk()
        except (ViewFileError, SaveError, OSError) as error:
            self.tell(str(error))
            return
        open_ = {(asked.q, asked.seat) for asked in self.present.asked}
        self.drafts = {key: draft for key, draft in self.drafts.items() if key in open_}
        self.past, self.stop = None, None
        self._reads += 1
        self.redraw()

    def look_at(self, stop: ReplayPoint | None) -> None:
        """Show an earlier point, or with None the present."""
        self.stop = stop
        self.past = None if stop is None else self.source.at(stop)
        self.redraw()

    def last_lines(self) -> list[ScreenLine]:
        """Return the log lines of the last step before the selected point; in the present, those of the last move."""
        log = self.present.log
        if self.stop is None:
            return [line for line in log if line.n == log[-1].n]
        before = max((stop.n for stop in self.source.stops() if stop.n < self.stop.n), default=-1)
        return [line for line in log if before < line.n <= self.stop.n]

    def tell(self, text: str) -> None:
        self.notify(clean(text), markup=False, timeout=6)

    # -- answers -----------------------------------------------------------------------------------------------------

    def fresh_draft(self, asked: ScreenQuestion) -> AnswerDraft:
        return AnswerDraft(asked.domain, self.present.names)

    def draft(self, asked: ScreenQuestion) -> AnswerDraft:
        """Return the draft of an answer, which begins with the seat's current answer."""
        key = (asked.q, asked.seat)
        if key not in self.drafts:
            self.drafts[key] = self.fresh_draft(asked)
            if asked.answer:
                self.drafts[key].read(asked.answer)
        return self.drafts[key]

    def forget(self, asked: ScreenQuestion) -> None:
        self.drafts[asked.q, asked.seat] = self.fresh_draft(asked)

    def letter_of(self, seat: str) -> OrderDraft:
        """Return the email that a seat is writing: answers, acts, advance orders, press, until it is sent."""
        from pbem.tui.model.order_draft import OrderDraft

        mine = [asked for asked in self.present.asked if asked.seat == seat]
        found = self.letters.setdefault(seat, OrderDraft(seat))
        found.keep_open({asked.q for asked in mine}, next((asked.q for asked in mine if asked.talk), 0))
        return found

    def forget_letter(self, letter: OrderDraft) -> None:
        self.letters.pop(letter.seat, None)
        self.redraw(force=True)

    def ballots(self) -> list[Ballot]:
        """Return the receipts of sealed answers that are kept next to the file."""
        from pbem.tui.model import ballots

        return ballots.load(ballots.file_of(self.source.path))

    def send(self, letter: OrderDraft, then: Callable[[], None] | None = None) -> None:
        """Show the email, ask how to send it, send it and show the result."""
        raise NotImplementedError

    def action_screen(self, name: str) -> None:
        raise NotImplementedError
