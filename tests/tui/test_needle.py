"""The line for a search is the same in every room that has one."""

import pytest

from pbem.tui.widgets.bars import SearchBox
from tests.tui.helpers import go, make_app, running


@pytest.mark.parametrize("room", ["map", "log"])
async def test_a_search_line_is_there_while_something_is_looked_for(source, room):
    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, room)
        needle = app.room.query_one(SearchBox)
        assert not needle.display
        await pilot.press("slash", "e", "enter")
        assert needle.display
        assert needle.value == "e"
        assert not needle.has_focus
        await pilot.press("escape")
        assert not needle.display
        assert needle.value == ""
        await pilot.press("slash", "enter")
        assert not needle.display
        assert not needle.has_focus
