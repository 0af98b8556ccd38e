"""What pairs of worlds have in common: how a pair ends, what a seat could notice, and what came of a run."""

from __future__ import annotations

import traceback
from random import Random
from typing import Any

import msgspec

from pbem.kernel.game import Game, Setup
from pbem.kernel.referee import Mark, Referee
from pbem.trial.random_game import Setting, sampler

CRASH = "crash"
"""Why a pair ended in which a world crashed: a fault, though no leak."""


class NotPlayed(ValueError):
    """No scenario of the game is for this number of players."""


class Leak(msgspec.Struct):
    """What X could notice: `where` it stands in what he gets, and both versions, shortened.

    `number` is that of the random game, -1 where games have none.
    """

    game: str
    setup: Setup
    mark: int
    seat: str
    step: str
    where: str
    a: str
    b: str
    crash: bool = False
    number: int = -1

    def __str__(self) -> str:
        return f"{self.seat} after {self.step} (from move {self.mark}): {self.where}\n  A: {self.a}\n  B: {self.b}"


class Result(msgspec.Struct):
    """What came of a run. `changed` pairs really differed; `steps` are answers, each way counted once; `ended` counts
    why pairs ended.
    """

    pairs: int = 0
    changed: int = 0
    steps: int = 0
    mends: int = 0
    seconds: float = 0.0
    ended: dict[str, int] = {}
    leaks: list[Leak] = []

    def add(self, other: Result) -> None:
        """Count another run with this one."""
        self.pairs += other.pairs
        self.changed += other.changed
        self.steps += other.steps
        self.mends += other.mends
        self.seconds += other.seconds
        self.leaks = [*self.leaks, *other.leaks]
        self.ended = {
            why: self.ended.get(why, 0) + other.ended.get(why, 0) for why in {**self.ended, **other.ended}
        }


class End(Exception):
    """The pair ends: `why` is `learnt`, `parted` (no answer fits both worlds), `over`, or `steps`."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Leaked(Exception):
    """X could notice it: `where` it stands in what he gets, and how it reads in each world."""

    def __init__(self, where: str, a: str, b: str) -> None:
        super().__init__(where)
        self.where, self.a, self.b = where, a, b


class Pair:
    """A game, the checkpoint from which two worlds of it are played, and the seat X that may not tell them apart."""

    at_end = "played"
    """Why a pair ended that nothing ended before."""

    def __init__(
        self, game: Game, setup: Setup, mark: Mark, seat: str, components: Any, random: Random, result: Result
    ) -> None:
        self.game = game
        self.setup = setup
        self.mark = mark
        self.seat = seat
        self.components = components
        self.random = random
        self.result = result
        self.step = "the checkpoint"

    def run(self) -> None:
        """Play the pair to its end. Note what X could notice, and count why it ended."""
        self.result.pairs += 1
        why = self.at_end
        try:
            self._play()
        except Leaked as leaked:
            why = self.leak(leaked)
        except End as end:
            why = end.why
        except Exception as error:
            why = self.crash(error)
        ended = self.result.ended
        ended[why] = ended.get(why, 0) + 1

    def _play(self) -> None:
        """Play both worlds side by side and compare. Raises `Leaked`, `End`."""
        raise NotImplementedError

    def leak(self, leaked: Leaked, *, crash: bool = False) -> str:
        """Note what X could notice. Return why the pair ended."""
        where = self.game.slug, self.setup, self.mark.n, self.seat, self.step
        self.result.leaks.append(Leak(*where, leaked.where, leaked.a, leaked.b, crash))
        return "leak"

    def crash(self, error: Exception) -> str:
        """Note that a world crashed: a finding, not the end of the run. Return why the pair ended."""
        self.leak(Leaked(f"{type(error).__name__}: {error}", "", traceback.format_exc()[-900:]), crash=True)
        return CRASH

    def concealed(self) -> bytes:
        """The state of the checkpoint with all that X may not know dealt anew."""
        scratch = self.scratch(self.mark.state)
        self.game.conceal(scratch.table, self.seat, sampler(self.random))
        problems = self.game.invariants(scratch.table)
        if problems:
            raise ValueError(f"conceal breaks the state: {problems[0]}")
        return msgspec.json.encode(scratch.table.state)

    def scratch(self, state: bytes) -> Referee:
        """A game in this state that is not played."""
        scratch = Referee(self.game, self.setup, components=self.components)
        scratch.table.state = msgspec.json.decode(state, type=self.game.state)
        return scratch


def settings_of(game: Game, seats: int | None) -> list[Setting]:
    """The scenarios with their seats for so many players (None: for any). Raises `NotPlayed`."""
    settings = [(s.id, ids) for s in game.scenarios for n, ids in s.seats.items() if seats in (None, n)]
    if not settings:
        raise NotPlayed(f"{game.slug} cannot be played by {seats}")
    return settings
