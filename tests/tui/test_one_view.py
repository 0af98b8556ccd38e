"""What is told next to a question: the board of its place, its columns, the log since the last answer, the end."""

import dataclasses

import msgspec
import pytest
from rich.text import Text
from textual.widgets import Input

from pbem.kernel.domains import Choice, Distribution, Form, Menu, Optional, Subset
from pbem.report.model import CardStack
from pbem.tui import NoTerminal, need_terminal
from pbem.tui.model.badges import badges
from pbem.tui.model.game_source import open_source
from pbem.tui.model.messages import ScreenMessages, begun, unbroken
from pbem.tui.model.order_draft import OrderDraft, code_for
from pbem.tui.model.seat_view import ScreenLine
from pbem.tui.screens.board_base import told_more
from pbem.tui.screens.dialogs import ChooseDialog
from pbem.tui.screens.question_panels import (
    answer_words,
    focus,
    hand_text,
    log_text,
    region_of,
    table_for,
    talked_over,
    thing_text,
    told_places,
    with_further,
    with_named_first,
    with_telling_first,
)
from pbem.tui.widgets.answer_form import AnswerForm
from pbem.tui.widgets.bars import PanelHeading, Prompt
from pbem.tui.widgets.editors import Editor
from pbem.tui.widgets.mapview import BoardMap
from pbem.tui.widgets.report_table import ReportTableWidget
from tests.tui.helpers import SMALL, go, grid, make_app, running, shown, until
from tests.tui.terminal import ROOT

MIDDLE = (100, 30)


def desk(name, seat):
    return open_source(ROOT / "saves" / f"{name}.toml", seat).desk()


async def test_at_100_columns_a_reaction_has_its_facts_answers_place_news_and_hand(opened):
    app = opened("vq-interception", "protestant")
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        room, text = app.room, grid(app)
        assert room.chosen == "nerac"  # what is entered, not where they come from
        assert "nerac" in room.query_one(BoardMap).drawing.at
        for told in ("Intercept France at Nerac?", "regulars 2", "58%", "F France", "Catherine's Flying"):
            assert told in text, told
        assert "Since your last answer" in text
        assert "1 to answer" in text.splitlines()[0]
        for hidden in ("7 Moderator", "what: ...", "19. "):
            assert hidden not in text


async def test_a_crowded_board_is_a_table_whose_first_column_stays(opened):
    app = opened("vq-turns", "ottoman")
    async with running(app, SMALL) as pilot:
        await go(pilot, "questions")
        table = app.room.query_one(ReportTableWidget)
        assert table.display
        assert not app.room.query_one(BoardMap).display
        hidden = table.hidden_columns()
        assert hidden[0] == 0 < hidden[1]
        assert f"{hidden[1]}›" in grid(app)
        table.focus()
        await pilot.press("greater_than_sign", "greater_than_sign")
        left, right = table.hidden_columns()
        assert left == 2
        assert right < hidden[1]
        assert f"‹{left}" in grid(app)
        assert "Istanbul" in grid(app)
        await pilot.press("less_than_sign", "less_than_sign")
        assert table.hidden_columns() == hidden


def test_a_place_in_the_name_of_a_person_is_not_told():
    seen = desk("cor-auction", "lancaster")
    (asked,) = seen.asked
    said = {"en": "Earl of Kent and Earl of Oxford"}
    bare = msgspec.structs.replace(asked, said=said, decision={})
    assert told_places(seen, bare) == set()
    assert told_places(seen, msgspec.structs.replace(bare, said={"en": "Earl of Kent in Oxford"})) == {"oxford"}


def test_answers_about_places_show_their_region_and_not_the_people_in_them():
    seen = desk("cor-impulse", "york")
    keys = {"carnarfon", "rutland", "gloucester"}
    orders = [{"order": f"march {key} shrewsbury roos", "face": "march"} for key in keys]
    asked = msgspec.structs.replace(seen.asked[0], said={}, decision={"en": {"options": orders}})
    assert table_for(seen, "en", asked, "", ()).group == "map"


def test_without_a_place_a_player_who_holds_none_sees_how_all_stand():
    seen = dataclasses.replace(desk("vq-weddings", "protestant"), seat="")
    asked = msgspec.structs.replace(seen.asked[0], said={}, about={}, domain=None, decision={})
    shown = table_for(seen, "en", asked, "", ())
    assert {str(row[0]) for row in shown.raw} >= set(seen.seats)
    assert shown.id == "powers"


