"""The games that a run has open, and the transaction in which one of them is changed."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from pbem.kernel.order_words import normalize_word
from pbem.mail import rollback_guard
from pbem.mail.bots import set_due
from pbem.mail.inbox.stages import DecodedEmail
from pbem.mail.save_index import SaveIndex, has_address
from pbem.save import ProcessedEmail, SaveChanged, SaveError, Session, load_header, locked
from pbem.save.session import Loader

OPEN = 4
"""How many games are kept open at once; opening one again takes some 10 ms."""

_COLLECT = 32
"""Closed games between two garbage collections, for reference cycles that a game's rules may leave."""


class Transaction:
    """A change of one game by any number of emails, under the save's lock: stored whole or not at all."""

    def __init__(self, session: Session, keys: set[str], now: datetime) -> None:
        self.session = session
        self.now = now
        self.changed = False
        self._keys = keys

    @property
    def game(self) -> str:
        return normalize_word(self.session.save.header.name)

    def knows(self, key: str) -> bool:
        return key in self._keys

    def knows_mail(self, mail: DecodedEmail, ident: str) -> bool:
        """Return whether all of an email was processed for a seat of its sender, even if the result differs today."""
        name, sender = f"{ident}\0{mail.body_hash}\0", mail.sender or ""
        seats = (seat for seat in self.session.save.seats if has_address(seat, sender))
        return any(f"{name}{seat.id}" in self._keys for seat in seats)

    def enter(self, record: ProcessedEmail) -> None:
        """Add an email to the processed ones, and ask the questions that it has opened."""
        save, referee = self.session.save, self.session.referee
        save.intake.append(record)
        save.header.unsent = True
        if (save.header.n, save.header.q, save.header.over) != (referee.n, referee.q, referee.over):
            set_due(self.session, self.now)
        self._keys.update(_names_of(record))
        self.changed = True


EARLY = "early"
"""Mark in the verdict on a mail that isn't fully processed, as a part waits for its question."""


def _names_of(record: ProcessedEmail) -> Iterator[str]:
    """Yield the names by which an email is recognised: its key, and its mail for each seat."""
    yield record.key
    if record.message_id and EARLY not in record.verdict:
        for seat in record.seat.split(","):
            yield f"{record.message_id}\0{record.body_hash}\0{seat}"


class GamePool:
    """The open games of one run. `ever` are the saves that were opened in it, `home` is the folder of their outbox."""

    def __init__(self, index: SaveIndex, game: Loader, now: datetime, home: Path | None = None) -> None:
        self.index = index
        self.game = game
        self.now = now
        self.home = home
        self.ever: set[Path] = set()
        self._sessions: dict[Path, Session] = {}
        self._keys: dict[Path, set[str]] = {}
        self._let_go = 0

    def __len__(self) -> int:
        return len(self._sessions)

    @contextmanager
    def transaction(self, path: Path) -> Iterator[Transaction]:
        """Change the game of a save; after any error nothing is changed. Raises `SaveError`."""
        with locked(path):
            session = self.session(path)
            work = Transaction(session, self._keys[path], self.now)
            try:
                yield work
                if work.changed:
                    session.commit(self.now)
            except BaseException:
                self.forget(path)
                raise

    def session(self, path: Path) -> Session:
        """Return the game of a save, opened if needed. The lock is held. Raises `SaveError`."""
        session = self._sessions.pop(path, None)
        if session is not None:
            try:
                session.check_unchanged()
            except SaveChanged:
                session = None
        if session is None:
            session = Session.open(path, self.game)
            if self.home is not None:
                rollback_guard.check(self.home, session.save)
            self.ever.add(path)
            self._keys[path] = {name for intake in session.save.intake for name in _names_of(intake)}
            self.index.know(session.save)
        self._sessions[path] = session  # moved to the end; the first one is closed first
        if len(self._sessions) > OPEN:
            self._let_one_go()
        return session

    def forget(self, path: Path) -> None:
        """Drop a game whose session can no longer be trusted, and read its header from the file again."""
        self._keys.pop(path, None)
        if self._sessions.pop(path, None) is not None:
            with suppress(SaveError):
                self.index.know(load_header(path))

    def _let_one_go(self) -> None:
        oldest = next(iter(self._sessions))
        session = self._sessions.pop(oldest)
        session.referee.on_mark = None  # break their cycle, so that both are freed at once
        self.index.let_go(session.save)
        self._keys.pop(oldest, None)
        self._let_go += 1
        if self._let_go % _COLLECT == 0:
            gc.collect()
