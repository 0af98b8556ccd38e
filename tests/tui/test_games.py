"""Every game that can be played here, in every room: the UI knows none of them by name."""

import random

import pytest

import games
from pbem.kernel.game import Setup
from pbem.mail.bots import set_due
from pbem.save import SeatInfo, Session
from pbem.timestamps import moment
from pbem.tui.key_bindings import SCREENS
from pbem.tui.model.game_source import SaveSource
from tests.tui.helpers import NOW, SMALL, go, grid, make_app, running


def played(slug, path, moves):
    game = games.load(slug)
    scenario = game.scenarios[0]
    seats = scenario.seats[max(scenario.seats)]
    setup = Setup(slug, seats, "7b" * 32, scenario.id, game.with_defaults({}))
    session = Session.create(path, game, setup, [SeatInfo(seat) for seat in seats], at=moment("2026-05-01T09:00:00Z"))
    source, referee = random.Random(slug), session.referee
    while referee.n < moves and not referee.over:
        seat = referee.waiting()[0]
        value = "done" if referee.talk is not None else referee.domain(seat).sample(source.randrange)
        referee.submit(seat, value)
    set_due(session, NOW)
    session.commit(moment("2026-05-02T09:00:00Z"))
    return session


@pytest.mark.slow
@pytest.mark.parametrize("slug", games.BUILT_IN)
@pytest.mark.parametrize("moves", [0, 37, 120])
async def test_rooms_of_real_games(tmp_path, slug, moves):
    session = played(slug, tmp_path / "g.toml", moves)
    asked = session.referee.asked()
    for seat in ("moderator", asked[0] if asked else session.setup.seats[0]):
        app = make_app(SaveSource(session.path, seat))
        async with running(app, SMALL) as pilot:
            for language in ("en", "ja"):
                for room in SCREENS:
                    await go(pilot, room)
                    assert len(grid(app).splitlines()) == 24
                    assert app.language == language
                app.action_language()
                await pilot.pause()
            assert app.present.seats == session.setup.seats