async def test_a_map_of_many_spaces_is_not_squeezed_below_a_table(opened):
    app = opened("is-round", "france")
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        assert app.room.query_one(ReportTableWidget).sheet.id == "tiles"
        assert not app.room.query_one(BoardMap).display


async def test_votes_of_all_players_stand_beside_the_countries(opened):
    app = opened("1630-ballot", "green")
    async with running(app, (140, 40)) as pilot:
        await pilot.pause()
        table = app.room.query_one(ReportTableWidget)
        assert table.display
        assert app.room.query_one(BoardMap).display
        assert [str(table.columns[key].label) for key in table.columns][3:7] == ["A", "Bl", "G", "I"]


def test_columns_of_another_table_need_a_row_for_spaces_of_the_region():
    seen = desk("1630-ballot", "green")
    (countries,) = seen.sheets("en", of_map=True)
    others = seen.sheets("en", of_map=False)
    found = with_further(countries, others, {"Green": "G"})
    assert {column.label for column in found.columns} >= {"G", "Ivory", "Points"}
    assert "Borders on" not in {column.label for column in found.columns}
    assert all(len(row) == len(found.columns) for row in (*found.rows, *found.raw))
    assert len(countries.columns) < len(found.columns)  # the table itself is as it was


def test_a_table_with_a_row_for_each_answer_is_shown():
    seen = desk("is-round", "france")
    (asked,) = seen.asked
    assert table_for(seen, "en", asked, "", ()).id == "tiles"
    assert table_for(seen, "en", None, "", ()).group == "map"
    assert table_for(seen, "en", asked, "", {"ireland-alliance"}).id == "europe"


def test_places_are_found_in_the_words_of_a_question():
    seen = desk("vq-interception", "protestant")
    (asked,) = seen.asked
    assert {"nerac", "bordeaux"} <= told_places(seen, asked)
    assert "pau" not in told_places(seen, msgspec.structs.replace(asked, said={"en": "Paul sails"}))
    assert told_places(seen, None) == told_places(seen, msgspec.structs.replace(asked, talk=True)) == set()


def test_a_column_that_the_badges_tell_comes_last():
    seen = desk("vq-weddings", "protestant")
    (france,) = [sheet for sheet in seen.sheets("en", of_map=True) if sheet.id == "home_france"]
    found = with_telling_first(france, seen)
    assert [column.label for column in france.columns].index("Control") == 2
    assert found.columns[-1].label == "Control"
    assert [row[-1] for row in found.raw] == [row[2] for row in france.raw]
    assert [row[-1] for row in found.rows] == [row[2] for row in france.rows]
    (powers,) = [sheet for sheet in seen.sheets("en", of_map=False) if sheet.id == "powers"][:1]
    assert with_telling_first(powers, seen).columns[:2] == powers.columns[:2]


def test_a_column_that_says_the_same_of_most_spaces_comes_last():
    seen = desk("is-war", "france")
    (europe,) = [sheet for sheet in seen.sheets("en", of_map=True) if sheet.id == "europe"]
    found = with_telling_first(europe, seen)
    assert europe.columns[1].label == "Type"  # nearly all are Political
    assert [column.label for column in found.columns][:2] == ["Space", "Cost"]
    assert sorted(map(str, found.columns)) == sorted(map(str, europe.columns))


async def test_a_crowded_table_tells_sums_and_cuts_no_word(opened):
    app = opened("1630-ballot", "green")
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        table = app.room.query_one(ReportTableWidget)
        head = next(row for row in grid(app).splitlines() if "Country" in row and "Status" in row)
        assert {"A", "Bl", "G", "I"} <= set(head.split())
        assert not any("(" in str(cell) for row in range(table.row_count) for cell in table.get_row_at(row))
        await pilot.resize_terminal(200, 60)
        await until(pilot, lambda: not table.short)
        assert any("(" in str(cell) for row in range(table.row_count) for cell in table.get_row_at(row))


@pytest.mark.parametrize("size", [(80, 24), MIDDLE, (160, 45)])
@pytest.mark.parametrize("language", ["en", "ja"])
async def test_hints_of_headings_are_whole_or_left_out(opened, size, language):
    app = opened("is-round", "france")
    app.language = language
    async with running(app, size) as pilot:
        await pilot.pause()
        for head in app.screen.query(PanelHeading):
            assert not head.display or "…" not in head.render().plain
            assert not head.size or head.render().cell_len <= head.size.width


