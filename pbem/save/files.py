"""Save files: read, written atomically, and locked while they are written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec

from pbem import atomic_files
from pbem.file_locks import Busy, lock
from pbem.lazy_regex import pattern
from pbem.save import codec
from pbem.save.errors import Locked, SaveError, Truncated, Unreadable, Unwritable, WrongFormat
from pbem.save.schema import Save
from pbem.save.toml_writer import END

_CHECKPOINT = pattern(rb"^\[checkpoint\][ \t]*\r?$", re.MULTILINE)
_GAME = pattern(rb"^\[game\][ \t]*\r?$", re.MULTILINE)
_CHUNK = 1 << 15
"""Bytes read at a time until the end of a header."""
_HEAD = 4096
"""The bytes within which a save is recognised."""
_TAIL = 200
"""Bytes from the end of the file that hold the last line."""
TIMEOUT = 10.0
"""Seconds a writer waits for another one."""


class Fingerprint(msgspec.Struct, frozen=True):
    """Identifies a version of a file."""

    inode: int
    size: int
    changed: int


def fingerprint(path: str | Path) -> Fingerprint | None:
    """Return the fingerprint of the file now; None if it can't be accessed."""
    try:
        stat = Path(path).stat()
    except OSError:
        return None
    return Fingerprint(stat.st_ino, stat.st_size, stat.st_mtime_ns)


def load_header(path: str | Path) -> Save:
    """Read a save's header: only the ends of the file. Raises `Unreadable` and other `SaveError`s."""
    try:
        return codec.read_header(_header_text(Path(path)))
    except OSError as error:
        raise _unreadable(error, path) from None
    except SaveError as error:
        raise error.at(path) from None


def load(path: str | Path, *, recent: bool = False) -> Save:
    """Read a whole save; `recent`: early moves stay text. Raises `SaveError`s."""
    try:
        return codec.read(read_text(path), recent=recent)
    except RecursionError:
        raise Unreadable("nested too deeply", path=path) from None
    except SaveError as error:
        raise error.at(path) from None


def read_text(path: str | Path) -> str:
    r"""Read the text of a save, line ends as `\n`. Raises `Unreadable`, `Truncated`, `WrongFormat`."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise _unreadable(error, path) from None
    _check_ends(data[:_HEAD], data[-_TAIL:])  # before decoding: a cut may go through a character
    return _decoded(data)


def store(path: str | Path, save: Save, *, timeout: float = TIMEOUT) -> None:
    """Replace the file by a save, atomically and locked; the old one becomes `.bak`. Raises `Locked`, `Unwritable`.

    To change a save safely, hold `locked` from `load` to `store`. On an error the file is unchanged.
    """
    target = Path(path).resolve()  # a link stays a link
    if target.exists() and not target.is_file():
        raise Unwritable("it is a folder or a device, not a file", path=path)
    try:
        data = b"".join(piece.encode("utf-8") for piece in codec.pieces(save))
    except UnicodeEncodeError as error:
        found = error.object[max(error.start - 40, 0) : error.start]
        why = f"a text holds half a character (a lone surrogate), after {found!r}"
        raise Unwritable(why, path=path) from None
    except SaveError as error:
        raise error.at(path) from None
    with locked(target, timeout):
        try:
            _replace(target, data)
        except OSError as error:
            raise Unwritable(f"{error.strerror or error}", path=path) from None


@contextmanager
def locked(path: str | Path, timeout: float = TIMEOUT) -> Iterator[None]:
    """Hold the save's lock, `<path>.lock`; it ends with the process. Raises `Locked`."""
    target = Path(path).resolve()
    if not target.parent.is_dir():
        raise Unwritable("this folder doesn't exist", path=path)
    with ExitStack() as held:
        try:
            held.enter_context(lock(f"{target}.lock", timeout))
        except Busy:
            why = f"another process has been writing this save for {timeout:g} s"
            raise Locked(why, path=path) from None
        except OSError as error:
            raise Unwritable(f"{target}.lock can't be created: {error.strerror}", path=path) from None
        yield


def keep(path: str | Path, name: str) -> Path:
    """Copy the file to the folder `NAME.d` next to it; return the path. The same copy is not made twice."""
    source = Path(path)
    data = source.read_bytes()
    folder = source.with_suffix(".d")
    folder.mkdir(mode=0o700, exist_ok=True)
    target, count = folder / f"{name}.toml", 1
    while os.path.lexists(target):
        if target.is_file() and target.read_bytes() == data:
            return target
        count += 1
        target = folder / f"{name}-{count}.toml"
    atomic_files.replace(target, data, 0o600)
    return target


def _replace(target: Path, data: bytes) -> None:
    mode = 0o600  # it holds every secret
    with suppress(FileNotFoundError):
        mode = target.stat().st_mode & 0o777
    for left in atomic_files.leftovers(target):
        left.unlink(missing_ok=True)  # of a killed writer: the lock excludes running ones
    fresh = atomic_files.beside(target)

    def ready() -> None:
        fresh.chmod(mode)  # not reduced by the umask
        if target.exists():
            _back_up(target)

    atomic_files.put(fresh, target, data, mode, ready)


def _back_up(target: Path) -> None:
    """Keep the present file as `.bak` too, without a moment in which either is missing."""
    backup, spare = target.with_name(f"{target.name}.bak"), atomic_files.beside(target)
    # A killed writer left this link. Renaming one link of a file to another does nothing (POSIX).
    if backup.exists() and backup.samefile(target):
        return
    try:
        os.link(target, spare)
    except OSError:  # a file system without hard links
        atomic_files.write(spare, target.read_bytes(), target.stat().st_mode & 0o777)
    spare.replace(backup)


def _header_text(path: Path) -> str:
    data = b""
    with path.open("rb") as file:
        head = file.read(_HEAD)
        file.seek(max(os.fstat(file.fileno()).st_size - _TAIL, 0))
        _check_ends(head, file.read())
        file.seek(0)
        while chunk := file.read(_CHUNK):
            data += chunk
            found = _CHECKPOINT.search(data)
            if found:
                return _decoded(data[: found.start()])
    return codec.split(_decoded(data)).header


def _check_ends(head: bytes, tail: bytes) -> None:
    """Raise `Truncated` for a save without its last line, `WrongFormat` for any other file."""
    if tail.rstrip().endswith(END.encode()):
        return
    title = codec.TITLE.encode()
    if not title.startswith(head[: len(title)]) and _GAME.search(head) is None:
        raise WrongFormat("this isn't a pbem save", remedy="Name the file of a game (`pbem status FOLDER` lists them).")
    raise Truncated(f"the last line, '{END}', is missing")


def _decoded(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
        return text.replace("\r\n", "\n") if "\r" in text else text
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Unreadable("not UTF-8", line=line) from None


def _unreadable(error: OSError, path: str | Path) -> Unreadable:
    missing = isinstance(error, FileNotFoundError)
    return Unreadable(
        "this file doesn't exist" if missing else f"can't be read: {error.strerror}",
        path=path,
        remedy="Check the name." if missing else "Check the permissions.",
    )
