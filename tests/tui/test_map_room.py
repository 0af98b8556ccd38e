"""The map room, by keys and by mouse: table and drawing, regions, neighbours."""

from collections import Counter

from textual.widgets import DataTable

from pbem.tui.screens.dialogs import ChooseDialog
from pbem.tui.widgets.bars import TextBar
from pbem.tui.widgets.mapview import MapView
from pbem.tui.widgets.report_table import ReportTableWidget
from tests.toy.places import NORTH, PLACES
from tests.tui.helpers import go, grid, make_app, running


async def test_map_table_and_drawing_share_one_space(source):
    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "map")
        table, drawing = app.screen.query_one(ReportTableWidget), app.screen.query_one(MapView)
        app.room.choose("riga")
        await pilot.press("down")
        assert table.here == drawing.chosen == "oslo"
        app.room.choose("bari")  # lies in the other region
        await pilot.pause()
        assert (app.room.area, table.here, drawing.chosen) == ("south", "bari", "bari")
        assert "Bari (White, 4) neighbours: R Graz" in " ".join(grid(app).split())


async def test_map_filter_sort_and_regions(source):
    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "map")
        table = app.screen.query_one(ReportTableWidget)
        app.room.choose("riga")
        await pilot.press("slash", *"lu")
        assert table.ids == ["lund"]
        await pilot.press("escape")
        assert len(table.ids) == 4
        await pilot.press("s")
        assert table.ids == ["leith", "lund", "oslo", "riga"]
        await pilot.press("r")
        assert table.ids == ["riga", "oslo", "lund", "leith"]
        await pilot.press("s", "s")
        assert table.sorted_by == 2
        await pilot.press("right_square_bracket")
        assert app.room.area == "south"
        assert table.sorted_by is None


async def test_map_jump_and_neighbours(source):
    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "map")
        await pilot.press("g")
        assert isinstance(app.screen, ChooseDialog)
        await pilot.press(*"cad", "enter")
        await pilot.pause()
        assert app.room.chosen == "cadiz"
        await pilot.press("n")
        assert [row[0] for row in app.screen.rows] == ["lyon"]
        await pilot.press("enter")
        await pilot.pause()
        assert app.room.chosen == "lyon"


async def test_map_zoom_pan_and_layout(source):
    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "map")
        drawing = app.screen.query_one(MapView)
        before = grid(app)
        await pilot.press("plus", "plus")
        assert drawing.lens.zoom > 2
        assert grid(app) != before
        at = drawing.lens.x
        await pilot.press("shift+left")
        assert drawing.lens.x < at
        await pilot.press("minus", "minus")
        assert drawing.lens.zoom == 1
        await pilot.press("m", "m")
        assert not app.screen.query_one("#table").display
        assert drawing.size.width == 80


async def test_map_by_mouse(source):
    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "map")
        drawing = app.screen.query_one(MapView)
        await pilot.click(MapView, offset=drawing.drawing.at["bari"])
        await pilot.pause()
        assert app.room.chosen == "bari"
        x = grid(app).splitlines()[1].index("6 Log") + 1
        await pilot.click("#rooms", offset=(x, 0))
        await pilot.pause(0.1)
        assert app.room.NAME == "log"


async def test_a_space_without_neighbours_says_so(source):
    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "map")
        about = app.room.query_one("#about", TextBar)
        assert about.text.plain.count("neighbours: ") == 1
        app.room.space(app.room.chosen).links.clear()
        app.room.draw_about()
        assert about.text.plain.rstrip().endswith("no neighbours")


async def test_a_large_map_is_drawn_region_by_region(source, monkeypatch):
    monkeypatch.setattr("pbem.tui.screens.map.MANY", 5)
    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "map")
        drawing = app.screen.query_one(MapView)
        app.room.choose("riga")
        await pilot.pause()
        assert {space.id for space in drawing.spaces} == set(NORTH)
        await pilot.press("right_square_bracket")
        south = {key for key, place in PLACES.items() if place.region == "south"}
        assert {space.id for space in drawing.spaces} == south
        await pilot.press("w")
        assert len(drawing.spaces) == len(south) + len(NORTH) == 10
        await pilot.press("w")
        assert len(drawing.spaces) == 6


async def test_a_table_is_drawn_once_when_its_room_is_opened(source, monkeypatch):
    drawn = Counter()
    plainly = DataTable._render_cell

    def counted(self, row, column, *how, **more):
        drawn[row, column] += 1
        return plainly(self, row, column, *how, **more)

    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "log")
        monkeypatch.setattr(DataTable, "_render_cell", counted)
        await go(pilot, "map")
        assert len(drawn) > 10
        fixed = app.room.query_one(ReportTableWidget).fixed_columns  # Textual draws these with and without the rest
        assert all(count == 1 + (column < fixed) for (_, column), count in drawn.items())
