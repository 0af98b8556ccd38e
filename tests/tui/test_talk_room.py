"""The table of a negotiation: what waits for me stands on top, a deal is read out as it is built."""

import dataclasses

import msgspec

from pbem.tui.model.seat_view import ScreenProposal
from pbem.tui.screens.dialogs import TextDialog
from pbem.tui.screens.negotiation import FormDialog
from tests.tui.helpers import LARGE, SMALL, go, grid, make_app, running, shown, until


async def test_a_proposal_that_waits_for_me_is_marked_and_read_out(source):
    app = make_app(source(6, "red", press=True))
    async with running(app, LARGE) as pilot:
        await go(pilot, "negotiation")
        room, text = app.room, grid(app)
        assert app.words("negotiation.yours").strip() in text
        assert "1 to sign" in text
        assert room._mine_to_sign(room.offers[0])
        app.source.take(
            f"BEGIN ORDERS toy-1 red {app.source.code('red')}\naccept blue-red-1 give=1\nEND ORDERS\n", app.now()
        )
        app.reload()
        assert await shown(pilot, "agreed Blue")
        assert app.words("negotiation.yours").strip() not in grid(app)


async def test_an_offer_that_cannot_be_signed_is_told_and_is_not_counted(opened):
    app = opened("1630-exchange", "ivory")
    asked = app.present.asked[0]
    offer = ScreenProposal("green-ivory-9", "green", ("green", "ivory"), ("green",), {"want": ["assassin"]})
    app.present = dataclasses.replace(app.present, asked=(msgspec.structs.replace(asked, offers=(offer,)),))
    async with running(app, (100, 30)) as pilot:
        await until(pilot, lambda: bool(app.screen.query("#deeds")))
        await pilot.pause()
        text = grid(app)
        assert app.words("negotiation.unable") in text
        assert "Assassin" in text
        assert app.words("negotiation.sign", count=1) not in text


async def test_a_deal_of_one_card_takes_at_most_ten_keys(opened):
    app = opened("vq-negotiation", "france")
    async with running(app, (100, 30)) as pilot:
        await until(pilot, lambda: bool(app.screen.query("#deeds")))
        keys = ["p", "s", "enter", "g", "enter", "enter", "1", "enter", "enter"]
        await pilot.press(*keys)
        await until(pilot, lambda: bool(app.room.pending().acts))
        assert app.room.pending().acts == ["propose spain of=give-cards give_cards=1"]
        assert app.room.deeds[app.room.query_one("#deeds").highlighted][0] == "send"
        assert len([*keys, "enter"]) <= 10  # the last one sends


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
