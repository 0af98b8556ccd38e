import re

import pytest

from pbem.kernel.dice import commitment
from pbem.kernel.pack import load_pack, merge_pack
from pbem.report import LANGUAGES, Frame, build, compose, opening
from pbem.report.catalogue import Catalogue
from pbem.report.cells import width
from pbem.report.letter import REMINDER
from pbem.report.model import Fact

FORM = "BEGIN ORDERS g-07 green 3f9c-a1d2\n119: nobody\nEND ORDERS\n"


@pytest.fixture(params=LANGUAGES)
def language(request):
    return request.param


def first_screen(text):
    return text.partition("-" * 60)[0]


def test_first_screen_news_then_task_then_time_then_form(midgame, frame):
    report = build(midgame, midgame.asked()[0], lines=midgame.table.lines[-5:], frame=frame)
    letter = compose(report, form=FORM)
    marks = [
        "WHAT HAS HAPPENED",
        "WHAT YOU MUST DO",
        "Answer by:",
        ", game time",
        ", your time",
        "HOW TO ANSWER",
        FORM,
    ]
    found = [first_screen(letter.text).index(mark) for mark in marks]
    assert found == sorted(found)
    assert "COUNTRIES" not in first_screen(letter.text)
    assert "COUNTRIES" in letter.text


def test_first_screen_is_short(midgame, frame, language):
    """Even with a long log the essentials fit a phone's screen or two, in short lines."""
    for seat in midgame.table.seats:
        report = build(midgame, seat, language, lines=midgame.table.lines, frame=frame)
        lines = first_screen(compose(report, form=FORM).text).splitlines()
        assert [line for line in lines if width(line) > 60] == []
        assert len(lines) < 50


def test_long_news_stand_in_full_below(midgame, frame):
    report = build(midgame, "green", lines=midgame.table.lines, frame=frame)
    letter = compose(report)
    assert f"({len(report.news) - 8} earlier lines" in letter.text
    below = letter.text.partition("EVERYTHING SINCE YOUR LAST LETTER")[2]
    assert re.sub(r"\s+", " ", report.news[0].text) in re.sub(r"\s+", " ", below)


def test_form_is_put_in_as_it_is(midgame, frame, language):
    form = "BEGIN ORDERS g-07 green 3f9c-a1d2\n119: " + "x" * 200 + "\nEND ORDERS"
    letter = compose(build(midgame, "green", language, frame=frame), form=form)
    assert form in letter.text
    assert form in letter.html


def test_subject(midgame, play, frame, language):
    seat = midgame.asked()[0]
    other = next(one for one in midgame.table.seats if one not in midgame.asked())
    report = build(midgame, seat, language, frame=frame)
    assert compose(report).subject.startswith("[g-07] ")
    assert str(midgame.q) in compose(report).subject
    # A phone shows the first words only: what to do comes before the name of the game.
    assert compose(report).subject.index(str(midgame.q)) < compose(report).subject.index(report.title)
    assert report.deadline[0] in compose(report).subject
    assert compose(report, kind=REMINDER).subject != compose(report).subject
    quiet = compose(build(midgame, other, language, frame=frame)).subject
    assert report.deadline[0] not in quiet
    assert "\n" not in quiet


def test_subject_tells_nothing_of_hands_or_news(play, frame, language):
    """The same subject whatever the seat holds: it may be read on a locked screen."""
    subjects = set()
    for chance in (1, 2):
        referee = play(0)
        referee.table.state.players["amber"].hand.reverse()
        if chance == 2:
            referee.table.state.players["amber"].hand.pop()
        lines = referee.table.lines[:chance]
        subjects.add(compose(build(referee, "amber", language, lines=lines, frame=frame)).subject)
    assert len(subjects) == 1


def test_reminder_says_so(midgame, frame):
    report = build(midgame, midgame.asked()[0], frame=frame)
    assert "A reminder" in first_screen(compose(report, kind=REMINDER).text)
    assert "A reminder" in compose(report, kind=REMINDER).html
    assert "A reminder" not in compose(report).text