async def test_what_follows_stands_beside_each_choice(opened):
    app = opened("vq-weddings", "protestant")
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        words = " ".join(grid(app).split())
        assert app.room.query_one(Editor).row is None
        for follows in ("10 spaces can turn, 8 without", "13 spaces can turn, 8 without"):
            assert follows in words


async def test_whole_answers_stand_below_the_first_part_and_are_sent_by_the_next_enter(opened):
    app = opened("cor-battle", "york")
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        room, sent = app.room, []
        app.send = lambda letter, then=None: sent.append(letter.answers)
        assert "Duke of York charges" in grid(app)
        await pilot.press(*"duke of york charges ch", "enter")
        await until(pilot, lambda: bool(room.draft.text()))
        assert room.draft.text() == "charge lord_york office_chancellor"
        assert not sent
        await pilot.press("enter")
        await until(pilot, lambda: bool(sent))
        assert sent == [{room.asked.q: "charge lord_york office_chancellor"}]


async def test_a_hand_without_room_beside_the_board_stands_below_it(opened):
    app = opened("is-round", "france")
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        beside, below = app.room.query_one("#hand-panel"), app.room.query_one("#low-hand")
        assert beside.display != below.display
        assert "Austro-Spanish Rivalry" in grid(app)
        assert app.room.query_one(Prompt).max_scroll_y == 0


async def test_an_exchange_shows_its_facts_the_board_and_the_hand(opened):
    app = opened("1630-exchange", "ivory")
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        assert app.room.NAME == "negotiation"
        assert app.room.query_one(Prompt).max_scroll_y == 0
        assert app.room.query_one("#hand-panel").display
        assert app.room.query("#left #deals")  # which would take the rows of the facts
        table = app.room.query_one(ReportTableWidget)
        assert table.sheet.id == "countries"
        assert table.size.height == table.row_count + 1
        await pilot.resize_terminal(*SMALL)
        await until(pilot, lambda: not table.size)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("seat", ["england", "hre", "spain"])
async def test_the_facts_of_a_negotiation_that_do_not_fit_stand_beside_it(opened, seat, language):
    app = opened("vq-negotiation", seat)
    app.language = language
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        assert app.room.query_one(Prompt).max_scroll_y == 0
        facts, low = app.room.facts_rows(app.room.answer_wide() - 2), app.room.query("#low-facts Static")
        shown = app.room.prompt_text(below=app.room.below).plain + str(low.last().render())
        assert "".join(shown.split()).count("·") == len(facts)
        assert bool(app.room.query_one("#low-facts").size) == bool(app.room.below)


def test_how_the_players_stand_is_told_beside_a_negotiation_numbers_first():
    seen = desk("vq-negotiation", "england")
    found = told_more(talked_over(seen, "en"), seen, "en", badges(seen, "en"))
    assert found.id == "powers"
    assert [column.label for column in found.columns][:4] == ["Power", "Keys", "VP", "Cards"]
    assert [row[0] for row in found.raw] == [*seen.seats]


def test_a_table_without_a_word_is_not_shown_beside_a_question(monkeypatch):
    seen = desk("vq-weddings", "protestant")
    regions = seen.sheets("en", of_map=True)
    stand = next(sheet for sheet in seen.sheets("en", of_map=False) if sheet.id == "powers")
    more = msgspec.structs.replace(stand, columns=[*stand.columns, *stand.columns[1:]])
    empty = msgspec.structs.replace(more, id="empty", rows=[[row[0], *[""] * (len(row) - 1)] for row in stand.rows])
    monkeypatch.setattr(type(seen), "sheets", lambda _, __, of_map=None: regions if of_map else [empty, stand])
    assert talked_over(seen, "en").id == "powers"


async def test_cells_of_a_crowded_table_are_wrapped_and_none_is_cut(opened):
    app = opened("vq-weddings", "protestant")
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        table = app.room.query_one(ReportTableWidget)
        assert any(row.height > 1 for row in table.ordered_rows)
        assert "…" not in "".join(
            line[: table.size.width] for line in grid(app).splitlines()[2 : 2 + table.size.height]
        )


