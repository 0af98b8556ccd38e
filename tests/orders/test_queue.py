"""Lines for later: when they are used, what holds them, what a new letter replaces."""

from __future__ import annotations

from typing import Any

from pbem.orders.context import drop_expired
from tests.toy.letters import fates, reasons, send
from tests.toy.playing import start, to_ballot


def test_lines_that_come_early_wait_and_play_on():
    game = start()
    assert fates(send(game, "spain", "march milan genoa", "ballot: accept")) == [(2, "waiting"), (3, "waiting")]
    assert fates(send(game, "france", "hold", "abstain")) == [(2, "waiting"), (3, "waiting")]
    receipt = send(game, "england", "hold", "ballot: reject")
    assert fates(receipt) == [(2, "answered"), (3, "waiting")]
    for seat in ("england", "france"):
        send(game, seat, "pass")
    assert game.table.state.turn == 2
    votes = {line.args["seat"]: line.args["vote"] for line in game.table.lines if line.key == "vote"}
    assert votes == {"england": "reject", "france": "abstain", "spain": "accept"}


def test_a_whole_turn_in_one_letter_is_used_at_once():
    game = to_ballot(start())
    for seat in ("france", "spain"):
        send(game, seat, "accept")
    before = game.q
    send(game, "england", "ballot: accept")
    assert game.q == before + 1


def test_queued_lines_that_answer_at_once_are_told_as_used():
    game = start()
    game.submit("england", "hold")
    send(game, "spain", "hold")
    receipt = send(game, "france", "hold", "ballot: accept")
    assert fates(receipt) == [(2, "answered"), (3, "used")]
    assert [n for n in game.notes if n.seat == "france"] == []
    assert receipt.open[0].answer == "accept"


def test_a_queued_line_that_turns_out_wrong_takes_the_rest_with_it():
    game = start()
    game.submit("england", "hold")
    send(game, "spain", "hold")
    receipt = send(game, "france", "hold", "ballot: acept", "action: hold")
    assert reasons(receipt) == [(3, "answer.unknown"), (4, "orders.behind")]
    assert receipt.refused[0].offer == "4: accept"
    assert receipt.refused[0].problem.rule == "4"
    assert fates(receipt) == [(2, "answered")]
    assert all(entry.refused for entry in game.queue if entry.seat == "france")


def test_a_queued_line_that_was_refused_is_never_carried_out_later():
    """`a` may be accept or abstain: it is refused when its question comes, and must not answer a later one."""
    game = start()
    game.submit("england", "hold")
    send(game, "spain", "hold")
    receipt = send(game, "france", "hold", "ballot: a", "action: hold")
    assert reasons(receipt) == [(3, "answer.ambiguous"), (4, "orders.behind")]
    assert receipt.queue == []
    # Both are out, also if the word has one meaning only by now, or their writer wants his lines to go on.
    domain: Any = game.domain("france")
    domain.source = ("abstain", "reject")
    assert reasons(send(game, "france", "resume")) == [(2, "orders.nothing_held")]
    assert "france" not in game.sealed
    send(game, "france", "reject")
    game.submit("england", "reject")
    game.submit("spain", "reject")
    drop_expired(game)
    assert [entry.text for entry in game.queue if entry.seat == "france"] == []
    assert not [note for note in game.notes if note.seat == "france" and note.key.startswith("advance.")]


def test_a_surprise_holds_the_queue_and_resume_lets_it_go_on():
    game = start()
    send(game, "england", "march vienna venice", "ballot: accept", "action: hold")
    send(game, "spain", "pass")
    send(game, "france", "intercept army")
    assert [entry.held for entry in game.queue] == [True, True]
    assert {n.key for n in game.notes if n.seat == "england"} == {"advance.held"}
    game.submit("france", "hold")
    game.submit("spain", "hold")
    receipt = send(game, "england", "resume")
    assert fates(receipt) == [(2, "resumed")]
    assert receipt.accepted[0].args == {"count": 2}
    assert [entry.text for entry in game.queue] == ["hold"]
    assert "england" in game.sealed


def test_bold_lines_play_on_past_surprises():
    game = start()
    send(game, "england", "march vienna venice", "bold: ballot: accept", "ballot: reject")
    game.submit("spain", "pass")
    game.submit("france", {"do": "intercept", "using": "army"})
    assert [(e.text, e.bold, e.held) for e in game.queue] == [("accept", True, False), ("reject", False, True)]
    game = start()
    send(game, "england", "march vienna venice", "bold", "ballot: accept", "action: hold")
    assert all(entry.bold for entry in game.queue)


