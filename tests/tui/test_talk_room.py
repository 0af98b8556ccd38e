"""The table of a negotiation: what waits for me stands on top, the time is a bar, a deal is read out as it is built."""

from pbem.tui.screens.dialogs import TextDialog
from pbem.tui.screens.form_dialog import FormDialog
from tests.tui.helpers import LARGE, SMALL, go, grid, make_app, running, shown, until


async def test_a_proposal_that_waits_for_me_is_marked_and_read_out(source):
    app = make_app(source(6, "red", press=True))
    async with running(app, LARGE) as pilot:
        await go(pilot, "negotiation")
        room, text = app.room, grid(app)
        assert app.words("negotiation.yours").strip() in text
        assert "Proposals: 1, 1 to sign" in text
        assert room._mine_to_sign(room.offers[0])
        app.source.take(
            f"BEGIN ORDERS toy-1 red {app.source.code('red')}\naccept blue-red-1 give=1\nEND ORDERS\n", app.now()
        )
        app.reload()
        assert await shown(pilot, "agreed Blue+, Red+")
        assert app.words("negotiation.yours").strip() not in grid(app)


async def test_the_bar_tells_how_much_of_the_time_is_left(source):
    app = make_app(source(6, "red"))
    async with running(app, SMALL) as pilot:
        await go(pilot, "negotiation")
        line = app.room.query_one("#time")
        full = sum(span.end - span.start for span in line.render().spans if "reverse" in str(span.style))
        assert full == 24  # all of 48 hours is left
        assert "of 48 h" in grid(app)


async def test_a_deal_is_read_out_while_it_is_built(source):
    app = make_app(source(6, "red"))
    async with running(app, LARGE) as pilot:
        await go(pilot, "negotiation")
        await pilot.press("p")
        await until(pilot, lambda: bool(app.screen.query("#aloud")))
        assert isinstance(app.screen, FormDialog)
        app.screen.draft.read("propose to=white price=2")
        app.screen.preview()
        assert await shown(pilot, "It says:")
        assert "White" in str(app.screen.query_one("#aloud").render())


async def test_help_tells_the_whole_question(source):
    app = make_app(source(6, "red"))
    async with running(app, SMALL) as pilot:
        await go(pilot, "negotiation")
        await pilot.press("question_mark")
        assert await shown(pilot, app.words("help.propose"))
        assert isinstance(app.screen, TextDialog)
        assert app.desk.asked[0].said_in("en") in app.screen.said.plain
