"""The index of a folder of saves: its games, their players' addresses, when something is next due, and the headers.

`FOLDER/.pbem-cache/index` is an SQLite database that only its owner may read, as headers hold seeds and codes.
CACHEDIR.TAG keeps it out of backups. A row counts only if inode, size and time of the save match. A damaged index is
made again; where none can be written, everything works, but more slowly.
"""

from __future__ import annotations

import functools
import weakref
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from datetime import datetime, timedelta
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pbem import __version__
from pbem.atomic_files import private
from pbem.clock.heartbeat import REASON
from pbem.file_locks import Busy, lock
from pbem.kernel.order_words import normalize_word
from pbem.save import Save
from pbem.save.schema import ClockSettings, DiceInfo, Header, MailSettings, PendingInfo, SeatInfo

if TYPE_CHECKING:
    import sqlite3

FOLDER = ".pbem-cache"
_VERSION = zlib.crc32(f"5 {__version__}".encode()) >> 1
_WAIT = 1.0
"""Seconds that a run waits for another one that writes the index; then it does without."""

_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Headers of pbem's saves. See https://bford.info/cachedir/\n"
_SCHEMA = f"""
CREATE TABLE saves(file PRIMARY KEY, ino, size, mtime, name, letters, outage, due, asked, paused, crc, parts);
CREATE INDEX known ON saves(file, ino, size, mtime, name, letters);
CREATE INDEX times ON saves(due, asked, paused, file);
CREATE INDEX outages ON saves(outage, file);
CREATE TABLE marks(mark, file, PRIMARY KEY(mark, file)) WITHOUT ROWID;
CREATE INDEX marked ON marks(file);
PRAGMA user_version = {_VERSION};
"""
_INSERT = f"INSERT OR REPLACE INTO saves VALUES({', '.join('?' * 12)})"

_NEVER = 1 << 30

Stamp = tuple[int, int, int]
"""Inode, size and time of a file."""


class SaveHeader(msgspec.Struct, array_like=True, frozen=True):
    """The parts of a save that are read without its journal."""

    header: Header
    seats: list[SeatInfo]
    clock: ClockSettings
    dice: DiceInfo
    post: MailSettings
    pending: list[PendingInfo]


class HeaderCache:
    """The index of one folder."""

    def __init__(self, folder: Path) -> None:
        import sqlite3  # runs over few saves need none

        self._sqlite = sqlite3
        self._path = folder / FOLDER / "index"
        self._inode = 0
        self._database: sqlite3.Connection | None = None
        with suppress(OSError, Busy, sqlite3.Error):
            cache_folder(folder)
            try:
                self._open()
            except (FileNotFoundError, sqlite3.Error) as error:
                if getattr(error, "sqlite_errorcode", 0) not in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                    self._make_anew()

    def _open(self) -> None:
        self._inode = self._path.stat().st_ino
        database = self._sqlite.connect(self._path, _WAIT, isolation_level=None, check_same_thread=False)
        weakref.finalize(self, database.close)
        if database.execute("PRAGMA user_version").fetchone() != (_VERSION,):
            raise self._sqlite.DatabaseError("made by another version")
        database.execute("SELECT count(*) FROM marks INDEXED BY marked").fetchall()
        self._database = database

    def _make_anew(self) -> None:
        with self._alone():
            for left in ("", "-journal"):  # in this order: a journal without its database is never applied
                Path(f"{self._path}{left}").unlink(missing_ok=True)
            with open(self._path, "wb", opener=private):
                database = self._sqlite.connect(self._path, _WAIT, isolation_level=None)
            try:
                database.executescript(_SCHEMA)
            finally:
                database.close()
            self._open()

    def _alone(self) -> AbstractContextManager[None]:
        """Keep other writers out: the journal of a file that was replaced would be applied to the new one."""
        return lock(self._path.with_name("index.lock"), _WAIT)

    def query(self, sql: str, *args: str | float) -> list[Any] | None:
        """Return the rows; None if the index can't be read."""
        with suppress(self._sqlite.Error, ValueError):
            if self._database is not None:
                return self._database.execute(sql, args).fetchall()
        return None

    def known(self) -> dict[str, tuple[Stamp, str]]:
        """Return the stamp of each file, and the name of its game."""
        rows = self.query("SELECT file, ino, size, mtime, name FROM saves INDEXED BY known") or ()
        return {file: ((ino, size, mtime), name) for file, ino, size, mtime, name in rows}

    def header(self, file: str) -> Save | None:
        """Return a header as `load_header` does; None if it isn't here."""
        for crc, parts in self.query("SELECT crc, parts FROM saves WHERE file = ?", file) or ():
            with suppress(msgspec.DecodeError, TypeError):
                if zlib.crc32(parts) == crc:
                    return header_of(_decoder().decode(parts))
        return None

    def keep(self, fresh: Mapping[str, tuple[Stamp, Save]], gone: Iterable[str]) -> list[str]:
        """Enter the newly read headers, remove those of files that are gone; return which were entered."""
        rows = [row for file, (stamp, save) in fresh.items() if (row := _row(file, stamp, save)) is not None]
        if self._database is not None and (rows or gone):
            # A name that isn't Unicode was never entered.
            old = [(file,) for file in (*gone, *fresh) if file == file.encode("utf-8", "replace").decode()]
            with suppress(OSError, Busy, self._sqlite.Error), self._alone(), self._database:
                if self._path.stat().st_ino == self._inode:
                    self._database.execute("BEGIN IMMEDIATE")
                    self._database.executemany("DELETE FROM saves WHERE file = ?", old)
                    self._database.executemany("DELETE FROM marks WHERE file = ?", old)
                    self._database.executemany(_INSERT, rows)
                    marks = [(mark, row[0]) for row in rows for mark in _marks(fresh[row[0]][1])]
                    self._database.executemany("INSERT OR IGNORE INTO marks VALUES(?, ?)", marks)
                    self._database.commit()
                    return [row[0] for row in rows]
        return []