def test_brakes_hold_queued_lines_and_the_open_question():
    game = start()
    receipt = send(game, "spain", "hold", "stop if turn>=1, mover=france", "ballot: accept")
    assert receipt.accepted[1].text == "stop if turn>=1, mover=france"
    game.submit("england", "hold")
    game.submit("france", "hold")
    assert game.queue[0].held
    assert "advance.stopped" in [note.key for note in game.notes]
    receipt = send(game, "spain", "resume", "stop if phase=ballot", "accept")
    assert fates(receipt) == [(2, "resumed"), (3, "stop"), (4, "stopped")]


def test_resume_with_an_answer_keeps_the_earlier_lines():
    game = start()
    send(game, "england", "march vienna venice", "ballot: accept", "action: hold")
    game.submit("spain", "pass")
    game.submit("france", {"do": "intercept", "using": "army"})
    receipt = send(game, "england", "negotiation: done", "resume", "speech: hello")
    assert fates(receipt) == [(2, "waiting"), (3, "resumed"), (4, "waiting")]
    assert [entry.text for entry in game.queue] == ["done", "accept", "hold", "hello"]
    assert not any(entry.held for entry in game.queue)
    assert receipt.replaced == []
    assert reasons(send(game, "england", "resume")) == [(2, "orders.nothing_held")]


def test_those_behind_a_refused_line_are_refused():
    game = start()
    receipt = send(game, "england", "march vienna nowhere", "hold", "ballot: accept")
    assert game.q == 1
    assert reasons(receipt) == [(2, "answer.unknown"), (3, "orders.behind"), (4, "orders.behind")]
    assert game.queue == []
    assert receipt.refused[1].text == "hold"  # as it can be sent again
    receipt = send(start(), "england", "x" * 2000, "hold")
    assert reasons(receipt)[1] == (3, "orders.behind")


def test_stale_lines_are_swept_with_a_note():
    game = start()
    send(game, "spain", "2: hold", "bold: 9: hold", via="<v>")
    game.submit("england", "hold")
    drop_expired(game)
    assert [entry.q for entry in game.queue] == [2, 9]
    game.submit("france", "hold")
    drop_expired(game)
    assert [entry.q for entry in game.queue] == [9]
    assert [(n.seat, n.key, n.text, n.letter, n.line) for n in game.notes] == [
        ("spain", "advance.stale", "2: hold", "<v>", 2)
    ]


# -- replacing -------------------------------------------------------------------------------------------------------


def test_a_new_letter_replaces_queue_and_sealed_answer():
    game = to_ballot(start())
    send(game, "spain", "accept", "action: hold")
    receipt = send(game, "spain", "4: reject", "action: march vienna venice")
    assert receipt.replaced == ["action: hold", "4: accept"]
    assert game.sealed["spain"].answer == "reject"
    assert [entry.text for entry in game.queue] == ["march vienna venice"]
    assert receipt.open[0].answer == "reject"
    assert receipt.queue == ["action: march vienna venice"]


def test_answering_a_window_leaves_the_lines_for_later():
    game = start()
    send(game, "france", "hold", "action: hold")
    send(game, "england", "march vienna venice")
    receipt = send(game, "france", "pass")
    assert receipt.replaced == []
    assert receipt.queue == ["hold", "action: hold"]
    assert send(game, "france", "speech: x").replaced == ["hold", "action: hold"]


def test_a_letter_without_answers_replaces_nothing():
    game = to_ballot(start())
    send(game, "spain", "accept", "action: hold")
    receipt = send(game, "spain", "ask all: always", "BEGIN PRESS to=all", "hi", "END PRESS")
    assert receipt.replaced == []
    assert game.sealed["spain"].answer == "accept"
    assert len(game.queue) == 1


def test_a_refused_replacement_leaves_what_was_sent():
    game = to_ballot(start())
    send(game, "spain", "accept", "action: hold")
    receipt = send(game, "spain", "4: maybe")
    assert game.sealed["spain"].answer == "accept"
    assert [entry.text for entry in game.queue] == ["hold"]
    assert receipt.queue == ["action: hold"]
    assert [(r.key, r.args["text"]) for r in receipt.remarks] == [("note.stands", "accept")]


def test_clear_takes_back_all_above_it():
    game = to_ballot(start())
    send(game, "spain", "accept", "action: hold")
    receipt = send(game, "spain", "speech: x", "clear", "action: march vienna venice")
    assert fates(receipt) == [(2, "voided"), (3, "cleared"), (4, "waiting")]
    assert receipt.accepted[1].args == {"count": 3}
    assert "spain" not in game.sealed
    assert [entry.text for entry in game.queue] == ["march vienna venice"]
    assert receipt.open[0].answer == ""
    assert reasons(send(start(), "england", "clear")) == [(2, "orders.nothing_to_clear")]
