"""The no-leak law for Virgin Queen: nothing that a seat gets depends on what it may not know."""

import pytest

from games.virgin_queen import GAME
from pbem.trial import leaks


def check(result, pairs):
    assert [str(leak) for leak in result.leaks[:3]] == []
    assert result.pairs == pairs
    assert result.changed > pairs * 0.9
    assert result.ended.get("parted", 0) <= pairs * 0.1  # a pair that ends early has tried little


def test_pairs():
    check(leaks.run(GAME, 2, seed=1), 2)


@pytest.mark.slow
def test_many_pairs():
    check(leaks.run(GAME, 1_000, seed=2), 1_000)
