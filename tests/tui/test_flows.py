"""What one does in each room, by keys and by mouse, on a real app with a stopped clock."""

import random
from datetime import timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest
from textual.widgets import Input, OptionList

from pbem.kernel.referee import ReplayError
from pbem.orders import read
from pbem.report.viewfile import dumps
from pbem.save import load
from pbem.save.errors import ReplayFailed
from pbem.save.session import replayed
from pbem.tui.actions import GLOBAL, IN_ROOM, ROOMS
from pbem.tui.model.canvas import ARROW
from pbem.tui.model.clock import moment
from pbem.tui.model.sources import SaveSource, open_source
from pbem.tui.screens.fill import Fill
from pbem.tui.screens.tell import Confirm, Tell, Write
from pbem.tui.widgets.bars import Bar
from pbem.tui.widgets.editors import Editor
from pbem.tui.widgets.logview import LogView
from pbem.tui.widgets.mapview import MapView
from pbem.tui.widgets.sheet import SheetTable
from pbem.tui.widgets.slots import SlotForm
from tests.tui import toy
from tests.tui.helpers import LARGE, SMALL, go, grid, make_app, running, shown, until

# -- questions -------------------------------------------------------------------------------------------------------

SAVES = Path(__file__).parents[2] / "saves"


async def fill_in_march(pilot):
    await pilot.press("enter")
    await pilot.press(*"mar", "enter", "enter")  # verb, then the only own space is taken: riga
    await pilot.press(*"os", "enter")


async def test_a_question_is_filled_in_by_keys(view):
    known = view(0, "red")
    app = make_app(known)
    async with running(app) as pilot:
        await go(pilot, "questions")
        assert isinstance(app.room.query_one("#slots"), OptionList)
        assert app.focused is app.room.query_one("#slots")
        await pilot.press("enter", *"mar", "enter")
        labels = [slot.label for slot in app.room.query_one(SlotForm).shown]
        assert labels == ["do", "origin", "to"]
        await pilot.press(*"osl", "enter")
        assert [slot.label for slot in app.room.query_one(SlotForm).shown][-1] == "regulars"
        line = app.room.query_one("#line", Input)
        assert app.focused is line
        await pilot.press("9")
        assert "9 is not between 1 and 4" in grid(app)
        await pilot.press("backspace", "3", "enter")
        assert app.room.query_one("#order", Input).value == "march riga oslo regulars=3"
        await pilot.press("f8")
        assert isinstance(app.screen, Confirm)
        app.screen.dismiss("file")
        await pilot.pause()
        assert isinstance(app.screen, Tell)
        written = (known.path.parent / "toy-1-red-1.orders").read_text()
        assert read(written).blocks[0].items[0].body == "march riga oslo regulars=3"


async def test_an_order_can_be_typed_and_is_judged_as_it_is_typed(view):
    app = make_app(view(0, "red"))
    async with running(app) as pilot:
        await go(pilot, "questions")
        order = app.room.query_one("#order", Input)
        order.focus()
        await pilot.pause()
        order.value = "march riga bari 1"
        await pilot.pause()
        assert "'bari' is not possible here" in grid(app)
        order.value = "muster oslo=2 riga=1"
        await pilot.pause()
        assert app.room.draft.value() == {"do": "muster", "with": {"oslo": 2, "riga": 1}}
        await pilot.press("enter")
        assert isinstance(app.screen, Confirm)
        assert "1: muster riga=1 oslo=2" in app.screen.said.plain


async def test_counts_are_spun_and_lists_grow(view):
    app = make_app(view(0, "red"))
    async with running(app) as pilot:
        await go(pilot, "questions")
        await pilot.press("enter", *"mus", "enter")
        await pilot.press("right", "right", "down", "right", "left", "right")
        assert app.room.draft.text() == "muster riga=2 oslo=1"
        assert "3 / 1-4" in grid(app)
        app.action_reload()
        app.room.action_clear()
        app.room.draft.root.verb.set("raid")
        app.room.load_form()
        app.room.query_one(SlotForm).focus_first()
        await pilot.pause()
        await pilot.press(*"lun", "enter")
        assert app.room.draft.text() == "raid lund"
        await pilot.press("enter")
        app.room.query_one(Editor).enter()
        await pilot.pause()
        await pilot.press("enter")
        assert [slot.label for slot in app.room.query_one(SlotForm).shown][1:3] == [
            "raid 1",
            "raid 2",
        ]


