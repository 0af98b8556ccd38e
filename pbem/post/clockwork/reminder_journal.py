"""The journal of reminders: each is written down before it is sent, so that it goes out once, whenever a run dies.

`reminders.jsonl` beside the saves is append-only. A reminder is a set of rows (game, epoch, question, seat, stage); a
row belongs to one reminder for good once that lies in the outbox. One that was written down and does not lie there was
never sent: it is void, and what is still due of it is composed anew.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec

from pbem.post.private import private


class Occasion(msgspec.Struct, frozen=True):
    """What one reminder is about: a stage of a question put to a seat of a game (`epoch`: of its dice), to whom."""

    game: str
    epoch: int
    q: int
    seat: str
    stage: str
    to: str


class JournalLine(msgspec.Struct):
    """A line of the journal: a reminder is written down, is in the outbox (`done`), or never came there (`void`).

    `skip` notes rows that need no reminder. `to` is the address; `file` the name in the outbox.
    """

    do: Literal["write", "done", "void", "skip"]
    id: str = ""
    at: str = ""
    to: str = ""
    file: str = ""
    rows: list[Occasion] = []


class ReminderJournal:
    """The reminders of one folder of saves. The lock of the tick is held while it is used."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "reminders.jsonl"
        self.open: dict[str, JournalLine] = {}
        self.settled: set[Occasion] = set()
        self.sent = 0
        for line in self._read():
            self._know(line)

    def has(self, row: Occasion) -> bool:
        """Whether nothing more is to be done about a row."""
        return row in self.settled

    def write(self, line: JournalLine) -> None:
        """Put a line on disk; after that it is true, whatever happens."""
        with open(self.path, "ab+", opener=private) as stream:  # it tells who has not answered
            torn = stream.seek(0, os.SEEK_END) > 0 and _last_byte(stream) != b"\n"
            stream.write((b"\n" if torn else b"") + msgspec.json.encode(line) + b"\n")
            stream.flush()
            os.fsync(stream.fileno())
        self._know(line)

    def _know(self, line: JournalLine) -> None:
        if line.do == "write":
            self.open[line.id] = line
        elif line.do == "skip":
            self.settled.update(line.rows)
        else:
            written = self.open.pop(line.id, None)
            if line.do == "done" and written is not None:
                self.settled.update(written.rows)
                self.sent += 1

    def _read(self) -> Iterable[JournalLine]:
        if not self.path.exists():
            return
        decoder = msgspec.json.Decoder(JournalLine)
        with self.path.open("rb") as stream:
            for line in stream:
                try:
                    yield decoder.decode(line)
                except msgspec.DecodeError:
                    continue  # half a line: what it would have said was not done


def reminder_id(to: str, rows: Iterable[Occasion]) -> str:
    """The id of a reminder: the same rows to the same address are the same reminder."""
    parts = [to, *sorted(f"{r.game} {r.epoch} {r.q} {r.seat} {r.stage}" for r in rows)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _last_byte(stream: BinaryIO) -> bytes:
    stream.seek(-1, os.SEEK_END)
    return stream.read(1)
