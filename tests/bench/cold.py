"""What one command costs from a cold start: processor time of processes of their own, with bare Python next to it.

Each figure is the least of several rounds. In a round every command runs once, one after the other, so that a busy
minute of the machine falls on all of them alike.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from datetime import timedelta
from math import inf
from pathlib import Path
from random import Random
from time import perf_counter

import msgspec

import games
from pbem.clock import heartbeat
from pbem.dev import synthetic_mail
from pbem.dev.random_game import sampler
from pbem.kernel.game import Game
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.save import Session, load_header
from pbem.timestamps import stamp
from tests.bench.ageing import grow

ROUNDS = 7
PLAYERS = {"sixteen_thirty": 4, "imperial_struggle": 2, "crown_of_roses": 3, "virgin_queen": 6}
MOVES = (400, 100, 25)
"""After how many moves a letter is measured, in a game that lasts so long."""

OLD, YOUNG = 5_000, 500
"""The lengths of the journals between which the price of a letter is compared."""

SHOWN = 11
SAVES = 1_000
"""How many saves `status` shows, and `tick` looks at."""

_NOW = synthetic_mail.START + timedelta(hours=1)


class Cost(msgspec.Struct):
    """What a command cost: milliseconds of processor time and of the clock, each the least of `n` rounds."""

    what: str
    cpu_ms: float
    wall_ms: float
    n: int


class Command(msgspec.Struct):
    """A command to measure: `prepare` makes a folder ready for it, and returns its words."""

    what: str
    prepare: Callable[[Path], Sequence[str]]


def run(
    slugs: Sequence[str] = tuple(PLAYERS),
    *,
    rounds: int = ROUNDS,
    saves: int = SAVES,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Cost]:
    """Measure all commands; bare Python is the first of the list."""
    with tempfile.TemporaryDirectory(prefix="pbem-cold-") as name:
        folder = Path(name)
        commands = [
            Command("python", lambda _: ["-c", ""]),
            Command("--help", lambda _: ["-m", "pbem", "--help"]),
            _status(folder / "status"),
            *(_letter(folder / slug, games.load(slug)) for slug in slugs),
            *_ages(folder, games.load(slugs[0])),
            _tick(folder / "tick", saves),
            _painted(folder / "tui"),
        ]
        best = [(inf, inf)] * len(commands)
        for done in range(rounds + 1):  # the first one compiles, and warms the disk
            for number, command in enumerate(commands):
                work = folder / "work"
                words = command.prepare(work)
                cpu, wall = _measured([sys.executable, *words])
                shutil.rmtree(work, ignore_errors=True)
                if done:
                    best[number] = (min(best[number][0], cpu), min(best[number][1], wall))
                progress(done * len(commands) + number + 1, (rounds + 1) * len(commands))
    return [Cost(left.what, cpu * 1000, wall * 1000, rounds) for left, (cpu, wall) in zip(commands, best, strict=True)]


def _measured(words: Sequence[str]) -> tuple[float, float]:
    """Seconds of processor time and of the clock that a process took. Raises RuntimeError if it failed."""
    began = perf_counter()
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=said, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            why = said.read().decode("utf-8", "replace").strip()
            raise RuntimeError(f"{' '.join(words[1:])} failed: {why}")
    return usage.ru_utime + usage.ru_stime, perf_counter() - began


# -- what is measured ------------------------------------------------------------------------------------------------


def _game(path: Path, game: Game) -> Session:
    """A game whose players have had their first letters, at a question to one seat alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for moves in MOVES:
        path.unlink(missing_ok=True)
        session = synthetic_mail.new_game(path, game, PLAYERS.get(game.slug, min(game.scenarios[0].seats)))

        def far(referee: object, session: Session = session, moves: int = moves) -> bool:
            return session.referee.n >= moves and len(session.referee.asked()) == 1

        synthetic_mail.play(session, far, Random(2))
        if not session.referee.over:
            break
    synthetic_mail.finish(session)
    InboxRun([path], now=_NOW, sender=synthetic_mail.HOME, home=path.parent, game=lambda _: game).finish()
    synthetic_mail.tidy(path)
    shutil.rmtree(path.parent / "outbox", ignore_errors=True)
    return Session.open(path, game)


def _letter(folder: Path, game: Game, what: str = "", age: int = 0) -> Command:
    """One letter of orders to a game, and the letters to all its players; `age` is how many moves it is old."""
    path = folder / "game.toml"
    session = _game(path, game)
    if age:
        grow(session, age)
        synthetic_mail.tidy(path)
        session = Session.open(path, game)
    seat = session.referee.asked()[0]
    domain = session.referee.domain(seat)
    line = f"{session.referee.q}: {domain.text(domain.sample(sampler(Random(3))))}"
    mail = synthetic_mail.write_email(session, seat, [line], _NOW)

    def prepare(work: Path) -> Sequence[str]:
        work.mkdir()
        shutil.copy2(path, work)
        (work / "in.eml").write_bytes(mail.raw)
        return ["-m", "pbem", "ingest", str(work / path.name), str(work / "in.eml"), "--now", stamp(_NOW)]

    return Command(what or f"ingest {game.slug}", prepare)


def _ages(folder: Path, game: Game) -> list[Command]:
    return [_letter(folder / f"age-{age}", game, f"ingest {game.slug}, move {age:,}", age) for age in (YOUNG, OLD)]


def _status(folder: Path) -> Command:
    path = folder / "g00.toml"
    _game(path, games.load("sixteen_thirty"))
    _copies(path, SHOWN)

    def prepare(work: Path) -> Sequence[str]:
        return ["-m", "pbem", "status", str(folder)]

    return Command(f"status of {SHOWN}", prepare)


def _tick(folder: Path, saves: int) -> Command:
    """A tick over many saves, in which nothing is due."""
    path = folder / "g0000.toml"
    _game(path, games.load("sixteen_thirty"))
    _copies(path, saves)
    assert load_header(path).header.unsent is False
    heartbeat.store(folder, heartbeat.Heartbeat(_NOW, _NOW))
    late = stamp(_NOW + timedelta(minutes=10))

    def prepare(work: Path) -> Sequence[str]:
        return ["-m", "pbem", "tick", str(folder), "--now", late]

    return Command(f"tick over {saves:,}", prepare)


def _copies(path: Path, count: int) -> None:
    """Copies under other names: good for whoever reads headers only."""
    text, name = path.read_text("utf-8"), f'name = "{path.stem}"'
    for number in range(1, count):
        other = f"g{number:0{len(path.stem) - 1}d}"
        copy = path.with_name(f"{other}.toml")
        copy.write_text(text.replace(name, f'name = "{other}"', 1), "utf-8")
        copy.chmod(0o600)


def _painted(folder: Path) -> Command:
    """The TUI from the start of Python to its first picture."""
    path = folder / "game.toml"
    _game(path, games.load("virgin_queen"))

    def prepare(work: Path) -> Sequence[str]:
        return ["-m", "tests.bench.first", str(path)]

    return Command("TUI, first paint", prepare)
