"""The ladder of bots: who wins more is rated higher, with an interval; a deal is played with the sides changed."""

from __future__ import annotations

import pytest

from tests.bench.ladder import Duel, ladder, ratings


def test_who_wins_more_is_rated_higher() -> None:
    duels = [
        Duel("random", "low", [0.0, 0.5] * 20, {"low": [0.01, 0.03]}),
        Duel("random", "high", [0.0, 0.0, 0.0, 0.5] * 10),
        Duel("low", "high", [0.5, 0.5, 0.25, 0.25] * 10),
    ]
    found = {rating.name: rating for rating in ratings(duels)}
    assert [*found] == ["high", "low", "random"]
    assert found["random"].elo == 0
    assert 100 < found["low"].elo < found["high"].elo < 700
    assert all(rating.low <= rating.elo <= rating.high for rating in found.values())
    assert (found["low"].median_ms, found["low"].worst_ms) == (20, 30)


def test_a_deal_is_played_twice_with_the_sides_changed() -> None:
    (duel,) = ladder("sixteen_thirty", 3, 2, ("random", "random"))
    assert len(duel.won) == 2
    assert len(duel.answers) == 4
    assert duel == ladder("sixteen_thirty", 3, 2, ("random", "random"))[0]


@pytest.mark.slow
def test_todays_bot_beats_the_earlier_one_and_chance() -> None:
    """With the same play-outs as before, and no game that doesn't end."""
    (chance,) = ladder("crown_of_roses", 2, 6, ("low", "random"))
    (before,) = ladder("imperial_struggle", 2, 6, ("low", "before"))
    assert chance.rate >= 0.75
    assert before.rate >= 0.5
