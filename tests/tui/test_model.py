"""The model layer, without Textual: desks, sources, letters, receipts, drawing, words."""

import re
import subprocess
import sys
import tomllib
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.data_cache import messages
from pbem.kernel.referee import ReplayError
from pbem.kernel.view import MapSpace
from pbem.mail.outbox.email_parts import full_frame
from pbem.orders.parser import read
from pbem.report.text_width import width
from pbem.tui.key_bindings import GLOBAL, IN_ROOM, SCREENS
from pbem.tui.model import ballots
from pbem.tui.model.badges import badges, contrast, ink_on
from pbem.tui.model.canvas import ARROW, Board, Viewport, draw
from pbem.tui.model.game_source import SaveSource, open_source
from pbem.tui.model.messages import ScreenMessages, countdown, matches, sort_key, step
from pbem.tui.model.order_draft import OrderDraft
from pbem.tui.model.order_kinds import ALL, partners, thread
from pbem.tui.model.seat_view import ViewFileError, load_seat_view
from pbem.tui.model.submit import NotSent, OrderSubmission, senders_for
from pbem.tui.screens.question_panels import current_card_uses
from pbem.tui.themes import THEMES
from tests.toy import playing as toy
from tests.tui.helpers import NOW

SAVES = Path(__file__).parents[2] / "saves"


def answering(asked, text):
    return OrderDraft(asked.seat, asked.q, {asked.q: text})


# -- desks and sources -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answers", [0, 1, 4, 6, 9])
def test_a_view_file_gives_the_same_desk_as_the_save(source, view, answers):
    for seat in toy.SIDES:
        away, home = view(answers, seat, press=True).desk(), source(answers, seat, press=True).desk()
        for name in ("view", "log", "press", "history", "code", "due", "zone", "seats", "moves"):
            assert getattr(away, name) == getattr(home, name), name
        assert [(q.q, q.kind, q.offers, q.said) for q in away.asked] == [
            (q.q, q.kind, q.offers, q.said) for q in home.asked
        ]
        for language in ("en", "ja"):
            assert away.sheets(language, of_map=True) == home.sheets(language, of_map=True)
            assert away.hands(language) == home.hands(language)


def test_the_moderator_sees_all_questions_and_a_seat_its_own(source):
    assert [question.seat for question in source(1).desk().asked] == list(toy.SIDES)
    assert [question.seat for question in source(1, "blue").desk().asked] == ["blue"]


def test_stepping_back_shows_the_game_as_it_stood(source):
    known = source(9, "red")
    stops = known.stops()
    assert [stop.n for stop in stops] == [0, 1, 4, 6, 7]
    first, then = known.at(stops[0]), known.at(stops[2])
    assert first.view.scores == {"red": 6, "blue": 6, "white": 6}
    assert sum(then.view.scores.values()) == 21
    assert first.asked == ()
    assert known.desk().history[-1][1] == known.desk().view.scores


def test_a_file_that_is_none_is_refused_in_a_sentence(tmp_path, view):
    (tmp_path / "odd.toml").write_text("a = 1\n")
    (tmp_path / "odd.txt").write_text("= = =")
    for name in ("odd.toml", "odd.txt"):
        with pytest.raises(ViewFileError, match=r"view file|TOML"):
            open_source(tmp_path / name)
    with pytest.raises(ViewFileError, match="'blue' can't be opened: this is the view file of 'red'"):
        open_source(view(0, "red").path, "blue", toy.load)
    with pytest.raises(ViewFileError):
        load_seat_view({"view": {}})
    with pytest.raises(ViewFileError, match="'green' isn't a seat"):
        SaveSource(view(0, "red").path.with_name("toy-1.toml"), "green", toy.load)


def test_a_game_that_is_not_installed_can_still_be_read(view):
    known = view(0, "red")
    known.loader = lambda slug: toy.load("missing")
    desk = known.desk()
    assert desk.game is None
    assert desk.sheets("ja", of_map=True)[0].rows[0][0] == "リガ"
    assert desk.asked[0].trail["en"] == "Turn 1"
    assert desk.asked[0].said_in("en").startswith("Give your orders")


def test_no_control_characters_reach_a_screen(source):
    desk = source(6, "red", press=True).desk()
    assert "\x1b" in desk.press[0].text
    document = dict(desk.document)
    document["log"] = [{"n": 1, "en": "a\x1b[31m\x9bb\u202e"}]
    assert load_seat_view(document, toy.GAME).log[0].of("en") == "a[31mb"


