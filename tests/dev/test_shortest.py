"""A failure is shown by the shortest journal that leads to it."""

import pytest

from pbem.dev import fuzz
from pbem.dev.fuzz import shrink
from tests.toy.planted import toy


@pytest.mark.parametrize("fault", ["crash", "dead_end"])
def test_a_failure_is_made_short(fault):
    game = toy(fault=fault)
    found = fuzz.run(game, games=30, careful=0).failures
    assert found
    for failure in found[:5]:
        short = shrink(game, failure)
        assert (short.kind, short.setup, short.number) == (failure.kind, failure.setup, failure.number)
        assert len(short.moves) <= len(failure.moves)
    assert sum(len(shrink(game, failure).moves) for failure in found) < sum(len(failure.moves) for failure in found)


def test_what_play_does_not_show_is_left_as_it_is():
    game = toy(fault="forgets")
    failure = fuzz.run(game, games=4).failures[0]
    assert failure.kind == "checkpoint"
    assert shrink(game, failure) is failure


def test_a_failure_that_does_not_come_again_is_left_as_it_is():
    failure = fuzz.run(toy(fault="crash"), games=30, careful=0).failures[0]
    assert shrink(toy(), failure) is failure