async def test_check_shows_the_referees_verdict(view):
    app = make_app(view(0, "red"))
    async with running(app) as pilot:
        await go(pilot, "questions")
        await pilot.press("f6")
        assert not isinstance(app.screen, Tell)  # nothing is filled in yet
        await pilot.press("f7", "f6")
        await pilot.pause()
        assert isinstance(app.screen, Tell)
        assert "Only tried" in app.screen.said.plain
        assert "1: pass" in app.screen.said.plain
        assert "Answer by:" in app.screen.said.plain  # what it does not know of the clock it does not make up


@pytest.mark.parametrize("by_file", [True, False])
async def test_a_seat_is_spoken_to_in_its_own_language(source, by_file):
    known = source(1)
    known.session.save.seat("white").language = known.session.save.post.language = "ja"
    known.session.commit("2026-05-02T09:30:00Z")
    for seat, language in (("white", "ja"), ("red", "en"), ("moderator", "ja")):
        target = known.path
        if by_file:
            target = target.with_name("view.toml")
            target.write_text(dumps(known.document(seat)), "utf-8")
        app = make_app(open_source(target, seat, toy.load), language="")
        async with running(app):
            assert ("おもちゃの町" in grid(app)) == (language == "ja")


async def test_the_moderator_answers_straight_into_the_save(source):
    known = source(0)
    app = make_app(known)
    async with running(app) as pilot:
        await go(pilot, "questions")
        await pilot.press("f6")
        await pilot.press("f7", "f8")
        await pilot.press("enter")  # the first way: straight into the save
        await pilot.pause()
        assert load(known.path).header.n == 1
        assert "Receipt for Red" in app.screen.said.plain
        await pilot.press("escape")
        assert [question.kind for question in app.present.asked] == ["ballot"] * 3


async def test_a_window_is_answered_with_a_plan(source):
    app = make_app(source(4, "blue"))
    async with running(app, LARGE) as pilot:
        await go(pilot, "questions")
        await pilot.press("enter", *"inter", "enter", *"lund", "enter")
        room = app.room
        assert room.draft.text() == "intercept lund"
        conditions = next(slot for slot in room.query_one(SlotForm).shown if slot.label == "condition")
        conditions.leaf.set(["unless white"])
        room.load_form()
        assert room.query_one("#order", Input).value == "intercept lund unless white"
        assert "unless White acts" in grid(app) or "one more" in grid(app)


async def test_several_questions_are_turned_over(source):
    app = make_app(source(4))
    async with running(app) as pilot:
        await go(pilot, "questions")
        assert app.room.asked.seat == "blue"
        await pilot.press("f4")
        assert app.room.asked.seat == "white"
        assert app.room.query_one("#asked", OptionList).highlighted == 1


async def test_time_left_runs(source):
    app = make_app(source(0, "red"))
    async with running(app) as pilot:
        due = moment(app.present.due)
        app.now = lambda: due - timedelta(days=1, seconds=61)
        app.every_second()
        await pilot.pause()
        assert "left: 1d 00:01:01" in grid(app)
        app.now = lambda: due - timedelta(seconds=86399)
        app.every_second()
        await pilot.pause()
        assert "left: 23:59:59" in grid(app)
        await go(pilot, "questions")
        app.now = lambda: due + timedelta(seconds=2)
        app.every_second()
        await pilot.pause()
        assert grid(app).count("time is up") == 2  # in the line of time, and with the question
        assert "left:" not in grid(app)


# -- the negotiation -------------------------------------------------------------------------------------------------