# -- letters ---------------------------------------------------------------------------------------------------------


def test_a_letter_says_what_was_filled_in(source):
    desk = source(0, "red").desk()
    letter = answering(desk.asked[0], "march riga oslo regulars=2")
    letter.press.append((("blue", "white"), "First line\nEND ORDERS\nlast\x07"))
    (block,) = read(letter.block(desk.name, desk.code)).blocks
    assert (block.game, block.seat, block.code) == ("toy-1", "red", desk.code)
    assert block.problem is None
    assert getattr(block.items[0], "body", "") == "march riga oslo regulars=2"
    assert "END ORDERS" in str(block.items[1])
    assert "\x07" not in letter.block(desk.name, "")


def test_the_judge_is_the_referee(source):
    known = source(0, "red")
    desk = known.desk()
    good = answering(desk.asked[0], "march riga oslo regulars=2").block(desk.name, desk.code)
    bad = answering(desk.asked[0], "march riga bari regulars=2").block(desk.name, desk.code)
    assert [accepted.fate for accepted in known.judge(good, "red")[0].accepted] == ["checked"]
    assert known.judge(bad, "red")[0].refused[0].problem.key == "rules.custom"


def test_straight_into_the_save(source):
    known = source(0)
    desk = known.desk()
    receipt = known.take(answering(desk.asked[0], "hold").block(desk.name, ""), NOW)
    assert "hold" in receipt
    assert known.desk().moves == 1
    assert (known.path.parent / "outbox").is_dir()


def test_ways_out(source, view, tmp_path):
    away = view(0, "red")
    desk = away.desk()
    copied = []
    out = OrderSubmission(
        desk, answering(desk.asked[0], "hold"), "Orders for toy-1", "Hello", NOW, sender="red@example.org"
    )
    keys = [sender.key for sender in senders_for(away, copied.append, {})]
    assert keys == ["draft", "file", "clipboard"]
    assert [sender.key for sender in senders_for(source(0), copied.append, {"PBEM_SENDMAIL": "cat"})][:2] == [
        "save",
        "command",
    ]
    draft, file, clipboard = senders_for(away, copied.append, {})
    mail = Path(draft.send(out)).read_bytes()
    assert b"From: red@example.org" in mail
    assert b"Subject: Orders for toy-1" in mail
    assert b"1: hold" in mail
    assert Path(file.send(out)).read_text() == out.block
    clipboard.send(out)
    assert copied == [out.block]

    def command(words):
        return senders_for(away, copied.append, {"PBEM_SENDMAIL": words})[0]

    with pytest.raises(NotSent, match="no address"):
        command("cat").send(out)
    with pytest.raises(NotSent, match="exit status 1"):
        command("false").send(OrderSubmission(desk, out.email, "s", "", NOW, to="m@example.org"))
    target = tmp_path / "sent.eml"
    command(f"tee {target}").send(OrderSubmission(desk, out.email, "s", "", NOW, to="m@example.org"))
    assert b"To: m@example.org" in target.read_bytes()


def test_a_draft_in_a_folder_that_cannot_be_written(view):
    away = view(0, "red")
    desk = away.desk()
    (away.path.parent / "toy-1-red-1.eml").mkdir()
    draft = senders_for(away, lambda text: None, {})[0]
    with pytest.raises(NotSent):
        draft.send(OrderSubmission(desk, answering(desk.asked[0], "hold"), "s", "", NOW))


# -- receipts of sealed answers --------------------------------------------------------------------------------------


def test_a_receipt_tells_nothing_and_proves_one_answer(source, tmp_path):
    desk = source(1, "blue").desk()
    one = ballots.commit(desk, 2, "blue", "ballot", "red place=c1", NOW.isoformat())
    file = tmp_path / "r.toml"
    ballots.keep(file, one)
    assert file.stat().st_mode & 0o77 == 0
    assert "red" not in file.read_text().replace("blue", "")
    (kept,) = ballots.load(file)
    assert ballots.verify(kept, " red  place=c1 ")
    assert not ballots.verify(kept, "blue")
    again = ballots.commit(desk, 2, "blue", "ballot", "red place=c1", NOW.isoformat())
    assert again.commitment != one.commitment
    ballots.keep(file, again)
    assert ballots.load(file) == [again]


