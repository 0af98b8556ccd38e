"""How fast this machine is: decisions live and replayed, a cold `pbem status`, one letter through the intake.

Rates are of processor time, durations of the wall clock: the median of `n` runs.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import perf_counter

import msgspec

from pbem.kernel.game import Game
from pbem.post.ingest import ingest
from pbem.save import Session
from pbem.trial import fuzz, staging

_STATUS = "from pbem.cli import main; main(prog_name='pbem')"


class Measure(msgspec.Struct, frozen=True):
    """A measured value, its unit, and of how many decisions or runs it was taken."""

    value: float
    unit: str
    n: int


def run(game: Game, *, games: int = 12, runs: int = 7) -> dict[str, Measure]:
    """Measure `game`: `games` random games, `runs` runs of everything else."""
    played = fuzz.run(game, games=games, careful=0)
    found = {
        "live_decisions": Measure(round(played.per_second), "1/s", played.decisions),
        "replay_decisions": Measure(round(played.replayed_per_second), "1/s", played.moves),
    }
    with tempfile.TemporaryDirectory(prefix="pbem-bench-") as name:
        folder = Path(name)
        save = folder / "bench.toml"
        session = staging.setting_up(save, game, max(game.scenario().seats))
        half = played.moves // (2 * max(games, 1))
        staging.play(session, lambda referee: referee.n >= half, Random(1))
        staging.finish(
            session, folder
        )  # told so far: the letter measured tells what it leads to, not a whole game
        session = Session.open(save, game)
        found["cold_status_ms"] = _milliseconds(lambda: _status(save), runs)
        found["open_save_ms"] = _milliseconds(lambda: Session.open(save, game), runs)
        found["ingest_one_letter_ms"] = _one_letter(game, session, save, folder, runs)
    return found


def _milliseconds(work: Callable[[], object], runs: int) -> Measure:
    took = []
    for _ in range(runs):
        began = perf_counter()
        work()
        took.append((perf_counter() - began) * 1000)
    return Measure(round(statistics.median(took), 2), "ms", runs)


def _status(save: Path) -> None:
    """A process of its own, from nothing: what a cron job pays."""
    subprocess.run([sys.executable, "-c", _STATUS, "status", str(save)], check=True, capture_output=True)


def _one_letter(game: Game, session: Session, save: Path, folder: Path, runs: int) -> Measure:
    """A mailbox with one letter: parsed, applied, stored, its answer written; each time on a fresh copy."""
    seat, lines = next(iter(staging.answers(session, Random(1)).items()))
    box = folder / "one.mbox"
    box.write_bytes(staging.as_mbox([staging.letter(session, seat, lines, staging.START)]))
    copies = []
    for number in range(runs):
        home = folder / f"copy{number}"
        home.mkdir()
        copies.append(Path(shutil.copy2(save, home / save.name)))
    fresh = iter(copies)
    return _milliseconds(
        lambda: ingest([next(fresh)], [box], now=staging.START, game=lambda slug: game), runs
    )
