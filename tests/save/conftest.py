from pathlib import Path

import pytest

from pbem.save import Session
from tests.save import toy


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "toy-1.toml"


@pytest.fixture
def session(path: Path) -> Session:
    """A committed toy game in its second round, with a bit of everything."""
    session = Session.create(path, toy.GAME, toy.setup_of(6), at="2026-05-01T09:00:00Z")
    toy.played(session, 12)
    session.commit("2026-05-01T10:00:00Z")
    return session
