"""Statistics of games: time per seat, rounds, points, dice against expectation, results.

All is public except hours and the number of answers: until the end only the moderator knows when, and how, a seat has
answered. If others read the statistics of a running game, or the moderator plays, both are left out. A seat's time
only counts where it alone was asked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from statistics import mean, median
from typing import Any

import msgspec

import games
from pbem.kernel.journal import Move
from pbem.kernel.table import LogLine
from pbem.mail.outbox.email_parts import lines_of
from pbem.mail.save_index import SaveIndex
from pbem.save import SaveError, Session
from pbem.timestamps import moment


class SeatTime(msgspec.Struct, rename={"most": "longest"}):
    """The answers of a seat that count, and the hours for one."""

    answers: int
    mean: float
    median: float
    most: float


class DiceStatistics(msgspec.Struct):
    """All public dice with the given number of sides: their sum, the expected sum, the difference in sigmas."""

    sides: int
    count: int
    sum: int
    expected: float
    sigmas: float
    faces: list[int]


class GameStats(msgspec.Struct):
    """One game. `rounds` are closed questions, `days` from its beginning to the last one (0: not shown)."""

    name: str
    game: str
    scenario: str
    over: bool
    rounds: int
    answers: int
    days: float
    when: dict[str, Any] = {}
    time: dict[str, SeatTime] = {}
    points: list[tuple[str, dict[str, int]]] = []
    dice: list[DiceStatistics] = []
    agreed: str = ""
    winners: list[str] = []
    scores: dict[str, int] = {}


class SeatResults(msgspec.Struct):
    """The results of a seat in the games that are over."""

    game: str
    scenario: str
    seat: str
    games: int
    wins: int
    points: float


class Stats(msgspec.Struct):
    """All games, and the results of those that are over; `broken` are saves that can't be read."""

    games: list[GameStats] = []
    results: list[SeatResults] = []
    broken: dict[str, str] = {}


def stats(saves: Sequence[Path]) -> Stats:
    """Return the statistics of these saves (files or folders)."""
    index = SaveIndex(saves)
    statistics = Stats(broken={str(path): str(error) for path, error in index.broken.items()})
    for path in index.paths.values():
        try:
            statistics.games.append(of_game(Session.open(path, games.load)))
        except SaveError as error:
            statistics.broken[str(path)] = str(error)
    statistics.results = list(results(statistics.games))
    return statistics


def of_game(session: Session, lines: Iterable[LogLine] | None = None, *, public: bool = False) -> GameStats:
    """Return the statistics of one game; `lines` are the log lines with its dice (None: all).

    `public`: others read them, so that a running game has neither hours nor answers.
    """
    header = session.save.header
    hours = header.over or not (public or session.save.post.plays)
    moves = [move for move in session.moves() if move.at]
    closed = [max(move.at for move in group) for _, group in groupby(moves, key=lambda move: move.q)]
    times = [header.created, *map(moment, closed)]
    days = (max(times) - min(times)).total_seconds() / 86400
    return GameStats(
        name=header.name,
        game=header.game,
        scenario=header.scenario,
        over=header.over,
        rounds=header.q if header.over else max(header.q - 1, 0),
        answers=sum(1 for move in moves if hours and (header.over or move.q < header.q)),
        days=round(days, 2) if hours else 0.0,
        when={key: value for key, value in header.clock.items() if isinstance(value, str | int)},
        time=_times(moves, session) if hours else {},
        points=[(scores.label, scores.points) for scores in header.history],
        dice=list(dice_of(lines_of(session) if lines is None else lines)),
        agreed=str(header.result.get("agreed", "")),
        winners=[str(seat) for seat in header.result.get("winners", [])],
        scores={str(seat): points for seat, points in header.result.get("scores", {}).items()},
    )


def _times(moves: Sequence[Move], session: Session) -> dict[str, SeatTime]:
    """Return the hours from when a question could be answered to a seat's answer."""
    hours: dict[str, list[float]] = {seat.id: [] for seat in session.save.seats}
    since = session.save.header.created
    for _, group in groupby(moves, key=lambda move: move.q):
        answers = list(group)
        for move in answers if session.referee.over or len(answers) == 1 else ():
            if move.seat in hours:
                passed = (moment(move.at) - since).total_seconds() / 3600
                hours[move.seat].append(max(passed, 0.0))
        since = moment(max(move.at for move in answers))
    return {
        seat: SeatTime(len(found), round(mean(found), 1), round(median(found), 1), round(max(found), 1))
        for seat, found in hours.items()
        if found
    }


def dice_of(lines: Iterable[LogLine]) -> Iterator[DiceStatistics]:
    """Yield the public dice, by number of sides."""
    faces: dict[int, list[int]] = {}
    for line in lines:
        rolled, sides = line.args.get("dice"), line.args.get("sides", 6)
        if line.only is None and isinstance(rolled, list) and isinstance(sides, int) and sides > 1:
            count = faces.setdefault(sides, [0] * sides)
            for face in rolled:
                if isinstance(face, int) and 1 <= face <= sides:
                    count[face - 1] += 1
    for sides, count in sorted(faces.items()):
        number, total = sum(count), sum(face * times for face, times in enumerate(count, 1))
        expected, spread = number * (sides + 1) / 2, math.sqrt(number * (sides**2 - 1) / 12)
        yield DiceStatistics(
            sides, number, total, expected, round((total - expected) / spread, 2) if spread else 0.0, count
        )


def results(found: Sequence[GameStats]) -> Iterator[SeatResults]:
    """Yield games, wins and mean points of each seat of each game and scenario that was played to its end."""
    rows: dict[tuple[str, str, str], list[tuple[bool, int]]] = {}
    for figures in found:
        for seat, points in figures.scores.items() if figures.over and not figures.agreed else ():
            rows.setdefault((figures.game, figures.scenario, seat), []).append((seat in figures.winners, points))
    for (game, scenario, seat), played in sorted(rows.items()):
        wins, average = sum(won for won, _ in played), mean(number for _, number in played)
        yield SeatResults(game, scenario, seat, len(played), wins, round(average, 2))