def test_how_it_was_counted_stands_in_the_log(source):
    before = source(1, "blue").desk()
    one = ballots.commit(before, before.asked[0].q, "blue", "ballot", "red", NOW.isoformat())
    assert ballots.counted(before, one) == []
    after = source(4, "blue").desk()
    lines = ballots.counted(after, one)
    assert [line.of("en") for line in lines if line.of("en").startswith("Blue votes")]
    assert len(lines) < len([line for line in after.log if line.n == 4])


# -- small things ----------------------------------------------------------------------------------------------------


def test_partners_and_their_threads(source):
    desk = source(6, "red", press=True).desk()
    assert partners(desk, "red") == [ALL, "blue", "white"]
    assert [message.text for message in thread(desk, "red", "blue")][1] == "For two ducats."
    assert [message.seat for message in thread(desk, "red", ALL)] == ["white"]
    assert thread(desk, "red", "white") == []
    assert len(thread(source(6, press=True).desk(), "", "white")) == 1


def test_where_a_card_can_be_used(source):
    desk = source(1, "red").desk()
    card = desk.view.hands[0].cards[0].id
    assert [asked.kind for asked in current_card_uses(desk, "red", [card])[card]] == ["ballot"]
    assert current_card_uses(desk, "blue", [card]) == {}
    assert [*current_card_uses(source(0, "red").desk(), "red", ["oslo", "paris-1"])] == ["oslo"]


def test_time_left():
    words = ScreenMessages("en")
    due = NOW + timedelta(days=1, hours=2, seconds=3)
    assert countdown(due, NOW, words) == "1d 02:00"
    assert countdown(due, NOW + timedelta(days=2), words) == "deadline expired"
    assert countdown(None, NOW, words) == ""


def test_rows_are_sorted_and_found():
    assert sorted([10, 9, "x", None, 2], key=lambda c: sort_key(c, str(c or ""))) == [2, 9, 10, "x", None]
    assert matches("ＲＩＧＡ red", ["Riga", "the red side"])
    assert not matches("riga blue", ["Riga"])
    assert step("b", ["a", "b"], 1) == "a"
    assert step("z", ["a"], 1) == "a"
    assert step("a", [], 1) == ""


# -- drawing ---------------------------------------------------------------------------------------------------------


SPACES = [
    MapSpace("a", 0, 0, "red", "1", ["b"]),
    MapSpace("b", 10, 0, "", "", ["a", "c"]),
    MapSpace("c", 10, 9, "", "", ["b"]),
]
LABELS = {"a": ("R1", "Alpha"), "b": ("-", "ベータ"), "c": ("-", "Gamma")}


def plain(drawing):
    return "\n".join("".join(run.text for run in row).rstrip() for row in drawing.rows)


@pytest.mark.parametrize("size", [(20, 6), (60, 20), (3, 1), (140, 45)])
def test_a_drawing_fills_its_canvas_to_the_cell(size):
    drawing = draw(Board(SPACES, LABELS), size[0], size[1], Viewport(2.0, 0.1, 0.9), "a")
    assert len(drawing.rows) == size[1]
    assert all(sum(width(run[0]) for run in row) == size[0] for row in drawing.rows)


def test_spaces_stand_where_they_lie():
    drawing = draw(Board(SPACES, LABELS), 60, 20, chosen="b")
    (ax, ay), (bx, by), (cx, cy) = (drawing.at[key] for key in "abc")
    assert ax < bx
    assert ay == by
    assert abs(bx - cx) <= 1
    assert cy > by
    assert "R1Alpha" in plain(drawing)
    assert "ベータ" in plain(drawing)
    kinds = {what for row in drawing.rows for _, what, _, _ in row}
    assert kinds == {"", "link", "name", "side:", "side:red"}


def test_a_move_is_an_arrow_that_covers_no_badge_and_no_name():
    drawing = draw(Board(SPACES, LABELS, ways=[("a", "c"), ("a", "nowhere")]), 60, 20)
    runs = [run for row in drawing.rows for run in row]
    assert any(run.what == ARROW for run in runs)
    assert {"R1", "-"} <= {run.text for run in runs if run.what.startswith("side:")}
    assert {"Alpha", "ベータ", "Gamma"} <= {run.text for run in runs if run.what == "name"}
    still = draw(Board(SPACES, LABELS), 60, 20)
    assert not any(run.what == ARROW for row in still.rows for run in row)


def test_plain_letters_for_terminals_with_wide_dots():
    text = plain(draw(Board(SPACES, LABELS), 60, 20, ascii_only=True))
    assert not re.search("[\u2800-\u28ff]", text)
    assert "..." in text