async def test_a_word_that_is_the_only_one_is_no_part_of_an_answer(opened):
    app = opened("is-round", "france")
    asked = app.present.asked[0]
    (word, inner), *_ = [(word, part) for word, part in asked.domain.entries.items() if part is not None]
    app.present = dataclasses.replace(app.present, asked=(msgspec.structs.replace(asked, domain=Menu({word: inner})),))
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        assert [row.label for row in app.room.draft.slots()] == [word]
        assert app.room.query_one(AnswerForm).has_class("-single")
        editor = app.room.query_one(Editor)  # no choice is offered twice
        assert len({editor._called(key) for key in editor.keys}) == len(editor.keys)


async def test_an_answer_of_the_same_words_is_listed_once_and_no_answer_is_told_by_a_word(opened):
    app = opened("1630-ballot", "green")
    form = Form({"first": Choice(["x"]), "more": Subset(["y"], 0, 1)})
    options = [{"order": "x none", "face": "x"}, {"order": "x y", "face": "x with y"}]
    asked = msgspec.structs.replace(app.present.asked[0], about={}, domain=form, default="")
    asked = msgspec.structs.replace(asked, decision={"en": {"options": options}})
    app.present = dataclasses.replace(app.present, asked=(asked,))
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        labels = [label.plain.strip() for label in app.room.query_one(AnswerForm).texts("#few")]
        assert labels == ["x", "x with y"]  # an answer that says no more than a choice isn't listed
        empty = msgspec.structs.replace(asked, domain=Form({"now": Optional(Choice(["y"]))}), default="none", kind="x")
        app.present = dataclasses.replace(app.present, asked=(empty,))
        assert app.room.answer_in_words("none") == app.room.value_words([]) != ""


async def test_a_hint_is_whole_or_left_out_and_what_is_not_given_is_none(opened):
    app = opened("1630-ballot", "green")
    counts = Distribution({f"place-{at}": (0, 9) for at in range(9)}, (1, 9))
    form = Form({"a_long_name_of_a_field": counts, "lose": Optional(Choice(["x", "y"]))})
    asked = msgspec.structs.replace(app.present.asked[0], domain=form, decision={}, default="")
    app.present = dataclasses.replace(app.present, asked=(asked,))
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        bar = app.room.query_one("#what")
        assert bar.render().cell_len <= bar.size.width
        assert not bar.render().plain.rstrip().endswith(",")
        assert "you lose if outvoted: none" in grid(app)
        assert app.room.value_words("now") == app.words("form.now") != ScreenMessages("ja")("form.now")


def test_a_region_that_is_offered_by_its_name_is_shown():
    seen = desk("vq-weddings", "protestant")
    sheets = seen.sheets("en", of_map=True)
    assert region_of(sheets, seen, (), {"france", "scotland"}).id in ("home_france", "home_scotland")
    assert region_of(sheets, seen, {"paris"}, {"scotland"}).id == "home_france"


def test_the_log_has_headings_badges_and_says_what_is_old():
    seen = desk("1630-ballot", "green")
    heads = [line.of("en") for line in seen.log if line.head]
    assert any(head.startswith("Turn 2: Black to play") for head in heads)
    assert any(head.startswith("The vote in Spain: blue") for head in heads)
    assert 0 < sum(line.n >= seen.since for line in seen.log) < len(seen.log)
    assert {line.who for line in seen.log if line.who} == set(seen.seats)
    long = ScreenLine(1, "A long line of the log that takes more than a single row [5]", who="green")
    text = log_text([long], "en", {}, 2, 30, 9)
    assert " ".join(text.plain.split()) == "A long line of the log that takes more than a single row"
    assert all(len(row) <= 30 for row in text.plain.splitlines())
    assert "dim" in {str(span.style) for span in text.spans}
    assert log_text([long], "en", {}, 2, 30, 1).plain.strip() == "A long line of the log …"  # a title says nothing
    assert "long" not in log_text([long, ScreenLine(2, "Later.")], "en", {}, 2, 30, 2).plain  # others whole or not


def test_nobody_but_the_seat_learns_when_it_answered():
    assert desk("1630-ballot", "public").since == 0
    assert desk("vq-interception", "protestant").since < desk("vq-interception", "france").since


async def test_copies_of_a_tile_are_one_choice_without_ids_and_say_what_follows(opened):
    app = opened("is-round", "france")
    async with running(app, (160, 45)) as pilot:
        await pilot.pause()
        await pilot.press("down", "enter")
        await until(pilot, lambda: len(app.room.query_one(Editor).keys) == 7)
        text = grid(app)
        assert "Diplomatic 4 / Economic 2 x2  no Event" in text
        assert "dip4-eco" not in text


