"""A program in a pseudo-terminal, as a player at a live table has one; tests and a bench type in it."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

SEND = "\x1b[19~"
"""F8, in a terminal."""


class SeatTerminal:
    """A pseudo-terminal with a program in it. What the program writes is read, and only its times are kept."""

    def __init__(
        self, words: Sequence[object], wide: int = 120, high: int = 36, env: Mapping[str, str] | None = None
    ) -> None:
        self.got = 0
        self.ended = False
        self.first: float | None = None
        self.last = time.monotonic()
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            os.execvpe(
                str(words[0]), [str(word) for word in words], {**os.environ, **(env or {}), "TERM": "xterm-256color"}
            )
        self.size(wide, high)

    def size(self, wide: int, high: int) -> None:
        """Make the terminal so large."""
        fcntl.ioctl(self.handle, termios.TIOCSWINSZ, struct.pack("HHHH", high, wide, 0, 0))

    def take(self) -> bytes:
        """Read what is there; nothing once the program has ended."""
        try:
            data = os.read(self.handle, 65536)
        except OSError:
            data = b""
        self.ended = not data
        if data:
            self.got += len(data)
            self.last = time.monotonic()
            self.first = self.first or self.last
        return data

    def read(self, seconds: float) -> None:
        """Read for so long."""
        end = time.monotonic() + seconds
        while not self.ended and (left := end - time.monotonic()) > 0:
            if select.select([self.handle], [], [], left)[0]:
                self.take()

    def write(self, text: str) -> None:
        """Type; `first` is then the time of the first byte that follows."""
        self.first = None
        os.write(self.handle, text.encode())

    def keys(self, text: str, wait: float = 1.0) -> None:
        self.write(text)
        self.read(wait)

    def kill(self, how: int = signal.SIGKILL) -> None:
        """End the program and close the terminal."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, how)
        self.read(1)
        if how != signal.SIGKILL and not self.ended:
            return self.kill()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        os.close(self.handle)
        return None


def lines(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The keys that put a line of orders into the email, each with what shows then; nothing if it may show already."""
    return (
        ("\x02", ()),
        ("8", ()),
        ("a", ("standing order", "予約回答")),
        ("advance", ("advance",)),  # policies of a question come first in the list
        ("\r", ("advance order:", "予約命令：", "予約命令:")),
        (f"\x1b[200~{text}\x1b[201~", ()),
        ("\r", (text[:40],)),
    )
