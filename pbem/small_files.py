"""Small files beside the saves, written whole or not at all: a reader sees the old one or the new one."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

# Files that their owner alone may read: they tell who has not answered, or hold letters.


def private(path: str, flags: int) -> int:
    """An opener for such a file (`open(…, opener=private)`)."""
    return os.open(path, flags, 0o600)


_HOUR = 3600.0
_BLOCK = 4096


def store(path: Path, value: Any, mode: int = 0o666) -> None:
    """Replace a file by `value` as JSON. Raises `OSError`, and then leaves the old file and no other behind."""
    replace(path, msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n", mode)


def replace(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Replace a file by `data`, so that it lasts through a power cut. Raises `OSError` as `store` does.

    `mode` is for a new file, less the umask. A link stays a link. A device or a pipe cannot be replaced: it is written
    to.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode), "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
            now = os.fstat(stream.fileno()).st_mtime
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)  # a full disk is not to be left fuller
        raise
    _sweep(path, now)


def append(path: Path, value: Any) -> None:
    """Add a line of JSON to a file that its owner alone may read; after that it is there, whatever happens.

    Half a line that a writer left who died is taken out first. Raises `OSError`, and then the file is as it was.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)  # no buffer: nothing is written later
    try:
        end = _whole_lines(file)
        left = msgspec.json.encode(value) + b"\n"
        try:
            while left:
                left = left[os.write(file, left) :]
            os.fsync(file)
        except OSError:
            os.ftruncate(file, end)
            raise
    finally:
        os.close(file)


def _whole_lines(file: int) -> int:
    """The length of a file of lines, cut where its last whole line ends."""
    end = size = os.lseek(file, 0, os.SEEK_END)
    while end:
        start = max(0, end - _BLOCK)
        os.lseek(file, start, os.SEEK_SET)
        at = os.read(file, end - start).rfind(b"\n")
        end = start + at + 1 if at >= 0 else start
        if at >= 0:
            break
    if end < size:
        os.ftruncate(file, end)
    return end


def _sweep(path: Path, now: float) -> None:
    """Remove what a writer that was killed has left. Another may be writing now: only what is old."""
    for left in path.parent.glob(f".{path.name}.*.tmp"):
        with suppress(OSError):
            if left.stat().st_mtime < now - _HOUR:
                left.unlink()
