"""`next:` answers the first question of the next turn: it is checked now, waits, and is held by public changes."""

from __future__ import annotations

from functools import partial

import msgspec
import pytest

from pbem.kernel.questions import Ask
from pbem.kernel.referee import QUEUED, Referee
from pbem.orders.context import context_from
from pbem.orders.offline_check import check
from pbem.report.viewfile import view_file
from tests.orders.test_ahead import go
from tests.toy.game import GAME, orders
from tests.toy.letters import codes, fates, reasons, send
from tests.toy.playing import campaign


def coming(table, seat, asked):
    """The order of a seat's next turn, in a game of three turns a round."""
    if asked:
        return None
    about = {"mover": seat, "space": table.state.at[seat]}
    return Ask(seat, "action", partial(orders, table, seat), "3", "hold", about=about)


@pytest.fixture
def referee() -> Referee:
    game = msgspec.structs.replace(GAME, next_turn=coming)
    return Referee.new(game, campaign(seed="00" * 32))


def queued(referee: Referee) -> list[str]:
    return [str(entry) for entry in referee.queue]


def test_it_waits_for_the_question_that_begins_the_next_turn(referee):
    receipt = send(referee, "france", "next: march vienna pressburg")
    assert fates(receipt) == [(2, "waiting")]
    assert receipt.accepted[0].text == "action: march vienna pressburg"
    assert queued(referee) == ["action: march vienna pressburg"]
    send(referee, "england", "hold")
    assert [(move.seat, move.how) for move in referee.moves if move.kind == "action"][-1] == ("france", QUEUED)


def test_what_is_illegal_now_is_rejected_with_what_was_meant(referee):
    receipt = send(referee, "france", "next: march vienna presburg")
    assert reasons(receipt)[0][0] == 2
    assert receipt.refused[0].offer == "next: march vienna pressburg"
    assert referee.queue == []


def test_a_new_one_replaces_it_and_clear_takes_it_back(referee):
    send(referee, "france", "next: march vienna pressburg", via="<1>")
    receipt = send(referee, "france", "next: hold", via="<2>")
    assert receipt.replaced == ["action: march vienna pressburg"]
    assert queued(referee) == ["action: hold"]
    assert fates(send(referee, "france", "clear", via="<3>")) == [(2, "cleared")]
    assert referee.queue == []


def test_it_is_held_if_what_it_names_has_changed(referee):
    send(referee, "france", "next: march venice milan")
    go(referee, "england", "march venice milan")
    assert [entry.held for entry in referee.queue] == [True]


def test_who_is_asked_answers_his_question(referee):
    assert reasons(send(referee, "england", "next: hold")) == [(2, "orders.no_next")]


@pytest.fixture
def voting() -> Referee:
    """A sealed question, next to which the order of the next turn can be written."""
    game = msgspec.structs.replace(GAME, next_turn=lambda table, seat, asked: coming(table, seat, False))
    referee = Referee.new(game, campaign(seed="00" * 32))
    while referee.pending()[0].kind != "ballot" or not referee.domain(referee.waiting()[-1]).accepts("reject"):
        seat, *_ = referee.waiting()
        referee.submit(seat, next(iter(referee.domain(seat).options())))
    return referee


@pytest.mark.parametrize("line", ["reject then hold", "ballot: reject then hold", "{q}: reject、その後 hold"])
def test_a_sealed_answer_and_the_next_turn_in_one_line(voting, line):
    seat = voting.waiting()[-1]
    receipt = send(voting, seat, line.format(q=voting.q))
    assert [(line.text, line.fate) for line in receipt.accepted] == [
        (f"{voting.q}: reject", "sealed"),
        ("action: hold", "waiting"),
    ]
    assert voting.sealed[seat].answer == "reject"


def test_what_follows_another_answer_is_dropped_with_it(voting):
    seat = voting.waiting()[-1]
    send(voting, seat, "reject then hold", via="<1>")
    assert send(voting, seat, "abstain", via="<2>").replaced == ["action: hold", f"{voting.q}: reject"]
    assert queued(voting) == []
    send(voting, seat, "action: hold", via="<3>")
    send(voting, seat, "reject", via="<4>")
    assert queued(voting) == ["action: hold"]


def test_only_the_second_part_is_rejected_with_its_reason(voting):
    seat = voting.waiting()[-1]
    receipt = send(voting, seat, "reject then fly")
    assert fates(receipt) == [(2, "sealed")]
    assert [line for line, _ in reasons(receipt)] == [2]
    assert queued(voting) == []


def test_what_it_asks_follows_from_what_the_seat_may_know(referee):
    """The secret of another hand is dealt again, whatever it is."""
    later = referee.next_turn("france")
    assert later is not None
    assert later.table is not referee.table
    assert later.pending_to("france").kind == "action"
    assert referee.next_turn("england") is None
    before = referee.digest()
    later.domain("france").check("hold")
    assert referee.digest() == before


def test_a_player_file_checks_it_offline(referee):
    view = view_file(referee, "france")
    assert context_from(view).next_turn().kind == "action"
    (code,) = codes(referee, "france")
    view |= {"game": "toy-1", "code": code}
    lines = ["next: march vienna pressburg", "next: fly"]
    text = "\n".join([f"BEGIN ORDERS toy-1 france {code}", *lines, "END ORDERS"])
    (receipt,) = check(view, text)
    assert [line.text for line in receipt.accepted] == ["action: march vienna pressburg"]
    assert [line.line for line in receipt.refused] == [3]
