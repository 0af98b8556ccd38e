"""Random games of Virgin Queen at each number of players, in peace as set up and with everybody at war."""

import msgspec
import pytest

from games.virgin_queen import GAME
from games.virgin_queen.state import MINORS, POWERS, WAR, pair
from pbem.trial import fuzz


def check(result):
    assert [f"{failure}\n{failure.trace}" for failure in result.failures[:3]] == []


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_random_games(seats):
    result = fuzz.run(GAME, games=2, seats=seats, seed=seats, careful=0, audited=2)
    check(result)
    assert result.decisions > 2 * 150
    assert result.checkpoints > 100


def at_war(table):
    """The set-up, but for wars between all powers that may be at war."""
    state = GAME.setup(table)
    for i, a in enumerate(POWERS):
        for b in (*POWERS[i + 1 :], *(minor for minor in MINORS if not state.minors[minor].ally)):
            state.diplomacy[pair(a, b)] = WAR
    return state


def test_everybody_at_war():
    check(
        fuzz.run(msgspec.structs.replace(GAME, setup=at_war), games=3, seats=6, seed=9, careful=0, audited=0)
    )


@pytest.mark.slow
@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_many_random_games(seats):
    check(fuzz.run(GAME, games=40, seats=seats, seed=1559, careful=10))
