"""Letters taken in game by game.

Those to one game, in their order, are one transaction on its save, so that a game with many letters is stored once. A
letter that fails costs no other. What the seats are told is written with the last letters, in the same transaction.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from pbem.kernel.words import fold
from pbem.post.clockwork.due import to_tell
from pbem.post.game_pool import GamePool, Transaction
from pbem.post.inbox.outcomes import Tally
from pbem.post.inbox.quarantine import Quarantine
from pbem.post.inbox.values import Letter
from pbem.post.inbox.way import Dealt, deal
from pbem.post.outbox.delivery import Delivery, crowded
from pbem.post.outbox.message import Outbox, SentLetters
from pbem.post.save_index import SaveIndex, own_addresses
from pbem.save import SaveError
from pbem.save.session import Loader

# Letters that wait in memory: gathered ones, to be taken in together, and those that came before their question.

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


class Taking:
    """Takes letters into the games of an index; `settle` hears of each that is dealt with and on disk.

    `early` are letters that wait for their question, `told` the saves whose seats have been written to. `receipts`: put
    each receipt into words; without, only those that no letter brings. `sent` is the outbox with the letters of before.
    """

    def __init__(
        self,
        index: SaveIndex,
        home: Path,
        tally: Tally,
        settle: Callable[[Dealt], None],
        *,
        game: Loader,
        now: datetime,
        sender: str,
        sent: Path | None = None,
    ) -> None:
        self.index = index
        self.home = home
        self.tally = tally
        self.settle = settle
        self.own = own_addresses(list(index.headers.values()), sender)
        self.games = GamePool(index, game, now, home)
        self.quarantine = Quarantine(home / "quarantine")
        self.outbox = Outbox(home / "outbox")
        self.sent = SentLetters(Outbox(sent) if sent is not None else self.outbox)
        self.delivery = Delivery(self.games, self.outbox, tally.report, now=now, sender=sender)
        self.early = Early()
        self.told: set[Path] = set()
        self.receipts = True

    def take_in(self, game: str, letters: Sequence[Letter], *, rest: bool = False) -> None:
        """Take in letters to one game, in as few transactions as can be. `rest`: no more of them will come."""
        left, path = letters, self.index.path(game)
        while left:
            left = left[self._together(path, left, rest=rest) :]
        self.tally.count(len(letters))

    def finish(self, game: str, letters: Sequence[Letter]) -> None:
        """Take in the last letters to a game, and tell its seats what is to be told."""
        path = self.index.paths[game]
        self._take_in_rest(game, letters)
        untold = path in self.games.ever or to_tell(self.index.headers[game], self.games.now)
        if untold and path not in self.told:
            self._together(path, [], rest=True)
        if path in self.games.ever:
            self.delivery.ask_moderator(self.index.headers[game])

    def _take_in_rest(self, game: str, letters: Sequence[Letter]) -> None:
        """Take in the last letters to a game, then those that came too early, as often as that helps."""
        early = self.early.of(game)
        self.take_in(game, letters, rest=not early)
        early += self.early.of(game)
        while early:
            self.take_in(game, early)
            left = self.early.of(game)
            if len(left) == len(early):
                self.take_in(game, final(left))
                return
            early = left

    def _together(self, path: Path, letters: Sequence[Letter], *, rest: bool = False) -> int:
        """Take in letters to one game in one transaction; returns how many of them are dealt with.

        If one fails, those before it are taken in without it, and it is given up. With the `rest` of them what the
        seats are to be told is written, unless a letter waits for its question.
        """
        done: list[Dealt] = []
        tells = False
        try:
            with self.games.transaction(path) as work:
                for letter in letters:
                    done.append(self._deal(letter, work))  # noqa: PERF401 — read if one fails
                ends = rest and not any(dealt.early for dealt in done)
                tells = (ends or crowded(work.session.save)) and path not in self.told
                if tells:
                    self.delivery.write(work)
        except (SaveError, OSError) as error:
            self.tally.report.broken[str(path)] = str(error)
            self.tally.give_up(letters, "postponed", "its save cannot be read or written now")
            return len(letters)
        except Exception as error:  # a fault of the rules must not keep the other letters from being read
            if os.environ.get("PBEM_DEBUG"):
                raise
            if tells or not letters:
                self.delivery.faults.note(path, error)
                # Letters can be taken in; what they change is told when that can be written.
                self.told.add(path)
                return self._together(path, letters) if letters else 0
            return self._without_fault(path, letters, len(done), f"{type(error).__name__}: {error}")
        for dealt in done:
            self._settle(dealt)
        if tells:
            self.delivery.deliver(path)
        if ends:
            self.told.add(path)
        return len(letters)

    def _deal(self, letter: Letter, work: Transaction) -> Dealt:
        return deal(letter, self.index, self.quarantine, work, self.own, self.sent, receipts=self.receipts)

    def _settle(self, dealt: Dealt) -> None:
        if dealt.early is not None:
            self.early.letters.append(dealt.early)
        self.settle(dealt)

    def _without_fault(self, path: Path, letters: Sequence[Letter], good: int, why: str) -> int:
        """Do again what could be done before a fault; returns how many letters are dealt with."""
        if good == len(letters) > 1:  # all could be applied, and then they could not be stored
            return sum(self._together(path, [letter]) for letter in letters)
        if good and len(letters) > 1:
            self._together(path, letters[:good])
        failed = min(good, len(letters) - 1)
        self.tally.give_up(letters[failed : failed + 1], "failed", why)
        return failed + 1
