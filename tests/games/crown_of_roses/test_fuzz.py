"""Random games of Crown of Roses: what is written never breaks; what is not stops for the moderator."""

import pytest

from games.crown_of_roses import GAME
from pbem.trial import fuzz


def check(result):
    assert [str(failure) for failure in result.failures[:3]] == []


def test_random_games():
    result = fuzz.run(GAME, games=6, seed=1, careful=0, audited=3)
    check(result)
    assert result.decisions > 6 * 100


@pytest.mark.slow
def test_many_random_games():
    check(fuzz.run(GAME, games=100, seed=1455, careful=30))
