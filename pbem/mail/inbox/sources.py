"""Sources of emails: an mbox, a Maildir, a single file, a folder of files, standard input.

Reads only. One message is in memory at a time. The order is the same in every run. Sources: RFC 4155 (mbox), the
Maildir specification by D. J. Bernstein.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from pbem.atomic_files import unflagged
from pbem.lazy_regex import pattern
from pbem.mail.inbox.stages import Kind, Received

MESSAGE_LIMIT = (16 << 20) + 1
"""Bytes kept of one message: more than `mime` reads, so that a cut one is recognised as too large."""

_CHUNK = 1 << 16
_PEEK = 4096
_SEPARATOR = pattern(rb"From (?:[ \t]*|.*\d{1,2}:\d{2}.*)\r?\n?")
_ESCAPED = pattern(rb">+From ")
_ORDERS = pattern(rb"(?:\xef\xbb\xbf)?(?:\s*(?://|#)[^\n]*\n)*\s*BEGIN[ \t]+ORDERS\b", re.IGNORECASE)
_MAIL_SUFFIXES = {".eml", ".msg", ".mail"}
_ORDER_SUFFIXES = {".orders", ".txt"}


class SourceError(OSError):
    """A source that can't be read: missing, not permitted, or a folder without any mail layout."""


def is_mailbox(path: str | Path) -> bool:
    """Return whether reading this source counts as reading mail: a move file or a single email doesn't.

    Standard input (`-`) counts: a mail server pipes all there is.
    """
    place = Path(path)
    if str(path) == "-" or not place.is_file():
        return True
    with place.open("rb") as stream:
        head = stream.read(_PEEK)
    return head.startswith(b"From ") or not (head or place.suffix.lower() in _ORDER_SUFFIXES | _MAIL_SUFFIXES)


def open_source(
    path: str | Path,
    *,
    stdin: BinaryIO | None = None,
    limit: int = MESSAGE_LIMIT,
    known: Callable[[os.DirEntry[str]], bool] = lambda file: False,
) -> Iterator[Received]:
    """Return the messages of a source in order; `-` is standard input.

    - A file is an mbox if it begins with `From `.
    - It is a move file if it is named `*.orders` or begins with `BEGIN ORDERS`, else one mail.
    - A folder is a Maildir if it has `new` or `cur`; its `known` files are skipped.
    - In other folders emails and move files are read by name, not recursively; hidden and temporary files are skipped.

    Only the first `limit` bytes of a message are read. Raises `SourceError` at once if the source can't be opened. A
    single message that can't be read is yielded as `missing`, a file that is no email as `unreadable`.
    """
    if str(path) == "-":
        return _from_stream(stdin or sys.stdin.buffer, "stdin", limit)
    place = Path(path)
    try:
        if place.is_dir():
            parts = [place / part for part in ("new", "cur") if (place / part).is_dir()]
            if parts:
                return _from_maildir(place, _waiting(parts, known), limit)
            files = [path for path in sorted(place.iterdir()) if _may_be_mail(path)]
            if not files:
                why = "an empty folder is no Maildir (new and cur are missing): is its disk mounted?"
                raise SourceError(errno.ENOENT, why, str(place))
            return _from_folder(files, limit)
        stream = place.open("rb")
    except OSError as error:
        raise SourceError(error.errno, error.strerror or str(error), str(place)) from error
    return _from_file(stream, place, limit)


def _from_file(stream: BinaryIO, place: Path, limit: int) -> Iterator[Received]:
    with stream:
        if not stream.seekable():  # a pipe, /dev/stdin
            yield from _from_stream(stream, str(place), limit)
            return
        head = stream.read(_PEEK)
        stream.seek(0)
        if head.startswith(b"From ") and not head.startswith(b"From :"):
            yield from _from_mbox(_lines(stream), str(place), limit)
        elif head or place.suffix.lower() in _ORDER_SUFFIXES | _MAIL_SUFFIXES:
            yield Received(place.name, stream.read(limit), str(place), _kind(place, head))


def _from_stream(stream: BinaryIO, where: str, limit: int) -> Iterator[Received]:
    lines = _lines(stream)
    first = next(lines, b"")
    if first.startswith(b"From ") and not first.startswith(b"From :"):
        yield from _from_mbox(chain([first], lines), where, limit)
        return
    message = _Gather(limit)
    for line in chain([first], lines):
        message.add(line)
    if raw := message.whole():
        yield Received(_digest(raw), raw, where, "orders" if _ORDERS.match(raw) else "mail")


def _waiting(parts: Iterable[Path], known: Callable[[os.DirEntry[str]], bool]) -> list[Path]:
    paths = []
    for folder in parts:
        with os.scandir(folder) as files:
            paths += [Path(file.path) for file in files if not file.name.startswith(".") and not known(file)]
    return paths