async def test_the_end_of_a_game_says_who_won_and_how_all_stand(opened):
    app = opened("1630-finished", "green")
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        text = grid(app)
        assert app.room.NAME == "questions"
        for told in ("the game is over", "Winner: Amber", " 52  Amber", " 22  Black", "2 the charts"):
            assert told in text, told


async def test_any_thing_can_be_looked_up(source):
    app = make_app(source(0, "red"))
    async with running(app) as pilot:
        await go(pilot, "questions")
        await pilot.press("ctrl+f")
        assert isinstance(app.screen, ChooseDialog)
        await pilot.press(*"riga")
        assert await shown(pilot, "neighbours: ")
        assert "Esc closes" in grid(app)
        await pilot.press("enter")
        await until(pilot, lambda: app.screen is app.room)
        assert app.room.chosen == "riga"  # on the board, too


def test_a_card_in_hand_is_told_with_its_text():
    seen = desk("vq-interception", "protestant")
    words = make_app(open_source(ROOT / "saves" / "vq-interception.toml", "protestant")).words
    (card, *_) = [card for hand in seen.view.hands if hand.seat == "protestant" for card in hand.cards or ()]
    assert "conversion" in thing_text(seen, "en", words, card.id).plain
    assert thing_text(seen, "en", words, "nothing").plain == words("find.nothing")


def test_a_save_judges_every_answer_itself():
    source = open_source(ROOT / "saves" / "vq-negotiation.toml", "hre")
    seen = source.desk()
    (asked,) = [asked for asked in seen.asked if asked.talk]
    fates = set()
    for number in range(12):
        order = asked.domain.text(asked.domain.sample(number.__mod__))
        letter = OrderDraft(asked.seat, asked.q, {asked.q: order})
        for receipt in source.judge(letter.block(seen.name, code_for(seen, "hre")), "hre"):
            fates |= {entry.fate for entry in receipt.accepted}
    assert fates == {"checked"}


def test_a_dumb_terminal_is_refused_before_anything_is_drawn(monkeypatch):
    monkeypatch.delenv("TEXTUAL_DRIVER", raising=False)
    monkeypatch.setenv("TERM", "dumb")
    with pytest.raises(NoTerminal, match="dumb"):
        need_terminal()


def test_players_have_no_screen_that_only_others_need(source):
    assert "moderator" not in make_app(source(0, "red")).screens()
    assert "moderator" in make_app(source(0)).screens()
    local = source(0, "red")
    local.direct = True
    assert "orders" not in make_app(local).screens()


async def test_an_answer_that_nobody_has_filled_in_is_not_shown_as_orders(opened):
    """The only answer is filled in from the start; a player sees it in words, and sends it with Enter."""
    app = opened("cor-auction", "lancaster")
    asked = app.present.asked[0]
    alone = msgspec.structs.replace(asked, sealed=False, domain=Choice(["pass"]), about={})
    app.present = dataclasses.replace(app.present, asked=(alone,))
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        order = app.room.query_one("#order", Input)
        assert app.room.draft.text() == "pass"
        assert order.value == ""
        assert app.words("form.order") in grid(app)
        app.room.query_one(AnswerForm).take("pass")
        await pilot.pause()
        assert order.value == ""


def test_a_long_name_of_a_card_hangs_under_itself_and_takes_its_rows():
    long = "Henry Stafford, Duke of Buckingham and Earl of Stafford"
    cards = [CardStack([str(at)], "x", name, "") for at, name in enumerate((long, "Cooler Heads"))]
    hung = ["  Henry Stafford, Duke of Buckingham and", "  Earl of Stafford", "  Cooler Heads"]
    assert hand_text(cards, (), 40, 3).plain.splitlines() == hung
    assert hand_text(cards, (), 40, 2).plain.splitlines() == [hung[0].strip(), "Earl of Stafford, Cooler Heads"]


@pytest.mark.parametrize(("name", "seat"), [("is-round", "france"), ("cor-battle", "york"), ("1630-ballot", "green")])
async def test_the_rows_of_a_question_are_counted_as_they_are_drawn(opened, name, seat):
    """Counted too high, they would leave choices without what follows from them, above empty rows."""
    app = opened(name, seat)
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        prompt = app.room.query_one(Prompt)
        assert app.room.lines(prompt.text) == prompt.virtual_size.height


