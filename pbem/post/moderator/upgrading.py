"""A game passes to the installed rules: everybody is told, and by whom and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import games
from pbem.kernel.box import Box, changes
from pbem.kernel.referee import pack_of
from pbem.post.deadlines import set_due
from pbem.post.inbox.intake import Intake
from pbem.post.inbox.outcomes import IngestReport
from pbem.post.moderator.journal import Author, everybody, journal, tell
from pbem.save import Session, load_header, locked
from pbem.save.session import Loader
from pbem.save.upgrading import Upgrade
from pbem.save.upgrading import upgrade as passed

_NAMED = 30
"""Facts that a letter lists one by one."""


def repack(
    path: Path, author: Author, pack: dict[str, Any], *, from_checkpoint: bool = False
) -> tuple[Session, Upgrade, IngestReport]:
    """Another pack of the moderator's for a running game: rehearsed, journaled, told to all with its digest.

    Everybody reads what is different now: components are public. Raises `ActionError`, `NoUpgrade`; then nothing is
    changed.
    """
    author.check("pack")
    with locked(path):
        header = load_header(path).header
        before = pack_of(games.load(header.game), header.pack).tables
        session, made = passed(path, games.load, author.now, from_checkpoint=from_checkpoint, pack=pack)
        digest = session.save.header.pack_digest
        box = Box(session.game, pack)
        changed = [f"{'.'.join(place)}.{name}" for place, name, _, _ in changes(box, before)]
        facts = ", ".join(changed[:_NAMED]) + (" …" if len(changed) > _NAMED else "")
        action = journal(
            session, author, "pack", everybody(session), digest=digest, facts=len(changed), n=made.n
        )
        words = "action.pack" if made.found.same else "action.pack.back"
        count = str(len(changed))
        tell(session, action, words, digest=f"{digest[:16]}…", facts=facts or "-", count=count, n=str(made.n))
        set_due(session, author.now)
        session.commit(author.now)
    return session, made, Intake([path], now=author.now).finish()


def upgrade(
    path: Path, author: Author, *, from_checkpoint: bool = False, game: Loader = games.load
) -> tuple[Session, Upgrade, IngestReport]:
    """Carry it out, store it, and write to all. Raises `ActionError`, `NoUpgrade`; then nothing is changed."""
    author.check("upgrade")
    with locked(path):
        session, made = passed(path, game, author.now, from_checkpoint=from_checkpoint)
        was, now = made.found.rules
        action = journal(session, author, "upgrade", everybody(session), was=was, rules=now, n=made.n)
        words = "action.upgrade" if made.found.same else "action.upgrade.back"
        tell(session, action, words, was=was, now=now, n=str(made.n))
        set_due(session, author.now)
        session.commit(author.now)
    return session, made, Intake([path], now=author.now, game=game).finish()
