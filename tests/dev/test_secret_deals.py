"""Pairs of worlds that differ in one secret deal of others."""

from __future__ import annotations

from random import Random

import games
from pbem.dev.leak_test_pairs import LeakTestResult
from pbem.dev.leak_test_setup import DealPair, where_deals_are_made
from pbem.dev.random_game import random_setup
from pbem.kernel.negotiation import OpenNegotiation
from pbem.kernel.referee import CheckpointRecord, Referee


def played(slug: str, pairs: int) -> LeakTestResult:
    game = games.load(slug)
    result = LeakTestResult()
    for number in range(pairs):
        random = Random(f"deals {number}")
        scenario = game.scenarios[number % len(game.scenarios)]
        setup = random_setup(game, random, scenario.id, scenario.seats[max(scenario.seats)])
        marks: list[CheckpointRecord] = []
        Referee.new(game, setup, on_mark=marks.append)
        mark = where_deals_are_made(game, setup, marks, random)
        if mark is not None:
            pair = DealPair(game, setup, mark, random)
            pair.run()
            result.add(pair.result)
    return result


def test_a_secret_deal_changes_nothing_for_who_is_no_party_to_it() -> None:
    result = played("virgin_queen", 4)
    assert [str(leak) for leak in result.leaks] == []
    assert result.changed >= 3
    assert result.ended["deals"] >= 3


def test_a_refusal_that_looks_at_others_deals_is_found(monkeypatch) -> None:
    def illegal(talk, seat, proposal):
        last = set(proposal.parties) <= {seat, *proposal.signed}
        return talk.request.conflict([*talk.deals, proposal]) if last else None

    monkeypatch.setattr(OpenNegotiation, "_illegal", illegal)
    assert played("virgin_queen", 4).leaks


def test_what_everybody_sees_or_two_settle_alone_is_no_secret_deal() -> None:
    assert played("sixteen_thirty", 2).pairs == 0
