"""Random games of 1630 at each number of players."""

import pytest

from games.sixteen_thirty import GAME
from pbem.trial import fuzz


def check(result):
    assert [str(failure) for failure in result.failures[:3]] == []


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_random_games(seats):
    result = fuzz.run(GAME, games=100, seats=seats, seed=seats, careful=0, audited=25)
    check(result)
    assert result.games == 100
    assert result.decisions > 100 * 150
    assert result.checkpoints > 100 * 20


@pytest.mark.parametrize("seats", [3, 6])
def test_careful_games(seats):
    result = fuzz.run(GAME, games=2, seats=seats, seed=seats, careful=1)
    check(result)
    assert result.careful == 2


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_many_random_games(seats):
    check(fuzz.run(GAME, games=1_000, seats=seats, seed=1630, careful=100, audited=5))
