"""Random games of Imperial Struggle with random options, replayed and restarted at every checkpoint."""

import pytest

from games.imperial_struggle import GAME
from pbem.trial import fuzz


def check(result):
    assert [str(failure) for failure in result.failures[:3]] == []


def test_random_games():
    result = fuzz.run(GAME, games=20, seed=1, careful=0, audited=5)
    check(result)
    assert result.games == 20
    assert result.decisions > 20 * 100
    assert result.checkpoints > 20 * 15


def test_careful_games():
    result = fuzz.run(GAME, games=2, seed=7, careful=1)
    check(result)
    assert result.careful == 2


@pytest.mark.slow
def test_many_random_games():
    check(fuzz.run(GAME, games=600, seed=1697, careful=50, audited=2))
