"""Nothing that was typed is lost: drafts are kept next to the file, for the seat that wrote them."""

import stat
from dataclasses import replace

from textual.events import Key

from pbem.tui.model import drafts
from pbem.tui.screens.dialogs import InputDialog
from tests.tui.helpers import go, make_app, running, shown, until


async def test_drafts_survive_leaving(source):
    first = source(0, "red")
    app = make_app(first)
    async with running(app) as pilot:
        app.draft(app.present.asked[0]).root.verb.set("muster")  # type: ignore[attr-defined]
        app.draft_of("red").add("press", "Shall we talk?", to=("blue",))
        await pilot.press("ctrl+q")
        await pilot.pause()
    assert app.return_value is None
    file = drafts.file_of(first.path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = make_app(source(0, "red"))
    async with running(again) as pilot:
        assert again.draft(again.present.asked[0]).root.verb.held == "muster"  # type: ignore[attr-defined]
        assert again.draft_of("red").press == [(("blue",), "Shall we talk?")]


async def test_a_message_being_written_survives_escape_and_a_kill(source):
    first = source(6, "white")
    app = make_app(first)
    async with running(app) as pilot:
        await go(pilot, "negotiation")
        await pilot.press("w")
        assert isinstance(app.screen, InputDialog)
        await pilot.press(*"hello")
        await pilot.press("escape")
        app.keep_drafts()  # each second; a kill comes after it
    again = make_app(source(6, "white"))
    async with running(again) as pilot:
        await go(pilot, "negotiation")
        await pilot.press("w")
        assert await shown(pilot, "hello")


async def test_a_line_that_is_no_order_yet_is_kept_while_its_question_is_open(source):
    first = source(0, "red")
    app = make_app(first)
    async with running(app) as pilot:
        app.room.query_one("#order").focus()
        await pilot.press(*"march riga ba")
        await pilot.press("ctrl+q")
    again = make_app(source(0, "red"))
    async with running(again):
        assert again.room.query_one("#order").value == "march riga ba"
        again.present = replace(again.present, asked=())
        again.keep_drafts()
        assert again.drafts_left() == 0


async def test_what_was_sent_is_no_draft(source):
    first = source(0, "red")
    app = make_app(first)
    async with running(app):
        app.draft(app.present.asked[0]).read(app.present.asked[0].default or "pass")
        app.keep_drafts()
        before = app.drafts_left()
        app.forget(app.present.asked[0])
        app.keep_drafts()
        assert (before, app.drafts_left()) == (1, 0)
        assert not drafts.file_of(first.path).exists()


async def test_a_seat_reads_its_own_drafts_only(source):
    first = source(0, "red")
    app = make_app(first)
    async with running(app):
        app.draft_of("red").add("press", "A secret", to=("blue",))
        app.keep_drafts()
    other = make_app(source(0, "blue"))
    async with running(other):
        assert other.draft_of("blue").empty
        other.keep_drafts()
    assert drafts.kept(first.path)["red"].items


async def test_a_file_that_cannot_be_written_is_told_once(source, monkeypatch):
    app = make_app(source(0, "red"))
    async with running(app):
        told = []
        monkeypatch.setattr(app, "tell", told.append)

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("pbem.tui.model.drafts.keep", full)
        for text in ("one", "two"):
            app.draft_of("red").add("press", text)
            app.keep_drafts()
        assert len(told) == 1


async def test_keys_behind_a_sent_answer_answer_nothing_else(source):
    """All keys come in one packet: the first Enter opens the way of sending, the rest is dropped."""
    first = source(0, "red")
    app = make_app(first)
    async with running(app) as pilot:
        await go(pilot, "questions")
        app.room.draft.read(app.room.asked.default or "pass")
        app.room.load_form()
        app.room.query_one("#order").focus()
        await pilot.pause()
        for key in ("enter", "enter", "x", "enter"):
            app.post_message(Key(key, "x" if key == "x" else None))
        await until(pilot, lambda: len(app.screen_stack) > 2 and app.behind is None)
        assert type(app.screen).__name__ == "ConfirmDialog"
        assert first.session.referee.n == source(0, "red").session.referee.n
