"""What stands in a report, and how it is drawn."""

import copy
import json
import random
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import msgspec
import pytest

from pbem import LANGUAGES
from pbem.kernel.domains import Choice, Form, Menu, Optional, Subset
from pbem.kernel.questions import MODERATOR
from pbem.kernel.standing_orders import StandingRule
from pbem.report.build import build, choices
from pbem.report.email_text import position_text
from pbem.report.html import as_html
from pbem.report.messages import Catalogue
from pbem.report.model import Heading, Report, ReportContext, ReportTable, as_json
from pbem.report.scores_svg import colours, letters
from pbem.report.text import as_text, table, unbroken
from pbem.report.text_width import width, wrap
from pbem.report.times import deadline, when
from pbem.timestamps import moment

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


def hidden(referee, seat):
    """The cards whose whereabouts `seat` may not know."""
    state = referee.table.state
    return [card for owner, p in state.players.items() if owner != seat for card in p.hand] + state.deck


# -- secrets


@pytest.mark.parametrize("moves", [0, 3, 37, 200])
def test_two_worlds_one_report(play, frame, moves):
    """Worlds that differ only in what a seat may not know give it the same report, letter and all."""
    for seat in play(0).table.seats:
        one, other = play(moves), play(moves)
        other.game.conceal(other.table, seat, random.Random(9).randrange)
        assert msgspec.json.encode(one.table.state) != msgspec.json.encode(other.table.state)
        drawn = [
            (as_json(report), position_text(report), as_html(report))
            for report in (build(r, seat, "en", lines=one.table.lines, frame=frame) for r in (one, other))
        ]
        assert drawn[0] == drawn[1]


def test_no_hidden_card_is_named(midgame, frame):
    for seat in midgame.table.seats:
        report = build(midgame, seat, lines=midgame.table.lines, frame=frame)
        words = set(re.findall(r"[\w-]+", as_json(report)))
        laid = {card for p in midgame.table.state.players.values() for pile in p.piles.values() for card in pile.cards}
        known = laid | set(midgame.table.state.discards) | set(midgame.table.state.players[seat].hand)
        assert words & (set(hidden(midgame, seat)) - known) == set()


def test_only_the_readers_own_questions(play):
    referee = play(0)
    first = referee.table.seats[0]
    assert [q.seat for q in build(referee, first).questions] == [first]
    assert build(referee, "").questions == []
    assert [q.seat for q in build(referee, MODERATOR).questions] == list(referee.asked())


def test_waiting_is_never_told(play):
    """Who has answered a sealed question stays unknown: the report of the others does not change."""
    referee = play(0)
    one, other = referee.asked()[:2]
    before = as_json(build(referee, other))
    referee.submit(one, referee.domain(one).sample(lambda n: 0))
    assert as_json(build(referee, other)) == before


def test_own_sealed_answer_is_repeated(play, language):
    referee = play(0)
    seat = referee.asked()[0]
    referee.submit(seat, referee.domain(seat).sample(lambda n: 0))
    (question,) = build(referee, seat, language).questions
    assert question.answered
    assert question.answer
    text = as_text(build(referee, seat, language), 10_000)  # in one line: a long prompt may break the answer
    assert question.answer in text


# -- given in advance


def test_report_repeats_what_was_given_in_advance(play):
    referee = play(5)
    referee.standing.append(StandingRule("amber", "call", "spain"))
    assert "standing call: spain" in as_text(build(referee, "amber"))
    assert "standing call" not in as_text(build(referee, "black"))


# -- text


def test_text_fits_its_columns(midgame, frame, language):
    for seat in (*midgame.table.seats, "", MODERATOR):
        text = as_text(build(midgame, seat, language, lines=midgame.table.lines, frame=frame))
        assert [line for line in text.splitlines() if width(line) > 72] == []
        assert not re.search("[\u2500-\u259f]", text)


def test_narrow_text(midgame, frame, language):
    text = as_text(build(midgame, "green", language, lines=midgame.table.lines, frame=frame), 40)
    assert [line for line in text.splitlines() if width(line) > 40 and "==" not in line and " " in line] == []


def small(rows, note=""):
    columns = [Heading("space", "国", "name"), Heading("n", "Points", "number"), Heading("f", "Siege", "flag")]
    cells = [[r[0], str(r[1]), "yes" if r[2] else "no"] for r in rows]
    return ReportTable("t", "", "", "Title", columns, cells, [list(r) for r in rows], note)