def _row(file: str, stamp: Stamp, save: Save) -> tuple[Any, ...] | None:
    parts = SaveHeader(save.header, save.seats, save.clock, save.dice, save.post, save.pending)
    with suppress(TypeError, ValueError, OverflowError, msgspec.DecodeError):
        raw = msgspec.msgpack.encode(parts)
        file.encode()
        if _decoder().decode(raw) == parts:
            asked = min((_at(pending.since) for pending in save.pending), default=inf)
            pauses = [_at(pause.until) for pause in save.clock.pauses if pause.reason == REASON]
            times = (first_due(save), asked, max(pauses, default=-inf))
            name, emails = normalize_word(save.header.name), emails_of(save)
            outage = _NEVER if save.header.over else save.clock.outage
            return (file, *stamp, name, emails, outage, *times, zlib.crc32(raw), raw)
    return None


def _marks(save: Save) -> Iterator[str]:
    """Yield by what a game is found: `=` name, `@` address, `<` sender, and the settings that few games have."""
    post = save.post
    yield f"={normalize_word(save.header.name)}"
    yield f"<{post.sender.casefold()}"
    lists = (*(seat.addresses for seat in save.seats), post.moderator)
    delegates = (delegate.address for seat in save.seats for delegate in seat.delegates)
    for address in (*(address for some in lists for address in some), *delegates):
        yield f"@{address.casefold()}"
    if any(seat.told.moving for seat in save.seats):
        yield "moving"
    for setting in ("plays", "site", "notify", "onlookers"):
        if getattr(post, setting):
            yield setting


def first_due(save: Save) -> float:
    """Return before which second nothing is due in a game, by its header alone. A time that is too early does no harm.

    Not counted are outages of ours, emails in the outbox, and those that have bounced.
    """
    header, clock = save.header, save.clock
    stopped = any(pending.undelivered or pending.again for pending in save.pending) or any(
        pause.reason == REASON and pause.until is None for pause in clock.pauses
    )
    reached = [seat for seat in save.seats if seat.addresses]
    if header.unsent or header.unasked or stopped or any(is_untold(save, seat) for seat in reached):
        return -inf
    if save.post.beacon and not header.over:
        return -inf
    if any(seat.missed or seat.told.request for seat in save.seats):
        return -inf
    times = [header.release_at, header.vote_at, *(pending.due for pending in save.pending)]
    times += [seat.told.digest for seat in reached if seat.seen < header.lines]
    times += [seat.told.moving.until for seat in save.seats if seat.told.moving]
    times += [seat.bot_until for seat in save.seats]
    times += [pause.since + timedelta(days=14) for pause in clock.pauses if pause.until is None]
    times += [delegate.until for seat in save.seats for delegate in seat.delegates]
    before = timedelta(hours=max((0, *clock.remind)))
    return min((_at(at - before) for at in times if at is not None), default=inf)


def is_untold(save: Save, seat: SeatInfo) -> bool:
    """Return whether a seat never had an email, or has an unasked question, or its quiet hours are over."""
    asked = any(pending.seat == seat.id and pending.q == save.header.q for pending in save.pending)
    return seat.told.quiet is not None or seat.told_q == 0 or (asked and seat.told_q != save.header.q)


def emails_of(save: Save) -> int:
    """Return how many emails a game has written to its seats."""
    return sum(seat.told.letters for seat in save.seats)


def _at(time: datetime | None) -> float:
    return inf if time is None else time.timestamp()


def cache_folder(home: Path) -> Path:
    """Return the folder of files that may be deleted at any time. Raises `OSError`."""
    folder = home / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    tag = folder / "CACHEDIR.TAG"
    if not tag.exists():
        tag.write_text(_TAG, "ascii")
    return folder


@functools.cache
def _decoder() -> msgspec.msgpack.Decoder[SaveHeader]:
    return msgspec.msgpack.Decoder(SaveHeader)


def header_of(save: Save | SaveHeader) -> Save:
    """Return a save without its journal, as `load_header` reads it."""
    return Save(
        header=save.header, seats=save.seats, clock=save.clock, dice=save.dice, post=save.post, pending=save.pending
    )
