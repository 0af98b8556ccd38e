"""Cached headers of a folder of saves: a tick over a thousand games only parses those that changed.

`FOLDER/.pbem-cache/headers` is readable by its owner only, as headers hold seeds and codes. CACHEDIR.TAG keeps it out
of backups. An entry counts only if the inode, size and time of the save match. If the cache can't be written,
everything works, but more slowly.
"""

from __future__ import annotations

import functools
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from pbem import __version__
from pbem.atomic_files import private
from pbem.save import Save
from pbem.save.schema import ClockSettings, DiceInfo, Header, MailSettings, PendingInfo, SeatInfo

T = TypeVar("T")

FOLDER = ".pbem-cache"
FORMAT = f"2 {__version__}"

FEW = 8
"""Fewer saves than this are read as fast without a cache."""

SETTLED = 2.0
"""Seconds after which a file's time shows a later change: two within one tick of the file system look alike."""

_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Headers of pbem's saves. See https://bford.info/cachedir/\n"

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


class _Card(msgspec.Struct, array_like=True, frozen=True):
    stamp: Stamp
    parts: msgspec.Raw


class _HeaderFile(msgspec.Struct, array_like=True, frozen=True):
    format: str
    cards: dict[str, _Card]


class HeaderCache:
    """The headers of the saves in one folder; `keep` writes the newly read ones to the cache."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FOLDER / "headers"
        self._used: dict[str, _Card] = {}
        self._fresh = False
        try:
            found = _decoder(_HeaderFile).decode(self._path.read_bytes())
            self._cards = found.cards if found.format == FORMAT else {}
        except (OSError, msgspec.DecodeError):
            self._cards = {}

    def knows(self, entry: os.DirEntry[str]) -> bool:
        card = self._cards.get(entry.name)
        if card is None or card.stamp != _stamp(entry.stat()):
            return False
        self._used[entry.name] = card
        return True

    def header(self, path: Path) -> Save:
        """Return the header like `load_header`. Raises `SaveError`."""
        card = self._used.get(path.name)
        if card is not None:  # just compared with the file
            return header_of(_decoder(SaveHeader).decode(card.parts))
        seen = None
        with suppress(OSError):
            seen = path.stat()
        from pbem.save import load_header  # imports the TOML reader; most commands find all headers cached

        save = load_header(path)
        if seen is not None and time.time() - seen.st_mtime > SETTLED:
            self._note(path.name, _stamp(seen), save)
        return save

    def keep(self) -> None:
        if len(self._used) < FEW or not (self._fresh or len(self._used) < len(self._cards)):
            return
        fresh = self._path.with_name(f"headers.{os.getpid()}")
        with suppress(OSError):
            cache_folder(self._path.parent.parent)
            with open(fresh, "wb", opener=private) as stream:
                stream.write(msgspec.msgpack.encode(_HeaderFile(FORMAT, self._used)))
            fresh.replace(self._path)

    def _note(self, name: str, stamp: Stamp, save: Save) -> None:
        parts = SaveHeader(save.header, save.seats, save.clock, save.dice, save.post, save.pending)
        with suppress(TypeError, ValueError, OverflowError, msgspec.DecodeError):
            raw = msgspec.msgpack.encode(parts)
            if _decoder(SaveHeader).decode(raw) == parts:
                self._used[name] = _Card(stamp, msgspec.Raw(raw))
                self._fresh = True


def cache_folder(home: Path) -> Path:
    """Return the folder of files that may be deleted at any time. Raises `OSError`."""
    folder = home / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    tag = folder / "CACHEDIR.TAG"
    if not tag.exists():
        tag.write_text(_TAG, "ascii")
    return folder


@functools.cache
def _decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]:
    return msgspec.msgpack.Decoder(kind)


def _stamp(stat: os.stat_result) -> Stamp:
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


def header_of(save: Save | SaveHeader) -> Save:
    """Return a save without its journal, as `load_header` reads it."""
    return Save(
        header=save.header,
        seats=save.seats,
        clock=save.clock,
        dice=save.dice,
        post=save.post,
        pending=save.pending,
    )
