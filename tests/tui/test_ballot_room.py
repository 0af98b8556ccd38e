"""The ballot room: a sealed answer is written, sealed, hidden and replaced."""

from pbem.save import load
from pbem.tui.model import ballots
from pbem.tui.screens.dialogs import ConfirmDialog, InputDialog, TextDialog
from tests.tui import helpers
from tests.tui.helpers import go, grid, make_app, running


async def test_a_ballot_shows_nothing_until_it_is_opened(source):
    app = make_app(source(1, "blue"))
    async with running(app) as pilot:
        app.draft(app.present.asked[0]).read("white")
        await go(pilot, "ballot")
        closed = grid(app)
        assert "white" not in closed.casefold()
        assert "sealed" in closed
        await pilot.press("space")
        assert "white" in grid(app)
        await pilot.press("escape")
        assert grid(app) == closed
        await pilot.press("space")
        for _ in range(31):
            app.room._grow_old()
        await pilot.pause()
        assert grid(app) == closed
        await pilot.press("space", "f8")
        assert isinstance(app.screen, ConfirmDialog)
        assert app.screen.said.plain == "white"
        for _ in range(31):
            app.room._grow_old()
        await pilot.pause()
        assert grid(app) == closed
        await pilot.press("space")
        await go(pilot, "map")
        await go(pilot, "ballot")
        assert grid(app) == closed


async def test_a_ballot_is_confirmed_sealed_and_receipted(source):
    known = source(1, "blue")
    app = make_app(known)
    async with running(app) as pilot:
        await go(pilot, "ballot")
        await pilot.press("f8")
        assert not isinstance(app.screen, ConfirmDialog)
        await pilot.press("space", *"whi", "enter")
        assert app.room.draft.text() == "white"
        await pilot.press("f8")
        assert isinstance(app.screen, ConfirmDialog)
        assert isinstance(app.screen, ConfirmDialog)
        assert app.screen.said.plain == "white"
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, ConfirmDialog)
        assert "white" not in app.screen.said.plain
        app.screen.dismiss("save")
        await pilot.pause()
        assert isinstance(app.screen, TextDialog)
        assert "white" not in app.screen.said.plain
        await pilot.press("escape")
        await pilot.pause()
        (receipt,) = ballots.load(ballots.file_of(known.path))
        assert ballots.verify(receipt, "white")
        assert receipt.commitment[:16] in grid(app)
        assert "not counted yet" in grid(app)
        assert load(known.path).sealed[0].answer == {"vote": "white"}


async def test_later_it_shows_how_the_ballot_was_counted(source):
    before = source(1, "blue")
    desk = before.desk()
    one = ballots.commit(desk, desk.asked[0].q, "blue", "ballot", "red", helpers.NOW.isoformat())
    ballots.keep(ballots.file_of(before.path), one)
    app = make_app(source(4, "blue"))
    async with running(app) as pilot:
        await go(pilot, "ballot")
        assert "Blue votes for" in grid(app)
        await pilot.press("v")
        assert isinstance(app.screen, InputDialog)
        await pilot.press(*"red", "enter")
        await pilot.pause()
        assert isinstance(app.screen, TextDialog)
        assert app.screen.said.plain.startswith("Yes")
