"""A game passes to newer rules, and everybody hears of it, by whom and why."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from email import message_from_bytes, policy
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

import games
from pbem.kernel.table import Table
from pbem.mail.bundle import bundle
from pbem.mail.moderator.game_actions import upgrade
from pbem.mail.moderator.journal import Actor
from pbem.mail.verify_bundle import verify
from pbem.save import NoUpgrade, Session, load
from pbem.save.audit import verify as audited
from pbem.timestamps import moment

SAVES = Path(__file__).parents[2] / "saves"
NOW = moment("2026-08-01T12:00:00Z")
AUTHOR = Actor("Mona", "the new version mends a rule", NOW)


def letters(folder: Path) -> dict[str, str]:
    """Who has got what."""
    found = {}
    for path in sorted((folder / "outbox" / "new").iterdir()):
        message: Any = message_from_bytes(path.read_bytes(), policy=policy.default)
        found[message["To"].addresses[0].addr_spec] = " ".join(message.get_body(("plain",)).get_content().split())
    return found


def other(table: Table) -> Iterator[Any]:
    """1630 Something under rules that shuffle once more at the beginning."""
    if table.n == 0:
        table.shuffle([1, 2, 3])
    yield from games.load("sixteen_thirty").play(table)


def newer(**changes: Any) -> Any:
    """As `games.load`, of a later version."""
    return lambda slug: replace(games.load(slug), rules="77", **changes)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Path(shutil.copy(SAVES / "1630-ballot.toml", tmp_path))


def test_a_game_that_stays_the_same_tells_so(path: Path) -> None:
    digest = Session.open(path, games.load).referee.digest()
    session, made, report = upgrade(path, AUTHOR, game=newer())
    assert (made.found.same, session.referee.digest()) == (True, digest)
    told = letters(path.parent)
    assert {*told} == {"anna@example.org", "ben@example.com", "chiyo@example.jp", "dora@example.net"}
    for text in told.values():
        assert "nothing that has happened changes" in text or "何も変わらない" in text
        assert "the new version mends a rule" in text
    assert len(report.sent) == 4
    (action,) = load(path).actions
    assert (action.what, action.by, action.args["rules"]) == ("upgrade", "Mona", "77")


def test_another_game_goes_on_from_its_checkpoint_with_new_codes(path: Path) -> None:
    game, before, bytes_before = newer(play=other), load(path), path.read_bytes()
    with pytest.raises(NoUpgrade, match="other dice"):
        upgrade(path, AUTHOR, game=game)
    assert path.read_bytes() == bytes_before
    session, made, _ = upgrade(path, AUTHOR, from_checkpoint=True, game=game)
    assert (made.n, made.undone) == (39, 4)
    told = letters(path.parent)
    assert len(told) == 4
    for text in told.values():
        assert "from the point after move 39" in text or "39手目の直後から" in text
    asked = next(seat for seat in session.save.seats if seat.id in session.referee.asked())
    assert f"{session.referee.q}: " in told[asked.addresses[0]]
    assert session.save.dice.epoch == before.dice.epoch + 1
    assert all(question.since == NOW for question in session.save.pending)


def test_played_to_its_end_it_is_audited_and_its_bundle_holds(path: Path) -> None:
    game = newer(play=other)
    upgrade(path, AUTHOR, from_checkpoint=True, game=game)
    session = Session.open(path, game)
    random = Random(7)
    while not session.referee.over:
        seat = session.referee.waiting()[0]
        session.referee.submit(seat, session.referee.domain(seat).sample(random.randrange))
    session.commit()
    assert audited(path, game).digest == session.referee.digest()
    made = bundle(Session.open(path, game), "", NOW)
    found = verify(made, game)
    assert found.wrong == []
    assert found.replayed
    assert found.draws > 10
    assert made.origin is not None
    made.origin.counter += 1
    assert any("journal can't be replayed" in line for line in verify(made, game).wrong)
