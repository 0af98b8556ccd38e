"""Random complete games: no crash, no dead end, no broken invariant, and a journal that replays to the same game.

The live part plays answers sampled from the domains, as fast as the referee goes. What is checked comes after it, on
the replay of the journal: invariants and a restart at every checkpoint. Some games are played with care before: every
answer is written, read and looked up in the described domain, and the invariants are checked after each. At last the
save of a finished game is audited, and its bundles are verified.
"""

from __future__ import annotations

import gc
import json
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from typing import Any

import msgspec

from pbem.jobs import spread
from pbem.kernel.answers import Below, Budget, Unknown, domain_from
from pbem.kernel.game import Game, Setup
from pbem.kernel.problems import Refused
from pbem.kernel.questions import MODERATOR, Negotiate
from pbem.kernel.referee import Mark, Move, Referee, ReplayError, components_of
from pbem.kernel.standing import ALWAYS
from pbem.trial.proving import accused

LIMIT = 50_000
"""Decisions after which a game counts as endless."""

CAREFUL = 20
"""One game in so many is played with care too, beginning with the first of each number of seats."""

PART = 4
"""Games that a worker gets at a time."""

_LISTED = 50

Mind = Callable[[Referee, str], Any]
"""Answers the question that is open to a seat."""

Setting = tuple[str, tuple[str, ...]]
"""A scenario and the seats that play it."""


class Failure(msgspec.Struct):
    """Something went wrong in a game. With `setup` and `moves` the game can be replayed to that point.

    `kind` is `crash`, `refused` (a sampled answer was refused), `dead_end` (no answer to sample), `endless`,
    `invariant`, `writing` (an answer does not survive being written and read), `description`, `replay`, `checkpoint`
    or `audit`.
    """

    kind: str
    why: str
    game: str
    number: int
    setup: Setup
    moves: list[Move]
    trace: str = ""

    def __str__(self) -> str:
        where = f"game {self.number} ({len(self.setup.seats)} seats), after move {len(self.moves)}"
        return f"{where}: {self.kind}: {self.why}"


class Pace(msgspec.Struct):
    """How fast a game went: its decisions and the seconds of processor time that they took, live and replayed."""

    decisions: int
    live: float
    replayed: float


class Result(msgspec.Struct):
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
    failures: list[Failure] = []
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


def rate(done: Iterable[tuple[int, float]]) -> float:
    """How many per second, of `[(count, seconds), …]`."""
    done = list(done)
    seconds = sum(seconds for _, seconds in done)
    return sum(count for count, _ in done) / seconds if seconds else 0.0


class Broken(Exception):
    """Raised inside a game; becomes a `Failure`."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(why)
        self.kind = kind


def run(
    game: Game,
    *,
    games: int,
    seats: int | None = None,
    seed: int = 0,
    progress: Callable[[Result], None] | None = None,
    components: Any = None,
    careful: int = CAREFUL,
    audited: int = 1,
    limit: int = LIMIT,
    mind: Mind | None = None,
    first: int = 0,
) -> Result:
    """Play `games` random games with `seats` players (None: all numbers and scenarios in turn) and random options.

    Game number i of a seed is always the same. `careful`: one game in so many is checked at every answer; `audited`:
    one in so many is audited at its end (0: none). `mind` answers in place of chance. `first` is the number of the
    first game.
    """
    began = perf_counter()
    result = Result()
    if components is None:
        components = components_of(game, {})[1]
    settings = [(s.id, ids) for s in game.scenarios for n, ids in s.seats.items() if seats in (None, n)]
    if not settings:
        raise ValueError(f"{game.slug} cannot be played by {seats}")
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
    return result


class Part(msgspec.Struct, frozen=True):
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
    seats: int | None = None,
    seed: int = 0,
    players: str = "random",
    jobs: int = 1,
    cluster: str = "",
    progress: Callable[[Result], None] | None = None,
) -> Result:
    """As `run`, over processes or machines; the same games, in the same order. `players`: "random" or "bot"."""
    if jobs == 1 and not cluster:
        mind = understudy() if players == "bot" else None
        return run(game, games=games, seats=seats, seed=seed, mind=mind, progress=progress)
    began = perf_counter()
    parts = (Part(game.slug, at, min(PART, games - at), seats, seed, players) for at in range(0, games, PART))
    result = Result()
    for part in spread(run_part, parts, jobs=jobs, cluster=cluster):
        _join(result, part)
        result.seconds = perf_counter() - began
        if progress is not None:
            progress(result)
    return result


def run_part(part: Part) -> Result:
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


def _join(result: Result, part: Result) -> None:
    result.games += part.games
    result.decisions += part.decisions
    result.moves += part.moves
    result.checkpoints += part.checkpoints
    result.careful += part.careful
    result.failures += part.failures
    result.paces += part.paces


def _played(one: _Game, twin: _Game | None) -> Pace:
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
) -> _Game:
    random = Random(f"{game.slug}:{seed}:{number}")
    setup = random_setup(game, random, *settings[number % len(settings)])
    return _Game(game, setup, number, components, random, limit)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Collect garbage between games, not during one, so that a figure does not depend on the games before it."""
    gc.collect(1)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _add(result: Result, one: _Game, slow: bool, pace: Pace) -> None:
    result.games += 1
    result.careful += slow
    result.checkpoints += len(one.marks)
    result.decisions += one.decisions
    if one.failure is not None:
        result.failures.append(one.failure)
    else:
        result.moves += len(one.moves)
        result.paces.append(pace)


