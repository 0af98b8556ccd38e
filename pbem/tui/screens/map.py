"""Screen 1, the map: a table per region, a drawing, and one selected space that both share."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult

from pbem.kernel.view import MapSpace
from pbem.report.model import ReportTable
from pbem.tui.model.badges import NOBODY, Badge, badges
from pbem.tui.model.canvas import Viewport
from pbem.tui.model.messages import step
from pbem.tui.screens.base import bound
from pbem.tui.screens.dialogs import ChooseDialog
from pbem.tui.screens.question_panels import named, region_of, show_map
from pbem.tui.screens.search_base import SearchBox, TableScreen
from pbem.tui.widgets.bars import Bar, BarItem, TextBar
from pbem.tui.widgets.mapview import MapView
from pbem.tui.widgets.panels import Columns, Rows
from pbem.tui.widgets.report_table import ReportTableWidget

LAYOUTS = ("both", "table", "map")
MANY = 40
"""A map with more spaces is drawn region by region, until `w` shows all."""
FEW = 12
"""A region with fewer spaces is drawn with its neighbours."""


class MapScreen(TableScreen):
    """Tables of the regions and the drawn map."""

    NAME = "map"
    BINDINGS = bound("map")
    DEFAULT_CSS = """
    MapScreen #table { width: 46%; }
    MapScreen.-layout-table #table, MapScreen.-layout-map #side { width: 100%; }
    MapScreen.-layout-table #side, MapScreen.-layout-map #table { display: none; }
    MapScreen #about { height: 2; color: $foreground; background: $surface; padding: 0 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.area = ""
        self.chosen = ""
        self.split = "both"
        self.sides: dict[str, Badge] = {}
        self.whole: bool | None = None

    def body(self) -> ComposeResult:
        yield Bar(id="regions")
        with Columns():
            with Rows(id="table"):
                yield SearchBox(id="needle")
                yield ReportTableWidget(id="sheet")
            with Rows(id="side"):
                yield MapView(id="map")
                yield TextBar(id="about")

    # -- drawing -----------------------------------------------------------------------------------------------------

    def draw(self) -> None:
        desk, language = self.desk, self.language
        self.sides = dict(badges(desk, language))
        sheets = self.sheets()
        if sheets:
            if self.area not in {sheet.id for sheet in sheets}:
                asked = {word for question in desk.asked for word in named(question.about)}
                region = region_of(sheets, desk, asked)
                self.area = region.id if region is not None else ""
            self.draw_area()
        else:
            self.draw_map()
        if not self.chosen and desk.view.map:
            self.choose(self._first_space(sheets))
        else:
            self.draw_about()

    def _first_space(self, sheets: list[ReportTable]) -> str:
        sheet = next((candidate for candidate in sheets if candidate.id == self.area), None)
        listed = [str(row[0]) for row in sheet.raw] if sheet is not None else []
        return next((key for key in listed if self.space(key) is not None), self.desk.view.map[0].id)

    def sheets(self) -> list[ReportTable]:
        """Return one table per region; without any, one made of the spaces themselves."""
        return self.desk.sheets(self.language, of_map=True)

    def draw_area(self) -> None:
        sheets = self.sheets()
        items = [BarItem("", sheet.title, f"show_region('{sheet.id}')", sheet.id == self.area) for sheet in sheets]
        bar = self.query_one("#regions", Bar)
        bar.display = len(items) > 1
        at = next((i for i, item in enumerate(items) if item.here), 0)
        bar.show(tuple(items[max(at - 3, 0) :]))
        sheet = next(sheet for sheet in sheets if sheet.id == self.area)
        self.query_one(ReportTableWidget).load(sheet, self.badge_of)
        self.draw_map()

    def draw_map(self) -> None:
        spaces = self.desk.view.map
        if not (self.whole if self.whole is not None else len(spaces) <= MANY):
            sheet = next((sheet for sheet in self.sheets() if sheet.id == self.area), None)
            here = {str(cell) for row in sheet.raw for cell in row[:2]} if sheet is not None else set()
            spaces = [space for space in spaces if space.id in here] or spaces
        coast = self.desk.coast
        if coast and len(spaces) < FEW:
            near = {link for space in spaces for link in space.links} | {space.id for space in spaces}
            spaces = [space for space in self.desk.view.map if space.id in near]
        show_map(self.query_one(MapView), self.desk, self.language, self.sides, spaces)
        self.query_one(MapView).tell(self.pbem.last_lines() if self.pbem.stop is not None else ())

    def badge_of(self, space: str) -> Text | None:
        """Return a space's badge for the table: the letter in its colours."""
        found = self.space(space)
        if found is None:
            return None
        badge = self._badge(found)
        return Text(badge.letter, style=badge.style)

    def _badge(self, space: MapSpace) -> Badge:
        return self.sides.get(space.side, NOBODY)

    def space(self, key: str) -> MapSpace | None:
        return next((space for space in self.desk.view.map if space.id == key), None)

    def draw_about(self) -> None:
        space, say = self.space(self.chosen), self.desk.say(self.language)
        line = self.query_one("#about", TextBar)
        if space is None:
            line.show("")
            return
        text = Text(end="")
        badge = self._badge(space)
        text.append(badge.letter, badge.style)
        text.append(f" {say.name(space.id)}", "bold")
        side = say.value(space.side) if space.side else self.words("map.nobody")
        text.append(f" ({side}{', ' + space.mark if space.mark else ''}) ")
        text.append(self.words("map.neighbours" if space.links else "map.no_neighbours") + " ")
        for key in space.links:
            other = self.space(key)
            if other is not None:
                found = self._badge(other)
                text.append(found.letter, found.style)
            text.append(f" {say.name(key)}  ")
        line.show(text)

    # -- the selected space ------------------------------------------------------------------------------------------

    def choose(self, key: str) -> None:
        """Select a space in the drawing, in the table of its region, and in the line below."""
        if self.space(key) is None:
            return
        self.chosen = key
        self.query_one(MapView).choose(key)
        table = self.query_one(ReportTableWidget)
        if table.here != key and not table.go(key):
            home = next((s for s in self.sheets() if any(key == cell for row in s.raw for cell in row[:2])), None)
            if home is not None and home.id != self.area:
                self.area = home.id
                self.draw_area()
                table.go(key)
        self.draw_about()

    @on(ReportTableWidget.Moved)
    def _moved(self, event: ReportTableWidget.Moved) -> None:
        if event.id != self.chosen:
            self.choose(event.id)

    @on(MapView.Picked)
    def _picked(self, event: MapView.Picked) -> None:
        self.choose(event.id)

    # -- actions -----------------------------------------------------------------------------------------------------

    def action_filter(self) -> None:
        if self.split == "map":
            self.action_layout()
        super().action_filter()

    def action_go_to(self) -> None:
        self._ask_for([space.id for space in self.desk.view.map], "map.go_to")

    def action_neighbours(self) -> None:
        space = self.space(self.chosen)
        self._ask_for(space.links if space is not None else [], "map.neighbours")

    def _ask_for(self, keys: list[str], title: str) -> None:
        say = self.desk.say(self.language)
        rows = []
        for key in keys:
            space = self.space(key)
            badge = self._badge(space) if space is not None else NOBODY
            rows.append(
                (key, Text.assemble((badge.letter, badge.style), f" {say.name(key)}"), f"{key} {say.name(key)}")
            )
        self.app.push_screen(ChooseDialog(self.words(title), rows), lambda key: self.choose(key or ""))

    def action_region(self, by: int) -> None:
        self.action_show_region(step(self.area, [sheet.id for sheet in self.sheets()], by))

    def action_show_region(self, key: str) -> None:
        if key:
            self.area = key
            self.draw_area()

    def action_layout(self) -> None:
        self.remove_class(f"-layout-{self.split}")
        self.split = step(self.split, LAYOUTS, 1)
        self.add_class(f"-layout-{self.split}")

    def action_zoom(self, way: int) -> None:
        self.query_one(MapView).action_zoom(way)

    def action_pan(self, right: int, down: int) -> None:
        self.query_one(MapView).action_pan(right, down)

    def action_whole(self) -> None:
        """Switch between this region and the whole map."""
        shown = self.query_one(MapView).spaces
        self.whole = len(shown) < len(self.desk.view.map)
        self.draw_map()

    def action_centre(self) -> None:
        view = self.query_one(MapView)
        view.centre() if view.lens.zoom > 1 else view.look(Viewport())
