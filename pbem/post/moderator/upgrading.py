"""A game passes to the installed rules: everybody is told, and by whom and why."""

from __future__ import annotations

from pathlib import Path

import games
from pbem.clock.policy import stamp
from pbem.post.deadlines import set_due
from pbem.post.inbox.intake import Intake
from pbem.post.inbox.outcomes import IngestReport
from pbem.post.moderator.journal import Author, everybody, journal, tell
from pbem.save import Session, locked
from pbem.save.session import Loader
from pbem.save.upgrading import Upgrade
from pbem.save.upgrading import upgrade as passed


def upgrade(
    path: Path, author: Author, *, from_checkpoint: bool = False, game: Loader = games.load
) -> tuple[Session, Upgrade, IngestReport]:
    """Carry it out, store it, and write to all. Raises `ActionError`, `NoUpgrade`; then nothing is changed."""
    author.check("upgrade")
    with locked(path):
        session, made = passed(path, game, stamp(author.now), from_checkpoint=from_checkpoint)
        was, now = made.found.rules
        action = journal(session, author, "upgrade", everybody(session), was=was, rules=now, n=made.n)
        words = "action.upgrade" if made.found.same else "action.upgrade.back"
        tell(session, action, words, was=was, now=now, n=str(made.n))
        set_due(session, author.now)
        session.commit(stamp(author.now))
    return session, made, Intake([path], now=author.now, game=game).finish()
