"""A question says what its reader may write, and nothing that he may not."""

from __future__ import annotations

from random import Random

import pytest

from games.sixteen_thirty import GAME
from pbem.dev.random_game import sampler
from pbem.kernel.game import Setup
from pbem.kernel.referee import PendingQuestion, Referee, components_of
from pbem.kernel.rejections import Rejection
from pbem.report.messages import Catalogue


def ballots(placing: str) -> list[list[PendingQuestion]]:
    """The questions of every vote in a random game."""
    options = GAME.with_defaults({"placing": placing})
    setup = Setup(GAME.slug, GAME.scenarios[0].seats[4], "07" * 32, "standard", options)
    referee = Referee.new(GAME, setup)
    below, found = sampler(Random(7)), []
    while not referee.over:
        q, asked = referee.q, referee.pending()
        if asked[0].kind == "ballot":
            found.append(asked)
        for seat in referee.waiting():
            try:
                referee.submit(seat, referee.domain(seat).sample(below))
            except Rejection:
                assert referee.talk is not None
            if referee.q != q:
                break
    return found


@pytest.mark.parametrize("language", ["en", "ja"])
def test_5_only_who_may_lay_cards_with_his_ballot_reads_of_it(language: str) -> None:
    say = Catalogue(GAME, components_of(GAME, {})[1], language)
    for asked in ballots("clockwise"):
        assert not any("place=" in say.render_prompt(question) for question in asked)
    told = [
        {question.seat for question in asked if "place=" in say.render_prompt(question)}
        for asked in ballots("sealed")
    ]
    callers = [asked[0].about["caller"] for asked in ballots("sealed")]
    assert any(told)
    assert not any(caller in seats for caller, seats in zip(callers, told, strict=True))
