"""Question and map together: what is lit, choosing on the map, the panels at three sizes."""

import pytest
from rich.text import Text

from pbem.tui.key_bindings import SCREENS as ROOM_NAMES
from pbem.tui.model.badges import Badge
from pbem.tui.model.game_source import open_source
from pbem.tui.model.messages import ScreenMessages, countdown
from pbem.tui.screens.question_panels import ROOMY, focus, space_text
from pbem.tui.widgets.answer_form import AnswerForm
from pbem.tui.widgets.bars import Panel, PanelHeading
from pbem.tui.widgets.mapview import BoardMap
from pbem.tui.widgets.report_table import ReportTableWidget
from tests.tui.helpers import LARGE, SMALL, go, grid, make_app, running, until
from tests.tui.terminal import ROOT

HUGE = (180, 50)


async def march(pilot):
    """To the questions, with `march` as what is done."""
    await go(pilot, "questions")
    room = pilot.app.room
    room.query_one(AnswerForm).take("march")
    await pilot.pause()
    return room


async def test_what_may_be_answered_is_lit_and_chosen_by_enter(source):
    app = make_app(source(0, "red"))
    async with running(app, LARGE) as pilot:
        room = await march(pilot)
        view = room.query_one(BoardMap)
        origins = set(room.query_one(AnswerForm).slot.leaf.options)
        assert view.lit == origins & {space.id for space in room.desk.view.map}
        assert view.lit
        key = min(view.lit)
        view.focus()
        room.chosen = key
        view.choose(key)
        await pilot.press("enter")
        await until(pilot, lambda: key in view.held)
        assert any(slot.leaf.held == key for slot in room.draft.slots())
        assert view.has_focus
        assert view.lit != origins  # the next part is being written


async def test_a_click_selects_and_answers_and_another_space_is_only_looked_at(source):
    app = make_app(source(0, "red"))
    async with running(app, LARGE) as pilot:
        room = await march(pilot)
        view = room.query_one(BoardMap)
        lit, other = min(view.lit), next(key for key in view.drawing.at if key not in view.lit | view.held)
        await pilot.click(BoardMap, offset=view.drawing.at[other])
        await until(pilot, lambda: room.chosen == other)
        assert other not in view.held
        await pilot.click(BoardMap, offset=view.drawing.at[lit])
        await until(pilot, lambda: lit in view.held)
        assert room.chosen == lit


async def test_arrows_walk_on_the_map_and_f10_leads_back(source):
    app = make_app(source(0, "red"))
    async with running(app, LARGE) as pilot:
        await go(pilot, "questions")
        room = app.room
        view = room.query_one(BoardMap)
        await pilot.press("f10")
        assert view.has_focus
        seen = {room.chosen}
        for key in ("right", "down", "left", "up", "down", "right"):
            await pilot.press(key)
            seen.add(room.chosen)
        assert len(seen) > 1
        assert not view.held
        await pilot.press("f10")
        assert not view.has_focus


@pytest.mark.parametrize(
    ("size", "there", "missing"),
    [(SMALL, [" 1  Map"], [" 6  Log"]), (LARGE, [" 6  Log", " 3  Hand"], [" 2  Points"]),
     (HUGE, [" 6  Log", " 3  Hand", " 2  Points", " 1  Selected"], [])],
)  # fmt: skip
async def test_the_map_stands_beside_the_question_at_every_size(source, size, there, missing):
    app = make_app(source(0, "red"))
    async with running(app, size) as pilot:
        await go(pilot, "questions")
        text = grid(app)
        assert all(head in text for head in (" 1  Map", *there))
        assert not any(head in text for head in missing)
        assert app.room.query_one(BoardMap).size.height >= 6
        assert app.room.query_one(AnswerForm).size.height >= 5


async def test_the_whole_map_and_back(source):
    app = make_app(source(0, "red"))
    async with running(app, LARGE) as pilot:
        await go(pilot, "questions")
        view = app.room.query_one(BoardMap)
        before = len(view.spaces)
        await pilot.press("f11")
        assert len(view.spaces) == len(app.desk.view.map)
        await pilot.press("f11")
        assert app.room.query_one(ReportTableWidget).display
        assert not view.display
        await pilot.press("f11")
        assert len(view.spaces) == before
        assert view.display


def test_a_large_map_opens_on_more_of_what_lies_around(source):
    desk = source(0, "red").desk()
    small, large = ({space.id for space in focus(desk, desk.asked[0], [], cells)} for cells in (0, 50 * ROOMY))
    assert small < large


async def test_points_are_drawn_for_the_width_of_their_panel(source):
    app = make_app(source(9, "red"))
    async with running(app, HUGE) as pilot:
        await go(pilot, "questions")
        panel = app.room.query_one("#points-panel", Panel)
        assert not isinstance(panel.body, Text)
        lines = panel.body(panel.size.width - 2, 5).plain.splitlines()
        assert lines
        assert all(line.rstrip() in grid(app) for line in lines)


async def test_the_key_bar_and_the_deadline_fit_however_narrow_the_terminal_is(source):
    app = make_app(source(0, "red"))
    async with running(app, SMALL) as pilot:
        for language in ("en", "ja"):
            for room in (name for name in ROOM_NAMES if name not in ("players", "hand")):  # these lie over a screen
                await go(pilot, room)
                lines, words = grid(app).splitlines(), app.words
                if room in app.screens() and room not in ("questions", "map"):  # the main screen, without a choice
                    assert all(f"{number} " in lines[1] for number in app.screens().values())
                    assert words(f"screen.{room}") in lines[1]
                assert all(words(f"act.{key}") in lines[-1] for key in ("help", "command_palette", "leave"))
                assert app.language == language
            await go(pilot, "questions")
            assert countdown(app.present.due, app.now(), app.words) in grid(app).splitlines()[0]
            app.action_language()
            await pilot.pause()
        await pilot.resize_terminal(120, 40)  # the answer has 44 columns
        due = app.room.query_one("#due")
        assert due.render().cell_len <= due.size.width


async def test_texts_take_the_colours_of_the_new_theme_at_once(source):
    app = make_app(source(9, "red"))
    async with running(app, LARGE) as pilot:
        await go(pilot, "questions")
        before = app.theme_variables["accent"]
        await pilot.press("f3")
        log = app.room.query_one("#log-panel", Panel).query_one(PanelHeading).text
        assert app.theme_variables["accent"] != before
        assert all(before.lower() not in str(span.style).lower() for span in log.spans)
        assert any(app.theme_variables["accent"].lower() in str(span.style).lower() for span in log.spans)


def test_neighbours_of_a_space_are_told_once():
    desk = open_source(ROOT / "saves" / "vq-interception.toml", "protestant").desk()
    text = space_text(desk, "en", ScreenMessages("en"), "bordeaux", Badge("F", "#000000", "#ffffff")).plain
    assert text.count("La Rochelle") == 1


async def test_a_key_on_the_map_writes_only_the_cells_that_change(opened):
    """A slow line matters: the whole map was 21 kB a key."""
    app = opened("vq-interception", "protestant")
    async with running(app, (100, 30)) as pilot:
        await pilot.pause()
        view, written = app.room.query_one(BoardMap), []
        view.focus()
        await pilot.pause()
        view.refresh = lambda *regions, **how: written.append(regions)
        for key in ("down", "left", "up"):
            before = app.room.chosen
            written.clear()
            await pilot.press(key)
            await until(pilot, lambda: bool(written))
            assert app.room.chosen != before
            assert all(written)  # without a region, all of it is written
            assert sum(region.area for regions in written for region in regions) <= 200