def test_table_in_columns():
    ui = Catalogue(None)
    assert list(table(small([("スペイン", 7, True), ("Spain", 12, False)], "Note."), ui)) == [
        "TITLE",
        "国        Points  Siege",
        "スペイン       7  yes",
        "Spain         12  no",
        "Note.",
    ]


def test_table_told_row_by_row_when_too_wide():
    ui = Catalogue(None)
    assert list(table(small([("スペイン", 7, True), ("Spain", 12, False)]), ui, 20)) == [
        "TITLE",
        "スペイン: Points 7;",
        "  Siege",
        "Spain: Points 12",
    ]


def test_equal_cards_are_counted(play):
    referee = play(0)
    hand = referee.table.state.players["amber"].hand
    hand[:] = ["spain-1a", "spain-1b", "vote-a"]
    (own,) = [h for h in build(referee, "amber").hands if h.cards is not None]
    assert [(card.name, card.word, card.ids) for card in own.cards] == [
        ("Spain 1", "spain-1", ["spain-1a", "spain-1b"]),
        ("Vote", "vote", ["vote-a"]),
    ]
    assert own.count == 3
    assert "Spain 1 x2, Vote" in as_text(build(referee, "amber"))


def test_default_and_choices_use_faces(play):
    referee = play(0)
    (question,) = build(referee, "amber").questions
    assert question.default
    assert not re.search(r"-\d[a-z]\b", question.default)
    referee.domain("amber").parse(question.default, referee.names)
    for word in question.choices[0].words:
        assert "@" in word or not re.search(r"-\d[a-z]\b", word)


# -- data


def test_words_stand_under_the_place_that_the_syntax_names(language):
    """`<vote>` in one line and `vote` in the next would be two names for one thing."""
    say = Catalogue(None, language=language)
    form = Form(vote=Choice(("red", "blue")), place=Optional(Subset(("a", "b"), 1, 2, what="card")))
    menu = Menu({"take": Choice(("x", "y"), "tile"), "move": Form(to=lambda v: Choice(("z", "w"), "place"))})
    vote, card, tile, to = (say.syntax(f"<{slot}>") for slot in ("vote", "card", "tile", "place"))
    assert [(choice.field, choice.place) for choice in choices(say, form)] == [
        ("vote", vote),
        ("place", f"place={card}"),
    ]
    places = [choice.place for choice in choices(say, menu)]
    assert places == ["", f"take {tile}", f"move to={to}"]
    for syntax, found in ((form.syntax(), choices(say, form)), (menu.syntax(), choices(say, menu))):
        shown = say.syntax(syntax)
        assert all(choice.place.partition("=")[0] in shown for choice in found)


def test_json_is_the_report(midgame, frame):
    report = build(midgame, "green", lines=midgame.table.lines, frame=frame)
    assert msgspec.json.decode(as_json(report), type=Report) == report
    assert list(json.loads(as_json(report))) == list(Report.__struct_encode_fields__)


# -- HTML, Markdown, terminal


class Outside(HTMLParser):
    """Collects tags, and whatever would be fetched or run."""

    def __init__(self):
        super().__init__()
        self.open, self.bad = [], []

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "link", "iframe", "img", "object", "form"):
            self.bad.append(tag)
        self.bad += [
            name for name, _ in attrs if (name in ("src", "href", "style") and name != "style") or name[:2] == "on"
        ]
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        pass


def test_html_is_whole_and_fetches_nothing(midgame, frame, language):
    page = as_html(build(midgame, "green", language, lines=midgame.table.lines, frame=frame))
    reader = Outside()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    assert reader.bad == []
    assert not re.search(r"url\((?!#)", page)
    assert "@import" not in page
    assert page.count("http") == page.count('xmlns="http://www.w3.org/2000/svg"')
    assert "<script>" not in page


