"""Short letters: the question and the form on the first screen, then what is new, then a legend."""

import re
from html.parser import HTMLParser
from typing import Any
from urllib.parse import unquote

import pytest

from pbem import LANGUAGES
from pbem.kernel.dice import commitment
from pbem.kernel.pack import load_pack, merge_pack
from pbem.orders.reply_form import last_line, short_form
from pbem.report.build import build
from pbem.report.deciding import AnswerTemplate, Decision, Option
from pbem.report.email_text import cards_text, opening, opening_text, position_text
from pbem.report.merge_lines import words_in
from pbem.report.messages import Catalogue
from pbem.report.question_text import EmailQuestion, asked_of, question_lines
from pbem.report.short_email import FIRST, SUBJECT, ShortEmail, subject_of, text_of
from pbem.report.short_email_html import BUTTONS, LINK, page_of
from pbem.report.text_width import COLUMNS, width

CODE = "3f9c-a1d2"


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


def say_of(referee, language="en"):
    return Catalogue(referee.game, referee.components, language, referee.names)


def brief_for(referee, seat, frame, language="en", **more):
    say = say_of(referee, language)
    asked = asked_of(referee, seat, say)
    brief = ShortEmail(name=frame.name, asked=asked, due=frame.due, zone=frame.reader_zone, to="pbem@games.example")
    brief.form_lines = short_form(asked.q if asked else 0, frame.name, seat, CODE)
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


def question(**more):
    """A question with a decision of these parts."""
    parts: dict[str, Any] = {
        "title": "Move",
        "prompt": "",
        "facts": [],
        "more": [],
        "options": [],
        "ways": [],
        "spaces": [],
    }
    asked: dict[str, Any] = {
        "q": 119,
        "kind": "Move",
        "heading": "Where to?",
        "default": "",
        "silent": "",
        "answer": "",
    }
    asked |= {key: more.pop(key) for key in list(more) if key in EmailQuestion.__struct_fields__}
    return EmailQuestion(decision=Decision(**{**parts, **more}), sealed=False, **asked)


def shown(midgame, frame, asked, language="en"):
    brief, say = brief_for(midgame, midgame.asked()[0], frame, language)
    brief.asked = asked
    brief.form_lines = short_form(119, "g-07", "green", CODE)
    return text_of(brief, say).splitlines()


def test_a_long_question_is_shortened_until_the_form_fits(midgame, frame):
    asked = question(
        heading="Where does who go, and why?",
        facts=[f"Fact {n}: a country with so many votes, and a few more of them." for n in range(6)],
        options=[
            Option(f"go-{n}", f"to country {n}", f"{n}%", (f"then {n} against {n}", "a battle"), named=False)
            for n in range(30)
        ],
        ways=[
            AnswerTemplate(f"move-{n}", "move", f"move-{n} FROM TO", "move troops", "", (("FROM", "a, b"),))
            for n in range(6)
        ],
        default="move 1 " * 30,
        offers=["England offers peace (england-france-1): " + "clause, " * 30] * 6,
    )
    lines = shown(midgame, frame, asked)
    assert lines.index("119: ?") < FIRST
    assert [line for line in lines if width(line) > COLUMNS] == []
    assert "Or begin with: move-0, move-1, move-2," in lines
    assert "(england-france-1)" in " ".join(lines)


def test_consequences_give_way_before_facts_and_prices_never_do(midgame, frame):
    facts = [f"Fact {n} is told in these words." for n in range(4)]
    answers = [
        Option(f"go-{n}", f"up hill {n}", f"{n}%", ("and this follows from it", "and that"), named=False)
        for n in range(8)
    ]
    text = "\n".join(shown(midgame, frame, question(facts=facts, options=answers[:2])))
    assert text.count("and this follows") == 2
    text = "\n".join(shown(midgame, frame, question(facts=facts, options=answers)))
    assert "follows" not in text
    assert text.count("Fact ") == 4
    assert all(f"go-{n} – up hill {n}: {n}%" in text for n in range(8))


def test_an_answer_is_a_line_and_the_rest_one_by_what_it_means(midgame, frame):
    cards = [Option(f"card-{n}", f"Card {n}", f"{3 - n // 5} OPS") for n in range(11)]
    lines = shown(midgame, frame, question(options=cards))
    told = [f"card-{n} – {3 - n // 5} OPS" for n in range(8)]
    assert [line for line in lines if line.startswith("card-")] == [*told, "card-10 – 1 OPS"]
    assert lines[lines.index(told[-1]) + 1 :][:2] == ["Or 2 OPS: card-8, card-9", "card-10 – 1 OPS"]


