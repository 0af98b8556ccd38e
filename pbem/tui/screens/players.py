"""Screen 2, players and tracks: every table that isn't of the map, the tracks, the history of the points."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Static

from pbem.lazy_regex import clean
from pbem.report.model import ReportTable
from pbem.report.text_width import pad, width
from pbem.tui.model.badges import NOBODY, badges
from pbem.tui.model.charts import plots_text, sparkline
from pbem.tui.model.messages import step
from pbem.tui.screens.base import bound
from pbem.tui.screens.dialogs import TextDialog
from pbem.tui.screens.search_base import SearchBox, TableScreen
from pbem.tui.widgets.bars import Bar, BarItem
from pbem.tui.widgets.report_table import ReportTableWidget


class ChartsDialog(TextDialog):
    """A `TextDialog` as wide as the terminal allows."""

    DEFAULT_CSS = "ChartsDialog > Vertical { width: 90%; max-width: 120; }"


class PlayersScreen(TableScreen):
    """The other tables one at a time; below them points and tracks."""

    NAME = "players"
    BINDINGS = bound("players")
    DEFAULT_CSS = """
    PlayersScreen #note { height: auto; max-height: 3; padding: 0 1; color: $text-muted; }
    PlayersScreen VerticalScroll { height: 45%; background: $surface; padding: 0 1; }
    PlayersScreen #tracks, PlayersScreen #points { height: auto; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.area = ""

    def body(self) -> ComposeResult:
        yield Bar(id="sheets")
        yield SearchBox(id="needle")
        yield ReportTableWidget(id="sheet")
        yield Static(id="note", markup=False)
        with VerticalScroll():
            yield Static(id="points", markup=False)
            yield Static(id="tracks", markup=False)

    def sheets(self) -> list[ReportTable]:
        """Return the tables that aren't of the map, each with a unique id."""
        return self.desk.sheets(self.language, of_map=False)

    def draw(self) -> None:
        sheets = self.sheets()
        keys = [str(at) for at in range(len(sheets))]
        if self.area not in keys:
            self.area = keys[0] if keys else ""
        items = [
            BarItem("", clean(sheet.title), f"show_sheet('{key}')", key == self.area)
            for key, sheet in zip(keys, sheets, strict=True)
        ]
        self.query_one("#sheets", Bar).show(tuple(items[max(int(self.area or 0) - 1, 0) :]))
        if keys:
            sides = badges(self.desk, self.language)
            sheet = sheets[int(self.area)]

            def badge(key: str) -> Text | None:
                found = sides.get(key, NOBODY) if key in self.desk.seats else None
                return Text(found.letter, found.style) if found is not None else None

            self.query_one(ReportTableWidget).load(sheet, badge)
            note = clean(sheet.note)
            self.query_one("#note", Static).update(Text(note))
            self.query_one("#note").display = bool(note)
        self.query_one("#points", Static).update(self._points())
        self.query_one("#tracks", Static).update(self._tracks())

    def _points(self) -> Text:
        desk, say = self.desk, self.desk.say(self.language)
        scores = desk.view.scores
        text = Text.assemble((f"{self.words('players.points')}\n", "bold"))
        sides = badges(desk, self.language)
        names = {seat: say.name(seat) for seat in scores}
        room = max((width(name) for name in names.values()), default=0)
        values = [points for _, by in desk.history for points in by.values()]
        low, high = min([0, *values]), max([1, *values])
        for seat, points in sorted(scores.items(), key=lambda item: -item[1]):
            badge = sides.get(seat, NOBODY)
            text.append(pad(badge.letter, 2), badge.style)
            text.append(f" {pad(names[seat], room)} {points:>4}  ")
            course = [by[seat] for _, by in desk.history if seat in by]
            text.append(sparkline(course, low, high) + "\n", self.app.theme_variables["primary"])
        for hand in desk.view.hands:
            label = say.label(f"hand.{hand.id}")
            text.append(f"{say.name(hand.seat)}: {label} {hand.count}   ")
        for notice in desk.view.notices:
            text.append(f"\n{clean(say.text(notice.key, notice.args))}")
        text.append("\n")
        return text

    def _tracks(self) -> Text:
        """Draw each track: its occupied boxes, with their markers."""
        say, text = self.desk.say(self.language), Text()
        for track in self.desk.view.tracks:
            text.append(f"\n{clean(say.label(f'track.{track.id}'))} ({track.low}-{track.high})\n", "bold")
            places: dict[int, list[str]] = {}
            for mark in track.marks:
                places.setdefault(mark.at, []).append(clean(say.value(mark.name)))
            for at in sorted(places):
                text.append(f"  {at:>3}  ", self.app.theme_variables["accent"])
                text.append(", ".join(places[at]) + "\n")
        return text

    def action_plots(self) -> None:
        desk, language = self.desk, self.language
        wide = min(self.size.width * 9 // 10, 120) - 6
        text = plots_text(desk, language, self.words, badges(desk, language), self.pbem.source.figures(), wide)
        self.app.push_screen(ChartsDialog(self.words("act.plots"), text))

    # -- actions -----------------------------------------------------------------------------------------------------

    def action_show_sheet(self, key: str) -> None:
        self.area = key
        self.draw()

    def action_region(self, by: int) -> None:
        self.action_show_sheet(step(self.area, [str(at) for at in range(len(self.sheets()))], by))
