"""A question says what its reader may write, and nothing that he may not."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from games.sixteen_thirty import GAME
from pbem.dev.random_game import sampler
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection


def ballots(placing: str) -> Iterator[tuple[str, set[str]]]:
    """Yield the caller of every vote in a random game, and who is told of cards to lay with the ballot."""
    options = GAME.with_defaults({"placing": placing})
    setup = Setup(GAME.slug, GAME.scenarios[0].seats[4], "07" * 32, "standard", options)
    referee = Referee.new(GAME, setup)
    below = sampler(Random(7))
    while not referee.over:
        q, asked = referee.q, referee.pending()
        if asked[0].kind == "ballot":
            told = {question.seat: GAME.evidence["ballot"].told(referee.look(question.seat)) for question in asked}
            laying = {seat for seat, facts in told.items() if {fact.key for fact in facts} & {"may_add", "may_enter"}}
            yield asked[0].about["caller"], laying
        for seat in referee.waiting():
            try:
                referee.submit(seat, referee.domain(seat).sample(below))
            except Rejection:
                assert referee.talk is not None
            if referee.q != q:
                break


def test_5_only_who_may_lay_cards_with_his_ballot_reads_of_it() -> None:
    assert not any(told for _, told in ballots("clockwise"))
    found = list(ballots("sealed"))
    assert any(told for _, told in found)
    assert not any(caller in told for caller, told in found)
