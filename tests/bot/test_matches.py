"""What an understudy is worth: more than chance, and the same game each time."""

from __future__ import annotations

import pytest

import games
from pbem.bot import EFFORTS, Effort
from pbem.trial.matches import match


def test_it_beats_a_random_side() -> None:
    found = match(games.load("imperial_struggle"), 2, 4, Effort(6, 0.25))
    assert found.wins == 4
    assert found.margin > 20


def test_a_match_is_the_same_each_time() -> None:
    one, two = (match(games.load("sixteen_thirty"), 3, 2, Effort(4, 0.15)) for _ in range(2))
    assert (one.wins, one.margin) == (two.wins, two.margin)
    assert one.games == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slug", "players", "least"),
    [("sixteen_thirty", 4, 0.6), ("crown_of_roses", 3, 0.5), ("virgin_queen", 6, 0.2)],
)
def test_it_beats_random_seats(slug: str, players: int, least: float) -> None:
    assert match(games.load(slug), players, 24, EFFORTS["normal"]).rate >= least
