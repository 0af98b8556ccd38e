"""The letter as a whole: what of it is read, what makes it void, what tells it from others."""

from __future__ import annotations

import pytest

from pbem.orders.apply import execute_block
from pbem.orders.parser import read
from pbem.orders.reply_form import form
from tests.toy.letters import codes, fates, reasons, send, taken
from tests.toy.playing import POWERS, start, to_ballot


def test_the_receipt_says_what_of_the_letter_was_not_read():
    quoted = "> BEGIN ORDERS toy-1 england 0000-0000\n> 1: hold\n> END ORDERS\n"
    game = start()
    own = f"BEGIN ORDERS toy-1 england {codes(game, 'england')[0]}\n1: hold\n"
    assert [(remark.key, remark.line) for remark in taken(game, "england", quoted + own).remarks] == [
        ("incoming.quoted", 1),
        ("incoming.no_end", 5),
    ]


def test_a_quoted_reply_form_is_no_news():
    """Every mail program quotes the letter that it answers."""
    game = start()
    asked = form(game, "england", game="toy-1", code=codes(game, "england")[0])
    own = asked.replace("1: hold", "1: march vienna pressburg")
    quoted = "".join(f"> {line}\n" for line in asked.splitlines())
    assert taken(game, "england", f"{own}\nOn Friday you wrote:\n{quoted}").remarks == []
    twice = "".join(f"> > {line}\n" for line in own.splitlines())
    (block,) = read(f"{own}\n{quoted}\n{twice}").blocks
    assert [finding.key for finding in block.findings] == ["incoming.quoted"]


# -- letters that are not carried out --------------------------------------------------------------------------------


def snapshot(game):
    return (game.digest(), list(game.queue), list(game.standing), list(game.settings), dict(game.sealed), game.n)


@pytest.mark.parametrize(
    ("head", "key", "verdict"),
    [
        ("toy-1 england 0000-0000", "order_block.stale", "stale"),
        ("toy-1 england", "order_block.no_code", "wrong"),
        ("toy-2 england {code}", "order_block.wrong_game", "wrong"),
        ("toy-1 france {code}", "order_block.wrong_seat", "wrong"),
        ("toy-1 portugal {code}", "order_block.unknown_seat", "wrong"),
        ("toy-1", "order_block.header", "wrong"),
    ],
)
def test_a_letter_that_does_not_fit_changes_nothing(head, key, verdict):
    game = start()
    before = snapshot(game)
    text = f"BEGIN ORDERS {head.format(code=codes(game, 'england')[0])}\nhold\nstanding all: pass\nEND ORDERS"
    receipt = taken(game, "england", text)
    assert (receipt.problem.key, receipt.verdict) == (key, verdict)
    assert snapshot(game) == before
    assert [(o.q, o.kind) for o in receipt.open] == [(1, "action")]
    assert receipt.accepted == receipt.refused == []


def test_a_stale_letter_of_an_unknown_sender_learns_nothing():
    game = start()
    receipt = taken(game, "england", "BEGIN ORDERS toy-1 england 0000-0000\nhold\nEND ORDERS", seat="")
    assert receipt.problem.key == "order_block.stale"
    assert receipt.open == receipt.standing == receipt.queue == []


def test_an_old_code_is_stale_once_its_question_is_closed():
    game = start()
    old = codes(game, "england")[0]
    for seat in POWERS:
        game.submit(seat, "hold")
    assert taken(game, "england", f"BEGIN ORDERS toy-1 england {old}\nhold\nEND ORDERS").verdict == "stale"


def test_seats_are_known_by_name_and_moderators_need_no_code():
    game = to_ballot(start())
    assert (
        taken(game, "spain", "BEGIN ORDERS TOY-1 スペイン\naccept\nEND ORDERS", codes=None, seat="").verdict == "taken"
    )
    assert game.sealed["spain"].answer == "accept"


def test_test_tries_everything_and_does_nothing():
    game = start()
    before = snapshot(game)
    receipt = send(game, "england", "march vienna venice", "hold", "standing ballot: accept", "test", "nonsense: 5")
    assert receipt.verdict == "tried"
    assert fates(receipt) == [(2, "checked"), (3, "waiting"), (4, "checked"), (5, "test")]
    assert reasons(receipt) == [(6, "orders.kind")]
    assert receipt.press == []
    assert snapshot(game) == before
    assert game.notes == []


def test_a_game_that_is_over():
    game = start()
    while not game.over:
        if game.asked() == ("england",) and game.now.kind == "speech":
            send(game, "england", '"farewell"')
        else:
            game.time_up()
    (block,) = read("BEGIN ORDERS toy-1 spain\nhold\n99: x\nEND ORDERS").blocks
    assert reasons(execute_block(game, block, game="toy-1")) == [(2, "order_block.over"), (3, "order_block.over")]


# -- digests ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line", ["HOLD", "1: hold", "hol", "action: Hold", "１：ｈｏｌｄ", '"hold"', "hold   # for now"]
)
def test_equal_orders_have_equal_digests_however_they_are_spelled(line):
    assert send(start(), "england", line).digest == send(start(), "england", "hold").digest


def test_other_orders_have_other_digests():
    letters = (["hold"], ["march vienna pressburg"], ["hold", "hold"], ["hodl"], ["hodl", "hold"], ["test", "hold"])
    press = [["BEGIN PRESS to=all", text, "END PRESS"] for text in ("Peace?", "War!")]
    digests = [send(start(), "england", *lines).digest for lines in (*letters, *press)]
    assert len(set(digests)) == len(digests)
