"""What the rooms look like, as text: both sizes, both languages. A change of look is a change of a file to be read.

One app for all four: language and size are switched live, as a player would.
"""

import pytest

from tests.tui.helpers import LARGE, SMALL, go, grid, make_app, running, same_text

STAGES = [
    (0, "red", ["questions"]),
    (1, "red", ["hand"]),
    (1, "moderator", ["moderator"]),
    (6, "red", ["negotiation"]),
    (9, "red", ["log", "map", "players"]),
]


@pytest.mark.parametrize(("answers", "seat", "rooms"), STAGES, ids=lambda value: str(value))
async def test_rooms(source, answers, seat, rooms):
    app = make_app(source(answers, seat, press=answers == 6))
    async with running(app, SMALL) as pilot:
        for size in (SMALL, LARGE):
            await pilot.resize_terminal(*size)
            for _ in ("en", "ja"):
                for room in rooms:
                    await go(pilot, room)
                    same_text(f"{room}-{size[0]}-{app.language}.txt", grid(app))
                app.action_language()
                await pilot.pause()
