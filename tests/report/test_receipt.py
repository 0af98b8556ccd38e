"""Receipts in words: every verdict, every fate, every reason."""

import pytest

import games
from pbem import LANGUAGES
from pbem.data_cache import messages
from pbem.kernel.referee import components_of
from pbem.kernel.rejections import rejection
from pbem.orders.receipt import PARTLY, Accepted, AcceptedPress, OpenQuestion, Receipt, Rejected, Remark
from pbem.report.messages import Catalogue, placeholders
from pbem.report.receipt import Answered, receipt_text, receipts_text
from pbem.report.short_email import refused
from pbem.report.text_width import width
from pbem.timestamps import moment

TEXTS = messages("pbem.report", "en").items()
ENGLISH = {key.removesuffix(".other"): text for key, text in TEXTS if not key.endswith(".one")}
RESULT = "receipt.result."
FATES = [key.removeprefix(RESULT) for key in ENGLISH if key.startswith(RESULT) and not key.startswith(f"{RESULT}done.")]
REMARKS = ["note.copy", "note.stands", *(key for key in ENGLISH if key.startswith("incoming."))]
BLOCKS = [key for key in ENGLISH if key.startswith("order_block.")]


@pytest.fixture(params=LANGUAGES)
def say(request):
    game = games.load("sixteen_thirty")
    return Catalogue(game, components_of(game, {})[1], request.param)


def arguments(key):
    return dict.fromkeys(placeholders(ENGLISH[key]), 3)


def full():
    return Receipt(
        game="g-07",
        seat="amber",
        verdict=PARTLY,
        accepted=[
            Accepted(n + 1, f"line {fate}", fate, arguments(f"receipt.result.{fate}")) for n, fate in enumerate(FATES)
        ],
        refused=[
            Rejected(
                40, "cal spain", rejection("answer.unknown", word="cal", rule="5", near=["call"]).problem, "call spain"
            ),
            Rejected(41, "call oz", rejection("vote.no_influence", country="spain").problem),
        ],
        comments=[3, 4],
        remarks=[Remark(key, arguments(key)) for key in REMARKS],
        replaced=["12: call spain side"],
        press=[AcceptedPress(["black", "green"], "Hello", 9)],
        open=[
            OpenQuestion(
                12, "lost", "5", "turn", "ask.lost", {"country": "spain"}, default="spain-1a", syntax="<card>"
            ),
            OpenQuestion(12, "ballot", "5", "ballot", "ask.partner", answer="black", sealed=True),
        ],
        queue=["special: pass"],
        standing=["standing call: spain"],
        settings=["ask all: never"],
        digest="3f9c-a1d2-0000-1111",
    )


def test_everything_is_said(say, frame):
    receipt = full()
    text = receipt_text(receipt, say, frame)
    assert say.missing == set()
    assert "{" not in text
    lines = text.splitlines()
    for accepted in receipt.accepted:
        assert f"  {accepted.text}" in lines  # whole on a line of its own, so that it can be copied
    for rejected in receipt.refused:
        assert f"  {rejected.text}" in lines
        assert say.text("receipt.line", line=rejected.line, why="").rstrip() in text
    assert f"    {say.text('receipt.offer', text='call spain')}" in lines
    for words in ("call spain", "12: call spain side", "special: pass", "standing call: spain", "ask all: never"):
        assert words in text
    assert "3f9c-a1d2-0000-1111" in text
    assert "ab" * 32 in text
    assert "[5]" in text
    assert [line for line in text.splitlines() if width(line) > 72] == []


def test_refusals_come_first(say):
    text = receipt_text(full(), say)
    assert text.index("cal spain") < text.index("line answered")


def test_deadline_in_both_zones(say, frame):
    text = receipt_text(full(), say, frame)
    assert "Europe/Berlin" in text
    assert "Asia/Tokyo" in text


def answered(receipts, **more):
    return [Answered([receipt], moment("2026-05-01T14:07:00Z"), "Re: question 28", **more) for receipt in receipts]