def test_a_question_that_says_it_all_lists_its_answers(midgame, frame):
    found = shown(midgame, frame, question(options=[Option("red", "red"), Option("jack_c", "Jack Cade")]))
    assert "Answer: red, jack_c (Jack Cade)" in found
    found = shown(midgame, frame, question(options=[Option("pass", "do nothing", named=False)], only=True))
    assert "Only this is possible: pass – do nothing" in found
    found = shown(midgame, frame, question(options=[Option("jack_c", "Jack Cade")], count="Choose 1, for example:"))
    assert "Choose 1, for example: jack_c" in " ".join(found)  # there are others: it isn't the only answer


def test_an_answer_is_shown_where_capitals_would_stand_for_what_is_not_told(midgame, frame):
    pike = Option("raise pikes kent", "raise pikes in Kent", word="raise")
    ways = [
        AnswerTemplate("raise", "raise", "raise WHAT WHERE", "", "", (), ("what", "where"), pike),
        AnswerTemplate("sail", "sail", "sail TO", "", "", (("TO", "calais, dover"),)),
        AnswerTemplate("take", "take", "take WHAT", "", "", (), ("what",), whole=True),
    ]
    found = shown(midgame, frame, question(ways=ways))
    assert "raise pikes kent" in " ".join(found)
    assert "sail TO – TO: calais, dover." in found
    assert "You can change: raise (what, where)" in found
    assert not re.search("WHAT|WHERE|take", "\n".join(found))
    found = shown(midgame, frame, question(ways=ways, options=[Option("raise bows surrey", "bows", word="raise")]))
    assert "pikes" not in " ".join(found)


def test_a_list_too_long_for_a_line_is_broken_between_its_words(midgame, frame):
    order = "now=montgomery,carmarthen,pembroke,cardigan"
    lines = shown(midgame, frame, question(options=[Option(order, "four shires", named=False), Option("no", "none")]))
    assert "now=montgomery, carmarthen, pembroke," in [line.strip("/ ") for line in lines]


def test_a_word_before_it_tells_that_a_line_is_no_answer(midgame, frame):
    brief, say = brief_for(midgame, midgame.asked()[0], frame)
    brief.legal = lambda line: line.strip() == "Sweden 2."
    brief.asked = question(facts=["Your cards, all of them: England 3, Sweden 2."])
    lines = text_of(brief, say).splitlines()
    assert "  3, Sweden 2." in lines
    assert not any(line.startswith("/") for line in lines)


@pytest.mark.parametrize("placeholder", ["WHERE-ARMIES-GO", "軍隊の行き先と数"])
def test_a_placeholder_is_never_broken(midgame, frame, placeholder):
    for indent in range(20):
        order = f"{'m' * indent} to={placeholder} on={placeholder}"
        way = AnswerTemplate("m" * indent, "move", order, "march", "", ((placeholder, "surrey, kent"),))
        lines = shown(midgame, frame, question(ways=[way]))
        assert "".join(lines).count(placeholder) == 3
        assert sum(line.count(placeholder) for line in lines) == 3


def test_a_line_that_could_be_an_answer_is_marked(midgame, frame):
    brief, say = brief_for(midgame, midgame.asked()[0], frame)
    brief.legal = lambda line: line.strip() in ("red", "- red")
    brief.new = ["red"]
    brief.asked.heading, brief.asked.lead = "red", ""
    text, page = text_of(brief, say), page_of(brief, say)
    assert "red" not in text.splitlines()
    assert "/ red" in text.splitlines()
    assert "/ - red" in text.splitlines()
    assert re.search("<h1[^>]*>/ red</h1>", page)
    assert "<li>/ red</li>" in page


