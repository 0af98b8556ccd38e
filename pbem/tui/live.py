"""A seat at the live table: the app as a player runs it on the moderator's host.

What its terminal is sent follows from the seat's view, its keys, who is present and the clock, and from nothing else.
What it sends counts for its own seat alone.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from textual import events
from textual.binding import Binding

from pbem.kernel.questions import MODERATOR
from pbem.mail import presence
from pbem.mail.presence import TableSession, at_table
from pbem.tui import need_terminal, starting
from pbem.tui.app import PbemApp
from pbem.tui.model.game_source import PUBLIC, Loader, SaveSource
from pbem.tui.model.seat_view import ViewFileError
from pbem.tui.model.submit import Sender

LOOK = 0.1  # seconds between two looks at the file's stamp
PASTED = 50_000  # characters that can be pasted at once
CELLS = 200_000  # cells of the largest screen that is drawn: a line of a browser link can claim any size


class TableSource(SaveSource):
    """A save at which several people sit, each with a screen of their own. Raises `ViewFileError`, `TableFull`."""

    direct = True

    def __init__(self, path: Path, seat: str, table: str, loader: Loader | None = None) -> None:
        super().__init__(path, seat, loader)
        if self.seat == MODERATOR:
            raise ViewFileError("a live table has no moderator's screen")
        self.table = table
        self.place = TableSession(path, self.seat or PUBLIC, presence.MOST if self.seat else presence.WATCHING)
        self.place.sit()

    @property
    def beside(self) -> Path:
        """The name next to which the seat's drafts and receipts are kept, apart from those of other seats."""
        return presence.folder(self.path) / (self.seat or PUBLIC)

    def take(self, text: str, now: datetime) -> str:
        try:
            return super().take(text, now)
        except PermissionError:
            raise
        except Exception as error:  # its text may hold what others hold
            raise OSError(type(error).__name__) from None

    def company(self) -> tuple[list[str], list[str], bool]:
        """Return the seats at the table, those that people could still take, and whether spectators look on."""
        here = at_table(self.path)
        seats = [info for info in self.session.save.seats if info.id in here or not info.understudy]
        return (
            [info.id for info in seats if info.id in here],
            [info.id for info in seats if info.id not in here],
            PUBLIC in here,
        )

    def leave(self, now: datetime) -> None:
        """Leave the table. Send what the seat hasn't been told, unless another session of it goes on."""
        from pbem.mail.inbox.inbox_run import InboxRun
        from pbem.save import SaveError

        self.place.rise()
        if self.seat and not self.place.others():
            with suppress(SaveError, OSError):  # the next run sends it
                InboxRun([self.path], now=now, game=self.loader).finish()


class TableApp(PbemApp):
    """The app of one session at the table."""

    BUSY = "live.storing"
    BINDINGS = [Binding("9", "screen('orders')", "orders", show=False)]

    source: TableSource

    def on_mount(self) -> None:
        self._started_by = os.getppid()
        self._watch()
        self.set_interval(presence.BEAT, self._beat, name="beat")
        for name in ("SIGHUP", "SIGTERM"):
            with suppress(AttributeError, NotImplementedError):  # Windows
                asyncio.get_running_loop().add_signal_handler(getattr(signal, name), self.action_leave)
        if self.source.seat and self.source.place.others():
            self.after(1.0, lambda: self.tell(self.words("live.twice")))

    def _watch(self) -> None:
        """Look at the file's stamp from now on. With a timer of Textual's an idle seat takes a tenth more."""
        if self.source.written():
            self.call_later(self.look)
        asyncio.get_running_loop().call_later(LOOK, self._watch)

    def _beat(self) -> None:
        if os.getppid() != self._started_by:  # the server of the browser links was killed
            self.action_leave()
        self.source.place.beat()

    def company(self) -> list[str]:
        """Name those who are there, or those who aren't if they are fewer; then the same as numbers."""
        (here, away, watched), say = self.source.company(), self.present.say(self.language)
        key, seats = ("away", away) if len(away) < len(here) else ("here", here)
        told = self.words(f"live.{key}", names=say.join([say.name(seat) for seat in seats]))
        short = self.words("live.count", count=len(here), of=len(here) + len(away))
        texts = [told, short] if seats else [self.words("live.all")] * 2
        return [f"{text} + {self.words('live.public')}" if watched else text for text in texts]

    def senders(self) -> list[Sender]:
        """Return none: answers go into the game, and nothing else leaves the host."""
        return []

    def keep_drafts(self) -> None:
        if self.source.seat:
            super().keep_drafts()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Allow no hints and takebacks among people, and nothing that leads out of the app."""
        return action not in ("hint", "take_back", "way", "suspend_process")

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Paste) and len(event.text) > PASTED:
            self.tell(self.words("live.pasted", most=PASTED))
            return
        if isinstance(event, events.Resize) and event.size.area > CELLS:
            self.action_leave()
            return
        await super().on_event(event)


def run(path: Path, seat: str, *, language: str = "", theme: str = "", table: str = "terminal") -> None:
    """Sit down at the table. Raises `SaveError`, `ViewFileError`, `NoTerminal`, `TableFull`."""
    need_terminal()
    source: TableSource | None = None
    try:
        with starting():
            source = TableSource(path, seat, table)
            TableApp(source, language=language, theme=theme, env={}).run()
    finally:
        if source is not None:
            source.leave(datetime.now(UTC))
