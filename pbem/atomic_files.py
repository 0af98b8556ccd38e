"""Files beside the saves, written whole or not at all: a reader sees the old one or the new one.

A file that cannot be read is not a file that is not there: `load` raises for the first, and nothing is written over it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
_HOUR = 3600.0


def private(path: str, flags: int) -> int:
    """An opener for a file that its owner alone may read (`open(…, opener=private)`)."""
    return os.open(path, flags, 0o600)


def load(path: Path, kind: type[T]) -> T | None:
    """What a file holds as JSON; None if there is no such file. Raises OSError, also for what is no such value."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except msgspec.DecodeError as error:
        raise damaged(path, error) from None


def damaged(path: Path, why: object) -> OSError:
    """The error of a file that holds something else than it must."""
    text = f"it is damaged ({why}): put back a copy, or remove it if there is none"
    return OSError(0, text, str(path))


def lines(path: Path, kind: type[T]) -> Iterator[T]:
    """The lines of an append-only file, oldest first; one that was written by half is left out. Raises OSError."""
    decoder = msgspec.json.Decoder(kind)
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        return
    with stream:
        for line in stream:
            with suppress(msgspec.DecodeError):
                yield decoder.decode(line)


def append(path: Path, *values: Any) -> None:
    """Add lines to such a file, on disk when this returns. Half a line that a fault has left goes.

    Raises OSError; then the file is as it was, if the system lets that be.
    """
    fresh = not path.exists()
    with open(
        path, "ab+", buffering=0, opener=private
    ) as stream:  # what failed is not tried again when it is closed
        end = _whole(stream)
        left = b"".join(msgspec.json.encode(value) + b"\n" for value in values)
        try:
            while left:
                left = left[stream.write(left) :]
            os.fsync(stream.fileno())
        except OSError:
            with suppress(OSError):
                stream.truncate(end)
            raise
    if fresh:
        sync_folder(path.parent)


def _whole(stream: FileIO) -> int:
    """Cut off what stands behind the last line end; where the file ends then."""
    end = size = stream.seek(0, os.SEEK_END)
    while end:
        start = max(0, end - 4096)
        stream.seek(start)
        found = (stream.read(end - start) or b"").rfind(b"\n")
        end = start + found + 1
        if found >= 0:
            break
    if end < size:
        stream.truncate(end)
    return end


def store(path: Path, value: Any, mode: int = 0o600) -> None:
    """Replace a file by `value` as JSON. Raises `OSError`, and then leaves the old file and no other behind."""
    replace(path, msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n", mode)


def replace(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Replace a file by `data`, so that it lasts through a power cut. Raises `OSError` as `store` does.

    `mode` is the file's, less the umask. A link stays a link. A device or a pipe cannot be replaced: it is written to.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    put(beside(path), path, data, mode)
    _sweep(path)


def put(fresh: Path, path: Path, data: bytes, mode: int, ready: Callable[[], None] = lambda: None) -> None:
    """Write a file `fresh`, which takes the place of `path` at one stroke when it is on disk and all is `ready`.

    Raises OSError; then there is no `fresh` any more.
    """
    try:
        write(fresh, data, mode)
        ready()
        fresh.replace(path)
    except OSError:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)  # a full disk is not to be left fuller
        raise
    sync_folder(path.parent)


def beside(path: Path) -> Path:
    """A name for what will replace a file, which nobody can guess and put a link there."""
    return path.with_name(f".{path.name}.{os.urandom(8).hex()}.tmp")


def write(path: Path, data: bytes, mode: int) -> None:
    """Write a new file onto the disk. Raises OSError, also if there is one of that name, or a link."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def sync_folder(folder: Path) -> None:
    """Make a rename last through a power cut; not every system can."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _sweep(path: Path) -> None:
    """Remove what a writer that was killed has left. Another may be writing now: only what is old."""
    for left in path.parent.glob(f".{path.name}.*.tmp"):
        with suppress(OSError):
            if left.stat().st_mtime < path.stat().st_mtime - _HOUR:
                left.unlink()
