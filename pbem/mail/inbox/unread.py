"""Messages that could not be read: since when, and what the moderators were notified of.

Any of them may answer any game of the folder, so for a day no deadline of its games expires. Each run tries again,
for a week. `unread.json` next to the saves holds them; it may be missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path

import msgspec

from pbem import atomic_files
from pbem.timestamps import stamp

HELD = timedelta(hours=24)
"""How long an unread message holds back the deadlines of all games."""

GIVE_UP = timedelta(days=7)
"""How long reading it is tried."""

PIPE = "-"
"""The source that is standard input."""

FIRST, GIVEN_UP = "first", "given_up"
"""The notices that moderators get."""


class Missing(msgspec.Struct):
    """A message that could not be read. `told` is the last notice that the moderators got of it.

    `own`: it could be read, but a fault of the program prevents processing it; they are notified of that separately.
    """

    where: str
    why: str
    since: datetime
    told: str = ""
    own: bool = False


class Unread:
    """The unread messages of one folder of saves, loaded on first use. Raises `OSError` if the file can't be read."""

    def __init__(self, home: Path, now: datetime) -> None:
        self.path = home / "unread.json"
        self.now = now
        self._met: dict[str, dict[str, Missing]] = {}

    @cached_property
    def _known(self) -> dict[str, dict[str, Missing]]:
        return atomic_files.load(self.path, dict[str, dict[str, Missing]]) or {}

    def meet(self, source: str, key: str, where: str, why: str, *, own: bool = False) -> bool:
        """Record that a message of a source could not be read now; return False if it was given up."""
        found = self._known.get(source, {}).get(key) or Missing(where, why, self.now, own=own)
        self._met.setdefault(source, {})[key] = found
        found.where, found.why, found.since = where, why, min(found.since, self.now)
        return found.told != GIVEN_UP

    @property
    def holds(self) -> bool:
        """Whether one that failed now, or waits with the mail server, holds back the deadlines of all games."""
        waiting = [*self._met.values(), self._known.get(PIPE, {})]
        return any(self.now - found.since < HELD for met in waiting for found in met.values())

    def piped(self, key: str, *, waits: bool) -> None:
        """Record the result of an email that a mail server handed in: if it `waits`, it comes again."""
        if waits:
            self.meet(PIPE, key, PIPE, "", own=True)
        elif PIPE in self._known:
            self._known[PIPE].pop(key, None)

    def read(self, source: str) -> None:
        """Drop the unread messages of a source that was read to its end, except those that failed again."""
        if source == PIPE:
            return
        self._known[source] = self._met.get(source, {})

    def untold(self) -> Iterator[tuple[str, str, list[Missing]]]:
        """Yield the notices that moderators are to get: a key, its permanent name, and the messages."""
        met = [message for found in self._met.values() for message in found.values() if not message.own]
        first = [message for message in met if not message.told]
        late = [message for message in met if self.now - message.since >= GIVE_UP]
        for key, news in ((FIRST, first), (GIVEN_UP, [message for message in late if message.told != GIVEN_UP])):
            if news:
                names = "\n".join(f"{message.where} {stamp(message.since)}" for message in news)
                yield key, f"unread {key} {names}", news

    def keep(self) -> None:
        for source, met in self._met.items():
            self._known.setdefault(source, {}).update(met)
        piped = self._known.get(PIPE, {}).items()
        lately = {key: message for key, message in piped if self.now - message.since < GIVE_UP}
        known = {source: found for source, found in {**self._known, PIPE: lately}.items() if found}
        if known:
            atomic_files.store(self.path, known)
        else:
            self.path.unlink(missing_ok=True)