def test_map_says_sides_without_colour(midgame):
    page = as_html(build(midgame, "green"))
    drawn = ET.fromstring(re.search(r'<svg class="map".*?</svg>', page, re.DOTALL)[0])
    space = "{http://www.w3.org/2000/svg}"
    marks = [t.text for t in drawn.iter(f"{space}text") if t.get("font-weight") == "bold"]
    state = midgame.table.state
    letter = {"red": "R", "blue": "B", "neutral": "N"}
    assert marks == [f"{letter[land.side]} {land.status}" for land in state.countries.values()]
    # Attributes, because mail programs drop style sheets: white ink on a dark side.
    inks = [t.get("fill") for t in drawn.iter(f"{space}text") if t.get("font-weight") == "bold"]
    assert {"#fff"} == {ink for ink, mark in zip(inks, marks, strict=True) if mark[0] == "B"}
    assert "svg text" not in page
    for text in drawn.iter(f"{space}text"):
        assert 0 <= float(text.get("x")) <= 900
        assert 0 <= float(text.get("y")) <= float(drawn.get("viewBox").split()[3])


def test_score_chart_has_a_line_and_a_name_for_each(midgame, frame):
    page = as_html(build(midgame, "green", frame=frame))
    drawn = ET.fromstring(re.search(r'<svg class="chart".*?</svg>', page, re.DOTALL)[0])
    lines = list(drawn.iter("{http://www.w3.org/2000/svg}polyline"))
    assert len(lines) == 2
    assert len({line.get("stroke-dasharray") for line in lines}) == 2
    assert {"Amber 5", "Black 9"} <= {t.text for t in drawn.iter("{http://www.w3.org/2000/svg}text")}


def test_letters_differ():
    sides = [("", ""), ("scotland", "Scotland"), ("spain", "Spain"), ("sweden", "Sweden"), ("s", "S")]
    found = letters(sides)
    assert found[""] == ""
    assert len(set(found.values())) == len(sides)


def test_major_sides_choose_their_letters_first_and_others_have_small_ones():
    sides = [("portugal", "Portugal"), ("protestant", "Protestants"), ("papacy", "Papacy"), ("hre", "神聖ローマ")]
    found = letters(sides, {"protestant": "#a475d5", "hre": "#f5f3f0"})
    assert found == {"protestant": "P", "hre": "神", "portugal": "p", "papacy": "pa"}


def test_colours_follow_names_and_differ():
    found = colours(["red", "blue", "york", "lancaster"])
    assert found["red"] == "#D55E00"
    assert len(set(found.values())) == 4


# -- time


def test_deadline_in_both_zones():
    en, ja = Catalogue(None), Catalogue(None, language="ja")
    due = moment("2031-03-06T18:00:00+00:00")
    assert deadline(due, "Europe/Berlin", "Asia/Tokyo", en) == [
        "Thu 6 Mar 2031 19:00 CET (Europe/Berlin)",
        "Fri 7 Mar 2031 03:00 JST (Asia/Tokyo)",
    ]
    assert deadline(due, "UTC", "", ja) == ["2031年3月6日（木）18:00 UTC"]
    assert deadline(due, "Europe/Berlin", "Europe/Berlin", en) == ["Thu 6 Mar 2031 19:00 CET (Europe/Berlin)"]
    assert deadline(None, "UTC", "UTC", en) == []


def test_summer_time_and_zones_without_letters():
    en = Catalogue(None)
    assert when(moment("2031-07-06T18:00:00Z"), "Europe/Berlin", en) == "Sun 6 Jul 2031 20:00 CEST (Europe/Berlin)"
    assert (
        when(moment("2031-07-06T18:00:00"), "America/Sao_Paulo", en)
        == "Sun 6 Jul 2031 15:00 UTC-03 (America/Sao_Paulo)"
    )
    assert when(moment("2031-07-06T18:00:00Z"), "No/Such", en) == "Sun 6 Jul 2031 18:00 UTC"


def test_no_state_is_shared(midgame):
    """Building a report changes nothing in the game."""
    before = msgspec.json.encode(midgame.table.state)
    digest = midgame.digest()
    report = build(midgame, "green", frame=ReportContext())
    copy.deepcopy(report)
    assert msgspec.json.encode(midgame.table.state) == before
    assert midgame.digest() == digest


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("columns", range(24, 80, 5))
def test_no_fact_is_torn_apart_at_the_end_of_a_line(language, columns):
    ui = Catalogue(None, language=language)
    facts = ["Turn 2", "Phase players' turns", "To play Green", "First player Black", "手番 琥珀"]
    lines = list(unbroken(facts, ui, columns))
    assert all(width(line) <= columns for line in lines)
    assert all(any(fact in line for line in lines) for fact in facts)
    assert list(unbroken(["x " * 40], ui, columns)) == wrap("x " * 40, columns)
