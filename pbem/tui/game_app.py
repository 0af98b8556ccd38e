"""The part of the app that screens know: the current seat view, the language, drafts of answers and emails."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pbem import LANGUAGES
from pbem.lazy_regex import clean
from pbem.tui import themes
from pbem.tui.key_bindings import SCREENS, KeyedApp
from pbem.tui.model import drafts
from pbem.tui.model.answer_tree import AnswerDraft
from pbem.tui.model.drafts import Drafts, FilledRow, SeatDrafts
from pbem.tui.model.game_source import ReplayPoint, Source
from pbem.tui.model.messages import ScreenMessages
from pbem.tui.model.order_draft import OrderDraft
from pbem.tui.model.seat_view import ScreenLine, ScreenQuestion, SeatView, ViewFileError

if TYPE_CHECKING:
    from textual.screen import Screen


def order_place(asked: ScreenQuestion) -> str:
    """Return the place of the order line of a question among those where something is being typed."""
    return f"order {asked.q} {asked.seat}"


class GameApp(KeyedApp[None]):
    """One game seen from one seat. `PbemApp` adds the screens, the keys and the dialogs."""

    BUSY = "status.playing"  # the message key of what the app does while `playing`

    def __init__(
        self,
        source: Source,
        *,
        language: str = "",
        theme: str = "",
        to: str = "",
        sender: str = "",
        env: Mapping[str, str] | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__()
        self.source = source
        self.now = now
        self.to, self.sender = to, sender
        self.env = os.environ if env is None else env
        self.drafts: dict[tuple[int, str], AnswerDraft] = {}
        self.order_drafts: dict[str, OrderDraft] = {}
        self.typed: dict[tuple[str, str], str] = {}  # texts being typed, by seat and place
        self._kept: Drafts = drafts.kept(source.beside)
        self._failing = False
        self.present: SeatView = source.desk()
        self.past: SeatView | None = None
        self.stop: ReplayPoint | None = None
        own = str(self.present.document.get("language", ""))
        self.language = next((known for known in (language, own) if known in LANGUAGES), LANGUAGES[0])
        self.words = ScreenMessages(self.language)
        for known in themes.THEMES:
            self.register_theme(known)
        self._begin_with(theme if theme in themes.NAMES else themes.NAMES[0])
        self._reads = 0
        self._announced: Collection[tuple[int, str]] = ()  # the open questions that the player was notified of

    def _begin_with(self, theme: str) -> None:
        """Set a theme before the app runs. Set later, it makes Textual parse and apply all styles twice."""
        self.set_reactive(KeyedApp.theme, theme)
        dark = self.current_theme.dark
        self.set_class(dark, "-dark-mode", update=False)
        self.set_class(not dark, "-light-mode", update=False)
        self.stylesheet.set_variables(self.get_css_variables())

    @property
    def desk(self) -> SeatView:
        return self.past or self.present

    @property
    def version(self) -> tuple[object, ...]:
        return (self._reads, self.language, self.theme, self.stop)

    @property
    def room(self) -> Screen[None] | None:
        raise NotImplementedError

    @property
    def room_name(self) -> str:
        raise NotImplementedError

    def screens(self) -> dict[str, int]:
        useless = {"moderator"} if not self.present.moderator else set()
        if self.source.direct:
            useless.add("orders")
        return {name: number for number, name in enumerate(SCREENS, 1) if name not in useless}

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
        self.announce_turn()
        self.redraw()

    def announce_turn(self) -> None:
        """Say in the window's title what is to be answered; ring once for a new question."""
        mine = {(asked.q, asked.seat): asked for asked in self.present.asked if not asked.answered}
        first = next(iter(mine.values()), None)
        about = f": {first.title(self.language)}" if first is not None else ""
        self.title = f"{'● ' if first else ''}{self.present.name}{about}"
        if mine.keys() - self._announced and not self.present.moderator and self._reads:
            self.bell()
        self._announced = mine.keys()
        if self._driver is not None and not self.is_headless:
            self._driver.write(f"\x1b]2;{clean(self.title)}\x07")  # the title of the terminal's window

    def company(self) -> list[str]:
        """Return who sits at the live table, in a long and a short text; none without a table."""
        return []

    def whole(self) -> SeatView:
        """Return the present with the whole log: early moves of a long game are read when somebody looks."""
        if self.source.read_all():
            self.present = self.source.desk()
        return self.present

    def look_at(self, stop: ReplayPoint | None) -> None:
        self.stop = stop
        self.past = None if stop is None else self.source.at(stop)
        self.redraw()

    def last_lines(self) -> list[ScreenLine]:
        """Return the log lines of the last step before the selected point; in the present, those of the last move."""
        log = self.present.log if self.stop is None else self.whole().log
        if self.stop is None:
            return [line for line in log if line.n == log[-1].n]
        before = max((stop.n for stop in self.source.stops() if stop.n < self.stop.n), default=-1)
        return [line for line in log if before < line.n <= self.stop.n]

    def tell(self, text: str) -> None:
        self.notify(clean(text), markup=False, timeout=6)

    def fresh_draft(self, asked: ScreenQuestion) -> AnswerDraft:
        return AnswerDraft(asked.domain, self.present.names)

    def draft(self, asked: ScreenQuestion) -> AnswerDraft:
        """Return the draft of an answer, which begins with the seat's current answer."""
        key = (asked.q, asked.seat)
        if key not in self.drafts:
            found = self.drafts[key] = self.fresh_draft(asked)
            if asked.answer:
                found.read(asked.answer)
            drafts.fill(found, self._record(asked.seat).answers.get(asked.q, ()))
        return self.drafts[key]

    def forget(self, asked: ScreenQuestion) -> None:
        self.drafts[asked.q, asked.seat] = self.fresh_draft(asked)

    def draft_of(self, seat: str) -> OrderDraft:
        mine = [asked for asked in self.present.asked if asked.seat == seat]
        if seat not in self.order_drafts:
            self.order_drafts[seat] = OrderDraft(seat, self._record(seat).talk)
            self.order_drafts[seat].hold(self._record(seat).items)
        found = self.order_drafts[seat]
        found.keep_open({asked.q for asked in mine}, next((asked.q for asked in mine if asked.talk), 0))
        return found

    def forget_draft(self, email: OrderDraft) -> None:
        self.order_drafts[email.seat] = OrderDraft(email.seat)
        self.redraw(force=True)

    def _record(self, seat: str) -> SeatDrafts:
        return self._kept.get(seat) or SeatDrafts()

    def typing(self, place: str) -> str:
        seat = self.present.seat
        return self.typed.setdefault((seat, place), self._record(seat).typed.get(place, ""))

    def keep_drafts(self) -> None:
        """Store what is filled in and not sent, if it has changed. A seat without its screen keeps its record."""
        found = dict(self._kept)
        questions = {(asked.q, asked.seat): asked for asked in self.present.asked}
        lines = {order_place(asked) for asked in questions.values()}
        mine = {self.present.seat} & found.keys()
        for seat in sorted({asked.seat for asked in questions.values()} | self.order_drafts.keys() | mine):
            before = self._record(seat)
            email = self.order_drafts.get(seat)
            talk, items = (email.q, email.pieces()) if email is not None else (before.talk, before.items)
            own = (asked for asked in questions.values() if asked.seat == seat)
            answers = {asked.q: rows for asked in own if (rows := self._rows(asked, before))}
            typed = before.typed | {place: text for (typist, place), text in self.typed.items() if typist == seat}
            typed = {
                place: text
                for place, text in typed.items()
                if text and (place in lines or not place.startswith("order "))
            }
            found[seat] = SeatDrafts(answers, talk, items, typed)
        if found != self._kept:
            self._kept = found
            try:
                drafts.keep(self.source.beside, found)
                self._failing = False
            except OSError as error:
                if not self._failing:
                    self.tell(self.words("draft.failed", why=str(error)))
                self._failing = True

    def _rows(self, asked: ScreenQuestion, before: SeatDrafts) -> list[FilledRow]:
        draft = self.drafts.get((asked.q, asked.seat))
        if draft is None:
            return before.answers.get(asked.q, [])
        fresh = self.fresh_draft(asked)
        if asked.answer:
            fresh.read(asked.answer)
        return drafts.rows_of(draft, fresh)

    def drafts_left(self) -> int:
        return sum(record.count for record in self._kept.values())

    def send(self, email: OrderDraft, then: Callable[[], None] | None = None) -> None:
        """Show the email, ask how to send it, send it and show the result."""
        raise NotImplementedError

    def action_screen(self, name: str) -> None:
        raise NotImplementedError
