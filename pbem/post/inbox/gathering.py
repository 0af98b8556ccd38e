"""Letters that wait in memory: gathered ones, to be taken in together, and those that came before their question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pbem.kernel.words import fold
from pbem.post.inbox.values import Letter

GATHERED = 5000
"""Letters gathered before they are dealt with, and the bytes of them: what a run holds of a mailbox at once.

The more letters to one game are taken in together, the more rarely it is opened and stored.
"""

GATHERED_BYTES = 16 << 20

EARLY = 200
"""Letters kept for the end of the run because their question is not open yet; those beyond are put aside at once."""


class Gathered(msgspec.Struct):
    """Letters by the names of their games, in their order, to be taken in together."""

    letters: dict[str, list[Letter]] = {}
    count: int = 0
    size: int = 0

    @property
    def full(self) -> bool:
        """Whether it is time to take them in."""
        return self.count >= GATHERED or self.size >= GATHERED_BYTES

    def add(self, game: str, letter: Letter) -> None:
        """Put a letter to those for its game."""
        self.letters.setdefault(game, []).append(letter)
        self.count += 1
        self.size += len(letter.received.raw)


class Early(msgspec.Struct):
    """Letters whose question is not open yet, in their order."""

    letters: list[Letter] = []

    def of(self, game: str) -> list[Letter]:
        """Take out those to a game."""
        found = [letter for letter in self.letters if game_of(letter) == game]
        self.letters = [letter for letter in self.letters if game_of(letter) != game]
        return found

    def beyond(self) -> Iterator[Letter]:
        """Take out the oldest, until no more than `EARLY` are left."""
        while len(self.letters) > EARLY:
            yield self.letters.pop(0)


def game_of(letter: Letter) -> str:
    """The name of the game that a letter's first block is for."""
    return fold(letter.blocks[0].game)


def final(letters: Sequence[Letter]) -> list[Letter]:
    """The letters, which have nothing to wait for any more."""
    return [msgspec.structs.replace(letter, last=True) for letter in letters]