async def test_press_proposals_and_signatures_go_out_in_one_letter(source):
    known = source(6, "red", press=True)
    app = make_app(known)
    async with running(app) as pilot:
        await go(pilot, "talk")
        await pilot.press("down")
        assert "For two ducats." in grid(app)
        await pilot.press("w")
        assert isinstance(app.screen, Write)
        app.screen.query_one("#text").text = "Agreed.\nSigned."
        await pilot.press("f8")
        await pilot.pause()
        await pilot.press("a")
        assert "accept blue-red-1" in grid(app)
        await pilot.press("p")
        assert isinstance(app.screen, Fill)
        await pilot.press(*"whi", "enter", "2", "enter", "f8")
        await pilot.pause()
        assert "propose white sum=2" in grid(app)
        await pilot.press("d", "u")
        letter = app.room.pending()
        assert letter.acts == ["accept blue-red-1", "propose white sum=2"]
        assert letter.press == [(("blue",), "Agreed.\nSigned.")]
        await pilot.press("f8")
        app.screen.dismiss("save")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert "Agreements: 1" in grid(app)
        saved = load(known.path)
        assert [act["do"] for act in saved.talk] == ["propose", "accept", "propose"]
        assert saved.press[-1].text.strip() == "Agreed.\nSigned."
        assert app.room.pending().empty


async def test_press_is_possible_without_a_negotiation(source):
    app = make_app(source(0, "red", press=True))
    async with running(app) as pilot:
        await go(pilot, "talk")
        assert "Good morning." in grid(app)
        await pilot.press("p")
        assert not isinstance(app.screen, Fill)
        assert app.room.letter() is None


# -- the log and earlier points --------------------------------------------------------------------------------------


async def test_stepping_back_takes_the_map_along(source):
    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "log")
        await pilot.press("home")
        assert app.stop.n == 0
        assert "move 0 of" in grid(app)
        assert app.desk.view.scores == {"red": 3, "blue": 3, "white": 3}
        await pilot.press("right")
        assert app.stop.n == 1
        assert app.room.query_one(MapView).display
        await pilot.press("m")
        assert not app.room.query_one(MapView).display
        await go(pilot, "map")
        assert "move 1 of" in grid(app)
        await go(pilot, "questions")
        assert "JST (Asia/Tokyo)" in grid(app)  # what is open now is told in his own zone
        await go(pilot, "log")
        await pilot.press("end")
        assert app.stop is None


async def test_log_search_and_scroll(source):
    app = make_app(source(14, "red"))
    async with running(app) as pilot:
        await go(pilot, "log")
        log = app.room.query_one(LogView)
        everything = log.count
        await pilot.press("slash", *"you draw", "enter")
        assert 0 < log.count < everything
        assert all("You draw" in text or "Card" in text for _, text, _ in log._rows)
        await pilot.press("escape")
        assert log.count == everything


async def test_no_end_of_a_line_of_the_log_is_lost_behind_the_scroll_bar(source):
    app = make_app(source(4, "red"))
    async with running(app) as pilot:
        await go(pilot, "log")
        log = app.room.query_one(LogView)
        for long in range(70, 75):
            log.load([(n, f"{'x' * (long - 4)} end") for n in range(40)])
            await pilot.pause()
            assert grid(app).count(" end") > 8, long


