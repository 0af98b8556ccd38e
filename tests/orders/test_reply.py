"""What the referee writes: the reply form, canonical lines, the receipt in English."""

from __future__ import annotations

from pbem.kernel.domains import Amount, Choice, Form, Series, Subset
from pbem.kernel.order_words import Names
from pbem.orders.apply import execute_block
from pbem.orders.context import SeatQuestion
from pbem.orders.parser import read
from pbem.orders.reply_form import form, form_for
from pbem.report.text_width import width
from tests.orders.blocks import canonical
from tests.toy.letters import codes, fates, reasons, send, taken
from tests.toy.playing import start, to_ballot


def test_the_form_sent_back_untouched_says_what_it_shows():
    game = start()
    text = form(game, "england", game="toy-1", code=codes(game, "england")[0], syntax=lambda how: f"{'あ' * 60} {how}")
    assert all(width(line) <= 72 for line in text.splitlines())
    assert "\n1: hold\n" in text
    assert fates(taken(game, "england", text))[0][1] == "answered"
    to_ballot_game = to_ballot(start())
    send(to_ballot_game, "spain", "reject")
    assert "4: reject" in form(to_ballot_game, "spain", game="toy-1", code="x")
    assert "4: abstain" in form(to_ballot_game, "france", game="toy-1", code="x")
    assert form(start(), "france", game="toy-1", code="x").splitlines()[-1] == "END ORDERS"


def test_the_form_has_no_answer_where_no_default_is_safe():
    game = start()
    while game.table.state.turn <= 3:
        game.time_up()
    text = form(game, "england", game="toy-1", code=codes(game, "england")[0])
    assert f"\n{game.q}: ?\n" in text
    assert reasons(taken(game, "england", text))[0][1] == "orders.empty"
    long = '"' + "word " * 14 + 'word"'
    receipt = send(game, "england", f"test\n{long}")
    assert receipt.accepted[0].fate == "test"


def test_every_accepted_line_reads_to_the_same_meaning_again():
    lines = [
        "march vienna press regulars=2",
        "balot: x",
        "ballot: accept",
        "standing ball: accept if mover=Spain",
        "ask any: never",
        "stop if turn=2",
        "bold: action: hold",
    ]
    receipt = send(start(), "england", *lines)
    again = send(start(), "england", *[accepted.text for accepted in receipt.accepted])
    assert [accepted.text for accepted in again.accepted] == [accepted.text for accepted in receipt.accepted]
    assert [accepted.fate for accepted in again.accepted if accepted.fate != "waiting"] == [
        "answered",
        "standing",
        "asking",
        "stop",
    ]
    (block,) = read(
        "\n".join(["BEGIN ORDERS a b", *[accepted.text for accepted in receipt.accepted], "END ORDERS"])
    ).blocks
    assert canonical(block).splitlines()[1:-1] == [accepted.text for accepted in receipt.accepted]


def test_the_form_says_which_few_words_can_be_written():
    game = to_ballot(start())
    lines = form(game, "france", game="toy-1", code="x", word=str.upper).splitlines()
    assert "# 4: accept|reject|abstain" in lines  # the syntax says it already
    named = Choice(("fleet", "army"), "unit")
    question = SeatQuestion(3, "k", "", Form(using=named, count=Amount(1, 3)))
    text = form_for(question, "spain", game="g", code="c", word=str.upper)
    assert "# 3: <using> count=<1-3>\n# <using>: FLEET | ARMY\n" in text
    alone = form_for(SeatQuestion(3, "k", "", named), "spain", game="g", code="c")
    assert "# 3: fleet | army\n" in alone
    some = Subset(("fleet", "army", "fort"), 1, 2, what="unit")
    text = form_for(SeatQuestion(3, "k", "", Form(take=some)), "spain", game="g", code="c")
    assert "# 3: take=1-2 of <unit>\n# <unit>: fleet | army | fort\n" in text
    row = Series(named, 1, 3, "unit")
    text = form_for(SeatQuestion(3, "k", "", row), "spain", game="g", code="c")
    assert "# 3: 1-3 x <unit>\n# <unit>: fleet | army\n" in text
    many = Choice(tuple(f"card-{number}" for number in range(30)), "card")
    assert "# 3: <card>\n3: ?" in form_for(SeatQuestion(3, "k", "", many), "spain", game="g", code="c")


def test_the_form_calls_equal_cards_by_what_is_printed_on_them():
    names = Names({}, {}, {"spain-1a": "spain-1", "spain-1b": "spain-1", "war-c": "war"})
    hand = Subset(("spain-1a", "spain-1b", "war-c"), 2, 2, what="card")
    question = SeatQuestion(3, "k", "", hand, default="spain-1a spain-1b")
    text = form_for(question, "spain", game="g", code="c", names=names)
    assert "\n3: spain-1 spain-1\n" in text
    assert hand.parse("spain-1 spain-1", names) == ["spain-1a", "spain-1b"]
    # Where a face would mean something else, the id stands.
    late = SeatQuestion(3, "k", "", Choice(("spain-1", "spain-1b"), "card"), default="spain-1b")
    assert "\n3: spain-1b\n" in form_for(late, "spain", game="g", code="c", names=names)


def test_comments_of_the_form_are_nobodys_and_changed_ones_are_told():
    """Who edits the comment above the answer instead of the answer must hear that it was not read."""
    game = start()
    text = form(game, "england", game="toy-1", code=codes(game, "england")[0], syntax=lambda how: "how " * 40)
    (block,) = read(text).blocks
    receipt = execute_block(game, block, game="toy-1", seat="england")
    assert receipt.comments == receipt.form == [2, 3, 4, 5]
    edited = "\n".join([*text.splitlines()[:4], "# 1: march vienna pressburg", *text.splitlines()[5:]])
    (block,) = read(edited).blocks
    receipt = execute_block(start(), block, game="toy-1", seat="england")
    assert receipt.comments == [2, 3, 4, 5]
    assert receipt.form == [2]
