"""`python -m tests.bench live`: full tables, each seat a `pbem live` of its own, with one answer a second in all.

Answers are drawn at random and typed as players type them: a line on screen 8, then F8. Each must stand in the save;
none is typed twice. Before the first one the seats are idle: then memory and processor time are measured.
"""

from __future__ import annotations

import os
import select
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import click

import games
from pbem.dev import synthetic_mail
from pbem.dev.random_game import sampler
from pbem.kernel.game import Game
from pbem.save import Session
from pbem.save.to_plain import plain
from tests.tui.seats import SEND, SeatTerminal, lines

_QUIET = 0.3
"""Seconds without a byte after which a screen is finished."""
_LATE = 60.0
"""Seconds after which an answer that isn't in the save is lost."""
_AFTER = 3.0
"""Seconds in which the others' screens follow."""


@dataclass
class LiveFigures:
    """What a bench of live tables found. Times are seconds from F8."""

    seats: int = 0
    mib: float = 0.0
    own_mib: float = 0.0
    idle_cpu: float = 0.0
    given: int = 0
    lost: list[str] = field(default_factory=list)
    stored: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    complete: list[float] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, str]]:
        yield "seats", str(self.seats)
        yield "memory of a seat, of it its own", f"{self.mib:.0f} MiB, {self.own_mib:.0f} MiB"
        yield "CPU of an idle seat", f"{self.idle_cpu:.2%}"
        yield "answers, lost", f"{self.given}, {len(self.lost)}"
        times = {"stored": self.stored, "the others' first change": self.first, "... complete": self.complete}
        for what, found in times.items():
            if len(found) > 1:
                most = statistics.quantiles(found, n=20)[-1]
                yield f"F8 → {what}, median / 95 %", f"{statistics.median(found):.2f} / {most:.2f} s"


class Seat(SeatTerminal):
    """A seat at a table; `left` are keys that are still to be typed, each once the screen has come to rest."""

    def __init__(self, save: Path, seat: str) -> None:
        words = [sys.executable, "-m", "pbem", "live", save, "--seat", seat, "--lang", "en"]
        super().__init__(words, env={"PYTHONHASHSEED": "0"})
        self.seat = seat
        self.left: list[tuple[str, tuple[str, ...]]] = []
        self.typed, self.wanted, self.seen = time.monotonic(), tuple[str, ...](), b""

    def take(self) -> bytes:
        data = super().take()
        self.seen = (self.seen + data)[-20_000:]
        return data

    def rests(self, bytes_: int = 0) -> bool:
        """Return whether the screen has been drawn and has come to rest."""
        return self.got >= bytes_ and time.monotonic() - self.last > _QUIET

    def step(self, now: float) -> None:
        """Type the next keys if the last ones have shown, or show nothing."""
        shown = any(text.encode() in self.seen for text in self.wanted or ("",)) or now - self.typed > _LATE / 2
        if self.left and shown and self.rests() and now - self.typed > (_QUIET if self.first is not None else 2.0):
            keys, self.wanted = self.left.pop(0)
            self.typed, self.seen = now, b""
            self.write(keys)


@dataclass
class Given:
    """An answer that is typed; `sent` and `stored` are times, 0 before."""

    seat: str
    q: int
    value: Any
    talks: bool
    sent: float = 0.0
    stored: float = 0.0

    def stands(self, session: Session) -> bool:
        """Return whether it is in the save: in the journal, sealed, or among the acts of an open negotiation."""
        referee = session.referee
        if self.talks:
            return referee.q > self.q or self.seat not in referee.waiting()
        moves = [*session.moves(), *referee.sealed.values()]
        return any((move.q, move.seat, move.answer) == (self.q, self.seat, self.value) for move in moves)


class Table:
    """One game with a terminal for each of its seats."""

    def __init__(self, path: Path, game: Game, players: int, chance: Random) -> None:
        self.path, self.game, self.chance = path, game, chance
        path.parent.mkdir()
        session = synthetic_mail.new_game(path, game, players)
        session.commit(synthetic_mail.START)
        self.seats = {seat: Seat(path, seat) for seat in session.setup.seats}
        self.given: list[Given] = []
        self.open: Given | None = None
        self._stamp = 0

    def ask(self) -> bool:
        """Have a seat that is asked type an answer. Return False if the game is over, or one is under way."""
        if self.open is not None:
            return False
        session = Session.open(self.path, self.game)
        referee = session.referee
        if referee.over:
            return False
        seat, talks = self.chance.choice(referee.waiting()), referee.talk is not None
        domain = referee.domain(seat)
        text = "done" if talks else domain.text(domain.sample(sampler(self.chance)))
        value = plain(domain.parse(text, referee.names), "answer")
        self.open = Given(seat, referee.q, value, talks)
        self.given.append(self.open)
        self._stamp = self.path.stat().st_mtime_ns
        self.seats[seat].left = [*lines(f"{referee.q}: {text}"), (SEND, ())]
        return True

    def look(self, now: float, found: LiveFigures) -> None:
        """See whether the open answer is stored, and when the others were shown it."""
        given = self.open
        if given is None or self.seats[given.seat].left:
            return
        others = [seat for name, seat in self.seats.items() if name != given.seat]
        if not given.sent:
            given.sent = now
            for other in others:
                other.first = None
        elif not given.stored:
            changed = self.path.stat().st_mtime_ns != self._stamp
            if changed and given.stands(Session.open(self.path, self.game)):
                given.stored = now
                found.stored.append(now - given.sent)
            elif now - given.sent > _LATE:
                self.open = None
        elif now - given.stored > _AFTER:
            found.first += [other.first - given.sent for other in others if other.first is not None]
            found.complete += [other.last - given.sent for other in others if other.first is not None]
            self.open = None


