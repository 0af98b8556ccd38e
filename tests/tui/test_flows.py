"""What one does in each room, by keys and by mouse, on a real app with a stopped clock."""

import random
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest
from textual.events import Key
from textual.widgets import Input

from pbem.kernel.referee import ReplayError
from pbem.orders.parser import read
from pbem.save.errors import ReplayFailed
from pbem.save.session import replayed
from pbem.timestamps import moment
from pbem.tui.key_bindings import GLOBAL, IN_ROOM, SCREENS
from pbem.tui.model.canvas import ARROW
from pbem.tui.model.game_source import SaveSource
from pbem.tui.screens.dialogs import TextDialog
from pbem.tui.widgets.bars import Bar
from pbem.tui.widgets.editors import Editor
from pbem.tui.widgets.mapview import MapView
from pbem.tui.widgets.report_table import ReportTableWidget
from tests.toy import playing as toy
from tests.tui.helpers import LARGE, SMALL, go, grid, make_app, running, shown, until

# -- everywhere ------------------------------------------------------------------------------------------------------


async def test_the_app_opens_on_what_is_asked(source):
    for answers, seat, room in ((0, "red", "questions"), (0, "public", "questions"), (0, "moderator", "moderator")):
        app = make_app(source(answers, seat))
        async with running(app):
            assert (bool(app.present.open), app.room.NAME) == (seat != "public", room)


async def test_languages_themes_and_help(source):
    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "map")
        assert "Riga" in grid(app)
        await pilot.press("f2")
        assert "リガ" in grid(app)
        for name in ("pbem-light", "pbem-plain", "pbem-dark"):
            await pilot.press("f3")
            assert app.theme == name
        for room in IN_ROOM:
            await go(pilot, room)
            await pilot.press("f1")
            assert isinstance(app.screen, TextDialog)
            shown = app.screen.said.plain
            for act in (*IN_ROOM[room], *GLOBAL):
                assert act.help(app.words) in shown
            await pilot.press("escape")


async def test_digits_lead_to_rooms_but_not_from_an_input_line(source):
    app = make_app(source(0, "red"))
    async with running(app) as pilot:
        await pilot.press("4")
        assert app.room.NAME == "questions"
        app.room.query_one("#order").focus()
        await pilot.press("7")
        assert app.room.NAME == "questions"


async def test_the_palette_finds_and_runs_commands(source):
    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "map")
        app.room.action_region(1)
        await pilot.press("ctrl+p")
        await pilot.press(*"reverse")
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.room and app.room.query_one(ReportTableWidget).backwards)
        assert app.screen.query_one(ReportTableWidget).backwards


async def test_a_changed_file_is_read_again(source, save):
    known = source(0, "red")
    app = make_app(known)
    async with running(app) as pilot:
        other = SaveSource(known.path, "moderator", toy.load)
        other.session.referee.submit("red", "hold")
        other.session.commit(moment("2026-05-02T10:00:00Z"))
        app.every_second()
        await until(pilot, lambda: app.present.moves == 1)
        assert app.present.moves == 1
        known.path.write_text("broken")
        app.every_second()
        await pilot.pause()
        assert app.present.moves == 1  # what was there stays


async def test_strange_text_is_shown_as_it_is(source, monkeypatch):
    known = source(6, "red", press=True)
    app = make_app(known)
    async with running(app) as pilot:
        await go(pilot, "negotiation")
        await pilot.press("down")
        assert "Peace? [/x]" in grid(app)
        assert "\x1b" not in grid(app)
        app.tell("[/x] \x1b[31m [b]")
        await pilot.pause()
        assert "\x1b" not in grid(app)


async def test_the_moderators_desk(source):
    app = make_app(source(1))
    async with running(app) as pilot:
        await go(pilot, "moderator")
        assert grid(app).count("open") >= 3
        assert "in quarantine: 0" in grid(app)
        assert "mail last read: never" in grid(app)
    app = make_app(source(1, "red"))
    async with running(app) as pilot:
        await go(pilot, "moderator")
        assert "Only the moderator can use this screen" in grid(app)
        assert "Blue" not in grid(app)


async def test_the_draft_mail_is_one(view):
    known = view(0, "red")
    app = make_app(known, to="game@example.org", sender="red@example.org")
    async with running(app) as pilot:
        await go(pilot, "questions")
        await pilot.press("f7", "f8")
        app.screen.dismiss("draft")
        await until(pilot, lambda: isinstance(app.screen, TextDialog))
    mail = message_from_bytes(Path(known.path.parent / "toy-1-red-1.eml").read_bytes(), policy=default)
    assert (mail["To"], mail["From"], mail["Subject"]) == ("game@example.org", "red@example.org", "Orders for toy-1")
    assert read(mail.get_content()).blocks[0].problem is None


@pytest.mark.parametrize("seed", range(3))
async def test_any_keys_never_crash_it(source, seed):
    chance = random.Random(seed)
    keys = [key for acts in (*IN_ROOM.values(), GLOBAL[1:4]) for act in acts for key in act.keys.split(",")]
    keys += ["up", "down", "tab", "enter", "a", "space", *"12345678"]
    app = make_app(source((0, 1, 6)[seed], ("red", "moderator", "blue")[seed], press=True))
    async with running(app) as pilot:
        for _ in range(70):
            await pilot.press(chance.choice(keys))
        assert grid(app).strip()
        assert app.query(Bar) is not None


