"""Locks between processes: `flock` where the system has it, else the package `filelock`.

A lock ends with its process. Its holder may take it again; each thread is a separate holder.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

HAVE_FLOCK = sys.platform != "win32"


class Busy(Exception):
    """Another process or thread holds the lock."""


Key = tuple[int, int, str]
"""Process, thread, path: a lock belongs to all three."""

_held: dict[Key, tuple[int, Callable[[], None]]] = {}
"""How often each lock is held, and the function that releases it."""


@contextmanager
def lock(path: str | os.PathLike[str], timeout: float = -1) -> Iterator[None]:
    """Hold the lock file `path`; wait at most `timeout` seconds (-1: without limit). Raises `Busy`, OSError."""
    key = (os.getpid(), threading.get_ident(), os.fspath(path))
    count, let_go = _held[key] if key in _held else (0, _taken(key[2], timeout))
    _held[key] = (count + 1, let_go)
    try:
        yield
    finally:
        if count:
            _held[key] = (count, let_go)
        else:
            del _held[key]
            let_go()


def _taken(path: str, timeout: float) -> Callable[[], None]:
    if not HAVE_FLOCK:
        return _by_package(path, timeout)
    until, pause = time.monotonic() + timeout, 0.001
    while (handle := _attempt(path)) is None:
        if timeout >= 0 and until <= time.monotonic():
            raise Busy(path)
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    return lambda: os.close(handle)  # closing releases the lock


def _attempt(path: str) -> int | None:
    """Return the locked file handle; None if another holder has it."""
    import fcntl

    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_nlink:
            return handle  # the file wasn't replaced meanwhile
    except (BlockingIOError, PermissionError):  # PermissionError: some network file systems
        pass
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _by_package(path: str, timeout: float) -> Callable[[], None]:  # pragma: no cover - Windows
    import filelock

    found = filelock.FileLock(path)
    try:
        found.acquire(timeout=timeout)
    except filelock.Timeout:
        raise Busy(path) from None
    release: Callable[[], None] = found.release
    return release
