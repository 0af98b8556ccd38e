"""Rule tests: TOML files that set up a position, answer questions in order, and state the expected result.

Every test is also replayed from its journal, and the game's invariants are checked after each answer. The format is
described in rule-test-format.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import groupby
from pathlib import Path

import msgspec

from games import load as load_game
from pbem.dev.fuzz import THEN, answer
from pbem.dev.random_game import said_of
from pbem.dev.rule_test_files import Case, CaseError, files, load
from pbem.dev.rule_test_runner import Script
from pbem.dev.workers import map_parallel
from pbem.kernel.game import Game
from pbem.kernel.pack import PackError
from pbem.kernel.referee import Move, Referee
from pbem.kernel.rejections import Rejection
from pbem.save import SaveError
from pbem.save import load as load_save
from pbem.save.codec import TITLE, earlier_moves
from pbem.save.session import setup_of

__all__ = ["Case", "CaseError", "RuleTestFailure", "RuleTestReport", "files", "load", "play", "run"]


class RuleTestFailure(msgspec.Struct):
    """A failed rule test; `why` has a sentence for each failure."""

    id: str
    rule: str
    why: list[str]
    path: str = ""

    def __str__(self) -> str:
        return f"{self.id} [{self.rule}] {self.path}\n" + "\n".join(f"  - {line}" for line in self.why)


class RuleTestReport(msgspec.Struct):
    """The result of a run of rule tests."""

    cases: int
    passed: int
    failed: list[RuleTestFailure]


def run(
    paths: Iterable[str | Path],
    progress: Callable[[RuleTestReport], None] | None = None,
    *,
    games: Callable[[str], Game] | None = None,
    jobs: int = 1,
    cluster: str = "",
) -> RuleTestReport:
    """Play every rule test of these files and folders; a file that can't be read counts as a failed test."""
    report = RuleTestReport(0, 0, [])
    for entry in map_parallel(partial(of_file, games=games), files(paths), jobs=jobs, cluster=cluster):
        report.cases += entry.cases
        report.failed += entry.failed
        if progress is not None:
            progress(report)
    report.passed = report.cases - len(report.failed)
    return report


def of_file(path: Path, games: Callable[[str], Game] | None = None) -> RuleTestReport:
    """Play the rule tests of one file, or replay a save."""
    if path.is_file() and path.read_bytes().startswith(TITLE.strip().encode()):
        why = recorded(path, games or load_game)
        return RuleTestReport(
            1, not why, [RuleTestFailure(path.stem, "a recorded game", why, str(path))] if why else []
        )
    try:
        cases = load(path)
    except CaseError as error:
        return RuleTestReport(1, 0, [RuleTestFailure(path.name, "", [str(error)], str(path))])
    played = [(case, play(case, games)) for case in cases]
    failed = [RuleTestFailure(case.id, case.rule, why, case.path) for case, why in played if why]
    return RuleTestReport(len(cases), len(cases) - len(failed), failed)


def recorded(path: Path, games: Callable[[str], Game]) -> list[str]:
    """Replay a save and the answers at which the rules stopped (`fuzz --dump`). Return what is still wrong."""
    try:
        save = load_save(path)
        game, setup = games(save.header.game), setup_of(save)
    except (SaveError, ValueError, LookupError) as error:
        return [f"it can't be played: {error}"]
    then = path.read_text("utf-8").split("\n", 2)[1]
    rest = msgspec.json.decode(then.removeprefix(THEN), type=list[Move]) if then.startswith(THEN) else []
    try:
        referee = Referee.resume(game, setup, [])
        for _, answers in groupby([*earlier_moves(save), *save.moves, *rest], lambda move: move.q):
            referee.replay([*answers])
            if wrong := game.invariants(referee.table):
                return [f"after move {referee.n}: {problem}" for problem in wrong]
        for seat in referee.waiting():
            answer(referee, seat, None)
    except Exception as error:  # an error of the game
        return [said_of(error, game.package)]
    return []


def play(case: Case, games: Callable[[str], Game] | None = None) -> list[str]:
    """Play one rule test. Return a sentence for each failure."""
    try:
        game = (games or load_game)(case.game)
    except LookupError as error:
        return [f"the position can't be set up: {error}"]
    try:
        script = Script(case, game)
    except Exception as error:  # of the game, or of the case
        ours = isinstance(error, (Rejection, PackError, ValueError, LookupError))
        said = said_of(error, game.package)
        return [f"the position can't be set up: {error if ours and not said.startswith(game.package) else said}"]
    return script.run()
