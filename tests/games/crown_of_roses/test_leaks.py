"""The no-leak law for Crown of Roses: blocks, strengths, markers, hands and sealed cards of others stay hidden."""

import pytest

from games.crown_of_roses import GAME
from pbem.trial import leaks


def check(result, pairs):
    assert [str(leak) for leak in result.leaks[:3]] == []
    assert result.pairs == pairs
    assert result.changed > pairs * 0.95


def test_pairs():
    check(leaks.run(GAME, 5, seed=1), 5)


@pytest.mark.slow
def test_many_pairs():
    check(leaks.run(GAME, 100, seed=2), 100)
