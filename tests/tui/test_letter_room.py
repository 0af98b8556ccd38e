"""The letter: answers, acts, orders for later and press in one draft, with undo, verdict, and ways out."""

from dataclasses import replace

import pytest
from textual.widgets import Input, OptionList, TextArea

from pbem.tui.model.order_draft import OrderDraft
from pbem.tui.model.order_kinds import KINDS, kinds_for
from pbem.tui.screens.dialogs import ChooseDialog, ConfirmDialog, InputDialog
from tests.tui.helpers import LARGE, SMALL, go, grid, make_app, running, shown, until


def test_every_change_can_be_undone():
    letter = OrderDraft("red", 5)
    states = [letter.pieces()]
    letter.add("answer", "hold", q=5)
    states.append(letter.pieces())
    letter.add("line", "resume")
    states.append(letter.pieces())
    letter.add("line", "standing all: pass")
    states.append(letter.pieces())
    moved = letter.move(letter.pieces()[2], -1)
    assert [piece.text for piece in letter.pieces()] == ["hold", "standing all: pass", "resume"]
    assert moved == letter.pieces()[1]
    states.append(letter.pieces())
    letter.change(letter.pieces()[2], "bold")
    states.append(letter.pieces())
    letter.change(letter.pieces()[0], "")
    for state in reversed(states):
        assert letter.undo()
        assert letter.pieces() == state
    assert not letter.undo()


def test_what_cannot_be_moved_stays():
    letter = OrderDraft("red", 5, {5: "hold"}, lines=["resume"])
    for piece in letter.pieces():
        assert letter.move(piece, 1) == piece
    assert letter.past == []


def test_answers_to_closed_questions_are_forgotten_and_the_rest_is_kept():
    letter = OrderDraft("red", 5, {5: "hold", 6: "red"}, ["done"], [((), "hello")], ["resume"])
    letter.keep_open({6}, 7)
    assert (letter.answers, letter.acts, letter.lines, letter.q) == ({6: "red"}, [], ["resume"], 7)
    assert letter.press


def test_kinds_of_lines_are_those_of_the_game(source):
    desk = source(0, "red").desk()
    known = {kind.key for kind in kinds_for(desk)}
    assert known <= {kind.key for kind in KINDS}
    plain = replace(desk, document={**desk.document, "outcomes": {}})
    assert known - {kind.key for kind in kinds_for(plain)} == {"branch"}


async def add(pilot, kind, *options):
    """Choose a kind of line, and from the lists that follow."""
    app = pilot.app
    app.room.action_append()
    for word in (kind, *options):
        await until(pilot, lambda: isinstance(app.screen, ChooseDialog) and app.screen.is_mounted)
        app.screen.dismiss(word)
        await pilot.pause()


async def test_a_whole_letter_is_written_checked_undone_and_sent(view):
    app = make_app(view(0, "red"))
    async with running(app, LARGE) as pilot:
        await go(pilot, "questions")
        app.room.draft.read("march riga oslo regulars=2")
        app.room.load_form()
        await pilot.press("f12")
        assert list(app.order_drafts["red"].answers.values()) == ["march riga oslo regulars=2"]
        await go(pilot, "orders")
        assert await shown(pilot, "march riga oslo regulars=2")
        await add(pilot, "standing", "all")
        await until(pilot, lambda: isinstance(app.screen, InputDialog))
        app.screen.query_one("#text", Input).value = "standing all: pass until turn 3"
        await pilot.press("enter")
        await add(pilot, "ask", "all", "never")
        await add(pilot, "press", "blue")
        await until(pilot, lambda: isinstance(app.screen, InputDialog))
        app.screen.query_one("#text", TextArea).text = "Shall we?"
        await pilot.press("f8")
        for text in ("BEGIN PRESS to=blue", "standing all: pass until turn 3", "ask all: never", "legal as far"):
            assert await shown(pilot, text)
        await add(pilot, "resume")
        assert await shown(pilot, "Nothing to resume")  # the verdict is told before anything is sent
        await pilot.press("u")
        await until(pilot, lambda: "resume" not in app.order_drafts["red"].lines)
        await pilot.press("f8")
        await until(pilot, lambda: isinstance(app.screen, ConfirmDialog))
        assert await shown(pilot, "ask all: never")
        app.screen.dismiss("file")
        await until(pilot, lambda: "red" not in app.order_drafts)
    (sent,) = app.source.path.parent.glob("*.orders")
    lines = sent.read_text("utf-8").splitlines()
    assert lines[1].endswith(": march riga oslo regulars=2")
    assert lines[2:7] == [
        "standing all: pass until turn 3",
        "ask all: never",
        "BEGIN PRESS to=blue",
        "Shall we?",
        "END PRESS",
    ]


async def test_pieces_are_changed_moved_and_removed_by_key(view):
    app = make_app(view(0, "red"))
    async with running(app, SMALL) as pilot:
        await go(pilot, "orders")
        room = app.room
        for text in ("hold", "resume"):
            room._add_line(text)
        await pilot.press("K")
        assert app.order_drafts["red"].lines == ["resume", "hold"]
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, InputDialog))
        app.screen.query_one("#text", Input).value = "bold"
        await pilot.press("enter")
        await until(pilot, lambda: app.order_drafts["red"].lines == ["bold", "hold"])
        await pilot.press("x")
        assert app.order_drafts["red"].lines == ["hold"]
        assert room.query_one("#pieces", OptionList).option_count == 1


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_an_answer_waits_in_the_letter_and_goes_with_the_next(view, language):
    app = make_app(view(0, "red"), language)
    async with running(app, SMALL) as pilot:
        await go(pilot, "orders")
        assert await shown(pilot, app.words("draft.empty")[:10])
        app.room._add_line("standing all: pass")
        await go(pilot, "questions")
        app.room.draft.read("hold")
        app.room.action_send()
        assert await shown(pilot, app.words("send.how"))
        text = grid(app)
        assert "standing all: pass" in text
        assert ": hold" in text


async def test_a_sealed_answer_is_not_put_into_the_letter(view):
    app = make_app(view(1, "red"))
    async with running(app, SMALL) as pilot:
        await go(pilot, "questions")
        assert app.room.asked.sealed
        app.room.draft.root.load(app.room.asked.domain.sample(lambda n: 0))
        app.room.action_put()
        await pilot.pause()
        assert app.draft_of("red").empty


async def test_the_public_writes_no_letter(source):
    app = make_app(source(0, "public"))
    async with running(app, SMALL) as pilot:
        await go(pilot, "orders")
        assert await shown(pilot, "Choose a seat first")
        await pilot.press("a")
        assert not isinstance(app.screen, ChooseDialog)


async def test_standing_orders_that_go_with_an_answer_are_told_in_words_and_added_by_choice(opened):
    app = opened("cor-impulse", "york")
    async with running(app, LARGE) as pilot:
        told = " ".join(app.room.prompt_text().plain.split())
        assert "no interception, evasion or response in this impulse" in told
        assert "standing" not in told
        policy, lines = app.room.asked.policy("en")
        await go(pilot, "orders")
        await add(pilot, policy)
        assert app.order_drafts["york"].lines == lines
        assert [line.partition(":")[0] for line in lines] == ["standing intercept, evade, plan, respond"]


def test_a_game_at_one_keyboard_offers_no_orders_for_an_email(opened):
    app = opened("cor-impulse", "york")
    app.source.direct = True
    assert not app.check_action("screen", ("orders",))