class Hall:
    """All tables; one loop reads all terminals."""

    def __init__(self, folder: Path, game: Game, tables: int, players: int) -> None:
        self.found = LiveFigures()
        self.tables: list[Table] = []
        try:
            for number in range(tables):  # one after the other: each needs a second of processor time for each seat
                path = folder / f"t{number:02}" / f"table-{number:02}.toml"
                self.tables.append(Table(path, game, players, Random(number)))
                self.read(_LATE * 2, lambda: all(seat.rests(5_000) for seat in self.tables[-1].seats.values()))
        except BaseException:
            self.end()
            raise

    @property
    def seats(self) -> list[Seat]:
        return [seat for table in self.tables for seat in table.seats.values()]

    def read(self, seconds: float, done: Callable[[], bool] = lambda: False) -> None:
        """Read all terminals and type what is to be typed, for so long or until it is done."""
        end = time.monotonic() + seconds
        handles = {seat.handle: seat for seat in self.seats}
        while time.monotonic() < end and not done():
            for handle in select.select(list(handles), [], [], 0.05)[0]:
                handles[handle].take()
                if handles[handle].ended:
                    seat = handles[handle]
                    raise RuntimeError(f"{seat.seat} left the table: {seat.seen.decode(errors='replace')}")
            now = time.monotonic()
            for seat in handles.values():
                seat.step(now)
            for table in self.tables:
                table.look(now, self.found)

    def measure(self, seconds: float) -> None:
        """Measure memory and processor time of the seats while nothing happens."""
        pids, found = [seat.pid for seat in self.seats], self.found
        before = sum(map(_worked, pids))
        self.read(seconds)
        found.seats, found.idle_cpu = len(pids), (sum(map(_worked, pids)) - before) / seconds / len(pids)
        sizes = [_sizes(pid) for pid in pids]
        found.mib, found.own_mib = (statistics.mean(size) for size in zip(*sizes, strict=True))

    def play(self, answers: int, every: float, progress: Callable[[int, int], None]) -> None:
        """Have one table after the other answer, at these intervals, and wait for the last answers."""
        began, at = time.monotonic(), 0
        for done in range(answers):
            self.read(began + done * every - time.monotonic())
            self.read(_LATE * 2, lambda: any(table.open is None for table in self.tables))
            for _ in self.tables:
                at += 1
                if self.tables[at % len(self.tables)].ask():
                    break
            progress(done + 1, answers)
        self.read(_LATE * 2, lambda: all(table.open is None for table in self.tables))
        for table in self.tables:
            session = Session.open(table.path, table.game)
            self.found.given += len(table.given)
            lost = (given for given in table.given if not given.stands(session))
            self.found.lost += [f"{table.path.stem}, question {given.q}, {given.seat}" for given in lost]

    def end(self) -> None:
        for seat in self.seats:
            seat.kill()


def _worked(pid: int) -> float:
    """Return the seconds of processor time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _sizes(pid: int) -> tuple[float, float]:
    """Return the memory of a process and what of it is its own, in MiB."""
    rows = [line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()[1:]]
    size = {row[0]: int(row[1]) / 1024 for row in rows}
    return size["Rss:"], size["Private_Clean:"] + size["Private_Dirty:"]


def run(
    slug: str = "virgin_queen",
    *,
    tables: int,
    players: int,
    answers: int,
    every: float = 1.0,
    idle: float = 20.0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> LiveFigures:
    """Measure full tables; `every` is the time between two answers."""
    with tempfile.TemporaryDirectory(prefix="pbem-live-") as folder:
        hall = Hall(Path(folder), games.load(slug), tables, players)
        try:
            hall.measure(idle)
            hall.play(answers, every, progress)
        finally:
            hall.end()
        return hall.found


@click.command("live")
@click.option("--tables", type=click.IntRange(1), default=20, show_default=True)
@click.option("--players", type=click.IntRange(1), default=6, show_default=True, help="Players at each table.")
@click.option("--answers", type=click.IntRange(1), default=600, show_default=True, help="Answers in all.")
@click.option("--every", type=float, default=1.0, show_default=True, help="Seconds between two answers.")
@click.option("--game", default="virgin_queen", show_default=True)
def live_command(tables: int, players: int, answers: int, every: float, game: str) -> None:
    """Measure full live tables. Exits with 1 if an answer was lost."""
    from pbem.cli.console import progress_bar, table

    with progress_bar("answers") as progress:
        found = run(game, tables=tables, players=players, answers=answers, every=every, progress=progress)
    table([list(row) for row in found.rows()], ["live tables", ""])
    for what in found.lost:
        click.echo(f"lost: {what}", err=True)
    sys.exit(1 if found.lost else 0)
