"""A deed of the moderator from beginning to end: opened, done, stored, told. The command line and the TUI call it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import games
from pbem.clock.policy import stamp
from pbem.post.deadlines import set_due
from pbem.post.inbox.intake import Intake
from pbem.post.inbox.outcomes import IngestReport
from pbem.post.moderator.actions import Author
from pbem.save import Deed, Session, locked
from pbem.save.session import Loader

Work = Callable[[Session, Author], Deed]


def act(
    path: Path, author: Author, work: Work, *, game: Loader = games.load
) -> tuple[Session, Deed, IngestReport]:
    """Do a deed (a function of `pbem.post.moderator.actions`), store it, send what it has to tell.

    Raises `DeedError`, `SaveError`, `Refused`, KeyError for a seat that is none; then nothing is changed.
    """
    with locked(path):
        session = Session.open(path, game)
        deed = work(session, author)
        set_due(session, author.now)
        session.commit(stamp(author.now))
    return session, deed, Intake([path], now=author.now, game=game).finish()