async def test_a_view_file_has_the_log_only(view):
    app = make_app(view(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "log")
        await pilot.press("left", "home")
        assert app.stop is None
        assert "Stepping back needs the save" in grid(app)


# -- everywhere ------------------------------------------------------------------------------------------------------


async def test_the_app_opens_on_what_is_asked(source):
    for answers, seat, room in ((0, "red", "questions"), (0, "public", "map"), (0, "moderator", "map")):
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
        assert "隣接" in grid(app)
        for name in ("pbem-light", "pbem-plain", "pbem-dark"):
            await pilot.press("f3")
            assert app.theme == name
        for room in ROOMS:
            await go(pilot, room)
            await pilot.press("f1")
            assert isinstance(app.screen, Tell)
            shown = app.screen.said.plain
            for act in (*IN_ROOM[room], *GLOBAL):
                assert app.words(f"help.{act.key}") in shown
            await pilot.press("escape")


async def test_digits_lead_to_rooms_but_not_from_an_input_line(source):
    app = make_app(source(0, "red"))
    async with running(app) as pilot:
        await pilot.press("4")
        await pilot.pause(0.1)
        assert app.room.NAME == "questions"
        app.room.query_one("#order").focus()
        await pilot.press("7")
        assert app.room.NAME == "questions"


async def test_the_palette_finds_and_runs_commands(source):
    app = make_app(source(9, "red"))
    async with running(app) as pilot:
        await go(pilot, "map")
        await pilot.press("ctrl+p")
        await pilot.press(*"reverse")
        await pilot.pause(0.3)
        await pilot.press("enter")
        await pilot.pause(0.2)
        assert app.screen.query_one(SheetTable).backwards


async def test_a_changed_file_is_read_again(source, save):
    known = source(0, "red")
    app = make_app(known)
    async with running(app) as pilot:
        other = SaveSource(known.path, "moderator", toy.load)
        other.session.referee.submit("red", "pass")
        other.session.commit("2026-05-02T10:00:00Z")
        app.every_second()
        await pilot.pause()
        assert app.present.moves == 1
        known.path.write_text("broken")
        app.every_second()
        await pilot.pause()
        assert app.present.moves == 1  # what was there stays


async def test_strange_text_is_shown_as_it_is(source, monkeypatch):
    known = source(6, "red", press=True)
    app = make_app(known)
    async with running(app) as pilot:
        await go(pilot, "talk")
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
        assert "put aside: 0" in grid(app)
        assert "mail last read: never" in grid(app)
    app = make_app(source(1, "red"))
    async with running(app) as pilot:
        await go(pilot, "moderator")
        assert "moderator's" in grid(app)
        assert "Blue" not in grid(app)


async def test_the_draft_mail_is_one(view):
    known = view(0, "red")
    app = make_app(known, to="game@example.org", sender="red@example.org")
    async with running(app) as pilot:
        await go(pilot, "questions")
        await pilot.press("f7", "f8")
        app.screen.dismiss("draft")
        await pilot.pause()
    mail = message_from_bytes(Path(known.path.parent / "toy-1-red-1.eml").read_bytes(), policy=default)
    assert (mail["To"], mail["From"], mail["Subject"]) == (
        "game@example.org",
        "red@example.org",
        "Orders for toy-1",
    )
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
    card = app.present.view.hands[0].cards[0].id
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
        for room in ROOMS:
            await go(pilot, room)
            assert "public" in grid(app).splitlines()[1]
            assert "Beware" not in grid(app)


async def test_of_a_finished_game_it_is_told_who_has_won(save, source):
    known = source(0)
    while not known.session.referee.over:
        toy.answer(known.session.referee, 1)
    known.session.commit("2026-05-02T09:30:00Z")
    for language, said in (("en", "Final score: Red"), ("ja", "最終得点: 赤")):
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
    monkeypatch.setattr("pbem.post.outbox.record.at_move", unplayable)
    app = make_app(SaveSource(known.path, "red", toy.load))
    assert len(app.present.log) < everything
    async with running(app) as pilot:
        for room in ROOMS:
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
        for letter in "mus":  # faster than the focus moves
            editor.filter_by(letter)
        await until(pilot, lambda: editor.keys == ["muster"])
        assert editor.keys == ["muster"]
        app.room.load_form()
        app.room.query_one("#slots").focus()
        await pilot.pause()
        await pilot.press("m", "u", "s")  # on the parts of the answer, not on its values
        assert editor.query_one("#find", Input).value == "mus"
        assert not editor.filter_by("z")


async def test_the_palette_shows_keys(source):
    app = make_app(source(0, "red"))
    async with running(app, LARGE) as pilot:
        await go(pilot, "questions")
        await pilot.press("ctrl+p")
        await pilot.pause(0.2)
        await pilot.press(*"verdict")
        assert await shown(pilot, "[F6]")


async def test_a_step_back_shows_what_moved():
    app = make_app(SaveSource(SAVES / "vq-interception.toml", "spain"))
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
