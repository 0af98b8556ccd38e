"""Votes of the players: an end by agreement, taking back, ending the waiting, a new player for a seat."""

from __future__ import annotations

from random import Random

import pytest

import games
from pbem.dev import synthetic_mail
from pbem.mail.moderator.clock_actions import pause
from pbem.mail.moderator.game_actions import rewind
from pbem.mail.moderator.journal import Actor
from pbem.save import load, verify
from tests.mail.desk_actions import HOUR
from tests.mail.desks import opened
from tests.mail.test_player_acts import DAY, address, own, seats, settings, tick, write


def test_an_end_is_agreed_on_by_all(begun):
    seat, other, *rest = seats(begun)
    texts = write(begun, seat, "end draw")
    assert "refuse 1" in texts[address(begun, seat)]
    assert "VOTE 1" in texts[address(begun, other)] or "投票1" in texts[address(begun, other)]
    for voter in (other, *rest[:-1]):
        assert set(write(begun, voter, "agree 1")) == {address(begun, voter)}  # nobody else reads of it
    assert not load(begun.save).header.over
    write(begun, rest[-1], "agree 1")
    save = load(begun.save)
    assert save.header.over
    assert save.header.result["agreed"] == "draw"
    assert save.header.result["winners"] == []
    assert save.moves[-1].kind == "agreed"
    verify(begun.save, games.load)
    assert opened(begun).referee.over


def test_what_nobody_else_decides_is_decided_at_once(begun):
    seat, *others = seats(begun)
    for other in others:
        write(begun, other, f"bot until {begun.now + 20 * DAY:%Y-%m-%d}")
    text = write(begun, seat, "end draw")[address(begun, seat)]
    assert load(begun.save).header.result["agreed"] == "draw"
    assert "it is decided" in text
    assert "are asked" not in text


@pytest.mark.parametrize("late", [False, True])
def test_a_seat_that_a_bot_plays_does_not_hold_up_a_vote(begun, late):
    seat, away, *rest = seats(begun)
    write(begun, seat, "end draw")
    if late:
        for voter in rest:
            write(begun, voter, "agree 1")
    write(begun, away, f"bot until {begun.now + 20 * DAY:%Y-%m-%d}")
    if late:
        assert not load(begun.save).header.over
        tick(begun, 8 * 24)
    else:
        for voter in rest:
            write(begun, voter, "agree 1")
    assert load(begun.save).header.result["agreed"] == "draw"


def test_who_refuses_is_not_told(begun):
    seat, *others = seats(begun)
    write(begun, seat, "end call-off")
    write(begun, others[0], "agree 1")
    texts = write(begun, others[1], "refuse 1")
    assert load(begun.save).votes[0].result == "not agreed"
    assert "not agreed" in texts[address(begun, seat)]
    assert "already" in write(begun, seat, "end call-off")[address(begun, seat)]  # in this turn
    assert "No vote" in write(begun, seat, "agree 1")[address(begun, seat)]


def test_a_vote_is_reminded_of_and_lapses(begun):
    seat, one, *_ = seats(begun)
    write(begun, seat, "end draw")
    write(begun, one, "agree 1")
    begun.now += 6 * DAY
    texts = tick(begun, 1)
    assert any("agree 1" in text or "同意 1" in text for text in texts.values())
    assert "agree 1" not in texts.get(address(begun, one), "")
    begun.now += DAY
    tick(begun, 1)
    assert load(begun.save).votes[0].result == "not agreed"
    assert load(begun.save).header.vote_at is None


def test_an_answer_is_taken_back_alone_while_it_is_sealed(begun):
    seat = seats(begun)[0]
    session = opened(begun)
    answer = synthetic_mail.answers(session, Random(1))[seat]
    write(begun, seat, *answer)
    assert [move.seat for move in load(begun.save).sealed] == [seat]
    assert "taken back" in write(begun, seat, "take back")[address(begun, seat)]
    assert load(begun.save).sealed == []
    assert load(begun.save).votes == []


def test_a_later_act_is_taken_back_by_consent(begun):
    seat, *others = seats(begun)
    n = max(move.q for move in opened(begun).moves() if move.seat == seat)
    texts = write(begun, seat, "take back")
    assert "with new dice" in texts[address(begun, others[0])] or "ダイスは新しく" in texts[address(begun, others[0])]
    for other in others:
        write(begun, other, "agree 1")
    assert opened(begun).referee.q == n
    assert load(begun.save).votes[0].result == "agreed"
    verify(begun.save, games.load)


