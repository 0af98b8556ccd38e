"""Questions in the room where they are answered, and the negotiation."""

from datetime import timedelta

import pytest
from textual.widgets import Input, OptionList, TextArea

from pbem.orders.parser import read
from pbem.orders.syntax_tree import Answer
from pbem.report.viewfile import dumps
from pbem.save import load
from pbem.timestamps import moment
from pbem.tui.model.game_source import open_source
from pbem.tui.screens.dialogs import ConfirmDialog, InputDialog, TextDialog
from pbem.tui.screens.negotiation import FormDialog
from pbem.tui.widgets.answer_form import AnswerForm
from tests.toy import playing as toy
from tests.tui.helpers import LARGE, go, grid, make_app, running


async def fill_in_march(pilot):
    await pilot.press("enter")
    await pilot.press(*"mar", "enter", "enter")  # verb, then the only own space is taken: riga
    await pilot.press(*"os", "enter")


async def test_a_question_is_filled_in_by_keys(view):
    known = view(0, "red")
    app = make_app(known)
    async with running(app) as pilot:
        await go(pilot, "questions")
        few = app.room.query_one("#few", OptionList)
        assert app.focused is few
        await pilot.press("enter")  # nothing is marked yet
        assert "choose first" in grid(app)
        assert app.room.draft.text() == ""
        await pilot.press(*"mar", "enter")
        labels = [slot.label for slot in app.room.query_one(AnswerForm).shown]
        assert labels == ["do", "origin", "to"]
        await pilot.press(*"osl", "enter")
        assert [slot.label for slot in app.room.query_one(AnswerForm).shown][-1] == "regulars"
        line = app.room.query_one("#line", Input)
        assert app.focused is line
        await pilot.press("9")
        assert "'9' is out of range" in grid(app)
        await pilot.press("backspace", "3", "enter")
        assert app.room.query_one("#order", Input).value == "march riga oslo regulars=3"
        await pilot.press("f8")
        assert isinstance(app.screen, ConfirmDialog)
        app.screen.dismiss("file")
        await pilot.pause()
        assert isinstance(app.screen, TextDialog)
        written = (known.path.parent / "toy-1-red-1.orders").read_text()
        item = read(written).blocks[0].items[0]
        assert isinstance(item, Answer)
        assert item.body == "march riga oslo regulars=3"


async def test_an_order_can_be_typed_and_is_judged_as_it_is_typed(view):
    app = make_app(view(0, "red"))
    async with running(app) as pilot:
        await go(pilot, "questions")
        order = app.room.query_one("#order", Input)
        order.focus()
        await pilot.pause()
        order.value = "march riga bari 1"
        await pilot.pause()
        assert "'bari' isn't possible here" in grid(app)
        order.value = "muster oslo=2 riga=1"
        await pilot.pause()
        assert app.room.draft.value() == {"do": "muster", "with": {"oslo": 2, "riga": 1}}
        await pilot.press("enter")
        assert isinstance(app.screen, ConfirmDialog)
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
        app.room.query_one(AnswerForm).focus_first()
        await pilot.pause()
        await pilot.press(*"lun", "enter")
        assert app.room.draft.text() == "raid lund"
        await pilot.press("down", "enter", "enter")  # to the row that adds one
        assert [slot.label for slot in app.room.query_one(AnswerForm).shown][1:3] == ["raid 1", "raid 2"]


async def test_check_shows_the_referees_verdict(view):
    app = make_app(view(0, "red"))
    async with running(app) as pilot:
        await go(pilot, "questions")
        await pilot.press("f6")
        assert not isinstance(app.screen, TextDialog)  # nothing is filled in yet
        await pilot.press("f7", "f6")
        await pilot.pause()
        assert isinstance(app.screen, TextDialog)
        assert "This was a test" in app.screen.said.plain
        assert "1: hold" in app.screen.said.plain
        assert "Answer by:" in app.screen.said.plain  # what it does not know of the clock it does not make up


@pytest.mark.parametrize("by_file", [True, False])
async def test_a_seat_is_spoken_to_in_its_own_language(source, by_file):
    known = source(1)
    known.session.save.seat("white").language = known.session.save.post.language = "ja"
    known.session.commit(moment("2026-05-02T09:30:00Z"))
    for seat, language in (("white", "ja"), ("red", "en"), ("moderator", "ja")):
        target = known.path
        if by_file and seat != "moderator":  # whose screen needs the save
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
        assert isinstance(app.screen, TextDialog)
        assert "Receipt for Red" in app.screen.said.plain
        await pilot.press("escape")
        assert [question.kind for question in app.present.asked] == ["ballot"] * 3


async def test_a_window_is_answered_with_a_plan(source):
    app = make_app(source(4, "blue"))
    async with running(app, LARGE) as pilot:
        await go(pilot, "questions")
        await pilot.press("enter", *"inter", "enter", *"fle", "enter")
        room = app.room
        assert room.draft.text() == "intercept fleet"
        conditions = next(slot for slot in room.query_one(AnswerForm).shown if slot.label == "condition")
        conditions.leaf.set(["unless white"])
        room.load_form()
        room.query_one(AnswerForm).edit(conditions)
        await pilot.pause()
        assert room.query_one("#order", Input).value == "intercept fleet unless white"
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
        due = app.present.due
        assert due is not None
        app.now = lambda: due - timedelta(days=1, seconds=61)
        app.every_second()
        await pilot.pause()
        assert "left: 1d 00:01" in grid(app)
        app.now = lambda: due - timedelta(seconds=86399)
        app.every_second()
        await pilot.pause()
        assert "left: 23:59" in grid(app)
        await go(pilot, "questions")
        app.now = lambda: due + timedelta(seconds=2)
        app.every_second()
        await pilot.pause()
        assert grid(app).count("deadline expired") == 2  # in the line of time, and with the question
        assert "left:" not in grid(app)


# -- the negotiation -------------------------------------------------------------------------------------------------


async def test_press_proposals_and_signatures_go_out_in_one_letter(source):
    known = source(6, "red", press=True)
    app = make_app(known)
    async with running(app) as pilot:
        await go(pilot, "negotiation")
        await pilot.press("down")
        assert "For two ducats." in grid(app)
        await pilot.press("w")
        assert isinstance(app.screen, InputDialog)
        app.screen.query_one("#text", TextArea).text = "Agreed.\nSigned."
        await pilot.press("f8")
        await pilot.pause()
        await pilot.press("a")
        assert isinstance(app.screen, FormDialog)
        await pilot.press("1", "enter", "f8")
        await pilot.pause()
        assert "sign: word a truce, gives 1" in grid(app)  # called by its terms
        await pilot.press("p")
        assert isinstance(app.screen, FormDialog)
        await pilot.press("down", "space", "tab", "2", "enter", "f8")
        await pilot.pause()
        assert "propose: to: White; ducats: 2" in grid(app)
        await pilot.press("d", "u")
        letter = app.room.pending()
        assert letter.acts == ["accept blue-red-1 give=1", "propose to=white price=2"]
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
        await go(pilot, "negotiation")
        assert "Good morning." in grid(app)
        await pilot.press("p")
        assert not isinstance(app.screen, FormDialog)
        assert app.room.order_draft() is None
