"""Random complete games: no crash, no dead end, no broken invariant, and a journal that replays to the same game.

Answers are sampled from the domains. The replay checks the invariants at every position and restarts at every
checkpoint. In some games every answer is also written, parsed and looked up in the domain schema; some are audited.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any

import msgspec

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
    saved,
)
from pbem.dev.workers import map_parallel
from pbem.kernel.game import Game
from pbem.kernel.negotiation import DONE
from pbem.kernel.referee import Move, Referee, ReplayError
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import ALWAYS

# Delta debugging over the answers of a failed game: the shortest journal that still shows the failure.

TRIES = 300
"""Maximum number of games played to find the shortest one."""

SAMPLES = 8
"""Samples drawn to find a question without an answer, which only some samples show."""

REPEATED = ("crash", "dead_end", "refused", "invariant")
"""Kinds of failure that play itself shows. Others aren't shrunk."""


def shrink(game: Game, failure: FuzzFailure) -> FuzzFailure:
    """Return the same failure after fewer moves, or `failure` itself if no shorter game shows it."""
    if failure.kind not in REPEATED:
        return failure
    best = _shorter_played(game, failure, failure.moves)
    if best is None:
        return failure
    parts, tries = 2, TRIES
    while tries > 0 and best.moves and parts <= 2 * len(best.moves):
        size = max(1, len(best.moves) // parts)
        for at in range(0, len(best.moves), size):
            tries -= 1
            found = _shorter_played(game, failure, [*best.moves[:at], *best.moves[at + size :]])
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


def _shorter_played(game: Game, failure: FuzzFailure, answers: Sequence[Move]) -> FuzzFailure | None:
    """Return the failure that a game with these answers ends in, if it is the one looked for."""
    referee = Referee(game, failure.setup)
    try:
        referee = Referee.new(game, failure.setup, ask_me=ALWAYS)
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
    """Return what identifies a failure: the question without an answer, the error or the invariant."""
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
    """Give each seat its answers in order and let others answer quietly, for no more moves than the original game."""
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
    """Return the recorded answer if it is legal here, else the quietest one."""
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
"""Number of decisions after which a game counts as endless."""

CAREFUL = 20
"""One game in this many is checked at every answer, beginning with the first of each number of seats."""


class Pace(msgspec.Struct):
    """The number of decisions of a game, and the seconds of processor time for live play and for replay."""

    decisions: int
    live: float
    replayed: float


class FuzzResult(msgspec.Struct):
    """The result of a run. Rates are decisions per second of processor time, live and replayed.

    All acts of one negotiation are one move of the journal, so there are fewer `moves` than decisions. `paces` has
    the games that didn't fail, in order.
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
        return rate([(pace.decisions, pace.live) for pace in self.paces])

    @property
    def replayed_per_second(self) -> float:
        return rate([(pace.decisions, pace.replayed) for pace in self.paces])

    def count(self, kind: str) -> int:
        return sum(failure.kind == kind for failure in self.failures)

    def join(self, other: FuzzResult) -> None:
        self.games += other.games
        self.decisions += other.decisions
        self.moves += other.moves
        self.checkpoints += other.checkpoints
        self.careful += other.careful
        self.failures += other.failures
        self.paces += other.paces


def rate(done: Iterable[tuple[int, float]]) -> float:
    """Return the count per second of `[(count, seconds), …]`."""
    done = list(done)
    seconds = sum(seconds for _, seconds in done)
    return sum(count for count, _ in done) / seconds if seconds else 0.0


def run(
    game: Game,
    *,
    games: int,
    first: int = 0,
    seats: int | None = None,
    seed: int = 0,
    players: str = "random",
    careful: int = CAREFUL,
    audited: int = 1,
    limit: int = LIMIT,
    jobs: int = 1,
    cluster: str = "",
    progress: Callable[[FuzzResult], None] | None = None,
) -> FuzzResult:
    """Play `games` random games with `seats` players (None: all numbers and scenarios in turn) and random options.

    Game number i of a seed is always the same; `first` is the first number. `players` is "random" or "bot". One game
    in `careful` is checked at every answer, one in `audited` is audited at its end (0: none). An endless game ends the
    run.
    """
    began = perf_counter()
    result = FuzzResult()
    play = partial(
        _played, game, settings=settings_of(game, seats), seed=seed, players=players, careful=careful, audited=audited,
        limit=limit,
    )  # fmt: skip
    with closing(map_parallel(play, range(first, first + games), jobs=jobs, cluster=cluster)) as found:
        for played in found:
            result.join(played)
            result.seconds = perf_counter() - began
            if progress is not None:
                progress(result)
            if played.count("endless"):
                break
    return result


def _played(
    game: Game,
    number: int,
    *,
    settings: Sequence[Setting],
    seed: int,
    players: str,
    careful: int,
    audited: int,
    limit: int,
) -> FuzzResult:
    """Play the game of a number. If it is to be checked carefully, a careful copy is played first."""
    setting = settings[number % len(settings)]
    one = _dealt(game, seed, number, setting, limit)
    one.mind = understudy() if players == "bot" else None
    slow = one.mind is None and bool(careful) and (number < len(settings) or number % careful == 0)
    twin = _dealt(game, seed, number, setting, limit) if slow else None
    if twin is not None:
        twin.play(True)
    with _uncollected():
        live = one.play(False)
        if twin is not None:
            one.compare(twin)
        replayed = one.replay() if one.failure is None else 0.0
    if one.failure is None:
        one.restart()
    if one.failure is None and audited and number % audited == 0:
        one.audit()
    result = FuzzResult(games=1, careful=int(slow), checkpoints=len(one.marks), decisions=one.decisions)
    if one.failure is not None:
        result.failures = [one.failure]
    else:
        result.moves, result.paces = len(one.moves), [Pace(one.decisions, live, replayed)]
    return result


def _dealt(game: Game, seed: int, number: int, setting: Setting, limit: int) -> RandomGame:
    random = Random(f"{game.slug}:{seed}:{number}")
    return RandomGame(game, random_setup(game, random, *setting), number, random, limit)


def understudy() -> Mind:
    """Answer as a bot does, with little effort."""
    from pbem.bot import EFFORTS, Position, choose

    return lambda referee, seat: choose(Position.of(referee), seat, EFFORTS["low"])


@contextmanager
def _uncollected() -> Iterator[None]:
    """Collect garbage between games, so that measured times don't depend on earlier games."""
    gc.collect(1)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def dump(failure: FuzzFailure, game: Game, folder: Path) -> Path:
    """Write a failing game as the save `<game>-<number>-<kind>.toml`.

    The answers that the rules can't execute are left out. They are in its second line, where `check` finds them, and
    in a `.txt` next to the save, with the traceback. Return the `.txt` if nothing can be saved.
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
"""Precedes the answers that follow the journal of a dumped game but that its rules can't execute."""


def _playable(path: Path, game: Game, failure: FuzzFailure) -> tuple[list[Move], list[Move]]:
    """Save the longest part, in whole questions, that can be replayed. Return its moves and the rest."""
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
