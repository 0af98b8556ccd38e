"""The shipped saves open at the moments they are named for, and the mailbox plays one Action Round of each side."""

from datetime import timedelta
from pathlib import Path

import pytest

from games.imperial_struggle import GAME
from pbem.post.ingest import ingest
from pbem.save import Session
from pbem.trial import stage, staging

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    folder = tmp_path_factory.mktemp("is")
    stage.build_all(folder, ["imperial_struggle"])
    return folder


def opened(path):
    return Session.open(path, lambda slug: GAME).referee


def test_moments(home):
    assert [p.kind for p in opened(home / "saves" / "is-round.toml").pending()] == ["tile"]
    assert [p.kind for p in opened(home / "saves" / "is-war.toml").pending()] == ["refuse"]
    assert opened(home / "saves" / "is-finished.toml").result["winners"]


def test_the_mailbox_plays_two_rounds(home):
    save = home / "saves" / "is-round.toml"
    began = opened(save).n
    ingest([save], [home / "examples" / "is-round.mbox"], now=staging.START + timedelta(days=2))
    referee = opened(save)
    assert referee.table.state.rounds == 2
    assert referee.n > began + 10
    assert [len(side.tiles) for side in referee.table.state.sides.values()] == [1, 1]


@pytest.mark.parametrize("name", ["is-round", "is-war", "is-finished"])
def test_shipped(name):
    """What lies in the repository still replays under these rules; if not: `pbem examples build`."""
    path = ROOT / "saves" / f"{name}.toml"
    assert Session.open(path, lambda slug: GAME).referee.n > 50
