"""Short letters: the question and the form on the first screen, then what is new, then a legend."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from pbem import LANGUAGES
from pbem.kernel.dice import commitment
from pbem.kernel.pack import load_pack, merge_pack
from pbem.kernel.table import LogLine
from pbem.orders.reply_form import last_line, short_form
from pbem.report.build import build
from pbem.report.email_text import cards_text, opening, opening_text, position_text
from pbem.report.merge_lines import merged, within, words_in
from pbem.report.messages import Catalogue
from pbem.report.question_text import EmailQuestion, asked_of
from pbem.report.short_email import COLUMNS, FIRST, SUBJECT, ShortEmail, in_line, subject_of, text_of
from pbem.report.short_email_html import LINK, page_of
from pbem.report.text_width import width

CODE = "3f9c-a1d2"


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


def say_of(referee, language="en"):
    return Catalogue(referee.game, referee.components, language, referee.names)


def brief_for(referee, seat, frame, language="en", **more):
    say = say_of(referee, language)
    asked = asked_of(referee, seat, say)
    brief = ShortEmail(
        name=frame.name, asked=asked, due=frame.due, zone=frame.reader_zone, to="pbem@games.example"
    )
    brief.slip = short_form(asked.q if asked else 0, frame.name, seat, CODE)
    brief.last, brief.legend = last_line(frame.name, referee.q), say.text("email.legend")
    for key, value in more.items():
        setattr(brief, key, value)
    return brief, say


def test_question_choices_deadline_silence_and_form_stand_on_the_first_screen(midgame, frame, language):
    seat = midgame.asked()[0]
    brief, say = brief_for(midgame, seat, frame, language, new=["Something has happened to somebody."] * 40)
    lines = text_of(brief, say).splitlines()
    assert [line for line in lines if width(line) > COLUMNS] == []
    form = lines.index(f"{midgame.q}: ?")
    assert form < FIRST
    assert lines[form + 1] == f"[g-07 {seat} {CODE}]"
    head = "\n".join(lines[:form])
    assert say.text("email.by", at="").strip() in head
    assert say.text("email.default", default="").strip() in head or say.text("email.no_default") in head
    assert lines[-1] == f"== g-07 {midgame.q} =="
    assert lines.index(say.text("email.new").upper()) > form


def test_a_long_question_is_shortened_until_the_form_fits(midgame, frame):
    brief, say = brief_for(midgame, midgame.asked()[0], frame)
    ways = [f"move {n} <from> <to> with=<units>" for n in range(40)]
    brief.asked = EmailQuestion(
        q=119,
        title="Move",
        prompt="Where does who go, and why? " * 12,
        details=[ways, ways, [f"move {n} …" for n in range(40)]],
        likely=[],
        example="move 3 vienna pressburg with=cavalry",
        default="move 1 " * 30,
        answer="",
        sealed=False,
        offers=["England offers peace (england-france-1): " + "clause, " * 30] * 6,
    )
    brief.slip = short_form(119, "g-07", "green", CODE)
    lines = text_of(brief, say).splitlines()
    assert lines.index("119: ?") < FIRST
    assert any(line.startswith("/ …") for line in lines)
    assert [line for line in lines if width(line) > COLUMNS] == []


def test_ways_to_answer_stand_in_one_line_that_goes_on_behind_a_stroke(midgame):
    say = say_of(midgame)
    lines = in_line(
        ["hold", "charge york buckingham", "charge york shrewsbury", "charge york chancellor"], say
    )
    assert lines == ["hold / charge york buckingham", "/ charge york shrewsbury", "/ charge york chancellor"]
    assert in_line(["pass"], say) == ["Only this is possible: pass"]


def test_a_line_that_could_be_an_answer_is_marked(midgame, frame):
    brief, say = brief_for(midgame, midgame.asked()[0], frame)
    brief.legal = lambda line: line.strip() in ("red", "- red")
    brief.new = ["red"]
    brief.asked.prompt = "red"
    text, page = text_of(brief, say), page_of(brief, say)
    assert "red" not in text.splitlines()
    assert "/ red" in text.splitlines()
    assert "/ - red" in text.splitlines()
    assert "<h1>/ red</h1>" in page
    assert "<li>/ red</li>" in page


def test_subject_says_what_is_asked_and_by_when(midgame, frame, language):
    brief, say = brief_for(midgame, midgame.asked()[0], frame, language)
    subject = subject_of(brief, say)
    assert subject.startswith("[g-07] ")
    assert width(subject) <= SUBJECT
    assert "03:00" in subject  # in Tokyo, where the reader is
    brief.asked.title = "What is asked, in a great many words " * 4
    assert width(subject_of(brief, say)) <= SUBJECT
    assert "03:00" in subject_of(brief, say)


def test_subject_tells_nothing_of_hands_or_news(play, frame, language):
    """The same subject whatever the seat holds: it may be read on a locked screen."""
    subjects = set()
    for chance in (1, 2):
        referee = play(0)
        referee.table.state.players["amber"].hand.reverse()
        if chance == 2:
            referee.table.state.players["amber"].hand.pop()
        brief, say = brief_for(referee, "amber", frame, language, new=[f"{chance}"])
        subjects.add(subject_of(brief, say))
    assert len(subjects) == 1


def test_letter_without_deadline(midgame, frame, language):
    brief, say = brief_for(midgame, midgame.asked()[0], frame, language, due=None)
    text = text_of(brief, say)
    assert say.text("report.no_deadline") in text
    assert "{" not in text + subject_of(brief, say)


# -- news ------------------------------------------------------------------------------------------------------------


def said(key, seat, **args):
    return LogLine(key, {"seat": seat, **args})


def test_what_several_do_alike_is_said_once(midgame):
    say, seats = say_of(midgame), midgame.table.seats
    say._texts.update({"t.draws": "{seat} draws {n}.", "t.votes": "{seat} votes {side} ({n})."})
    alike = merged([said("t.draws", seat, n=4) for seat in seats], seats[0], say, seats)
    assert [text for text, _ in alike] == ["Amber draws 4. Likewise all others."]
    one_odd = merged([said("t.draws", seat, n=4 + (seat == "ivory")) for seat in seats[:2]], "", say, seats)
    assert len(one_odd) == 1
    votes = merged(
        [said("t.votes", "amber", side="red", n=1), said("t.votes", "black", side="red", n=3)], "", say, seats
    )
    assert [text for text, _ in votes] == ["Amber votes red (1). Likewise Black (3)."]
    two = merged(
        [said("t.votes", "amber", side="red", n=1), said("t.votes", "black", side="blue", n=3)],
        "",
        say,
        seats,
    )
    assert len(two) == 2  # they differ in more than one thing


def test_what_the_reader_alone_learns_is_never_left_out_first():
    lines = [
        ("You draw the Queen.", 2),
        *((f"Thing number {n} happens.", 0) for n in range(30)),
        ("They attack you.", 1),
    ]
    kept, left = within(lines, 20)
    assert kept[0] == "You draw the Queen."
    assert kept[-1] == "They attack you."
    assert left == len(lines) - len(kept) > 20
    assert sum(map(words_in, kept)) <= 20


def test_words_are_counted_in_both_scripts():
    assert words_in("- You score 6; total 6.") == 5
    assert words_in("あなたは六点です 4") == 4  # eight letters count as three words
    assert words_in("== / · –") == 0


# -- the page --------------------------------------------------------------------------------------------------------


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.heads = [], []

    def handle_starttag(self, tag, attrs):
        if tag == "a":
            self.found.append(dict(attrs)["href"])
        if tag == "th":
            self.heads.append(dict(attrs).get("scope"))


def test_buttons_write_the_answer_and_the_tag(midgame, frame, language):
    brief, say = brief_for(midgame, midgame.asked()[0], frame, language)
    reader = Links()
    reader.feed(page_of(brief, say))
    assert len(reader.found) == len(brief.asked.likely) + 1
    domain = midgame.domain(midgame.asked()[0])
    for link, answer in zip(reader.found, [*brief.asked.likely, ""], strict=True):
        assert len(link) <= LINK
        assert link.isascii()
        address, _, rest = link.removeprefix("mailto:").partition("?subject=")
        subject, _, body = rest.partition("&body=")
        assert address == "pbem@games.example"
        assert CODE not in unquote(subject)
        assert "+" not in rest
        assert unquote(body) == f"{midgame.q}: {answer}\r\n\r\n{brief.slip[-1]}\r\n"
        if answer:
            domain.parse(answer, midgame.names)


def test_a_button_that_would_be_too_long_is_none(midgame, frame):
    brief, say = brief_for(midgame, midgame.asked()[0], frame)
    brief.asked.likely = ["x" * LINK]
    reader = Links()
    reader.feed(page_of(brief, say))
    assert len(reader.found) == 1  # for any other answer


def test_the_page_is_read_aloud_in_order_and_its_table_has_heads(midgame, frame):
    brief, say = brief_for(midgame, midgame.asked()[0], frame, new=["The vote is red."])
    brief.points = [("Amber", 6, 2), ("Black", 4, 0)]
    brief.picture = '<img alt="Saxony and its neighbours">'
    page = page_of(brief, say)
    marks = [
        "<h1>",
        "<strong>By ",
        "→ ",
        "<img",
        f"<div>{midgame.q}: ?</div>",
        "<h2>What is new</h2>",
        "<table>",
        "== g-07",
    ]
    assert [page.index(mark) for mark in marks] == sorted(page.index(mark) for mark in marks)
    reader = Links()
    reader.feed(page)
    assert reader.heads == ["col", "col", "row", "row"]
    assert "<td>6 (+2)</td>" in page
    assert "color-scheme" in page
    assert not re.search(r"https?:|src=|url\(", page)


def test_names_cannot_break_the_page(midgame, frame):
    brief, say = brief_for(midgame, midgame.asked()[0], frame, new=["<script>alert(1)</script>"])
    assert "<script>" not in page_of(brief, say)


# -- on request ------------------------------------------------------------------------------------------------------


def test_first_letter_commits_to_the_dice(play, language):
    referee = play(0, neighbours_only=1)
    start = opening(referee, load_pack("games.sixteen_thirty"), language)
    text = opening_text(start, language)
    assert commitment(bytes.fromhex(referee.setup.seed)) in text
    assert referee.setup.seed not in text
    for word in ("neighbours_only = 1", "S-01", "copies"):
        assert word in text
    assert start.facts["reconstructed"] > 0
    assert start.corrected == []


def test_first_letter_names_corrections(play):
    base = load_pack("games.sixteen_thirty")
    pack = merge_pack(base, {"countries": {"england": {"aliases": ["gb"]}}}, check=lambda tables: [])
    assert opening(play(0), pack).corrected == ["countries.countries.england.aliases: en → gb"]


def test_the_position_on_request(midgame, frame, language):
    report = build(midgame, "green", language, frame=frame)
    text = position_text(report)
    assert report.title in text
    for sheet in report.sheets:
        assert sheet.title.upper() in text
    cards = cards_text(report)
    for hand in report.hands:
        for card in hand.cards or ():
            assert card.name in cards
