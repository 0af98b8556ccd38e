"""The simulation of a club: letters come in bursts, none is lost, and what breaks is what costs most."""

from __future__ import annotations

from pbem.trial.scale import FAR, HOUR, Club, Host, simulate


def test_every_letter_is_answered_or_left() -> None:
    load = simulate(300, Club(), Host(), days=2)
    assert simulate(300, Club(), Host(), days=2) == load
    assert 4.7 * 300 < load.letters < 4.9 * 300
    assert 0 < load.left < 60
    assert load.median < load.late < load.worst < 2 * Host().every


def test_letters_come_in_bursts() -> None:
    even = simulate(500, Club(evening=0, late=0), Host())
    rush = simulate(500, Club(evening=1, late=1, rush=0.5), Host())
    assert rush.busiest > 2 * even.busiest
    assert 0.98 < rush.letters / even.letters < 1.02


def test_a_host_that_cannot_keep_up_lets_letters_wait() -> None:
    slow = Host(send=60)
    load = simulate(300, Club(), slow)
    assert load.at_work == 1.0
    assert load.worst > 12 * HOUR
    assert load.left > 300


def test_far_relays_and_many_games_cost_more() -> None:
    near, far = (simulate(2000, Club(), host) for host in (Host(), Host(send=FAR)))
    assert near.at_work < far.at_work
    assert simulate(4000, Club(), Host()).at_work > near.at_work
    one, four = (simulate(2000, Club(), Host(letter=1, workers=workers)) for workers in (1, 4))
    assert four.at_work < 0.5 * one.at_work
