"""Acts of a negotiation, and press."""

from __future__ import annotations

from tests.toy.letters import fates, reasons, send
from tests.toy.playing import start, to_ballot, to_talk


def test_several_acts_in_one_letter():
    game = to_talk(start())
    receipt = send(game, "england", "propose france 3", "propose to=spain price=2", "done", "hold")
    assert fates(receipt) == [(2, "acted"), (3, "acted"), (4, "acted"), (5, "waiting")]
    assert [a.text for a in receipt.accepted][:2] == ["5: propose to=france price=3", "5: propose to=spain price=2"]
    send(game, "france", "negotiation: accept england-france-1 give=1", "5: done")
    send(game, "spain", "done")
    told = [line.args for line in game.table.lines[-3:]]
    assert told == [
        {"id": "england-france-1", "parties": ["england", "france"]},
        {"count": 1},
        {"seat": "england", "what": "hold"},
    ]


def test_those_behind_an_act_that_is_refused_are_refused():
    game = to_talk(start())
    receipt = send(game, "england", "propose france 10", "done", "action: hold")
    assert reasons(receipt) == [(2, "answer.out_of_range"), (3, "orders.behind"), (4, "orders.behind")]
    assert game.talk.done == set()
    assert game.queue == []


def test_nothing_comes_after_done():
    game = to_talk(start())
    receipt = send(game, "england", "done", "5: propose france 3")
    assert reasons(receipt) == [(3, "orders.after_done")]
    assert game.talk.done == {"england"}


def test_press_is_handed_on():
    game = start()
    receipt = send(game, "spain", "BEGIN PRESS to=England, france", "Peace?", "END PRESS")
    assert [(p.to, p.text, p.line) for p in receipt.press] == [(["england", "france"], "Peace?", 2)]
    assert fates(receipt) == [(2, "press")]
    assert reasons(send(game, "spain", "BEGIN PRESS to=portugal", "x", "END PRESS")) == [
        (2, "order_block.unknown_seat")
    ]


def test_private_press_where_the_rules_forbid_it():
    game = to_ballot(start())
    receipt = send(game, "spain", "BEGIN PRESS to=england", "x", "END PRESS", "BEGIN PRESS to=all", "y", "END PRESS")
    assert reasons(receipt) == [(2, "press.not_now")]
    assert [p.to for p in receipt.press] == [["all"]]
