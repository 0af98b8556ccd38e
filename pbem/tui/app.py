"""The app: which desk is shown, in which language and theme, at which point of the game. No game logic."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from textual.app import App
from textual.binding import Binding

from pbem.report.catalogue import LANGUAGES
from pbem.tui import themes
from pbem.tui.actions import GLOBAL, ROOMS, bindings
from pbem.tui.model.desk import Desk
from pbem.tui.model.order import step
from pbem.tui.model.sources import Source, Stop
from pbem.tui.model.words import Words
from pbem.tui.screens.map import MapRoom
from pbem.tui.screens.room import Room

MAKERS: dict[str, Callable[[], Room]] = {"map": MapRoom}


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


class PbemApp(App[None]):
    """One game seen from one seat."""

    ENABLE_COMMAND_PALETTE = True
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
    #keys { background: $panel; }
    """

    def __init__(
        self,
        source: Source,
        *,
        language: str = "",
        theme: str = "",
        to: str = "",
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        super().__init__()
        self.source = source
        self.now = now
        self.to = to
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
        for name, maker in MAKERS.items():
            self.install_screen(maker(), name)
        self.push_screen("map")
        self.set_interval(1.0, self.tick, name="tick")

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
        """Read the file again."""
        self.present = self.source.desk()
        self.past, self.stop = None, None
        self._reads += 1
        self.redraw()

    def look_at(self, stop: Stop | None) -> None:
        """Look at an earlier point; None: the present."""
        self.stop = stop
        self.past = None if stop is None else self.source.at(stop)
        self.redraw()

    # -- actions -----------------------------------------------------------------------------------------------------

    def action_room(self, name: str) -> None:
        if name in MAKERS and not (self.room is not None and self.room.NAME == name):
            self.switch_screen(name)

    def action_language(self) -> None:
        self.language = step(self.language, LANGUAGES, 1)
        self.words = Words(self.language)
        self.redraw()

    def action_theme(self) -> None:
        self.theme = step(self.theme, themes.NAMES, 1)
        self.redraw()

    def action_reload(self) -> None:
        self.reload()

    def action_leave(self) -> None:
        self.exit()
