"""Conformance cases: TOML files that a rules lawyer can read and write (the format is told in docs/cases.md).

A case sets up a position, answers questions in order, and says what must then hold. Every case is also replayed from
its journal, and the game's invariants are checked after each answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from games import load as load_game
from pbem.jobs import spread
from pbem.kernel.game import Game
from pbem.kernel.pack import PackError
from pbem.kernel.problems import Refused
from pbem.trial.casefile import Case, CaseError, files, load
from pbem.trial.script import Script

__all__ = ["Case", "CaseError", "Failure", "Report", "files", "load", "play", "run"]


class Failure(msgspec.Struct):
    """A case that does not hold; `why` has a sentence for each thing that is wrong."""

    id: str
    rule: str
    why: list[str]
    path: str = ""

    def __str__(self) -> str:
        return f"{self.id} [{self.rule}] {self.path}\n" + "\n".join(f"  - {line}" for line in self.why)


class Report(msgspec.Struct):
    """What came of a run of cases."""

    cases: int
    passed: int
    failed: list[Failure]


def run(
    paths: Iterable[str | Path],
    progress: Callable[[Report], None] | None = None,
    *,
    games: Callable[[str], Game] | None = None,
    jobs: int = 1,
    cluster: str = "",
) -> Report:
    """Play every case of these files and folders. `games` finds a game by slug; `progress` hears of each file.

    A file that cannot be read counts as one failed case. With `jobs` or a `cluster` files are played side by side.
    """
    report = Report(0, 0, [])
    if jobs > 1 or cluster:
        found = spread(of_file, files(paths), jobs=jobs, cluster=cluster)
    else:
        found = (of_file(path, games) for path in files(paths))
    for entry in found:
        report.cases += entry.cases
        report.failed += entry.failed
        if progress is not None:
            progress(report)
    report.passed = report.cases - len(report.failed)
    return report


def of_file(path: Path, games: Callable[[str], Game] | None = None) -> Report:
    """Play the cases of one file."""
    try:
        cases = load(path)
    except CaseError as error:
        return Report(1, 0, [Failure(path.name, "", [str(error)], str(path))])
    played = [(case, play(case, games)) for case in cases]
    failed = [Failure(case.id, case.rule, why, case.path) for case, why in played if why]
    return Report(len(cases), len(cases) - len(failed), failed)


def play(case: Case, games: Callable[[str], Game] | None = None) -> list[str]:
    """Play one case; returns a sentence for each thing that does not hold, none if it passes."""
    try:
        script = Script(case, (games or load_game)(case.game))
    except (Refused, PackError, ValueError, LookupError) as error:
        return [f"the position cannot be set up: {error}"]
    return script.run()
