"""Checks of a finished random game: `audit` of its save and `bundle verify` of its files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from pbem.kernel.game import Game, Setup
from pbem.kernel.journal import Move
from pbem.kernel.referee import CheckpointRecord, Referee
from pbem.mail import bundle
from pbem.mail.verify_bundle import verify as verify_bundle
from pbem.save import SaveError, Session, rolled_again, verify

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)


def audit_failures(game: Game, setup: Setup, moves: Sequence[Move]) -> list[str]:
    """Finish the game with these moves and return the failures of audit and verification (honest games: none)."""
    with TemporaryDirectory() as folder:
        session = saved(Path(folder) / "game.toml", game, setup, moves)
        try:
            verify(session.path, game)
        except SaveError as error:
            return [f"audit: {error}"]
        wrong = [f"audit: {line}" for line in rolled_again(session)[1]]
        for reader in ("", setup.seats[0]):
            made = bundle.bundle(session, reader, AT)
            found = verify_bundle(bundle.decode(bundle.encode(made)), lambda slug: game)
            wrong += [f"bundle for {reader or 'the public'}: {line}" for line in found.wrong]
        return wrong


def saved(path: Path, game: Game, setup: Setup, moves: Sequence[Move]) -> Session:
    """Return the save of the game, played in one run of the mail."""
    first = Session.create(path, game, setup, at=AT, nonces={} if setup.mix else None)
    marks: list[CheckpointRecord] = []
    referee = Referee.resume(game, setup, moves, components=first.components, on_mark=marks.append)
    session = Session(path, game, setup, first.components, first.save, referee, marks[-1])
    session.commit(AT)
    return session
