"""Time in several games side by side, before any letter is written. Each game is one worker's at a time.

A worker opens a game, does in it what is due, and hands back what came of it. That is noted in the order of the games,
so that nothing depends on which was faster. Reminders and letters come after: a person gets one reminder for all games.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from functools import partial
from pathlib import Path

import msgspec

import games
from pbem.clock.beacon import Round
from pbem.clock.heartbeat import Heartbeat
from pbem.jobs import Crew
from pbem.post.clockwork.one_game import pass_in
from pbem.post.clockwork.run import Run, TimePassed
from pbem.post.inbox.outcomes import IngestReport
from pbem.post.inbox.taking import Taking
from pbem.post.inbox.tally import Tally
from pbem.post.inbox.way import Dealt
from pbem.post.kept_headers import header_of
from pbem.post.save_index import SaveIndex
from pbem.save import Save


class Terms(msgspec.Struct):
    """What the runs of all workers have in common: the saves, the time, and the heartbeat and beacon of that time."""

    index: SaveIndex
    home: Path
    now: datetime
    sender: str
    heart: Heartbeat
    rounds: list[Round]


class Passed(msgspec.Struct):
    """What came of the time in a game. `opened`: its save was opened."""

    path: Path
    done: TimePassed
    report: IngestReport
    opened: bool
    header: Save


def pass_side_by_side(run: Run, paths: Iterable[Path], jobs: int) -> None:
    """Let time pass in these games by workers; what comes of it is noted in their order."""
    taking = run.taking
    terms = Terms(
        run.index, taking.home, run.now, taking.delivery.sender, run.heart, list(run.rounds.values())
    )
    with Crew(_pass_in, jobs, partial(_enter, terms)) as crew:
        for path in paths:
            crew.give(path)
        while len(crew):
            passed = crew.take()
            taking.games.ever |= {passed.path} if passed.opened else set()
            taking.index.know(passed.header)
            taking.tally.report.add(passed.report)
            run.done.add(passed.done)


def _pass_in(path: Path) -> Passed:
    """In a worker: let time pass in one game."""
    run, report = _runs[-1], IngestReport()
    run.done = TimePassed()
    run.taking.tell(Tally(report), list[Dealt]().append)
    pass_in(run, path)
    opened = path in run.taking.games.ever
    return Passed(path, run.done, report, opened, header_of(run.header(path)))


_runs: list[Run] = []
"""In a worker: its run."""


def _enter(terms: Terms) -> None:
    taking = Taking(
        terms.index, terms.home, Tally(IngestReport()), list[Dealt]().append,
        game=games.load, now=terms.now, sender=terms.sender,
    )  # fmt: skip
    _runs[:] = [Run(taking, terms.heart, terms.rounds)]