def test_first_letter_commits_to_the_dice(play, frame, language):
    referee = play(0, neighbours_only=1)
    start = opening(referee, load_pack("games.sixteen_thirty"), language)
    letter = compose(build(referee, "amber", language, lines=referee.table.lines, frame=frame), opening=start)
    for text in (letter.text, letter.html):
        assert commitment(bytes.fromhex(referee.setup.seed)) in text
        assert referee.setup.seed not in text
        assert "neighbours_only = 1" in text
        assert "S-01" in text
        assert "copies" in text
    assert start.facts["reconstructed"] > 0
    assert start.corrected == []


def test_first_letter_names_corrections(play):
    base = load_pack("games.sixteen_thirty")
    pack = merge_pack(base, {"countries": {"england": {"aliases": ["gb"]}}}, check=lambda tables: [])
    assert opening(play(0), pack).corrected == ["countries: aliases (1)"]


def test_last_letter(play, frame, language):
    referee = play(3000)
    assert referee.over
    report = build(referee, "amber", language, lines=referee.table.lines[-6:], frame=frame)
    letter = compose(report, seed=referee.setup.seed)
    assert referee.setup.seed in letter.text
    assert referee.setup.seed in letter.html
    assert "`pbem bundle verify FILE`" in " ".join(letter.text.split())  # he has no save to audit
    assert report.result
    assert report.result.split("。")[0].split(".")[0] in letter.text
    assert "119" not in letter.subject


def test_receipt_comes_before_the_news(midgame, frame):
    report = build(midgame, "green", lines=midgame.table.lines[-3:], frame=frame)
    text = compose(report, receipt="Receipt\nline two").text
    assert text.index("Receipt\nline two") < text.index("WHAT HAS HAPPENED")


def test_whoever_owes_nothing_is_not_told_how_to_answer(midgame, frame, language):
    asked = midgame.asked()[0]
    other = next(one for one in midgame.table.seats if one not in midgame.asked())
    ui = Catalogue(None, language=language)
    answer, write = ui.text("mail.how"), ui.text("mail.write")
    for seat, right, wrong in ((asked, answer, write), (other, write, answer)):
        letter = compose(build(midgame, seat, language, frame=frame), form=FORM)
        assert f"\n{right.upper()}\n" in letter.text
        assert f"\n{wrong.upper()}\n" not in letter.text
        assert f"<h2>{right}</h2>" in letter.html
        assert f"<h2>{wrong}</h2>" not in letter.html


def test_what_became_of_lines_in_advance_stands_on_the_first_screen(midgame, frame, language):
    """They may want a word from their writer: `resume`."""
    seat = midgame.asked()[0]
    report = build(midgame, seat, language, frame=frame)
    report.notes = ["Held: call spain side. Write resume."]
    letter = compose(report, form=FORM)
    assert "call spain side" in first_screen(letter.text)
    assert letter.text.count("call spain side") == 1
    assert letter.html.count("call spain side") == 1
    assert letter.html.index("call spain side") < letter.html.index("<pre>")


def test_scores_are_not_torn_apart(midgame, frame):
    report = build(midgame, midgame.asked()[0], "ja", frame=frame)
    report.scores = [Fact(str(n), f"神聖ローマ帝国{n}", "12", 12) for n in range(9)]
    lines = first_screen(compose(report).text).splitlines()
    assert all(any(f"神聖ローマ帝国{n} 12" in line for line in lines) for n in range(9))
    assert [line for line in lines if width(line) > 60] == []


def test_letter_without_deadline_or_name(midgame, language):
    letter = compose(build(midgame, midgame.asked()[0], language, frame=Frame()))
    assert letter.subject.startswith("[sixteen_thirty] ")
    assert "{" not in letter.text + letter.subject


def test_nobody_asked_reads_who_is(midgame, frame):
    other = next(one for one in midgame.table.seats if one not in midgame.asked())
    text = compose(build(midgame, other, frame=frame)).text
    for seat in midgame.asked():
        assert midgame.names.of(seat) in text.partition("WHAT YOU MUST DO")[2].partition("\n\n")[0]
