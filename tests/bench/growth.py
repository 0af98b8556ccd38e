"""`python -m tests.bench growth`: what long games and full folders cost, and what each move or game adds to it.

Each command runs in a process of its own; the figures are processor time, the least of interleaved rounds. Long games
are made from short ones (`ageing.grow`), folders from copies under other names.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from math import inf
from pathlib import Path
from random import Random

import click
import msgspec

import games
from pbem.clock import heartbeat
from pbem.dev import synthetic_mail
from pbem.dev.random_game import sampler
from pbem.save import Session
from pbem.timestamps import stamp
from tests.bench.ageing import grow
from tests.bench.cold import PLAYERS, Command, _copies, _game, _measured

_NOW = synthetic_mail.START + timedelta(hours=1)
MOVES = (500, 1_000, 3_000, 10_000)
GAMES = (10, 100, 1_000, 10_000)


class Growth(msgspec.Struct):
    """Milliseconds of processor time of a command, by how many moves or games there are."""

    what: str
    of: str
    cpu_ms: dict[int, float]

    @property
    def slope(self) -> float:
        """Microseconds that one more move or game costs, between the least and the most."""
        (few, first), *_, (many, last) = self.cpu_ms.items()
        return (last - first) / (many - few) * 1000


def run(
    slugs: Sequence[str] = tuple(PLAYERS),
    *,
    rounds: int = 3,
    moves: Sequence[int] = MOVES,
    many: Sequence[int] = GAMES,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Growth]:
    """Measure all commands over all sizes."""
    with tempfile.TemporaryDirectory(prefix="pbem-growth-") as name:
        plans = [*_long_games(Path(name), slugs, moves), *_full_folders(Path(name), many)]
        found = [Growth(what, of, dict.fromkeys(sizes, inf)) for what, of, sizes in plans]
        for done in range(rounds + 1):  # the first round compiles, and makes the indexes
            for number, (growth, (_, _, sizes)) in enumerate(zip(found, plans, strict=True)):
                for size, command in sizes.items():
                    words = command.prepare(Path(name) / "work")
                    cost = _measured([sys.executable, *words])[0] * 1000
                    if done:
                        growth.cpu_ms[size] = min(growth.cpu_ms[size], cost)
                progress(done * len(plans) + number + 1, (rounds + 1) * len(plans))
        return found


SizedCommands = tuple[str, str, dict[int, Command]]


def _long_games(folder: Path, slugs: Sequence[str], moves: Sequence[int]) -> Iterator[SizedCommands]:
    for slug in slugs:
        views, pictures = dict[int, Command](), dict[int, Command]()
        for age in moves:
            path = folder / slug / str(age) / "game.toml"
            session = _game(path, games.load(slug))
            seat = session.save.seats[0].id
            grow(session, age)
            views[age] = _always(["-m", "pbem", "view", str(path), "--seat", seat])
            pictures[age] = _always(["-m", "tests.bench.first", str(path)])
        yield f"view {slug}", "move", views
        if slug == "virgin_queen":
            yield "terminal, first picture", "move", pictures


def _full_folders(folder: Path, many: Sequence[int]) -> Iterator[SizedCommands]:
    late, due = stamp(_NOW + timedelta(minutes=10)), stamp(_NOW + timedelta(days=2, hours=20))
    ingest, tick, remind, status = (dict[int, Command]() for _ in range(4))
    for count in many:
        full = folder / f"games-{count}"
        path = full / f"g{0:05d}.toml"
        session = _game(path, games.load("sixteen_thirty"))
        _copies(path, count)
        heartbeat.store(full, heartbeat.Heartbeat(_NOW, _NOW))
        for save in full.glob("*.toml"):
            os.utime(save, (time.time() - 60,) * 2)
        ingest[count] = _email(session, full)
        tick[count] = _always(["-m", "pbem", "tick", str(full), "--now", late])
        remind[count] = _always(["-m", "pbem", "remind", str(full), "--now", due])
        status[count] = _always(["-m", "pbem", "status", str(full)])
    yield "ingest of one email", "game", ingest
    yield "tick, nothing due", "game", tick
    yield "remind, all are due", "game", remind
    yield "status", "game", status


def _always(words: Sequence[str]) -> Command:
    return Command("", lambda _: words)


def _email(session: Session, full: Path) -> Command:
    """One email of orders; before it the folder is as it was."""
    seat, path = session.referee.asked()[0], session.path
    domain, before = session.referee.domain(seat), path.read_bytes()
    line = f"{session.referee.q}: {domain.text(domain.sample(sampler(Random(3))))}"
    email = full / "in.eml"
    email.write_bytes(synthetic_mail.write_email(session, seat, [line], _NOW).raw)

    def prepare(_: Path) -> Sequence[str]:
        for name in ("outbox", "quarantine"):
            shutil.rmtree(full / name, ignore_errors=True)
        (full / "heads.json").unlink(missing_ok=True)
        path.write_bytes(before)
        os.utime(path, (time.time() - 60,) * 2)
        return ["-m", "pbem", "ingest", "--saves", str(full), str(email), "--now", stamp(_NOW)]

    return Command("", prepare)


@click.command("growth")
@click.option("--rounds", type=click.IntRange(1), default=3, show_default=True)
@click.option("--most", type=click.IntRange(1_000), default=10_000, help="Moves and games, at most.")
def growth_command(rounds: int, most: int) -> None:
    """Measure long games and full folders."""
    from pbem.cli.console import progress_bar, table

    with progress_bar("commands") as progress:
        sizes = [[size for size in of if size <= most] for of in (MOVES, GAMES)]
        found = run(rounds=rounds, moves=sizes[0], many=sizes[1], progress=progress)
    rows = [
        [
            growth.what,
            *(f"{size:,}: {cost:.0f}" for size, cost in growth.cpu_ms.items()),
            f"{growth.slope:.2f} µs a {growth.of}",
        ]
        for growth in found
    ]
    table([row[:-1] + [""] * (6 - len(row)) + row[-1:] for row in rows], ["command, CPU ms", "", "", "", "", "slope"])