async def test_a_crash_leaves_no_hands_on_the_terminal(source, monkeypatch):
    app = make_app(source(1, "red"))
    monkeypatch.setattr(app, "_close_messages_no_wait", lambda: None)
    (card, *_) = [held.id for held in app.present.view.hands[0].cards or ()]
    try:
        raise RuntimeError("a bug")  # noqa: TRY301
    except RuntimeError:
        app._fatal_error()
    told = "".join(segment.text for segment in app._exit_renderables.pop().segments)
    assert "a bug" in told
    assert f"'{card}'" not in told
    assert "CardView" not in told


async def test_every_room_can_be_seen_by_the_public(source):
    app = make_app(source(6, "public", press=True))
    async with running(app) as pilot:
        for room in SCREENS:
            await go(pilot, room)
            assert app.screen is not app.room or "public" in grid(app).splitlines()[0]
            assert "Beware" not in grid(app)


async def test_of_a_finished_game_it_is_told_who_has_won(save, source):
    known = source(0)
    while not known.session.referee.over:
        toy.answer(known.session.referee, 1)
    known.session.commit(moment("2026-05-02T09:30:00Z"))
    for language, said in (("en", "Final score: Red"), ("ja", "最終得点：赤")):
        app = make_app(SaveSource(known.path, "red", toy.load), language=language)
        async with running(app) as pilot:
            await go(pilot, "questions")
            assert said in grid(app)


async def test_a_game_begun_under_older_rules_opens_without_its_past(source, monkeypatch):
    known = source(14, "red")
    everything = len(known.desk().log)

    def changed(game, setup, moves, mark, *more):
        if mark is None:
            raise ReplayFailed("move 1: red: KeyError", key="moves[0]")
        return replayed(game, setup, moves, mark, *more)

    def unplayable(*_):
        raise ReplayError(1, "red: KeyError")

    monkeypatch.setattr("pbem.save.session.replayed", changed)
    monkeypatch.setattr("pbem.mail.outbox.email_parts.at_move", unplayable)
    app = make_app(SaveSource(known.path, "red", toy.load))
    assert len(app.present.log) < everything
    async with running(app) as pilot:
        for room in SCREENS:
            await go(pilot, room)
        assert not app.source.stops()


async def test_the_order_line_of_one_question_does_not_stay_for_the_next(source):
    app = make_app(source(4, "moderator"))
    async with running(app, SMALL) as pilot:
        await go(pilot, "questions")
        room = app.room
        order = room.query_one("#order")
        order.focus()
        await until(pilot, lambda: order.has_focus)
        order.value = "pass"
        await pilot.pause()
        first = room.asked
        await pilot.press("f4")
        await until(pilot, lambda: room.asked != first)
        await until(pilot, lambda: not order.has_focus)
        assert room.asked != first
        assert not order.has_focus
        assert order.value == room.draft.text() == ""


async def test_no_letter_is_lost_that_is_typed_on_a_list(source):
    app = make_app(source(0, "red"))
    async with running(app, SMALL) as pilot:
        await go(pilot, "questions")
        editor = app.room.query_one(Editor)
        app.room.query_one("#slots").focus()
        await pilot.pause()
        for letter in "mus":  # faster than the focus moves
            app.room.query_one("#slots").post_message(Key(letter, letter))
        await until(pilot, lambda: editor.keys == ["muster"])
        assert editor.keys == ["muster"]
        assert editor.query_one("#find", Input).value == "mus"


async def test_what_fits_no_choice_chooses_nothing(source):
    app = make_app(source(0, "red"))
    async with running(app, SMALL) as pilot:
        await go(pilot, "questions")
        editor = app.room.query_one(Editor)
        app.room.query_one("#slots").focus()
        await pilot.pause()
        for key in ("m", "u", "z", "7", "space", "enter"):
            letter = {"space": " ", "enter": None}.get(key, key)
            app.room.query_one("#slots").post_message(Key(key, letter))
        await until(pilot, lambda: editor.query_one("#find", Input).value == "muz7 ")
        await pilot.pause()
        assert editor.query_one("#find", Input).value == "muz7 "
        assert editor.keys == []
        assert app.room.draft.text() == ""


async def test_the_palette_shows_keys(source):
    app = make_app(source(0, "red"))
    async with running(app, LARGE) as pilot:
        await go(pilot, "questions")
        await pilot.press("ctrl+p")
        await pilot.press(*"check the")
        assert await shown(pilot, "[F6 Ctrl-t]")


async def test_a_step_back_shows_what_moved(opened):
    app = opened("vq-interception", "spain")
    async with running(app, (160, 45)) as pilot:
        await go(pilot, "log")
        await pilot.press("left")
        await pilot.pause()
        shown = app.room.query_one(MapView)
        assert shown.ways == [("bordeaux", "nerac")]
        assert {"bordeaux", "nerac"} <= {space.id for space in shown.spaces}
        assert len(shown.spaces) < 60
        assert any(run.what == ARROW for row in shown.drawing.rows for run in row)
        await pilot.press("left")
        assert not app.room.query_one(MapView).ways
