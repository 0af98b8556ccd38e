"""Guard against playing on from an older save: records what emails have quoted of each game.

`heads.json`: name of the game → the moves, epoch of the dice, and chain head of the last delivered emails. Writing is
atomic. If the file is deleted, players still have their emails: `pbem verify` finds the difference.
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
    """The chain head in a game's last emails; `start` is the hash of its set-up: a new game may have an old name.

    `letters` counts the emails of each seat: their numbers aren't used again.
    """

    start: str
    n: int
    epoch: int
    head: str
    letters: dict[str, int] = {}


def load(folder: Path) -> dict[str, QuotedHead]:
    """Return the recorded heads of a folder of saves; {} without a file. Raises `OSError` if it can't be read."""
    return atomic_files.load(folder / NAME, dict[str, QuotedHead]) or {}


def note(folder: Path, save: Save) -> None:
    """Record that emails of this game have been delivered."""
    fresh = QuotedHead(chain.start(save), save.header.n, save.dice.epoch, save.header.head)
    fresh.letters = {seat.id: seat.told.letters for seat in save.seats}
    with lock(folder / f"{NAME}.lock"):  # runs over other games of the folder write it, too
        known = load(folder)
        if known.get(save.header.name) != fresh:
            write(folder, known | {save.header.name: fresh})


def forget(folder: Path, name: str) -> QuotedHead | None:
    """Remove and return what emails have quoted of a game; the caller notifies all players."""
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
    """Raise `Restored` if emails have shown moves that this save doesn't have."""
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
        why = f"emails that were sent have another hash of move {told.n}: {told.head[:16]}…"
        raise Restored(why, key="game.head")


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
