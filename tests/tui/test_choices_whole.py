"""What makes place for the choices of a question: a wider column, rows that flow, fewer whole answers, a long board."""

import dataclasses

import msgspec

from pbem.kernel.domains import Choice, EarlyAnswer, Menu, Series
from pbem.tui.model.messages import ScreenMessages
from pbem.tui.model.seat_view import ScreenMeaning
from pbem.tui.screens.answer_base import ASKED_HAND, FLOWED, LOW_HAND
from pbem.tui.screens.question_panels import own_cards
from pbem.tui.screens.questions import BOARD, OF_BOARD, STEP
from pbem.tui.widgets.answer_form import AnswerForm
from pbem.tui.widgets.editors import FEWER, Editor, WholeAnswer
from tests.tui.helpers import grid, running

MIDDLE = (100, 30)
FLOWS = "there Buckingham 3, next to it Warwick 1 and York 2"
LONG = "there Buckingham 3 with much more beside it, next to it Warwick 1"


def follows_at_length(app, follows=LONG):
    """Give each suggested answer of the question something long that follows from it."""
    asked = app.present.asked[0]
    told = {"en": {**asked.decision["en"]}}
    told["en"]["options"] = [{**option, "follows": [follows]} for option in told["en"]["options"]]
    return msgspec.structs.replace(asked, decision=told)


async def test_a_question_takes_cells_of_the_board_before_its_choices_are_cut(opened):
    app = opened("is-round", "france")
    asked = follows_at_length(app, LONG[:30])
    app.present = dataclasses.replace(app.present, asked=(asked,))
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        room = app.room
        assert room.wider >= STEP
        assert room.query_one("#answering").region.width == room.answer_wide() + 1
        assert room.query_one("#left").region.width >= BOARD
        half = room.query_one("#answering").region.x
        text = " ".join(" ".join(line[half:] for line in grid(app).splitlines()).split())
        slot, keys = room.query_one(Editor).slot, room.query_one(Editor).keys
        for told in (room.meaning(slot, key).follows[:1] for key in keys):
            assert not told or told[0] in text, told
        await pilot.resize_terminal(160, 45)
        await pilot.pause()
        assert room.wider == 0  # there is place enough


async def test_what_follows_flows_behind_a_choice_in_whole_words(opened):
    app = opened("cor-battle", "york")
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        room, slot = app.room, app.room.query_one(Editor).slot
        label = room.query_one(AnswerForm).texts("#few")[0].copy()
        label.plain = "stay in Stafford"
        means = ScreenMeaning("1 OPS", (FLOWS,))
        flowed, below, begins = (room.told(label.copy(), slot, means, how).plain for how in (FLOWED, 1, 0.5))
        assert flowed == room.told(label.copy(), slot, means, FEWER).plain
        assert " ".join(flowed.split()) == f"stay in Stafford 1 OPS {FLOWS}"
        assert flowed.startswith("stay in Stafford  1 OPS  there ")
        assert all(len(row) <= room.list_wide() for row in flowed.splitlines())
        assert len(flowed.splitlines()) < len(below.splitlines())
        assert begins.endswith("…")


async def test_whole_answers_are_left_out_before_any_is_cut_but_can_be_typed(opened):
    app = opened("is-round", "france")
    asked = follows_at_length(app)
    facts = [f"Fact {at} of a decision on which very much turns, for all who play it." for at in range(9)]
    asked.decision["en"]["facts"] = facts
    app.present = dataclasses.replace(app.present, asked=(asked,))
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        editor, text = app.room.query_one(Editor), " ".join(grid(app).split())
        shown = [key for key in editor.keys if isinstance(key, WholeAnswer)]
        offered = [key for key in editor._fit("") if isinstance(key, WholeAnswer)]
        assert 1 <= len(shown) < len(offered)
        assert "3 with …" not in text
        await pilot.press(*offered[-1].face.lower())
        await pilot.pause()
        assert offered[-1] in editor.keys


async def test_a_long_board_gives_rows_before_choices_are_cut(opened):
    app = opened("cor-battle", "york")
    asked = follows_at_length(app)
    asked.decision["en"]["facts"] = [f"Fact {at} of a decision on which very much turns." for at in range(14)]
    app.present = dataclasses.replace(app.present, asked=(asked,))
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        assert 0 < app.room.given <= OF_BOARD
        assert LONG.rsplit(maxsplit=1)[-1] in grid(app)


async def test_a_mark_that_begins_no_choice_is_a_key(opened):
    """The footer promises help by `?`; it was searched for."""
    app = opened("is-round", "france")
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        editor, before = app.room.query_one(Editor), app.screen
        await pilot.press("?")
        await pilot.pause()
        assert app.screen is not before
        await pilot.press("escape")
        await pilot.pause()
        assert not editor.typed
        await pilot.press("z", "?")
        assert editor.typed == "z?"


async def test_suggestions_stand_next_to_an_answer_that_may_be_given_now_or_later(opened):
    """They were tied to the first row, and that of an early answer says only when it is given."""
    app = opened("vq-turns", "spain")
    asked = app.present.asked[0]
    domain = EarlyAnswer(Menu({"pass": None, "wed": Choice(["anna", "philip"])}), ())
    options = [{"order": "wed anna", "face": "Anna is wed", "price": "58%"}]
    asked = msgspec.structs.replace(asked, domain=domain, talk=False, kind="x", decision={"en": {"options": options}})
    app.present = dataclasses.replace(app.present, asked=(asked,))
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        assert next(slot.label for slot in app.room.draft.slots()) == "when"
        assert "Anna is wed  58%" in grid(app)


async def test_a_list_of_nothing_says_what_it_begins(opened):
    app = opened("is-round", "france")
    asked = app.present.asked[0]
    series = msgspec.structs.replace(asked, domain=Series(Choice(["x", "y"]), 0, 2), kind="x", default="", decision={})
    app.present = dataclasses.replace(app.present, asked=(series,))
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        first, more = (app.room.words(f"form.{word}") for word in ("first", "add"))
        assert first in grid(app)
        assert more not in grid(app)
        app.room.draft.slots()[-1].leaf.set("add")
        app.room.draft.read("x")
        assert app.room.row_words(app.room.draft.slots()[-1], "add") == more


async def test_a_hand_that_the_question_is_about_is_named_whole(opened):
    app = opened("cor-battle", "york")
    asked = app.present.asked[0]
    card = own_cards(app.present, "en")[0].ids[0]
    about = {"en": {"options": [{"order": f"discard {card}", "face": "discard it"}]}}
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        few = app.room.hand_high(30, brief=True)
        app.present = dataclasses.replace(app.present, asked=(msgspec.structs.replace(asked, decision=about),))
        assert few == 1 + LOW_HAND < app.room.hand_high(30, brief=True) <= 1 + ASKED_HAND


async def test_the_first_letter_of_a_line_is_never_cut(opened):
    """Half of a wide character at the edge of what lies below was drawn as a blank."""
    app = opened("cor-auction", "york")
    app.language, app.words = "ja", ScreenMessages("ja")
    async with running(app, (80, 24)) as pilot:
        await pilot.pause()
        assert f" {app.room.words('form.order')}" in grid(app)
