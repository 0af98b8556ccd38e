"""A club of many games in simulated time: when letters arrive, how long each `pbem run` takes, how long they wait.

No mail is read and no game played: what one letter costs is measured (`bench --mail`, `--cold`) and put in. Letters
come in bursts: most games have their deadline in the evening of their own zone, and half of all answers come in the
last hours before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from random import Random

import msgspec

DAY = 86_400
HOUR = 3_600

NEAR, FAR = 0.015, 0.1
"""Seconds for a mail to a relay on the same host, and to one far away."""

ZONES: tuple[tuple[float, Sequence[int]], ...] = (
    (0.45, (0, 1, 2, 3)),
    (0.35, (-8, -7, -6, -5, -4)),
    (0.2, (8, 9, 10)),
)
"""Where games are at home: the share of games, and hours ahead of UTC (Europe, the Americas, East Asia)."""


class Club(msgspec.Struct, frozen=True):
    """How people play. `letters` a seat writes a day (1630 Something by `bench --tempo`: 60 letters in 50 days).

    `evening` of the games have their deadline at 20:00 of their zone, the others at any hour; `late` of the answers
    come in the last hours before it, the nearer the more (`rush`: their mean distance in hours), the others at any
    hour from 7 to 23.
    """

    seats: float = 4.0
    letters: float = 1.2
    evening: float = 0.6
    late: float = 0.5
    rush: float = 1.5


class Host(msgspec.Struct, frozen=True):
    """What a run costs in seconds of the clock; it begins every `every` seconds, never two at a time.

    `start` is its own, `header` for each game that it looks at (the run reads them for mail and for time), `letter`
    for each one taken in, on disk; `mails` go out for each letter, `send` seconds each, `NEAR` or `FAR`. `workers` is
    `--jobs`; sending is done by one.
    """

    every: int = 300
    start: float = 0.3
    header: float = 0.0003
    letter: float = 0.012
    mails: float = 1.3
    send: float = NEAR
    workers: int = 1


class Load(msgspec.Struct):
    """What a host went through: letters a day, those of the busiest hour, how much of the time it was at work.

    `longest` is its longest run; `median`, `late` (95 of 100) and `worst` are how long a letter waited for its answer,
    in seconds. `left` letters were still waiting at the end.
    """

    games: int
    letters: float
    busiest: int
    at_work: float
    longest: float
    median: float
    late: float
    worst: float
    left: int


def simulate(games: int, club: Club, host: Host, days: int = 3, seed: int = 0) -> Load:
    """So many games on one host, from midnight (UTC) on."""
    arrivals = _arrivals(games, club, days, Random(f"scale {games} {seed}"))
    waited: list[float] = []
    now, read, busy, longest = 0.0, 0, 0.0, 0.0
    while now < days * DAY:
        there = bisect_right(arrivals, now)
        count = there - read
        took = host.start + host.header * games + count * _each(host)
        waited += [now + took - arrival for arrival in arrivals[read:there]]
        read, busy, longest = there, busy + took, max(longest, took)
        now = max(now + host.every, -(-(now + took) // host.every) * host.every)
    waited.sort()
    return Load(
        games,
        len(arrivals) / days,
        _busiest_hour(arrivals),
        min(busy / (days * DAY), 1.0),
        longest,
        _part(waited, 0.5),
        _part(waited, 0.95),
        waited[-1] if waited else 0.0,
        len(arrivals) - read,
    )


def _each(host: Host) -> float:
    return host.letter / host.workers + host.mails * host.send


def _arrivals(games: int, club: Club, days: int, random: Random) -> list[float]:
    """When letters come, in order."""
    found: list[float] = []
    a_day = club.seats * club.letters
    for _ in range(games):
        (zones,) = random.choices([hours for _, hours in ZONES], [share for share, _ in ZONES])
        ahead = random.choice(zones) * HOUR
        at = 20 * HOUR if random.random() < club.evening else random.randrange(24) * HOUR
        for day in range(days):
            for _ in range(int(a_day) + (random.random() < a_day % 1)):
                if random.random() < club.late:
                    local = at - random.expovariate(1 / (club.rush * HOUR))
                else:
                    local = random.uniform(7, 23) * HOUR
                found.append(day * DAY + (local - ahead) % DAY)
    found.sort()
    return found


def _busiest_hour(arrivals: list[float]) -> int:
    counts: dict[int, int] = {}
    for arrival in arrivals:
        counts[int(arrival // HOUR)] = counts.get(int(arrival // HOUR), 0) + 1
    return max(counts.values(), default=0)


def _part(ordered: list[float], share: float) -> float:
    return ordered[int(share * (len(ordered) - 1))] if ordered else 0.0
