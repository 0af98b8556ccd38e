from pathlib import Path

import pytest

from pbem.kernel.questions import AskAll
from pbem.save import Session
from pbem.timestamps import moment
from tests.save.hands import until
from tests.toy import playing as toy


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "toy-1.toml"


@pytest.fixture
def session(path: Path) -> Session:
    """A committed toy game in its second round, with a bit of everything."""
    session = Session.create(path, toy.GAME, toy.campaign(6), at=moment("2026-05-01T09:00:00Z"))
    toy.played(session, 20)
    session.commit(moment("2026-05-01T10:00:00Z"))
    return session


@pytest.fixture
def early(path: Path) -> Path:
    """The file of a game in its first ballot: checkpoint at the beginning, sealed answers in."""
    session = Session.create(path, toy.GAME, toy.campaign(6), at=moment("2026-05-01T09:00:00Z"))
    for seat, answer in (("england", toy.MARCH), ("france", "hold"), ("spain", "hold")):
        session.referee.submit(seat, answer, at="2026-05-01T10:00:00Z", via="<1@x>")
        for other in session.referee.waiting() if answer == toy.MARCH else ():
            session.referee.submit(other, toy.INTERCEPT, at="2026-05-01T10:00:00Z", via="<2@x>")
    until(session, AskAll, 2)
    session.commit()
    assert session.save.checkpoint is not None
    assert session.save.checkpoint.n == 0
    assert len(session.save.moves) >= 5
    return path
