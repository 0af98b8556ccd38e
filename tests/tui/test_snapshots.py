"""What the rooms look like, as text: both sizes, both languages. A change of look is a change of a file to be read."""

import pytest

from pbem.tui.actions import ROOMS
from tests.tui.helpers import LARGE, SMALL, go, grid, make_app, running, same_text

AT = {"map": 9, "players": 9, "hand": 1, "questions": 0, "talk": 6, "ballot": 1, "log": 9, "desk": 1}


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "140x45"])
@pytest.mark.parametrize("room", ROOMS)
async def test_rooms(source, room, size, language):
    seat = "moderator" if room == "desk" else "red"
    app = make_app(source(AT[room], seat, press=room == "talk"), language)
    async with running(app, size) as pilot:
        await go(pilot, room)
        same_text(f"{room}-{size[0]}-{language}.txt", grid(app))
