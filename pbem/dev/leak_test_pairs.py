"""Common parts of pairs of worlds: how a pair ends, what a seat could notice, and the result of a run."""

from __future__ import annotations

import tomllib
import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files
from random import Random
from time import perf_counter
from typing import Any

import msgspec

from pbem.dev.random_game import Setting, said_of, sampler
from pbem.dev.resample_hidden import words_of
from pbem.dev.rule_test_runner import read
from pbem.kernel.game import Game, Setup
from pbem.kernel.referee import CheckpointRecord, Referee
from pbem.kernel.table import LogLine

# Lines that may reveal something to a seat: a list for each game, each key with the rule that makes it public.

PUBLIC, PRIVATE, SECRET, HIDDEN = "public", "private", "secret", "hidden"


@cache
def _lists(package: str) -> dict[str, Any] | None:
    try:
        file = files(package).joinpath("public_lines.toml")
    except ModuleNotFoundError:  # a synthetic game of a test
        return None
    return tomllib.loads(file.read_text("utf-8")) if file.is_file() else None


def _lists_of(game: Game) -> dict[str, Any] | None:
    """Return the lists of a game, or None for a synthetic game of a test, which may borrow another's package."""
    return _lists(game.package) if game.package.rpartition(".")[2] == game.slug else None


def secret_kinds(game: Game) -> frozenset[str]:
    """Return the kinds of questions whose answer no other seat sees any part of."""
    return frozenset((_lists_of(game) or {}).get(SECRET, ()))


def hidden_field(game: Game, act: object) -> str:
    """Return the field of an act that only its writer sees, or ""."""
    if not isinstance(act, dict):
        return ""
    names = (key.split(".") for key in (_lists_of(game) or {}).get(HIDDEN, ()))
    return next((field for do, field in names if act.get("do") == do and field in act), "")


def may_reveal(game: Game, *lines: LogLine) -> bool:
    """Check if worlds may differ for a seat in their first lines that differ; never in the number of a draw."""
    if len({line.args["draw"] for line in lines if "draw" in line.args}) > 1:
        return False
    lists = _lists_of(game)
    if lists is None:
        return any(line.is_irreversible for line in lines)
    if any(_is_public(lists.get(PUBLIC, {}).get(line.key), lines) for line in lines):
        return True
    if len({public_part(line) for line in lines}) > 1 or len(lines) == 1:
        return False  # every seat would learn it
    return all(line.key in lists.get(PRIVATE, {}) for line in lines)


def _is_public(entry: str | None, lines: Sequence[LogLine]) -> bool:
    """Check if a listed line reveals what differs: everything in it, or only the arguments that its entry names."""
    if entry is None or ":" not in entry:
        return entry is not None
    named = entry.partition(":")[2].split()
    others = [{name: arg for name, arg in line.args.items() if name not in named} for line in lines]
    return all(line.key == lines[0].key for line in lines) and all(args == others[0] for args in others)


def public_part(line: LogLine) -> str:
    """Return the public part of a line; "" for a line that only some seats may read."""
    return line.key if line.only is not None else f"{line.key} {line.args} {line.rule} {line.n}"


def heard(lines: Iterable[LogLine], seat: str) -> list[tuple[LogLine, dict[str, Any]]]:
    """Return the lines and arguments that a seat reads. Raises `Leaked` if a private part is also public."""
    found = []
    for line in lines:
        args = read(line, seat)
        if args is not None:
            private = {word for part in (line.private or {}).values() for word in words_of(list(part.values()))}
            told = private & set(words_of(list(line.args.values()))) if private else set()
            if told:
                raise Leaked("a value drawn for others", f"{line.key} {sorted(told)}", "")
            found.append((line, args))
    return found


CRASH = "crash"
"""Why a pair ended in which a world crashed: a fault, but no leak."""


class PairSkipped(ValueError):
    """No scenario of the game has this number of players."""


