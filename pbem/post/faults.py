"""A fault in one game costs no other game anything: it is contained, reported, and told to its moderator once."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from pbem.post.game_pool import GamePool
from pbem.post.inbox.outcomes import IngestReport
from pbem.post.outbox.addressing import sender_of
from pbem.post.outbox.maildir import Outbox
from pbem.post.outbox.message import Outgoing, host_of, to_bytes
from pbem.post.outbox.reader import Reader
from pbem.report.catalogue import Catalogue
from pbem.report.cells import wrap
from pbem.save import Save, SaveError, SeatInfo


class Faults:
    """What went wrong in a run. `report.broken` holds it for the command, the outbox for the moderators."""

    def __init__(
        self, games: GamePool, outbox: Outbox, report: IngestReport, *, now: datetime, sender: str
    ) -> None:
        self.games = games
        self.outbox = outbox
        self.report = report
        self.now = now
        self.sender = sender

    @contextmanager
    def contained(self, path: Path) -> Iterator[None]:
        """Work on one game. If it breaks off, what is in memory of that game is dropped, and the run goes on.

        A fault of the machine (`OSError`) is no game's and passes through.
        """
        try:
            yield
        except SaveError as error:
            self.games.forget(path)
            self.report.broken[str(path)] = str(error)
        except OSError:
            raise
        except Exception as error:
            if os.environ.get("PBEM_DEBUG"):
                raise
            self.note(path, error)

    def note(self, path: Path, error: Exception) -> None:
        """Drop what is in memory of a game that broke off; report it, and tell its moderators."""
        self.games.forget(path)
        save = self.games.index.headers[self.games.index.name(path)]
        # A moderator who plays must not read in it what others hold.
        said = type(error).__name__ if save.post.plays else f"{type(error).__name__}: {error}"
        self.report.broken[str(path)] = f"a fault of the program, nothing was changed: {said}"
        self._tell_moderators(save, path, said)

    def _tell_moderators(self, save: Save, path: Path, said: str) -> None:
        """One letter to each, whatever number of runs meet the same fault."""
        home = sender_of(save, self.sender)
        for to in save.post.moderator:
            mark = hashlib.sha256(f"fault {save.header.name} {save.header.head} {said} {to}".encode())
            name = f"notice.{mark.hexdigest()[:16]}"
            if not self.outbox.has(name):
                self.outbox.put(name, to_bytes(self._letter(save, path, said, name, home, to)))

    def _letter(self, save: Save, path: Path, said: str, name: str, home: str, to: str) -> Outgoing:
        language = save.post.language
        words = Reader(SeatInfo("", language=language), Catalogue(None, language=language)).words
        game = save.header.name
        text = words("moderator.fault", game=game, error=said[:200], file=path.name)
        return Outgoing(
            ident=f"{name}@{host_of(home)}",
            sender=home,
            to=to,
            subject=words("moderator.fault.subject", game=game),
            text="\n".join(wrap(text, 72)) + "\n",
            at=self.now,
            name="pbem",
        )
