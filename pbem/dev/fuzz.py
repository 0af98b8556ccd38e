"""Random complete games: no crash, no dead end, no broken invariant, and a journal that replays to the same game.

The live part plays answers sampled from the domains, as fast as the referee goes. What is checked comes after it, on
the replay of the journal: the invariants at every position, and a restart at every checkpoint. Some games are played
with care before: every answer is written, read and looked up in the described domain. At last the save of a finished
game is audited, and its bundles are verified.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import msgspec

from pbem.dev.fuzz_audit import saved
from pbem.dev.leak_test_pairs import settings_of
from pbem.dev.random_game import (
    FuzzFailure,
    GameBroken,
    Mind,
    RandomGame,
    Setting,
    no_sample,
    random_setup,
    said_of,
    sampler,
)
from pbem.dev.workers import map_parallel
from pbem.kernel.game import Game
from pbem.kernel.negotiation import DONE
from pbem.kernel.referee import Move, Referee, ReplayError, components_of
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import ALWAYS

# The shortest journal that still shows a failure: delta debugging over the answers of a game that went wrong.

TRIES = 300
"""Games that are played at most on the way to the shortest one."""

SAMPLES = 8
"""Answers drawn where one is missing: a question without some answer shows itself by one of them."""

REPEATED = ("crash", "dead_end", "refused", "invariant")
"""Kinds of failure that play itself shows; others are left as they are."""


def shrink(game: Game, failure: FuzzFailure) -> FuzzFailure:
    """The same failure after fewer moves; the failure itself if it cannot be shown again, or not sooner."""
    if failure.kind not in REPEATED:
        return failure
    components = components_of(game, {})[1]
    best = _shorter_played(game, failure, failure.moves, components)
    if best is None:
        return failure
    parts, tries = 2, TRIES
    while tries > 0 and best.moves and parts <= 2 * len(best.moves):
        size = max(1, len(best.moves) // parts)
        for at in range(0, len(best.moves), size):
            tries -= 1
            found = _shorter_played(game, failure, [*best.moves[:at], *best.moves[at + size :]], components)
            if found is not None and len(found.moves) < len(best.moves):
                best, parts = found, max(2, parts - 1)
                break
            if tries <= 0:
                break
        else:
            if size == 1:
                break
            parts *= 2
    return best if len(best.moves) < len(failure.moves) else failure


def _shorter_played(
    game: Game, failure: FuzzFailure, answers: Sequence[Move], components: Any
) -> FuzzFailure | None:
    """The failure that a game with these answers ends in, if it is the one looked for."""
    referee = Referee(game, failure.setup, components=components)
    try:
        referee = Referee.new(game, failure.setup, components=components, ask_me=ALWAYS)
        _play(game, referee, answers, len(failure.moves) + 1)
    except GameBroken as broken:
        kind, why = broken.kind, str(broken)
    except Exception as error:
        kind, why = "crash", said_of(error, game.package)
    else:
        return None
    if kind != failure.kind or _begin(kind, why) != _begin(kind, failure.why):
        return None
    return FuzzFailure(kind, why, game.slug, failure.number, failure.setup, [*referee.moves], failure.trace)


def _begin(kind: str, why: str) -> str:
    """What makes two failures one: the question without an answer, the error, the invariant; not whose it is."""
    if kind == "refused":
        return ""
    if kind == "crash":
        parts = why.split(": ")
        return ": ".join(parts[: 1 + (".py:" in parts[0])])
    said = why.partition(" ")[2] if kind == "dead_end" else why
    if kind == "invariant" and said.startswith("at move "):
        said = said.partition(": ")[2]
    return said.partition(":")[0]


def _play(game: Game, referee: Referee, answers: Sequence[Move], most: int) -> None:
    """Give the answers in their order to whoever they are of, others quietly; no longer than the game was."""
    at = 0
    while referee.now is not None and referee.n <= most:
        q, kind = referee.q, referee.pending()[0].kind
        given = next((n for n in range(at, len(answers)) if answers[n].kind == kind), None)
        at = at if given is None else given + 1
        for seat in referee.waiting():
            value = answer(referee, seat, answers[given] if given is not None else None)
            try:
                referee.submit(seat, value)
            except Rejection as refused:
                if referee.talk is None:
                    raise GameBroken("refused", f"{seat}: {value!r}: {refused}") from None
            if referee.q != q or referee.now is None:
                break
        problems = game.invariants(referee.table)
        if problems:
            raise GameBroken("invariant", "; ".join(map(str, problems[:3])))


def answer(referee: Referee, seat: str, given: Move | None) -> Any:
    """The answer that was given, if it is one here; else the quietest."""
    try:
        domain = referee.domain(seat)
        value = given.answer if given is not None and given.seat in (seat, "") else None
        if given is not None and not given.seat and isinstance(value, dict):
            value = value.get(seat)
        if value is not None and domain.accepts(value):
            return value
        if referee.talk is not None:
            return DONE
        for seed in range(SAMPLES):
            domain.sample(sampler(Random(seed)))
        return domain.sample(lambda n: 0 % n)
    except Exception as error:
        raise no_sample(referee, seat, error) from error


LIMIT = 50_000
"""Decisions after which a game counts as endless."""

CAREFUL = 20
"""One game in so many is played with care too, beginning with the first of each number of seats."""

PART = 4
"""Games that a worker gets at a time."""


class Pace(msgspec.Struct):
    """How fast a game went: its decisions and the seconds of processor time that they took, live and replayed."""

    decisions: int
    live: float
    replayed: float


class FuzzResult(msgspec.Struct):
    """What came of a run. Rates are decisions per second of processor time, live and replayed.

    All acts of one negotiation are one move of the journal, so there are fewer `moves` than decisions. `paces`: of the
    games that did not fail, in order.
    """

    games: int = 0
    decisions: int = 0
    moves: int = 0
    checkpoints: int = 0
    careful: int = 0
    seconds: float = 0.0
    failures: list[FuzzFailure] = []
    paces: list[Pace] = []

    @property
    def per_second(self) -> float:
        """The rate of live play."""
        return rate([(pace.decisions, pace.live) for pace in self.paces])

    @property
    def replayed_per_second(self) -> float:
        """The rate of replay."""
        return rate([(pace.decisions, pace.replayed) for pace in self.paces])

    def count(self, kind: str) -> int:
        """How many failures are of this kind."""
        return sum(failure.kind == kind for failure in self.failures)

    @property
    def dead_ends(self) -> int:
        """Questions without an answer."""
        return self.count("dead_end")

    @property
    def replay_mismatches(self) -> int:
        """Journals that replay to something else."""
        return self.count("replay")

    @property
    def checkpoint_mismatches(self) -> int:
        """Restarts at a checkpoint that lead to something else."""
        return self.count("checkpoint")

    def join(self, other: FuzzResult) -> None:
        """Add the games of another run."""
        self.games += other.games
        self.decisions += other.decisions
        self.moves += other.moves
        self.checkpoints += other.checkpoints
        self.careful += other.careful
        self.failures += other.failures
        self.paces += other.paces


def rate(done: Iterable[tuple[int, float]]) -> float:
    """How many per second, of `[(count, seconds), …]`."""
    done = list(done)
    seconds = sum(seconds for _, seconds in done)
    return sum(count for count, _ in done) / seconds if seconds else 0.0


def run(
    game: Game,
    *,
    games: int,
    seats: int | None = None,
    seed: int = 0,
    progress: Callable[[FuzzResult], None] | None = None,
    components: Any = None,
    careful: int = CAREFUL,
    audited: int = 1,
    limit: int = LIMIT,
    mind: Mind | None = None,
    first: int = 0,
) -> FuzzResult:
    """Play `games` random games with `seats` players (None: all numbers and scenarios in turn) and random options.

    Game number i of a seed is always the same. `careful`: one game in so many is checked at every answer; `audited`:
    one in so many is audited at its end (0: none). `mind` answers in place of chance. `first` is the number of the
    first game.
    """
    began = perf_counter()
    result = FuzzResult()
    if components is None:
        components = components_of(game, {})[1]
    settings = settings_of(game, seats)
    for number in range(first, first + games):
        slow = mind is None and bool(careful) and (number < len(settings) or number % careful == 0)
        one = _dealt(game, seed, number, settings, components, limit)
        one.mind = mind
        twin = _dealt(game, seed, number, settings, components, limit) if slow else None
        pace = _played(one, twin)
        if one.failure is None and audited and number % audited == 0:
            one.audit()
        _add(result, one, slow, pace)
        result.seconds = perf_counter() - began
        if progress is not None:
            progress(result)
        if one.failure is not None and one.failure.kind == "endless":
            break
    return result


class FuzzBatch(msgspec.Struct, frozen=True):
    """Some games of a run, for a worker: of the game of that slug, from number `first` on."""

    game: str
    first: int
    games: int
    seats: int | None
    seed: int
    players: str


def run_spread(
    game: Game,
    *,
    games: int,
    first: int = 0,
    seats: int | None = None,
    seed: int = 0,
    players: str = "random",
    jobs: int = 1,
    cluster: str = "",
    progress: Callable[[FuzzResult], None] | None = None,
) -> FuzzResult:
    """As `run`, over processes or machines; the same games, in the same order. `players`: "random" or "bot"."""
    if jobs == 1 and not cluster:
        mind = understudy() if players == "bot" else None
        return run(game, games=games, first=first, seats=seats, seed=seed, mind=mind, progress=progress)
    began = perf_counter()
    end = first + games
    parts = (
        FuzzBatch(game.slug, at, min(PART, end - at), seats, seed, players) for at in range(first, end, PART)
    )
    result = FuzzResult()
    for part in map_parallel(run_part, parts, jobs=jobs, cluster=cluster):
        result.join(part)
        result.seconds = perf_counter() - began
        if progress is not None:
            progress(result)
    return result


def run_part(part: FuzzBatch) -> FuzzResult:
    """Play the games of a part."""
    from games import load

    mind = understudy() if part.players == "bot" else None
    return run(
        load(part.game), games=part.games, seats=part.seats, seed=part.seed, mind=mind, first=part.first
    )


def understudy() -> Mind:
    """Answers as an understudy does, with little effort."""
    from pbem.bot import EFFORTS, Position, choose

    return lambda referee, seat: choose(Position.of(referee), seat, EFFORTS["low"])


def _played(one: RandomGame, twin: RandomGame | None) -> Pace:
    """Play a game, replay it and restart it; its twin, if there is one, is played before, with care."""
    if twin is not None:
        twin.play(True)
    with _uncollected():
        live = one.play(False)
        if twin is not None:
            one.compare(twin)
        replayed = one.replay() if one.failure is None else 0.0
    if one.failure is None:
        one.restart()
    return Pace(one.decisions, live, replayed)


def _dealt(
    game: Game, seed: int, number: int, settings: Sequence[Setting], components: Any, limit: int
) -> RandomGame:
    random = Random(f"{game.slug}:{seed}:{number}")
    setup = random_setup(game, random, *settings[number % len(settings)])
    return RandomGame(game, setup, number, components, random, limit)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Collect garbage between games, not during one, so that a figure does not depend on the games before it."""
    gc.collect(1)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _add(result: FuzzResult, one: RandomGame, slow: bool, pace: Pace) -> None:
    result.games += 1
    result.careful += slow
    result.checkpoints += len(one.marks)
    result.decisions += one.decisions
    if one.failure is not None:
        result.failures.append(one.failure)
    else:
        result.moves += len(one.moves)
        result.paces.append(pace)


