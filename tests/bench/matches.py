"""Matches between understudies and random seats: how much better one plays, and how long it thinks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from time import process_time
from typing import Any

import msgspec

from games import load
from pbem.bot import Effort, Position, choose
from pbem.bot.worlds import below
from pbem.dev.workers import map_parallel
from pbem.kernel.domains import Value
from pbem.kernel.game import Game, Setup
from pbem.kernel.journal import CheckpointRecord
from pbem.kernel.negotiation import DONE
from pbem.kernel.referee import Referee, components_of
from pbem.kernel.standing_orders import ALWAYS

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
    """An understudy in one seat, random answers in the others; the seat changes from game to game.

    Nobody makes deals. Game number i of a seed is always the same, over however many `jobs` they are spread.
    """
    result = Match(game.slug, players)
    if jobs > 1 or cluster:
        tasks = ((game.slug, players, effort, seed, number) for number in range(games))
        found = map_parallel(_one_by_slug, tasks, jobs=jobs, cluster=cluster)
    else:
        found = (_one(game, players, effort, seed, number) for number in range(games))
    for match in found:
        result.games += match.games
        result.wins += match.wins
        result.margin += match.margin
        result.thought += match.thought
        if progress is not None:
            progress(result)
    return result


def _one_by_slug(task: tuple[str, int, Effort, int, int]) -> Match:
    slug, players, effort, seed, number = task
    return _one(load(slug), players, effort, seed, number)


def _one(game: Game, players: int, effort: Effort, seed: int, number: int) -> Match:
    """Game number `number` of a seed."""
    scenario, components = game.scenarios[0], components_of(game, {})[1]
    result = Match(game.slug, players)
    seats = scenario.seats[players]
    random = Random(f"{game.slug} {seed} {number}")
    setup = Setup(game.slug, seats, random.randbytes(32).hex(), scenario.id, game.with_defaults({}))
    hero = seats[number % len(seats)]
    referee = played(game, setup, components, {hero: _thinking(effort, result.thought)}, random)
    _count(result, referee, hero)
    return result


def played(game: Game, setup: Setup, components: Any, minds: dict[str, Player], random: Random) -> Referee:
    """A whole game: seats in `minds` answer so, all others at random."""
    marks: list[CheckpointRecord] = []
    referee = Referee.new(game, setup, components=components, ask_me=ALWAYS, on_mark=marks.append)
    draw = below(random)
    while referee.now is not None:
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
