"""A ladder of bots: each against each, every deal twice with the sides changed; ratings with their intervals.

Two players take turns round the table. With an odd number of seats, one of them has more seats in the first game of a
deal and the other one in the second.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from math import log10
from random import Random
from statistics import fmean, median, stdev
from time import process_time

import msgspec

from games import load
from pbem.bot import Effort, Position, choose
from pbem.dev.workers import map_parallel
from pbem.kernel.domains import Value
from pbem.kernel.game import Setup
from pbem.kernel.negotiation import DONE
from pbem.kernel.referee import Referee
from tests.bench.matches import Player, played
from tests.bench.reference_bot import choose_as_before

RANDOM, BEFORE = "random", "before"
"""Answers by chance; the earlier bot at low effort, or with an effort behind it: `before:high`, `before:0.1s`."""

ENTRANTS = (RANDOM, BEFORE, "low", "normal")

_RESAMPLES, _PRIOR = 200, 0.5
"""Resamples for an interval, and games that each pair is taken to have drawn, so that no rating is infinite."""


class Duel(msgspec.Struct):
    """The games of two entrants: the first one's share of victory in each deal, times of choices, answers given."""

    first: str
    second: str
    won: list[float] = []
    seconds: dict[str, list[float]] = {}
    answers: list[int] = []

    @property
    def rate(self) -> float:
        """The first one's share of victory."""
        return fmean(self.won)

    @property
    def error(self) -> float:
        """The standard error of `rate`."""
        return stdev(self.won) / len(self.won) ** 0.5 if len(self.won) > 1 else 0.5


class Rating(msgspec.Struct):
    """An Elo rating (answers by chance: 0, if they take part), its 95 % interval, and milliseconds of a choice."""

    name: str
    elo: float
    low: float
    high: float
    median_ms: float
    worst_ms: float


def ladder(
    slug: str, players: int, deals: int, entrants: Sequence[str] = ENTRANTS, *, seed: int = 0, jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Duel]:  # fmt: skip
    """Play each entrant against each. A deal of a seed is always the same."""
    pairs = list(combinations(entrants, 2))
    duels = {pair: Duel(*pair) for pair in pairs}
    tasks = [(slug, players, pair, seed, deal) for deal in range(deals) for pair in pairs]
    for done, found in enumerate(map_parallel(_deal, tasks, jobs=jobs), 1):
        duel = duels[found.first, found.second]
        duel.won += found.won
        duel.answers += found.answers
        for name, seconds in found.seconds.items():
            duel.seconds.setdefault(name, []).extend(seconds)
        progress(done, len(tasks))
    return list(duels.values())


def _deal(task: tuple[str, int, tuple[str, str], int, int]) -> Duel:
    """Play one deal twice."""
    slug, players, pair, seed, deal = task
    game = load(slug)
    scenario = game.scenarios[0]
    seats, found, shares = scenario.seats[players], Duel(*pair), []
    for side in (0, 1):
        random = Random(f"ladder {slug} {seed} {deal}")
        setup = Setup(slug, seats, random.randbytes(32).hex(), scenario.id, game.with_defaults({}))
        name_of = {seat: pair[(at + side) % 2] for at, seat in enumerate(seats)}
        count = [0]
        minds = {seat: _mind(name, random, found.seconds.setdefault(name, []), count) for seat, name in name_of.items()}
        referee = played(game, setup, minds, random)
        winners: Sequence[str] = (referee.result or {}).get("winners", ())
        shares.append(sum(name_of[seat] == pair[0] for seat in winners) / len(winners) if winners else 0.5)
        found.answers += count
    found.won.append(sum(shares) / 2)
    return found


def _mind(name: str, random: Random, seconds: list[float], count: list[int]) -> Player:
    how, _, effort = name.partition(":")

    def answer(referee: Referee, seat: str) -> Value:
        count[0] += 1
        if referee.talk is not None:
            return DONE
        if how == RANDOM:
            return referee.domain(seat).sample(random.randrange)
        began = process_time()
        position = Position.of(referee)
        if how == BEFORE:
            value = choose_as_before(position, seat, Effort.named(effort or "low"))
        else:
            value = choose(position, seat, Effort.named(how))
        seconds.append(process_time() - began)
        return value

    return answer


def ratings(duels: Sequence[Duel]) -> list[Rating]:
    """Return the ratings of all entrants, best first; intervals by resampling the deals."""
    names = list(dict.fromkeys(name for duel in duels for name in (duel.first, duel.second)))
    random, drawn = Random("ladder"), dict[str, list[float]]()
    for _ in range(_RESAMPLES):
        again = {(duel.first, duel.second): random.choices(duel.won, k=len(duel.won)) for duel in duels}
        for name, elo in _elo(names, again).items():
            drawn.setdefault(name, []).append(elo)
    found = []
    for name, elo in _elo(names, {(duel.first, duel.second): duel.won for duel in duels}).items():
        order, times = sorted(drawn[name]), [s for duel in duels for s in duel.seconds.get(name, ())] or [0.0]
        ends = order[round(0.025 * (_RESAMPLES - 1))], order[round(0.975 * (_RESAMPLES - 1))]
        found.append(Rating(name, elo, *ends, 1000 * median(times), 1000 * max(times)))
    return sorted(found, key=lambda rating: -rating.elo)


def _elo(names: Sequence[str], won: Mapping[tuple[str, str], Sequence[float]]) -> dict[str, float]:
    """Fit a Bradley-Terry model to the shares of victory of each pair."""
    strength = dict.fromkeys(names, 1.0)
    for _ in range(200):
        for name in names:
            wins = games = 0.0
            for (first, second), shares in won.items():
                if name in (first, second):
                    other = second if name == first else first
                    count = len(shares) + _PRIOR
                    wins += _PRIOR / 2 + (sum(shares) if name == first else len(shares) - sum(shares))
                    games += count / (strength[name] + strength[other])
            strength[name] = wins / games
    base = strength.get(RANDOM, strength[names[0]])
    return {name: 400 * log10(value / base) for name, value in strength.items()}