async def test_facts_without_room_beside_the_board_stand_below_it_whole(opened):
    """The board and the log make room for them; the choices and what follows from these stay."""
    app = opened("is-round", "france")
    asked = app.present.asked[0]
    facts = [*asked.facts("en"), *(f"Fact {at} of a decision on which very much turns." for at in range(5))]
    told = msgspec.structs.replace(asked, decision={"en": {**asked.decision["en"], "facts": facts}})
    app.present = dataclasses.replace(app.present, asked=(told,))
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        room = app.room
        assert room.below
        assert room.query_one(Prompt).max_scroll_y == 0
        half = room.query_one("#answering").region.x
        rows = [
            row.strip()
            for column in (slice(half), slice(half, None))
            for row in (line[column] for line in grid(app).splitlines())
        ]
        words = " ".join(" ".join(rows).split())
        for fact in facts:
            assert f"· {fact}" in words, fact
        assert app.words("questions.further") in words
        assert len(room.query_one("#places").ordered_rows) >= 5
        await pilot.resize_terminal(200, 60)
        await until(pilot, lambda: not room.below)


async def test_each_of_many_cards_says_what_it_does(opened):
    app = opened("cor-impulse", "york")
    async with running(app, MIDDLE) as pilot:
        await pilot.pause()
        editor, half = app.room.query_one(Editor), app.room.query_one("#answering").region.x
        text = " ".join(" ".join(line[half:] for line in grid(app).splitlines()).split())
        assert len(editor.keys) > 10
        for key in editor.keys:
            follows = app.room.meaning(editor.slot, key).follows
            assert not follows or follows[0] in text, key
        assert not app.room.query_one("#few").max_scroll_y


def test_the_beginning_of_a_text_has_whole_words_and_a_mark():
    assert begun("ally, discarded for votes", 30) == "ally, discarded for votes"
    assert begun("ally, discarded for votes", 20) == "ally, discarded …"
    assert begun("ally, discarded for votes", 9) == ""


def test_a_japanese_name_is_not_broken_and_keeps_its_style():
    text = Text.assemble("ウォリック伯を", ("ソールズベリー伯", "bold"), " 3OPS\nx")
    found = unbroken(text, 24)
    assert found.plain.splitlines() == ["ウォリック伯を", "ソールズベリー伯 3OPS", "x"]
    assert [found.plain[span.start : span.end] for span in found.spans if span.style == "bold"] == ["ソールズベリー伯"]


def test_the_board_is_that_of_the_power_for_which_a_player_acts():
    seen = desk("vq-weddings", "protestant")
    asked = msgspec.structs.replace(seen.asked[0], said={}, about={"power": "ottoman"}, domain=None, decision={})
    assert {space.side for space in focus(seen, asked, ())} == {"ottoman"}
    assert table_for(seen, "en", asked, "", ()).id == "home_ottoman"


def test_a_question_about_a_thing_that_is_no_place_shows_its_table():
    seen = desk("is-round", "france")
    answers = {"en": {"options": [{"order": "old pool", "face": "x"}, {"order": "new pool", "face": "y"}]}}
    theater = {"seat": "france", "theater": "king-georges-war"}
    asked = msgspec.structs.replace(seen.asked[0], said={}, about=theater, domain=None, decision=answers)
    assert table_for(seen, "en", asked, "", ()).id == "theaters"
    alone = msgspec.structs.replace(asked, about={"seat": "france"})
    assert table_for(seen, "en", alone, "", ()).group == "map"


def test_a_space_and_a_leader_of_one_id_have_the_name_of_both():
    assert desk("vq-interception", "protestant").say("ja").name("navarre") == "ナバラ"


def test_rows_that_a_question_names_come_first_in_a_long_table():
    seen = desk("vq-weddings", "protestant")
    (france,) = [sheet for sheet in seen.sheets("en", of_map=True) if sheet.id == "home_france"]
    found = with_named_first(france, {"nerac", "orleans"})
    assert [str(row[0]) for row in found.raw][:3] == ["orleans", "nerac", "paris"]
    assert [row[0] for row in found.rows][:2] == ["Orleans", "Nerac"]
    options = [{"order": 'navarre="army nerac" home_card=none', "face": "x"}]
    asked = msgspec.structs.replace(seen.asked[0], said={}, about={}, decision={"en": {"options": options}})
    assert answer_words(asked) == {"army", "nerac", "none"}  # no names of fields