def dump(failure: FuzzFailure, game: Game, folder: Path) -> Path:
    """Write a failing game as the save `<game>-<number>-<kind>.toml`, which `check`, `audit`, `report` and `tui` open.

    The answers at which the rules stop are left out: they stand in its second line, where `check` finds them, and in a
    `.txt` beside the save, with the traceback. Returns the `.txt` if there is nothing that can be saved.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{failure.game}-{failure.number}-{failure.kind}.toml"
    path.unlink(missing_ok=True)
    moves, rest = _playable(path, game, failure)
    if path.exists():
        first, _, text = path.read_text("utf-8").partition("\n")
        then = msgspec.json.encode(rest).decode()
        path.write_text(f"{first}\n{THEN}{then}\n{text}", "utf-8")
    told = [
        str(failure),
        *(f"last answer: {move.seat} {move.kind} {move.answer!r}" for move in (rest or moves[-1:])),
        failure.trace,
    ]
    report = path.with_suffix(".txt")
    report.write_text("\n".join(told), "utf-8")
    return path if path.exists() else report


THEN = "# then: "
"""Before the answers that follow on the journal of a dumped game, but that its rules cannot carry out."""


def _playable(path: Path, game: Game, failure: FuzzFailure) -> tuple[list[Move], list[Move]]:
    """Save as many moves as can be replayed, whole questions; returns them and the rest."""
    moves, cut = failure.moves, len(failure.moves)
    while True:
        try:
            saved(path, game, failure.setup, moves[:cut])
            return moves[:cut], moves[cut:]
        except Exception as error:
            path.unlink(missing_ok=True)
            at = min(error.n, cut) if isinstance(error, ReplayError) else cut
            if not cut or at < 1:
                return [], moves
            cut = next(n for n, move in enumerate(moves) if move.q == moves[at - 1].q)
