"""The games that a run has open, and transactions on them: several letters to one game are written in one stroke.

A transaction holds the save's lock from the first change to the last. What must not happen before its changes are on
disk (a line of the report, a letter put into the quarantine) waits for its end, and is dropped with it.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import msgspec

from pbem.clock.policy import stamp
from pbem.post.deadlines import set_due
from pbem.post.save_index import SaveIndex
from pbem.save import Changed, Intake, SaveError, Session, load_header, locked
from pbem.save.session import Loader

OPEN = 4
"""How many games are kept open at once; one that is needed again is opened again (some 10 ms)."""

_COLLECT = 32
"""Games let go between two collections of garbage, for circles that a game's rules may leave."""

Effect = Callable[[], None]


class _Work(msgspec.Struct):
    """A transaction: its save, whether anything was changed, and what follows."""

    path: Path
    dirty: bool = False
    after: list[Effect] = []


class GamePool:
    """The open games of one run. `ever` are the saves that were opened in it."""

    def __init__(self, index: SaveIndex, game: Loader, now: datetime) -> None:
        self.index = index
        self.game = game
        self.now = now
        self.ever: set[Path] = set()
        self._sessions: dict[Path, Session] = {}
        self._keys: dict[Path, set[str]] = {}
        self._work: list[_Work] = []
        self._let_go = 0

    def __len__(self) -> int:
        return len(self._sessions)

    def session(self, path: Path) -> Session:
        """The game of a save, opened or still at hand. The lock is held. Raises `SaveError`."""
        session = self._sessions.get(path)
        if session is not None and not any(one.path == path for one in self._work):
            try:
                session.check_unchanged()
            except Changed:
                session = None
        if session is None:
            session = Session.open(path, self.game)
            self.ever.add(path)
            self._keys[path] = {one.key for one in session.save.intake}
            self.index.know(session.save)
        self._sessions.pop(path, None)
        self._sessions[path] = session  # the last in the row, which is the last to be let go
        if len(self._sessions) > OPEN:
            self._let_one_go()
        return session

    def _let_one_go(self) -> None:
        at_work = {one.path for one in self._work}
        oldest = next((path for path in self._sessions if path not in at_work), None)
        if oldest is None:
            return
        session = self._sessions.pop(oldest)
        session.referee.on_mark = None  # they know each other: so both are freed at once
        self.index.let_go(session.save)
        self._keys.pop(oldest, None)
        self._let_go += 1
        if self._let_go % _COLLECT == 0:
            gc.collect()

    def at_hand(self, path: Path) -> Session | None:
        """The game of a save if it is open."""
        return self._sessions.get(path)

    def forget(self, path: Path) -> None:
        """Let go of a game whose session is not to be trusted any more; its header is what the file says."""
        if self._sessions.pop(path, None) is not None:
            with suppress(SaveError):
                self.index.know(load_header(path))

    def knows(self, path: Path, key: str) -> bool:
        """Whether a letter of that key was taken in. The game is open."""
        return key in self._keys[path]

    # -- transactions ------------------------------------------------------------------------------------------------

    @contextmanager
    def transaction(self, path: Path) -> Iterator[Session]:
        """The game of a save, to be changed; within a transaction on the same save, that one goes on.

        Raises `SaveError`. With any error nothing is changed, and nothing that was to follow follows.
        """
        if self.at_work(path):
            yield self.session(path)
            return
        work = _Work(path)
        with locked(path):
            session = self.session(path)
            self._work.append(work)
            try:
                yield session
                if work.dirty:
                    session.commit(stamp(self.now))
            except BaseException:
                self.forget(path)
                raise
            finally:
                self._work.pop()
        for effect in work.after:
            self.afterwards(effect)

    def at_work(self, path: Path) -> bool:
        """Whether a transaction on that save is going on."""
        return bool(self._work) and self._work[-1].path == path

    def note(self, session: Session, entry: Intake) -> None:
        """Enter a letter among those taken in; the transaction will be stored."""
        save = session.save
        save.intake.append(entry)
        save.header.unsent = True
        set_due(session, self.now)
        self._keys[session.path].add(entry.key)
        self.index.know(save)
        self._work[-1].dirty = True

    def afterwards(self, effect: Effect) -> None:
        """Do it when the transaction is on disk; at once if there is none."""
        if self._work:
            self._work[-1].after.append(effect)
        else:
            effect()
