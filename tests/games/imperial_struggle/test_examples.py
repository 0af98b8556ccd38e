"""The shipped saves open at the moments they are named for, and the mailbox plays one Action Round of each side."""

import pytest


def test_moments(examples):
    assert [p.kind for p in examples.referee("is-round").pending()] == ["tile"]
    assert [p.kind for p in examples.referee("is-war").pending()] == ["refuse"]
    assert examples.referee("is-finished").result["winners"]


def test_the_mailbox_plays_two_rounds(examples):
    began = examples.referee("is-round").n
    referee = examples.played("is-round", days=2).session.referee
    assert referee.table.state.rounds == 2
    assert referee.n > began + 10
    assert [len(side.tiles) for side in referee.table.state.sides.values()] == [1, 1]


@pytest.mark.parametrize("name", ["is-round", "is-war", "is-finished"])
def test_shipped(examples, name):
    """What lies in the repository still replays under these rules; if not: `pbem examples build`."""
    assert examples.shipped(name).n > 50
