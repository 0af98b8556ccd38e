"""Processed Maildir files: skipping one only costs reading its name.

`FOLDER/.pbem-cache/read` repeats what saves and quarantine know, and may be missing: then all is read and recognised.
An older save that was restored from a backup makes it void, so that later emails count again.
"""

from __future__ import annotations

import hashlib
import os
from array import array
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

import msgspec

from pbem.atomic_files import private, unflagged
from pbem.mail.header_cache import cache_folder
from pbem.mail.save_index import SaveIndex

FORMAT = "1"


class _ReadFile(msgspec.Struct, array_like=True, frozen=True):
    format: str
    letters: dict[str, int]
    numbers: bytes


class ReadBefore:
    """The files read from the Maildirs of one folder of saves. A file is a number from its name, size and time."""

    def __init__(self, home: Path, index: SaveIndex) -> None:
        self._home = home
        self._letters, self._numbers = dict[str, int](), set[int]()
        self._seen: dict[str, int] = {}
        self._present: set[int] = set()
        with suppress(OSError, msgspec.DecodeError, ValueError):
            found = msgspec.msgpack.decode((home / ".pbem-cache" / "read").read_bytes(), type=_ReadFile)
            if found.format == FORMAT and not self._is_older(index, found.letters):
                self._letters, self._numbers = found.letters, set(array("Q", found.numbers))

    @staticmethod
    def _is_older(index: SaveIndex, letters: dict[str, int]) -> bool:
        """Return whether a save has written fewer emails than before: each answer by mail gets one."""
        return any(written < letters.get(game, 0) for game, written in index.letters().items())

    def knows(self, file: os.DirEntry[str]) -> bool:
        try:
            found = file.stat()
        except OSError:
            return False
        box = os.path.dirname(os.path.dirname(file.path))  # noqa: PTH120 - a Path for each costs more than all else
        words = f"{box}\0{unflagged(file.name)}\0{found.st_size}\0{found.st_mtime_ns}"
        number = int.from_bytes(hashlib.blake2b(os.fsencode(words), digest_size=8).digest(), "big")
        self._present.add(number)
        if number in self._numbers:
            return True
        self._seen[file.path] = number
        return False

    def keep(self, index: SaveIndex, dealt: Collection[str]) -> None:
        fresh = {number for path, number in self._seen.items() if path in dealt}
        gone = len(self._numbers) > 2 * len(self._present) + 1000
        if not fresh and not gone:
            return
        numbers = (self._numbers & self._present if gone else self._numbers) | fresh
        letters = self._letters | index.letters()
        with suppress(OSError):
            folder = cache_folder(self._home)
            new = folder / f"read.{os.getpid()}"
            with open(new, "wb", opener=private) as stream:
                stream.write(msgspec.msgpack.encode(_ReadFile(FORMAT, letters, array("Q", sorted(numbers)).tobytes())))
            new.replace(folder / "read")
