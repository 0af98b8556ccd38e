"""Sealed answers: they are covered, confirmed, sealed, receipted and replaced."""

import shutil
from pathlib import Path

from pbem.save import load
from pbem.tui.model import ballots
from pbem.tui.model.game_source import SaveSource
from pbem.tui.screens.dialogs import ConfirmDialog, InputDialog, TextDialog
from pbem.tui.screens.questions import OPEN_FOR
from tests.tui import helpers
from tests.tui.helpers import go, grid, make_app, running, until

ROOT = Path(__file__).parents[2]


async def test_a_sealed_answer_that_is_filled_in_is_covered(source):
    app = make_app(source(1, "blue"))
    async with running(app) as pilot:
        await go(pilot, "log")
        app.draft(app.present.asked[0]).read("white")
        await go(pilot, "questions")
        form = app.room.query_one("#form")
        assert not form.display
        assert "Space shows it" in grid(app)
        await pilot.press("space")
        assert form.display
        assert "White" in grid(app)
        await go(pilot, "log")
        await go(pilot, "questions")
        assert not form.display
        await pilot.press("space", "f8")
        await pilot.pause()
        assert isinstance(app.screen, ConfirmDialog)
        assert "White" in app.screen.said.plain
        for _ in range(OPEN_FOR):
            app.room.every_second()
        await pilot.pause()
        assert not isinstance(app.screen, ConfirmDialog)
        assert not form.display


async def test_an_answer_that_is_pasted_and_sent_at_once_is_complete(source):
    """The letters and the key that sends come in one packet, before the screen has heard of the letters."""
    app = make_app(source(1, "blue"))
    async with running(app) as pilot:
        await go(pilot, "questions")
        order = app.room.query_one("#order")
        order.focus()
        await pilot.pause()
        order.insert_text_at_cursor("white")
        app.room.action_send()
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        await pilot.pause()
        assert isinstance(app.screen, ConfirmDialog)
        assert "White" in app.screen.said.plain


async def test_how_a_hidden_answer_is_shown_again_stands_above_a_long_question(tmp_path):
    path = shutil.copy(ROOT / "saves" / "1630-ballot.toml", tmp_path)
    app = make_app(SaveSource(Path(path), "green"))
    async with running(app, (80, 24)) as pilot:
        await go(pilot, "questions")
        app.room.draft.read("red")
        for _ in range(OPEN_FOR):
            app.room.every_second()
        await pilot.pause()
        assert not app.room.query_one("#form").display
        assert "Space shows it" in grid(app)


async def test_a_sealed_answer_is_confirmed_sealed_and_receipted(source):
    known = source(1, "blue")
    app = make_app(known)
    async with running(app) as pilot:
        await go(pilot, "questions")
        await pilot.press("f8")
        assert not isinstance(app.screen, ConfirmDialog)
        await pilot.press(*"whi", "enter")
        assert "Enter sends: White" in grid(app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        assert isinstance(app.screen, ConfirmDialog)
        assert app.room.draft.text() == "white"
        assert "White" in app.screen.said.plain
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
        assert "not counted yet" in grid(app)
        (receipt,) = ballots.load(ballots.file_of(known.path))
        assert ballots.verify(receipt, "white")
        await go(pilot, "orders")
        assert receipt.commitment[:16] in grid(app)
        assert load(known.path).sealed[0].answer == {"vote": "white"}


async def test_later_the_receipt_shows_how_the_answer_was_counted(source):
    before = source(1, "blue")
    desk = before.desk()
    one = ballots.commit(desk, desk.asked[0].q, "blue", "ballot", "red", helpers.NOW.isoformat())
    ballots.keep(ballots.file_of(before.path), one)
    app = make_app(source(4, "blue"))
    async with running(app) as pilot:
        await go(pilot, "orders")
        assert "Blue votes for" in grid(app)
        await pilot.press("v")
        assert isinstance(app.screen, InputDialog)
        await pilot.press(*"red", "enter")
        await pilot.pause()
        assert isinstance(app.screen, TextDialog)
        assert app.screen.said.plain.startswith("Yes")
