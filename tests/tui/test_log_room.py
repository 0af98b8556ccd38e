"""The log and earlier points of a game."""

from pbem.tui.screens.log import LogRow, LogView
from pbem.tui.widgets.mapview import MapView
from tests.tui.helpers import go, grid, make_app, running


async def test_stepping_back_takes_the_map_along(source):
    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "log")
        await pilot.press("home")
        assert app.stop.n == 0
        assert "move 0 of" in grid(app)
        assert app.desk.view.scores == {"red": 6, "blue": 6, "white": 6}
        await pilot.press("right")
        assert app.stop.n == 1
        assert app.room.query_one(MapView).display
        await pilot.press("m")
        assert not app.room.query_one(MapView).display
        await go(pilot, "map")
        assert "move 1 of" in grid(app)
        await go(pilot, "questions")
        assert "JST (Asia/Tokyo)" in grid(app)  # what is open now is told in his own zone
        await go(pilot, "log")
        await pilot.press("end")
        assert app.stop is None


async def test_log_search_and_scroll(source):
    app = make_app(source(14, "red"))
    async with running(app) as pilot:
        await go(pilot, "log")
        log = app.room.query_one(LogView)
        everything = log.virtual_size.height
        await pilot.press("slash", *"you draw", "enter")
        assert 0 < log.virtual_size.height < everything
        assert all("You draw" in text or "Card" in text for _, text, _ in log._rows)
        await pilot.press("escape")
        assert log.virtual_size.height == everything


async def test_no_end_of_a_line_of_the_log_is_lost_behind_the_scroll_bar(source):
    app = make_app(source(4, "red"))
    async with running(app) as pilot:
        await go(pilot, "log")
        log = app.room.query_one(LogView)
        for long in range(70, 75):
            log.load([LogRow(n, f"{'x' * (long - 4)} end") for n in range(40)])
            await pilot.pause()
            assert grid(app).count(" end") > 8, long


async def test_a_view_file_has_the_log_only(view):
    app = make_app(view(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "log")
        await pilot.press("left", "home")
        assert app.stop is None
        assert "Stepping back needs the save" in grid(app)