def test_subject_says_what_is_asked_and_by_when(midgame, frame, language):
    brief, say = brief_for(midgame, midgame.asked()[0], frame, language)
    subject = subject_of(brief, say)
    assert subject.startswith("[g-07] ")
    assert width(subject) <= SUBJECT
    assert "03:00" in subject  # in Tokyo, where the reader is
    brief.asked.decision.title = "What is asked, in a great many words " * 4
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
    brief.asked.standing = ""
    reader = Links()
    reader.feed(page_of(brief, say))
    answers = [option.order for option in brief.asked.decision.options][: BUTTONS - 1]
    domain = midgame.domain(midgame.asked()[0])
    for link, answer in zip(reader.found, [*answers, ""], strict=True):
        assert len(link) <= LINK
        assert link.isascii()
        address, _, rest = link.removeprefix("mailto:").partition("?subject=")
        subject, _, body = rest.partition("&body=")
        assert address == "pbem@games.example"
        assert CODE not in unquote(subject)
        assert "+" not in rest
        assert unquote(body) == f"{midgame.q}: {answer}\r\n\r\n{brief.form_lines[-1]}\r\n"
        if answer:
            domain.parse(answer, midgame.names)


def test_buttons_are_at_most_eight_and_in_words(midgame, frame):
    brief, say = brief_for(midgame, midgame.asked()[0], frame)
    brief.asked = question(
        options=[
            Option(f"charge lord_{n}", f"charge with Lord {n}", f"{n}%", ("a heir may fall",), named=False)
            for n in range(20)
        ],
        example=Option("march kent", "march to Kent"),
    )
    page = page_of(brief, say)
    labels = re.findall(r"<b>→ (.*?)</b>(?:<br><span[^>]*>(.*?)</span>)?", page)
    assert labels == [
        *((f"Charge with Lord {n}", f"{n}%, a heir may fall") for n in range(BUTTONS - 1)),
        ("Something else", "For example: march to Kent"),
    ]
    shown = re.sub(r"<[^>]*>", "", page)
    assert "charge lord_6" not in shown  # no second list of what has a button
    assert "charge lord_7" in shown


def test_a_standing_answer_is_a_button(midgame, frame):
    brief, say = brief_for(midgame, midgame.asked()[0], frame)
    brief.asked = question(
        options=[Option("pass", "let them in", named=False)],
        default="pass",
        silent="let them in",
        standing="standing intercept: pass until turn>=4",
    )
    reader = Links()
    reader.feed(page := page_of(brief, say))
    assert "→ Let them in, until the turn ends" in page
    assert "119: pass\r\nstanding intercept: pass until turn>=4\r\n" in unquote(reader.found[1])


def test_a_button_that_would_be_too_long_is_none(midgame, frame):
    brief, say = brief_for(midgame, midgame.asked()[0], frame)
    brief.asked = question(options=[Option("x" * LINK, "x")])
    reader = Links()
    reader.feed(page_of(brief, say))
    assert len(reader.found) == 1  # for any other answer


def test_the_page_is_read_aloud_in_order_and_its_rows_have_heads(midgame, frame):
    brief, say = brief_for(midgame, midgame.asked()[0], frame, new=["The vote is red."])
    brief.asked.decision.facts[:] = ["Votes in Poland: Green 3, you 2.", "Nobody may lay more."]
    brief.points = [("Amber", 6, 2), ("Black", 4, 0)]
    brief.picture = '<img alt="Saxony and its neighbours">'
    brief.reader = "1630 Something · you are Amber"
    page = page_of(brief, say)
    marks = [
        "you are Amber",
        "<h1 ",
        "<b>By ",
        "Votes in Poland: </th>",
        "Nobody may lay more.",
        "→ ",
        f"<div>{midgame.q}: ?</div>",
        "<img",
        ">Since your last email</h2>",
        "Amber 6 (+2)",
        "== g-07",
    ]
    assert [page.index(mark) for mark in marks] == sorted(page.index(mark) for mark in marks)
    reader = Links()
    reader.feed(page)
    assert set(reader.heads) == {"row"}
    assert "color-scheme" in page
    assert not re.search(r"https?:|src=|url\(|opacity|class=\"[^b]", page)


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
    assert opening(play(0), pack).corrected == ["countries.countries.england.aliases: en 英 英国 イギリス → gb"]


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


def test_an_order_behind_a_japanese_colon_stays_in_one_piece(midgame):
    say = Catalogue(midgame.game, midgame.components, "ja", midgame.names)
    order = "carmarthen=lord_herbert"
    for wide in (order, "x" * 2 * COLUMNS):
        asked = question(options=[Option(wide, "この損失", follows=("残り2",), named=False)], default=wide)
        lines = question_lines(asked, say, 20)
        assert not re.search("[\ue000-\uf8ff]", "".join(lines))
        assert [line for line in lines if width(line) > COLUMNS] == []
        assert wide != order or any(order in line for line in lines)
