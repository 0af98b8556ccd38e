"""One action of the moderator from beginning to end: opened, done, stored, told. Command line and TUI call it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import games
from pbem.post.deadlines import set_due
from pbem.post.inbox.intake import Intake
from pbem.post.inbox.outcomes import IngestReport
from pbem.post.moderator.journal import Author
from pbem.save import ModeratorAction, Session, locked
from pbem.save.session import Loader

Work = Callable[[Session, Author], ModeratorAction]
"""What is done to the game, in memory; a function of `on_clock`, `on_game`, `on_letters` or `on_seats`."""


def act(
    path: Path, author: Author, work: Work, *, game: Loader = games.load
) -> tuple[Session, ModeratorAction, IngestReport]:
    """Do it, store it, and send what it has to tell.

    Raises `ActionError`, `SaveError`, `Refused`, KeyError for a seat that is none; then nothing is changed.
    """
    with locked(path):
        session = Session.open(path, game)
        action = work(session, author)
        set_due(session, author.now)
        session.commit(author.now)
    return session, action, Intake([path], now=author.now, game=game).finish()
