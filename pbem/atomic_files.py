"""Files next to the saves, written atomically: a reader sees the old file or the new one.

An unreadable file isn't a missing one: `load` raises OSError for it, and nothing overwrites it. One with other content
is set aside under a name that ends in `DAMAGED`, and started again; the next run notifies the moderators of it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
DAMAGED = ".damaged"
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The disk is full, or the share of it that this account has."""
_HOUR = 3600.0


def private(path: str, flags: int) -> int:
    """Open a file that only its owner may read (an opener: `open(…, opener=private)`)."""
    return os.open(path, flags, 0o600)


def load(path: Path, kind: type[T]) -> T | None:
    """Read a file as JSON; None if it doesn't exist, or is set aside as damaged. Raises OSError."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        return None
    except (IsADirectoryError, msgspec.DecodeError):
        put_aside(path)
        return None


def put_aside(path: Path) -> None:
    """Rename a damaged file, or what is in its place. Raises OSError."""
    path.replace(path.with_name(path.name + DAMAGED))


def lines(path: Path, kind: type[T]) -> Iterator[T]:
    """Yield the whole lines of an append-only file; one that isn't JSON is removed, with a copy. Raises OSError."""
    decoder = msgspec.json.Decoder(kind)
    try:
        with path.open("rb") as stream:
            found = stream.readlines()
    except FileNotFoundError:
        return
    bad = set[int]()
    for at, line in enumerate(found):
        try:
            yield decoder.decode(line)
        except msgspec.ValidationError:
            continue  # of another version
        except msgspec.DecodeError:
            bad |= {at} if line.endswith(b"\n") else set()
    if bad:
        replace(path.with_name(path.name + DAMAGED), b"".join(found), 0o600)
        replace(path, b"".join(line for at, line in enumerate(found) if at not in bad), 0o600)


def append(path: Path, *values: Any) -> None:
    """Append lines to such a file and sync it; an incomplete last line is removed.

    Raises OSError; the file is then unchanged if the system allows it.
    """
    fresh = not path.exists()
    # Unbuffered: closing doesn't retry a failed write.
    with open(path, "ab+", buffering=0, opener=private) as stream:
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
    """Truncate after the last line end; return the new length."""
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


def store(path: Path, value: Any, mode: int = 0o600, *, block: int = 0) -> None:
    """Replace a file by `value` as JSON. Raises OSError; then the old file is unchanged and no other is left.

    With a `block` the file has a multiple of that many bytes. If the disk is full, it is overwritten in place.
    """
    data = msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"
    try:
        replace(path, data.ljust(-(-len(data) // block) * block if block else 0, b"\n"), mode)
    except OSError as error:
        if error.errno not in FULL or not block or not path.is_file() or path.stat().st_size < len(data):
            raise
        with path.open("r+b", buffering=0) as stream:
            stream.write(data.ljust(path.stat().st_size, b"\n"))


def replace(path: Path, data: bytes, mode: int = 0o666) -> None:
    """Replace a file by `data` so that it survives a power cut. Raises OSError as `store` does.

    `mode` is reduced by the umask. A link stays a link. A device or a pipe is written to directly.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    put(beside(path), path, data, mode)
    # Remove old leftovers of killed writers; recent ones may belong to a running writer.
    for left in leftovers(path):
        with suppress(OSError):
            if left.stat().st_mtime < path.stat().st_mtime - _HOUR:
                left.unlink()


def put(fresh: Path, path: Path, data: bytes, mode: int, ready: Callable[[], None] = lambda: None) -> None:
    """Write `fresh`, call `ready`, then rename `fresh` to `path`. Raises OSError; then `fresh` is removed."""
    try:
        write(fresh, data, mode)
        ready()
        fresh.replace(path)
    except OSError:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)  # don't leave a full disk fuller
        raise
    sync_folder(path.parent)


def beside(path: Path) -> Path:
    """Return an unguessable name for the replacement of a file, so that nobody can plant a link there."""
    return path.with_name(f".{path.name}.{os.urandom(8).hex()}.tmp")


def write(path: Path, data: bytes, mode: int) -> None:
    """Write a new file and sync it. Raises OSError, also if a file or link of that name exists."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(handle, "wb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def unflagged(name: str) -> str:
    """Return the part of a Maildir file's name that stays when its flags change."""
    return name.partition(":")[0].partition(";")[0]


def flagged(name: str, flag: str) -> str:
    """Return the name of a Maildir file with a flag, written with `;`, as NTFS allows no `:`."""
    return f"{name};2,{flag}"


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that a rename survives a power cut. Does nothing where the system can't."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def leftovers(path: Path) -> list[Path]:
    """Return the files that `beside` has named, and that were not renamed."""
    begin, names = f".{path.name}.", os.listdir(path.parent)  # noqa: PTH208 - full folders: far faster than a glob
    return [path.with_name(name) for name in names if name.startswith(begin) and name.endswith(".tmp")]
