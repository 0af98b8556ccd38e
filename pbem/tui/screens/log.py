"""Screen 7, the log: public and private lines, searchable; with steps through the finished part of the game."""

from __future__ import annotations

from textual import on
from textual.app import ComposeResult

from pbem.tui.model.badges import badges
from pbem.tui.screens.base import BaseScreen, bound
from pbem.tui.screens.question_panels import FEW, ROOMY, around, show_map
from pbem.tui.widgets.bars import SearchBox, TextBar
from pbem.tui.widgets.logview import LogRow, LogView
from pbem.tui.widgets.mapview import MapView
from pbem.tui.widgets.panels import Columns


class LogScreen(BaseScreen):
    """The log and the map at that time. Other screens show the same point until the present is shown again."""

    NAME = "log"
    BINDINGS = bound("log")
    DEFAULT_CSS = """
    LogScreen #map { display: none; width: 45%; }
    LogScreen.-follow #map { display: block; }
    LogScreen #place { background: $panel; color: $foreground; }
    """

    def body(self) -> ComposeResult:
        yield TextBar(id="place")
        yield SearchBox("#log", id="needle")
        with Columns():
            yield LogView(id="log")
            yield MapView(id="map")

    def on_mount(self) -> None:
        super().on_mount()
        self.set_focus(self.query_one(LogView))  # before the first picture, which would be drawn twice

    def draw(self) -> None:
        desk, language = self.desk, self.language
        sides = badges(desk, language)
        lines = []
        for line in self.pbem.whole().log:
            badge = sides.get(line.who) if line.who else None
            mark = (badge.letter, badge.style) if badge is not None else ("", "")
            lines.append(LogRow(line.n, line.of(language), *mark, line.head))
        until = self.pbem.stop.n if self.pbem.stop is not None else None
        self.query_one(LogView).load(lines, self.query_one(SearchBox).value, until)
        view, last = self.query_one(MapView), self.pbem.last_lines()
        told = {space.id for space in desk.view.map}.intersection(key for line in last for key in line.at)
        shown = around(desk.view.map, told, max(FEW, view.size.width * view.size.height // ROOMY))
        show_map(view, desk, language, sides, shown)
        view.tell(last)
        self.query_one("#place", TextBar).show(f" {self._place()}")

    @on(MapView.Sized)
    def _sized(self, event: MapView.Sized) -> None:
        """Redraw after a change of size: a larger map shows more surroundings."""
        event.stop()
        self.draw()

    @on(SearchBox.Searched)
    def _sought(self, event: SearchBox.Searched) -> None:
        log = self.query_one(LogView)
        log.load(log.lines, event.needle, log.until)

    def action_filter(self) -> None:
        self.query_one(SearchBox).open()

    def _place(self) -> str:
        stops = self.pbem.source.stops()
        if not stops:
            return self.words("log.lines", count=len(self.pbem.whole().log))
        if self.pbem.stop is None:
            return self.words("log.present", n=self.pbem.present.moves, of=len(stops) - 1)
        kind = self.desk.say(self.language).label(f"kind.{self.pbem.stop.label}") if self.pbem.stop.label else ""
        return self.words("log.past", n=self.pbem.stop.n, of=self.pbem.present.moves, kind=kind)

    # -- actions -----------------------------------------------------------------------------------------------------

    def action_step(self, by: int) -> None:
        """Go to the point before or after; the present comes after the last one."""
        stops = self.pbem.source.stops()
        if not stops:
            self.pbem.tell(self.words("log.no_replay"))
            return
        numbers = [stop.n for stop in stops]
        at = numbers.index(self.pbem.stop.n) if self.pbem.stop is not None else len(stops) - 1
        if self.pbem.stop is None and by > 0:
            return
        at = min(max(at + by, 0), len(stops) - 1)
        self.set_class(bool(self.desk.view.map), "-follow")
        self.pbem.look_at(None if at == len(stops) - 1 else stops[at])

    def action_first(self) -> None:
        stops = self.pbem.source.stops()
        if stops:
            self.pbem.look_at(stops[0])
        else:
            self.query_one(LogView).scroll_home(animate=False)

    def action_last(self) -> None:
        self.pbem.look_at(None)
        self.query_one(LogView).scroll_end(animate=False)

    def action_follow(self) -> None:
        self.toggle_class("-follow")