def test_receipts_in_a_letter_say_everything_but_what_is_open(say):
    """The letter itself says what is open, once: each receipt would show another moment."""
    receipt = full()
    letters = answered([receipt, Receipt("g-07", "amber", "stale", problem=rejection("order_block.stale").problem)])
    said = receipts_text(letters, say, "Asia/Tokyo", 60)
    assert say.missing == set()
    assert "{" not in said
    for entry in (*receipt.accepted, *receipt.refused):
        assert entry.text in said
    assert "12: call spain side" in said  # replaced
    assert "3f9c-a1d2-0000-1111" in said
    assert said.count("Re: question 28") == 2
    assert said.count("23:07 JST") == 2
    for gone in (f"{say.text('receipt.open').upper()}\n", "standing call: spain", "ask all: never"):
        assert gone not in said
    assert [line for line in said.splitlines() if width(line) > 60] == []


def test_which_letter_a_receipt_is_for(say):
    one, two = receipts_text(answered([full()]), say, ""), receipts_text(answered([full()] * 2), say, "")
    assert "1. " not in one.splitlines()[2]
    assert [two.count(f"\n{number}. ") for number in (1, 2, 3)] == [1, 1, 0]
    entered = receipts_text(answered([full()], by_mail=False), say, "")
    assert entered.splitlines()[2] != one.splitlines()[2]
    long = [Answered([full()], moment("2026-05-01T14:07:00Z"), "長い件名" * 30)]
    assert [line for line in receipts_text(long, say, "", 60).splitlines() if width(line) > 60] == []


def test_what_a_player_wrote_is_no_markup(say):
    bad = rejection("answer.unknown", word="<b>").problem
    receipt = Receipt("g-07", "amber", PARTLY, refused=[Rejected(3, "<b>&x", bad, "<i>")])
    page = refused(receipt, say).html
    assert not {"<b>", "<i>"} & {page[at : page.find(">", at) + 1] for at in range(len(page))}
    assert "&lt;b&gt;&amp;x" in page


def test_a_title_that_repeats_the_verdict_is_left_out(say):
    receipt = full()
    for kept in ("accepted", "refused"):
        gone = "refused" if kept == "accepted" else "accepted"
        only = Receipt("g-07", "amber", "taken", **{kept: getattr(receipt, kept)})
        text = receipts_text(answered([only]), say, "")
        for key in ("receipt.accepted", "receipt.rejected"):
            assert say.text(key).upper() not in text.splitlines(), gone


@pytest.mark.parametrize("verdict", ["taken", "partly", "refused", "stale", "wrong", "tried"])
def test_verdicts(say, verdict):
    text = receipt_text(Receipt("g-07", "amber", verdict), say)
    assert say.missing == set()
    assert len(text.splitlines()) >= 3


@pytest.mark.parametrize("key", BLOCKS)
def test_block_that_was_not_executed(say, key):
    problem = rejection(key, **arguments(key)).problem
    text = receipt_text(Receipt("g-07", "amber", "wrong", problem=problem), say)
    assert say.missing == set()
    assert say.render_problem(problem)[:12] in text.replace("\n", "")


def test_all_answered(say):
    receipt = Receipt("g-07", "amber", "taken", open=[OpenQuestion(1, "x", "", "turn", "ask.remove", answer="pass")])
    text = receipt_text(receipt, say)
    assert say.text("receipt.all_answered") in text
    assert "pass" in text


def test_lines_that_were_refused_for_the_same_reason_have_it_once():
    from pbem.kernel.rejections import RejectionReason
    from pbem.orders.receipt import Receipt, Rejected
    from pbem.report.messages import report_messages
    from pbem.report.short_email import refused

    why = RejectionReason("reply.differ", {"first": "red", "second": "blue"})
    lines = [Rejected(1, "red", why), Rejected(2, "29: blue", why), Rejected(3, "x", RejectionReason("orders.empty"))]
    receipt = Receipt("g", "amber", "refused", 1, refused=lines)
    text = refused(receipt, report_messages("en")).text
    assert text.count("email gives two") == 1
    assert text.index("  red\n  29: blue\n") < text.index("email gives two") < text.index("  x\n")