def test_zoom_and_pan_stay_on_the_map():
    lens = Viewport().zoomed(100)
    assert lens.zoom == 16
    assert lens.zoomed(0.0001) == Viewport()
    assert lens.moved(99, -99) == Viewport(16, 1.0, 0.0)
    assert Viewport().moved(0.2, 0) == Viewport(1.0, 0.7, 0.5)


def test_crowded_spaces_never_cover_each_other():
    many = [MapSpace(f"s{n}", n % 7, n // 7, links=[f"s{n + 1}"] if n < 48 else []) for n in range(49)]
    labels = {space.id: ("-9", f"Name {space.id}") for space in many}
    drawing = draw(Board(many, labels), 40, 12)
    badges_ = [what for row in drawing.rows for _, what, _, _ in row if what.startswith("side:")]
    assert len(badges_) == len(drawing.at)


# -- colours and words -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_colour_can_be_read(theme):
    roles = ("primary", "secondary", "accent", "warning", "error", "success", "foreground")
    papers = [theme.background, theme.surface, theme.panel]
    for role in roles:
        for paper in papers:
            assert contrast(getattr(theme, role), paper) >= 4.5, (role, paper)
    for paper in papers:
        assert contrast(theme.variables["text-muted"], paper) >= 4.5
    for name in ("block-cursor", "block-cursor-blurred"):
        assert contrast(theme.variables[f"{name}-background"], theme.variables[f"{name}-foreground"]) >= 4.5


def test_badges_differ_by_letter_and_can_be_read(source):
    for language in ("en", "ja"):
        found = badges(source(9).desk(), language)
        letters = [badge.letter for badge in found.values()]
        assert len(set(letters)) == len(letters) == 4
        assert all(contrast(badge.ink, badge.paper) >= 4.5 for badge in found.values())
    assert ink_on("#FFFFFF") == "#000000"


def test_both_languages_say_everything():
    english, japanese = messages("pbem.tui", "en"), messages("pbem.tui", "ja")
    assert english.keys() == japanese.keys()
    for key, text in english.items():
        assert sorted(re.findall(r"\{(\w+)\}", text)) == sorted(re.findall(r"\{(\w+)\}", japanese[key])), key
    for language in ("en", "ja"):
        words = ScreenMessages(language)
        for act in (*GLOBAL, *(act for acts in IN_ROOM.values() for act in acts)):
            assert act.help(words)
            assert not act.shown or act.label(words)
    wanted = {f"screen.{name}" for name in SCREENS} | {f"help.screen.{name}" for name in SCREENS}
    assert wanted <= english.keys()


def test_words_in_the_source_exist():
    room, pack = messages("pbem.tui", "en"), messages("pbem.tui.pack", "en")
    for file in (Path(__file__).parents[2] / "pbem" / "tui").rglob("*.py"):
        english = pack if file.parent.name == "pack" else room
        for key in re.findall(r'words\("([\w.]+)"', file.read_text("utf-8")):
            assert key in english, f"{file.name}: {key}"


def test_the_model_and_the_command_do_not_import_textual():
    code = (
        "import sys, pbem.tui, pbem.tui.model, pbem.tui.model.game_source, pbem.tui.model.submit, pbem.cli.tui;"
        "sys.exit(any(m == 'textual' or m.startswith('textual.') for m in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_view_files_can_be_read_by_anybody(view):
    document = tomllib.loads(view(6, "red", press=True).path.read_text("utf-8"))
    assert [message["text"] for message in document["press"]][1:] == ["For two ducats.", "Good morning."]
    assert document["questions"][0]["offers"][0]["by"] == "blue"
    assert OrderDraft("red").empty


def test_a_game_begun_under_older_rules_can_be_opened_but_not_stepped_back(source, monkeypatch):
    def fails(session, moves):
        raise ReplayError(1, "other rules")

    monkeypatch.setattr("pbem.mail.outbox.email_parts.at_move", fails)
    known = source(9, "red")
    assert known.stops() == []
    assert known.desk().history == ()
    assert full_frame(known.session, known.session.save.seat("red")).history == []


def test_the_public_sees_no_hand_and_is_asked_nothing(source):
    desk = source(1, "public").desk()
    assert (desk.seat, desk.asked) == ("", ())
    assert all(hand.cards is None for hand in desk.view.hands)
    assert [message.text for message in source(6, "public", press=True).desk().press] == ["Good morning."]
