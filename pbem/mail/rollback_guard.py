"""What letters have quoted of each game, kept beside the saves: an older save put back is not played on unseen.

`heads.json`: name of the game → the moves, epoch of the dice, and head of the last letters that were delivered.
Writing is atomic. If the file is deleted, players still have their letters: `pbem verify` finds the difference.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from pbem import atomic_files
from pbem.file_locks import lock
from pbem.save import Save, chain, codec
from pbem.save.errors import Restored

NAME = "heads.json"


class QuotedHead(msgspec.Struct):
    """What the last letters of a game told; `start` is the hash of its set-up: a new game may have an old name.

    `letters` counts those of each seat: their numbers are not given again.
    """

    start: str
    n: int
    epoch: int
    head: str
    letters: dict[str, int] = {}


def load(folder: Path) -> dict[str, QuotedHead]:
    """What is known in a folder of saves; nothing if there is no such file. Raises OSError if it cannot be read."""
    return atomic_files.load(folder / NAME, dict[str, QuotedHead]) or {}


def note(folder: Path, save: Save) -> None:
    """Note that letters of this game have been delivered."""
    fresh = QuotedHead(chain.start(save), save.header.n, save.dice.epoch, save.header.head)
    fresh.letters = {seat.id: seat.told.letters for seat in save.seats}
    with lock(folder / f"{NAME}.lock"):  # runs over other games of the folder write it, too
        known = load(folder)
        if known.get(save.header.name) != fresh:
            write(folder, known | {save.header.name: fresh})


def forget(folder: Path, name: str) -> QuotedHead | None:
    """Forget what letters have quoted of a game: everybody is told of it. Returns what it was."""
    with lock(folder / f"{NAME}.lock"):
        known = load(folder)
        found = known.pop(name, None)
        if found is not None:
            write(folder, known)
    return found


def write(folder: Path, known: dict[str, QuotedHead]) -> None:
    """Replace the file."""
    atomic_files.store(folder / NAME, known)


def check(folder: Path, save: Save) -> None:
    """Raise `Restored` if letters have told of moves that this save does not have."""
    told = load(folder).get(save.header.name)
    if told is None or told.start != chain.start(save):
        return
    rewind = next((earlier for earlier in save.dice.rewinds if earlier.epoch == told.epoch + 1), None)
    if rewind is not None:
        if rewind.was_n < told.n:
            raise Restored(_why(told, rewind.was_n), key="game.n")
    elif save.header.n < told.n or save.dice.epoch < told.epoch:
        raise Restored(_why(told, save.header.n), key="game.n")
    elif _head_at(save, told.n) != told.head:
        raise Restored(
            f"letters have told of move {told.n} with head {told.head[:16]}…, which it is not",
            key="game.head",
        )


def _why(told: QuotedHead, n: int) -> str:
    return f"emails have already shown move {told.n} of epoch {told.epoch}, but this save ends with move {n}"


def _head_at(save: Save, n: int) -> str:
    if n == save.header.n:
        return save.header.head
    if n > save.earlier_n:
        return next((move.hash for move in save.moves if move.n == n), "")
    if n == 0:
        return chain.start(save)
    return next((move.hash for move in codec.earlier_moves(save) if move.n == n), "")