class Leak(msgspec.Struct):
    """A difference that X could notice: `where` it is, both versions, and the random game's `number` (-1: none)."""

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
        at = f"{self.seat} after {self.step} (from move {self.mark})"
        if self.crash:
            return f"{at}: crash: {self.where}\n{self.b}".rstrip()
        both = f"\n  A: {self.a}\n  B: {self.b}" if self.a or self.b else ""
        return f"{at}: {self.where}{both}"


class LeakTestResult(msgspec.Struct):
    """The result of a run: pairs, those that really `changed`, `steps` (answers), and counts of why pairs `ended`."""

    pairs: int = 0
    changed: int = 0
    steps: int = 0
    mends: int = 0
    seconds: float = 0.0
    ended: dict[str, int] = {}
    leaks: list[Leak] = []

    def collect(
        self,
        pairs: Iterable[LeakTestResult],
        began: float,
        progress: Callable[[LeakTestResult], None] | None = None,
        *,
        first: bool = False,
    ) -> LeakTestResult:
        """Add the results of pairs as they come; `first` stops at the first leak. `began` is a `perf_counter`."""
        for pair in pairs:
            self.add(pair)
            self.seconds = perf_counter() - began
            if progress is not None:
                progress(self)
            if first and self.leaks:
                break
        return self

    def add(self, other: LeakTestResult) -> None:
        self.pairs += other.pairs
        self.changed += other.changed
        self.steps += other.steps
        self.mends += other.mends
        self.seconds += other.seconds
        self.leaks = [*self.leaks, *other.leaks]
        self.ended = {why: self.ended.get(why, 0) + other.ended.get(why, 0) for why in {**self.ended, **other.ended}}


class End(Exception):
    """The end of a pair: `why` is `learnt`, `parted` (no answer fits both worlds), `over` or `steps`."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


class Leaked(Exception):
    """A difference that X could notice: `where` it is and both versions."""

    def __init__(self, where: str, a: str, b: str) -> None:
        super().__init__(where)
        self.where, self.a, self.b = where, a, b


class Pair:
    """A game, the checkpoint from which two worlds are played, and the seat X that must not tell them apart."""

    at_end = "played"
    """Why a pair ended that had no other reason."""

    def __init__(self, game: Game, setup: Setup, mark: CheckpointRecord, seat: str, random: Random) -> None:
        self.game, self.setup = game, setup
        self.mark, self.seat, self.random, self.result = mark, seat, random, LeakTestResult()
        self.step = "the checkpoint"

    def run(self) -> None:
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
        where = self.game.slug, self.setup, self.mark.n, self.seat, self.step
        self.result.leaks.append(Leak(*where, leaked.where, leaked.a, leaked.b, crash))
        return "leak"

    def crash(self, error: Exception) -> str:
        why = said_of(error, self.game.package)
        trace = "" if why.startswith(self.game.package) else traceback.format_exc()[-900:].partition("\n")[2]
        self.leak(Leaked(why, "", trace), crash=True)
        return CRASH

    def concealed(self) -> bytes:
        """Return the state of the checkpoint with everything unknown to X dealt again."""
        scratch = self.scratch(self.mark.state)
        self.game.conceal(scratch.table, self.seat, sampler(self.random))
        problems = self.game.invariants(scratch.table)
        if problems:
            raise ValueError(f"conceal breaks the state: {problems[0]}")
        return msgspec.json.encode(scratch.table.state)

    def scratch(self, state: bytes) -> Referee:
        """Return a game in this state for queries, not for play."""
        scratch = Referee(self.game, self.setup)
        scratch.table.state = msgspec.json.decode(state, type=self.game.state)
        return scratch


def settings_of(game: Game, seats: int | None) -> list[Setting]:
    """Return the scenarios with their seats for this number of players (None: any). Raises `PairSkipped`."""
    settings = [(s.id, ids) for s in game.scenarios for n, ids in s.seats.items() if seats in (None, n)]
    if not settings:
        raise PairSkipped(f"{game.slug} can't be played by {seats}")
    return settings
