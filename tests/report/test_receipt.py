"""Receipts in words: every verdict, every fate, every reason."""

import pytest

import games
from pbem.kernel.problems import refuse
from pbem.kernel.referee import components_of
from pbem.orders.messages import ENGLISH
from pbem.orders.receipt import PARTLY, Accepted, Letter, OpenQuestion, Receipt, Rejected, Remark
from pbem.report import LANGUAGES, Catalogue, receipt_text
from pbem.report.catalogue import holes
from pbem.report.cells import width

FATES = [key.removeprefix("fate.") for key in ENGLISH if key.startswith("fate.")]
REMARKS = [key for key in ENGLISH if key.startswith(("note.", "letter."))]
BLOCKS = [key for key in ENGLISH if key.startswith("block.")]


@pytest.fixture(params=LANGUAGES)
def say(request):
    game = games.load("sixteen_thirty")
    return Catalogue(game, components_of(game, {})[1], request.param)


def arguments(key):
    return dict.fromkeys(holes(ENGLISH[key]), 3)


def full():
    return Receipt(
        game="g-07",
        seat="amber",
        verdict=PARTLY,
        accepted=[
            Accepted(n + 1, f"line {fate}", fate, arguments(f"fate.{fate}")) for n, fate in enumerate(FATES)
        ],
        refused=[
            Rejected(
                40,
                "cal spain",
                refuse("answer.unknown", word="cal", rule="5", near=["call"]).problem,
                "call spain",
            ),
            Rejected(41, "call oz", refuse("vote.no_influence", country="spain").problem),
        ],
        comments=[3, 4],
        remarks=[Remark(key, arguments(key)) for key in REMARKS],
        replaced=["12: call spain side"],
        press=[Letter(["black", "green"], "Hello", 9)],
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
    for one in (*receipt.accepted, *receipt.refused):
        assert f"{one.line}: {one.text}" in text
    for words in (
        "call spain",
        "12: call spain side",
        "special: pass",
        "standing call: spain",
        "ask all: never",
    ):
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


@pytest.mark.parametrize("verdict", ["taken", "partly", "refused", "stale", "wrong", "tried"])
def test_verdicts(say, verdict):
    text = receipt_text(Receipt("g-07", "amber", verdict), say)
    assert say.missing == set()
    assert len(text.splitlines()) >= 3


@pytest.mark.parametrize("key", BLOCKS)
def test_block_that_was_not_executed(say, key):
    problem = refuse(key, **arguments(key)).problem
    text = receipt_text(Receipt("g-07", "amber", "wrong", problem=problem), say)
    assert say.missing == set()
    assert say.render_problem(problem)[:12] in text.replace("\n", "")


def test_all_answered(say):
    receipt = Receipt(
        "g-07", "amber", "taken", open=[OpenQuestion(1, "x", "", "turn", "ask.remove", answer="pass")]
    )
    text = receipt_text(receipt, say)
    assert say.text("receipt.all_answered") in text
    assert "pass" in text
