"""Who sits at the live table: a small file for each session next to the save, touched while its terminal is open.

`NAME.table/SEAT.SESSION.here` is touched every `BEAT` seconds. A seat without a file touched in the last `SILENCE`
seconds has left: the next run sends what it hasn't been told, then the files are removed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

BEAT = 5.0
"""Seconds between two touches."""
SILENCE = 30.0
"""Seconds without a touch after which a session counts as ended."""
MOST = 2
"""Sessions that a seat may have at once."""
WATCHING = 20
"""The same for all spectators together."""

TABLE = ".table"
"""How the folder of a live table ends; before it stands the name of the save without its ending."""
_ENDING = ".here"


class TableFull(Exception):
    """A seat has as many sessions as it may have."""


def folder(save: Path) -> Path:
    """Return the folder of a save's live table."""
    return save.with_name(save.stem + TABLE)


def _sessions(save: Path) -> Iterator[tuple[str, Path, bool]]:
    """Yield seat, file and whether it was touched lately, for each session."""
    now = time.time()
    with suppress(OSError), os.scandir(folder(save)) as entries:
        for entry in entries:
            seat, _, rest = entry.name.partition(".")
            if rest.endswith(_ENDING):
                with suppress(OSError):  # it ends now
                    yield seat, Path(entry.path), now - entry.stat().st_mtime < SILENCE


def at_table(save: Path) -> frozenset[str]:
    """Return the seats that sit at the table now; spectators are one seat, `public`."""
    return here_and_left(save)[0]


def here_and_left(save: Path) -> tuple[frozenset[str], list[str]]:
    """Return the seats at the table, and those that have left and haven't been written to since."""
    found = list(_sessions(save))
    here = frozenset(seat for seat, _, fresh in found if fresh)
    return here, sorted({seat for seat, _, _ in found} - here)


def written_to(save: Path, seat: str) -> None:
    """Record that a seat that had left has been written to. Its sessions that go on stay."""
    for other, file, fresh in list(_sessions(save)):
        if other == seat and not fresh:
            with suppress(OSError):
                file.unlink()


class TableSession:
    """One session's place at the table: `sit`, `beat` now and then, `rise`."""

    def __init__(self, save: Path, seat: str, most: int = MOST) -> None:
        self.save = save
        self.seat = seat
        self.most = most
        self.file = folder(save) / f"{seat}.{os.urandom(4).hex()}{_ENDING}"

    def others(self) -> int:
        """Return how many other sessions of the seat go on."""
        found = _sessions(self.save)
        return sum(fresh and seat == self.seat and file != self.file for seat, file, fresh in found)

    def sit(self) -> None:
        """Take the place. Raises `TableFull`, OSError."""
        self.file.parent.mkdir(mode=0o700, exist_ok=True)
        if self.others() >= self.most:
            why = f"{self.seat} is at the table {self.most} times already"
            raise TableFull(f"{why}: close another window, or wait {SILENCE:.0f} seconds for one that was cut off")
        self.beat()
        written_to(self.save, self.seat)  # it is back: nothing more is owed to it

    def beat(self) -> None:
        """Record that the session goes on."""
        with suppress(OSError):
            self.file.touch(mode=0o600)

    def rise(self) -> None:
        """Leave. The file stays, so that the seat is written to."""
        with suppress(OSError):
            os.utime(self.file, (0, 0))