def random_setup(game: Game, random: Random, scenario: str, seats: tuple[str, ...]) -> Setup:
    """A set-up with a random seed and random options."""
    below = sampler(random)
    options = {option.id: option.domain.sample(below) for option in game.options}
    return Setup(game.slug, seats, random.randbytes(32).hex(), scenario, game.with_defaults(options))


def sampler(random: Random) -> Below:
    """A cheap source of choices, even to about one part in ten million for a hundred options."""
    bits = random.getrandbits
    return lambda n: bits(30) % n


class _Game:
    """One random game: played, replayed, and restarted at each of its checkpoints."""

    def __init__(
        self, game: Game, setup: Setup, number: int, components: Any, random: Random, limit: int
    ) -> None:
        self.game = game
        self.setup = setup
        self.number = number
        self.components = components
        self.below = sampler(random)
        self.limit = limit
        self.decisions = 0
        self.moves: list[Move] = []
        self.digest = ""
        self.marks: list[Mark] = []
        self.failure: Failure | None = None
        self.referee: Referee | None = None
        self.mind: Mind | None = None

    def fail(self, kind: str, why: str, trace: str = "") -> None:
        moves = list(self.referee.moves) if self.referee is not None else list(self.moves)
        self.failure = Failure(kind, why, self.game.slug, self.number, self.setup, moves, trace)

    # -- live --------------------------------------------------------------------------------------------------------

    def play(self, careful: bool) -> float:
        """The live part; returns its seconds of processor time."""
        began = process_time()
        try:
            marks: list[Mark] = []
            on_mark = marks.append if self.mind is not None else None
            referee = self.referee = Referee.new(
                self.game, self.setup, components=self.components, ask_me=ALWAYS, on_mark=on_mark
            )
            if careful:
                self._play_with_care(referee)
            else:
                self._play(referee)
        except Broken as broken:
            self.fail(broken.kind, str(broken))
            return 0.0
        except Exception as error:  # any crash of the rules is a finding
            self.fail("crash", f"{type(error).__name__}: {error}", traceback.format_exc())
            return 0.0
        seconds = process_time() - began
        self.moves, self.digest = referee.moves, referee.digest()
        return seconds

    def compare(self, twin: _Game) -> None:
        """Take over what went wrong in the same game played with care; it must have come to the same end."""
        if twin.failure is not None:
            self.failure = twin.failure
        elif self.failure is None and twin.digest != self.digest:
            self.fail("crash", "the same answers, given with care, led to another game")

    def _play(self, referee: Referee) -> None:
        below, submit, domain_of = self.below, referee.submit, referee.domain
        decisions, limit, mind = 0, self.limit, self.mind
        while referee.now is not None:
            q = referee.q
            for seat in referee.waiting():
                domain = domain_of(seat)
                try:
                    value = domain.sample(below) if mind is None else mind(referee, seat)
                except Exception as error:
                    raise self._no_sample(referee, seat, error) from error
                decisions += 1
                try:
                    submit(seat, value)
                except Refused as refused:
                    self._refused(referee, seat, value, refused)
                if referee.q != q or referee.now is None:
                    break
            if decisions > limit:
                raise Broken("endless", f"no end after {decisions} decisions")
        self.decisions = decisions

    def _no_sample(self, referee: Referee, seat: str, error: Exception) -> Broken:
        kind = next((p.kind for p in referee.pending() if p.seat == seat), "?")
        return Broken("dead_end", f"{seat} has no answer to '{kind}': {type(error).__name__}: {error}")

    def _refused(self, referee: Referee, seat: str, value: Any, refused: Refused) -> None:
        """Only a negotiation may refuse a sample: deals may exclude each other."""
        if not isinstance(referee.now, Negotiate):
            raise Broken("refused", f"{seat}: {value!r}: {refused}")

    # -- live, with care -----------------------------------------------------------------------------------------------

    def _play_with_care(self, referee: Referee) -> None:
        self._invariants(referee)
        while referee.now is not None:
            q = referee.q
            for seat in referee.waiting():
                self._one_with_care(referee, seat)
                if referee.q != q or referee.now is None:
                    break
            self._invariants(referee)
            if self.decisions > self.limit:
                raise Broken("endless", f"no end after {self.decisions} decisions")

    def _one_with_care(self, referee: Referee, seat: str) -> None:
        domain = referee.domain(seat)
        before = referee.digest()
        pending = next((p for p in referee.pending() if p.seat == seat and not p.answered), None)
        if pending is None:
            raise Broken("crash", f"{seat} is missing, but no question is pending for it")
        if self.game.kinds and pending.kind not in self.game.kinds:
            raise Broken(
                "description", f"{seat} is asked '{pending.kind}', which is not among the game's kinds"
            )
        try:
            value = domain.sample(self.below)
        except Exception as error:
            raise self._no_sample(referee, seat, error) from error
        self._written(referee, seat, value)
        described = domain_from(json.loads(json.dumps(domain.describe(Budget()))))
        if not isinstance(described, Unknown) and not described.accepts(value):
            raise Broken("description", f"{seat} {pending.kind}: {value!r} is not in the described domain")
        if pending.default is not None and not domain.accepts(pending.default):
            raise Broken("refused", f"{seat} {pending.kind}: the default {pending.default!r} is no answer")
        for option, _ in zip(domain.options(), range(_LISTED), strict=False):
            if not domain.accepts(option):
                raise Broken("refused", f"{seat} {pending.kind}: the option {option!r} is refused")
        viewers = ("", MODERATOR, *referee.table.seats)
        msgspec.json.encode(self.game.view(referee.table, viewers[self.decisions % len(viewers)]))
        if referee.digest() != before:
            raise Broken("crash", f"{seat} {pending.kind}: looking at the question changed the game")
        self.decisions += 1
        try:
            referee.submit(seat, value)
        except Refused as refused:
            self._refused(referee, seat, value, refused)

    def _written(self, referee: Referee, seat: str, value: Any) -> None:
        """What is written for an answer reads as the same answer."""
        domain = referee.domain(seat)
        text = domain.text(value)
        try:
            again = domain.parse(text, referee.names)
        except Refused as refused:
            raise Broken(
                "writing", f"{seat}: {value!r} is written '{text}', which is refused: {refused}"
            ) from None
        if again != value:
            raise Broken("writing", f"{seat}: {value!r} is written '{text}', which reads as {again!r}")

    def _invariants(self, referee: Referee) -> None:
        problems = self.game.invariants(referee.table)
        if problems:
            raise Broken("invariant", "; ".join(map(str, problems[:3])))

    # -- replay --------------------------------------------------------------------------------------------------------

    def replay(self) -> float:
        """Replay the journal for speed, then with marks and invariants. Returns the seconds of the first."""
        began = process_time()
        try:
            again = Referee.resume(self.game, self.setup, self.moves, components=self.components)
        except Exception as error:
            self.fail("replay", f"{type(error).__name__}: {error}", traceback.format_exc())
            return 0.0
        seconds = process_time() - began
        if again.digest() != self.digest:
            self.fail("replay", "the journal replays to another state")
            return seconds
        try:
            self._marked_replay()
        except Broken as broken:
            self.fail(broken.kind, str(broken))
        return seconds

    def _marked_replay(self) -> None:
        keywords: dict[str, Any] = {"components": self.components, "on_mark": self.marks.append}
        Referee.resume(self.game, self.setup, self.moves, **keywords)
        table = Referee(self.game, self.setup, components=self.components).table
        for mark in self.marks:
            table.state = msgspec.json.decode(mark.state, type=self.game.state)
            problems = self.game.invariants(table)
            if problems:
                raise Broken("invariant", f"at move {mark.n}: " + "; ".join(map(str, problems[:3])))

    def audit(self) -> None:
        """What a player may ask for at the end: an audit of the save, and bundles that a stranger verifies."""
        wrong = accused(self.game, self.setup, self.moves)
        if wrong:
            self.fail("audit", "; ".join(wrong[:3]))

    # -- restart at checkpoints ----------------------------------------------------------------------------------------

    def restart(self) -> None:
        """From each checkpoint replay to the next: the same snapshot; from the last: the same end."""
        for mark, following in zip(self.marks, [*self.marks[1:], None], strict=True):
            why = self._restart(mark, following)
            if why:
                self.fail("checkpoint", f"restart at move {mark.n}: {why}")
                return

    def _restart(self, mark: Mark, following: Mark | None) -> str:
        end = len(self.moves) if following is None else following.n
        seen: list[Mark] = []
        keywords: dict[str, Any] = {"components": self.components, "on_mark": seen.append}
        try:
            referee = Referee.resume(self.game, self.setup, self.moves[mark.n : end], mark, **keywords)
        except ReplayError as error:
            return str(error)
        if following is None:
            return "" if referee.digest() == self.digest else "another end"
        if following not in seen:
            return f"the checkpoint at move {following.n} differs or is missing"
        return ""


def dump(failure: Failure, folder: Path) -> Path:
    """Write a failure as `<game>-<number>-<kind>.json` into `folder`; `again` plays it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{failure.game}-{failure.number}-{failure.kind}.json"
    path.write_bytes(msgspec.json.format(msgspec.json.encode(failure), indent=1))
    return path


def again(game: Game, path: Path, components: Any = None) -> Referee:
    """The game of a dumped failure, replayed to where it went wrong. Raises whatever went wrong in replay."""
    failure = msgspec.json.decode(path.read_bytes(), type=Failure)
    return Referee.resume(game, failure.setup, failure.moves, components=components)