@pytest.mark.slow
def test_the_waiting_is_ended_by_those_who_have_answered(begun):
    settings(begun, "players_may.skip=consent", "time_up.ballot=wait", "outage=8784")
    seat, one, *late = seats(begun)
    answers = synthetic_mail.answers(opened(begun), Random(1))
    for voter in (seat, one):
        write(begun, voter, *answers[voter])
    assert "possible from" in write(begun, seat, "skip")[address(begun, seat)]
    begun.now = load(begun.save).pending[0].due + 49 * HOUR
    tick(begun, 1)
    q = opened(begun).referee.q
    write(begun, seat, "skip")
    write(begun, one, "agree 1")
    assert opened(begun).referee.q == q
    tick(begun, 25)
    assert opened(begun).referee.q > q
    assert late


@pytest.mark.slow
def test_a_player_who_writes_is_not_replaced(begun):
    settings(begun, "players_may.replace=consent")
    seat, target, *others = seats(begun)
    for number, hours in ((1, 0), (2, 50)):
        write(begun, seat, f"replace {target} {'bot' if number == 1 else 'nora@example.org'}")
        for other in others:
            write(begun, other, f"agree {number}")
        assert load(begun.save).votes[-1].result == "notice"
        if hours:
            tick(begun, hours)
            assert own(begun, target).addresses == ["nora@example.org"]
        else:
            write(begun, target, "timezone UTC")
            assert load(begun.save).votes[-1].result == "not agreed"
            save = load(begun.save)
            assert not save.seat(target).understudy
            session = opened(begun)
            session.save.votes[0].turn = "earlier"  # so that the seat may ask again
            session.commit(begun.now)


@pytest.mark.parametrize("late", [False, True])
def test_nothing_goes_past_a_pause_of_the_moderator(begun, late):
    settings(begun, "players_may.skip=consent", "time_up.ballot=wait", "outage=8784", "bank_hours=48")
    seat, *others = seats(begun)
    q, due = opened(begun).referee.q, load(begun.save).pending[0].due

    def stop():
        session = opened(begun)
        pause(session, Actor("Miriam", "holidays", begun.now))
        session.commit(begun.now)

    if not late:
        stop()
    begun.now = due + 60 * HOUR
    tick(begun, 1)
    texts = [write(begun, seat, line)[address(begun, seat)] for line in ("skip", "more time 24")[: 1 if late else 2]]
    assert all(("is stopped" in text) != late for text in texts), texts
    if late:
        stop()
        for other in others:
            write(begun, other, "agree 1")
    tick(begun, 30)
    assert opened(begun).referee.q == q
    assert own(begun, seat).bank == 0
    assert [vote.result for vote in load(begun.save).votes] == (["not agreed"] if late else [])


def test_a_vote_ends_with_the_game(begun):
    seat, *others = seats(begun)
    write(begun, others[0], "take back")
    write(begun, seat, "end concede")
    for other in others:
        texts = write(begun, other, "agree 2")
    assert load(begun.save).header.over
    assert any("won by you" in text for text in texts.values())
    assert "No vote" in write(begun, seat, "agree 1")[address(begun, seat)]
    assert tick(begun, 3 * 24) == {}
    assert (load(begun.save).votes[0].result, load(begun.save).header.vote_at) == ("not agreed", None)


def test_a_vote_from_before_a_rewind_undoes_nothing_after_it(begun):
    seat, *others = seats(begun)
    write(begun, seat, "take back")
    session = opened(begun)
    first = int(session.save.votes[0].value)
    rewind(session, Actor("Miriam", "a slip", begun.now), first - 3)
    synthetic_mail.play(session, lambda referee: referee.n >= first + 3, Random(4))
    session.commit(begun.now)
    n = session.referee.n
    for other in others:
        write(begun, other, "agree 1")
    assert load(begun.save).votes[0].result == "not agreed"
    assert load(begun.save).header.n >= n


def test_the_address_of_a_newcomer_is_told_to_nobody(begun):
    settings(begun, "players_may.replace=consent")
    seat, target, *_ = seats(begun)
    texts = write(begun, seat, f"replace {target} nora@example.org")
    assert any("another player has" in text for text in texts.values())
    assert "nora@" not in " ".join(texts.values())