def _from_maildir(place: Path, files: Iterable[Path], limit: int) -> Iterator[Received]:
    """Yield in order of delivery: by the time that a Maildir name begins with, then by its numbers.

    mbsync names the messages that it delivers within one second `…_9`, `…_10`.
    """
    messages: list[tuple[int, list[str | int], str, Path]] = []
    for path in files:
        key = unflagged(path.name)
        digits = re.match(r"\d{1,12}(?=\.)", key, re.ASCII)
        messages.append((int(digits[0]) if digits else 0, _natural(key), key, path))
    seen = set()
    for time, _, key, path in sorted(messages):
        if key not in seen:
            seen.add(key)
            received = _one_file(path, key, limit, time or None, mail=True)
            if received.kind == "missing" and not os.path.lexists(path):
                import glob  # rarely needed: a mail program has just changed the flags of the file

                moved = next((place / "cur").glob(f"{glob.escape(key)}*"), None)
                if moved is None:
                    continue
                received = _one_file(moved, key, limit, time or None, mail=True)
            yield received


def _natural(name: str) -> list[str | int]:
    """Return a key that sorts the numbers in a name by value; text and numbers alternate in it."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"([0-9]+)", name)]


def _may_be_mail(path: Path) -> bool:
    suffixes = _MAIL_SUFFIXES | _ORDER_SUFFIXES
    return not path.name.startswith(".") and path.suffix.lower() in suffixes and not path.is_dir()


def _from_folder(paths: Iterable[Path], limit: int) -> Iterator[Received]:
    for path in paths:
        received = _one_file(path, path.name, limit)
        # A loose text file is a move file or isn't read.
        if path.suffix.lower() != ".txt" or received.kind != "mail":
            yield received


def _one_file(path: Path, key: str, limit: int, delivered: int | None = None, *, mail: bool = False) -> Received:
    """Return the message in a file; a file of a Maildir is always `mail`, however it begins."""
    try:
        raw = _read_plain(path, limit)
    except _NotAnEmail as error:
        return Received(key, b"", f"{path}: {error}", "unreadable", delivered)
    except OSError as error:
        return Received(key, b"", str(path), "missing", delivered, why=error.strerror or str(error))
    return Received(key, raw, str(path), "mail" if mail else _kind(path, raw[:_PEEK]), delivered)


def _kind(path: Path, head: bytes) -> Kind:
    suffix = path.suffix.lower()
    orders = suffix == ".orders" or (suffix not in _MAIL_SUFFIXES and _ORDERS.match(head) is not None)
    return "orders" if orders else "mail"


class _NotAnEmail(Exception):
    """A file that can never hold an email."""


def _read_plain(path: Path, limit: int) -> bytes:
    """Read the beginning of a plain file; raise `_NotAnEmail` for anything else, or `OSError`.

    A pipe would block forever, and a link may lead to any file of this machine.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _NotAnEmail("a link, not an email") from None
        if error.errno == errno.ENXIO:  # a socket
            raise _NotAnEmail("not a file with an email") from None
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise _NotAnEmail("not a file with an email")
    with os.fdopen(handle, "rb") as stream:
        return stream.read(limit)


def _from_mbox(lines: Iterator[bytes], where: str, limit: int) -> Iterator[Received]:
    """Split at `From ` lines after an empty line with a time or without more; undo one `>` of `>From `.

    Testing the time avoids splitting an email at a sentence that begins with "From ".
    """
    number, offset, position = 0, 0, 0
    message = _Gather(limit)
    blank, fresh = True, True  # fresh: this piece begins a line
    for line in lines:
        if blank and line.startswith(b"From ") and (position == 0 or _SEPARATOR.fullmatch(line)):
            if position:
                number += 1
                yield _mbox_message(message, where, number, offset)
            message, offset = _Gather(limit), position
        else:
            message.add(line[1:] if fresh and _ESCAPED.match(line) else line)
        position += len(line)
        blank = fresh and line in {b"\n", b"\r\n"}
        fresh = line.endswith(b"\n")
    if position:
        yield _mbox_message(message, where, number + 1, offset)


def _mbox_message(message: _Gather, where: str, number: int, offset: int) -> Received:
    raw = message.whole()
    for end in (b"\r\n", b"\n"):  # the empty line before the next separator isn't part of the message
        if raw.endswith(end * 2):
            raw = raw.removesuffix(end)
            break
    place = f"{where} (message {number}, byte {offset})"
    return Received(_digest(raw), raw, place, half=not raw.endswith(b"\n"))


class _Gather:
    """A buffer of lines up to a limit; the rest is dropped."""

    def __init__(self, limit: int) -> None:
        self._room = limit
        self._kept: list[bytes] = []

    def add(self, line: bytes) -> None:
        if self._room > 0:
            self._kept.append(line[: self._room])
            self._room -= len(line)

    def whole(self) -> bytes:
        return b"".join(self._kept)


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Return lines in pieces of bounded length, as a mailbox may be one endless line."""
    return iter(lambda: stream.readline(_CHUNK), b"")


def _digest(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()[:32]
