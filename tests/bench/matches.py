"""Matches between bots and random seats: how much better one plays, and how long it thinks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from statistics import fmean, stdev
from time import process_time
from typing import Any

import msgspec

from games import load
from pbem.bot import Effort, Position, choose
from pbem.bot.worlds import WRONG, below, play_on, sample_world
from pbem.dev.workers import map_parallel
from pbem.kernel import advance_orders
from pbem.kernel.domains import Value
from pbem.kernel.game import Game, Setup
from pbem.kernel.journal import CheckpointRecord
from pbem.kernel.negotiation import DONE
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import ALWAYS, AdvanceOrder

Player = Callable[[Referee, str], Value]
"""Answers the question that is open to a seat."""


class Match(msgspec.Struct):
    """What came of some games: shares of victory of the one seat, and the seconds of each of its choices."""

    game: str
    players: int
    games: int = 0
    wins: float = 0.0
    margin: float = 0.0
    thought: list[float] = []

    @property
    def rate(self) -> float:
        """The share of games won; a shared victory counts by its part."""
        return self.wins / self.games if self.games else 0.0

    @property
    def median_ms(self) -> float:
        """The median time of a choice, in milliseconds of processor time."""
        return 1000 * sorted(self.thought)[len(self.thought) // 2] if self.thought else 0.0


def match(
    game: Game,
    players: int,
    games: int,
    effort: Effort,
    *,
    seed: int = 0,
    jobs: int = 1,
    cluster: str = "",
    progress: Callable[[Match], None] | None = None,
) -> Match:
    """A bot in one seat, random answers in the others; the seat changes from game to game.

    Nobody makes deals. Game number i of a seed is always the same, over however many `jobs` they are spread.
    """
    result = Match(game.slug, players)
    for match in map_parallel(partial(_one, game, players, effort, seed), range(games), jobs=jobs, cluster=cluster):
        result.games += match.games
        result.wins += match.wins
        result.margin += match.margin
        result.thought += match.thought
        if progress is not None:
            progress(result)
    return result


def _one(game: Game, players: int, effort: Effort, seed: int, number: int) -> Match:
    """Game number `number` of a seed."""
    scenario = game.scenarios[0]
    result = Match(game.slug, players)
    seats = scenario.seats[players]
    random = Random(f"{game.slug} {seed} {number}")
    setup = Setup(game.slug, seats, random.randbytes(32).hex(), scenario.id, game.with_defaults({}))
    hero = seats[number % len(seats)]
    referee = played(game, setup, {hero: _thinking(effort, result.thought)}, random)
    _count(result, referee, hero)
    return result


def played(
    game: Game, setup: Setup, minds: dict[str, Player], random: Random,
    between: Callable[[Referee], None] | None = None,
) -> Referee:  # fmt: skip
    """A whole game: seats in `minds` answer so, all others at random. `between` is called before each question."""
    marks: list[CheckpointRecord] = []
    referee = Referee.new(game, setup, ask_me=ALWAYS, on_mark=marks.append)
    draw = below(random)
    while referee.now is not None:
        if between is not None:
            between(referee)
        q = referee.q
        for seat in referee.waiting():
            mind = minds.get(seat)
            if mind is not None:
                value = mind(referee, seat)
            else:
                value = DONE if referee.talk is not None else referee.domain(seat).sample(draw)
            referee.submit(seat, value)
            if referee.now is None or referee.q != q:
                break
    return referee


def _thinking(effort: Effort, thought: list[float]) -> Player:
    def answer(referee: Referee, seat: str) -> Value:
        began = process_time()
        value = choose(Position.of(referee), seat, effort)
        if referee.talk is None:
            thought.append(process_time() - began)
        return value

    return answer


def _count(result: Match, referee: Referee, hero: str) -> None:
    end: dict[str, Any] = referee.result or {}
    winners: Sequence[str] = end.get("winners", ())
    scores: dict[str, float] = end.get("scores", {})
    result.games += 1
    result.wins += 1 / len(winners) if hero in winners else 0
    others = [score for seat, score in scores.items() if seat != hero]
    if hero in scores and others:
        result.margin += scores[hero] - sum(others) / len(others)


# -- writing ahead ---------------------------------------------------------------------------------------------------


class Ahead(msgspec.Struct):
    """Points more than the others' mean, of one seat in the same games: writing ahead and waiting.

    Of the turns `written` ahead, so many were `used`; the rest was held, or not legal any more.
    """

    ahead: list[float] = []
    waiting: list[float] = []
    written: int = 0
    used: int = 0

    def line(self) -> dict[str, float]:
        """Return the mean difference in points for whoever writes ahead, and its standard error."""
        apart = [ahead - waiting for ahead, waiting in zip(self.ahead, self.waiting, strict=True)]
        error = stdev(apart) / len(apart) ** 0.5 if len(apart) > 1 else 0.0
        return {"games": len(apart), "points": fmean(apart), "error": error, "written": self.written, "used": self.used}


def match_ahead(
    game: Game, players: int, games: int, effort: Effort, *, seed: int = 0,
    jobs: int = 1, progress: Callable[[str], None] = lambda said: None,
) -> Ahead:  # fmt: skip
    """Play each game of bots twice: one of them writes its next turn ahead, or waits like the others.

    `progress` gets a line for the figures so far after each game, with one job also for each turn.
    """
    found = Ahead()
    tasks = ((game.slug, players, effort, seed, number) for number in range(games))
    each = map_parallel(_both_ways, tasks, jobs=jobs) if jobs > 1 else (_both_ways(task, progress) for task in tasks)
    for played_twice in each:
        found.ahead += played_twice.ahead
        found.waiting += played_twice.waiting
        found.written += played_twice.written
        found.used += played_twice.used
        progress(", ".join(f"{name} {value:.4g}" for name, value in found.line().items()))
    return found


def _both_ways(task: tuple[str, int, Effort, int, int], progress: Callable[[str], None] = lambda said: None) -> Ahead:
    slug, players, effort, seed, number = task
    game, found = load(slug), Ahead()
    scenario = game.scenarios[0]
    seats = scenario.seats[players]
    hero = seats[number % len(seats)]
    for points in (found.waiting, found.ahead):
        random = Random(f"ahead {slug} {seed} {number}")
        setup = Setup(slug, seats, random.randbytes(32).hex(), scenario.id, game.with_defaults({}))
        result = Match(slug, players)
        plan = _Plan(effort, hero) if points is found.ahead else None
        minds = dict.fromkeys(seats, _thinking(effort, result.thought))
        said = f"game {number + 1}, {'ahead' if plan else 'waiting'}, turn "
        turns: set[str] = set()

        def between(referee: Referee, plan: _Plan | None = plan, said: str = said, turns: set[str] = turns) -> None:
            turn = f"{referee.game.calendar(referee.table.state).get('turn', 1)}"
            if turn not in turns:
                progress(said + turn)
            turns.add(turn)
            if plan is not None:
                plan.write(referee)

        _count(result, played(game, setup, minds, random, between), hero)
        points.append(result.margin)
        if plan is not None:
            found.written, found.used = plan.written, plan.used
    return found


class _Plan:
    """What a seat writes ahead: the answer that seems best in one likely course of the game until it is asked."""

    def __init__(self, effort: Effort, seat: str) -> None:
        self.effort, self.seat = effort, seat
        self.written = self.used = 0
        self.done = -1

    def write(self, referee: Referee) -> None:
        """Put the next turn into the queue if the email that leaves now asks for it, and nothing of it waits."""
        self.used += sum(note.key == "advance.used" for note in referee.notes)
        referee.notes.clear()
        queue = referee.queue
        asked = self.seat in referee.asked()
        if asked:
            queue[:] = [order for order in queue if not order.held]  # instead of what was held the writer answers
        if not queue and self.done != referee.q and (later := referee.next_turn(self.seat)) is not None:
            self.done = referee.q
            value = self._foreseen(referee, later.pending()[0].kind)
            domain = later.domain(self.seat)
            if value is not None and domain.accepts(value):
                text, told = domain.text(value), advance_orders.public_facts(referee.game.view(referee.table, ""))
                watched = advance_orders.facts_named_in(text, told, referee.names)
                past = dict(referee.table.trail[:1]) if asked else {}
                queue.append(AdvanceOrder(self.seat, text, kind=later.pending()[0].kind, watched=watched, past=past))
                self.written += 1

    def _foreseen(self, referee: Referee, kind: str) -> Value | None:
        marks: list[CheckpointRecord] = []
        random = Random(f"{self.seat} {referee.q}")
        try:
            world = sample_world(Position.of(referee), self.seat, random)
            world.on_mark, before = marks.append, referee.q
            play_on(world, below(random), lambda now: now.q > before and _asks(now, self.seat) == kind)
            if _asks(world, self.seat) != kind:
                return None
            return choose(Position.of(world, marks[-1] if marks else referee.mark), self.seat, self.effort)
        except WRONG:
            return None


def _asks(referee: Referee, seat: str) -> str:
    pending = referee.pending_to(seat)
    return "" if pending is None else pending.kind
