"""Measurements: the pace of play and replay, a cold start, one letter through the mill, loading and storing.

Figures are of this machine and this moment; each is the best of several rounds: the rest measures the neighbours. The
pace of play is that of the same games in each round, every game counted at its fastest; next to it stands what a bare
generator takes in the same rounds, for one machine gives half as much again in one minute as in the next.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from random import Random
from time import perf_counter, process_time

import msgspec

from pbem.dev import fuzz, leak_test
from pbem.dev.random_game import answer_all, random_setup, sampler
from pbem.kernel.dice import Dice
from pbem.kernel.game import Game
from pbem.kernel.referee import Referee
from pbem.mail.inbox.ingest import ingest
from pbem.report.build import build
from pbem.report.html import as_html
from pbem.report.text import as_text
from pbem.save import SeatInfo, Session, load, load_header, store
from tests.bench.ageing import grow

MOVES = 5_000
"""The length of the journal with which files are measured."""

GAMES = 16
_PLAYED = (400, 100, 25)
"""After how many moves a letter is measured, in a game that lasts so long."""

_ROUNDS = 5
_BARE = 100_000
_WHEN = datetime(2031, 3, 1, 12, tzinfo=UTC)


class Measurement(msgspec.Struct):
    """A measured value: `unit` is `per second`, `ms`, `s`, `MiB` or `saves`; `n` is how much was measured."""

    value: float
    unit: str
    n: int


def run(
    game: Game | None = None,
    *,
    games: int = GAMES,
    moves: int = MOVES,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Measurement]:
    """Measure a game (default: 1630 Something); takes some seconds. `moves` is the journal's length for files.

    `progress` hears of each measurement that is done.
    """
    total = _ROUNDS + 6
    if game is None:
        from games import load as load_game

        game = load_game("sixteen_thirty")
    found = _play(game, games, lambda done: progress(done, total))
    found["dice"] = _dice()
    progress(_ROUNDS + 2, total)
    found["shuffle_160"] = _shuffles()
    progress(_ROUNDS + 3, total)
    with tempfile.TemporaryDirectory(prefix="pbem-bench-") as folder:
        session = _session(game, Path(folder) / "bench.toml")
        found |= _reading(session)
        progress(_ROUNDS + 4, total)
        found["ingest_one_letter_ms"] = _letter(session)
        progress(_ROUNDS + 5, total)
        found |= _files(session, moves)
    progress(total, total)
    return found


def post(
    game: Game,
    *,
    letters: int = 10_000,
    games: int = 100,
    saves: int = 1_000,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Measurement]:
    """Measure the post: a mailbox over many games, its memory, a tick over many saves. Takes minutes."""
    from tests.bench.post import ingest_rate, tick_seconds

    seconds, opened = tick_seconds(game, saves=saves)
    rate, of_processor, growth = ingest_rate(game, games=games, letters=letters, progress=progress)
    return {
        "tick_headers_s": Measurement(seconds, "s", saves),
        "tick_saves_opened": Measurement(float(opened), "saves", saves),
        "ingest_letters": Measurement(rate, "per second", letters),
        "ingest_letters_cpu": Measurement(of_processor, "per second of processor time", letters),
        "ingest_memory_growth": Measurement(growth, "MiB", letters),
    }


def _play(game: Game, games: int, progress: Callable[[int], None]) -> dict[str, Measurement]:
    best: list[fuzz.Pace] = []
    bare = inf
    for done in range(_ROUNDS):
        bare = min(bare, _seconds_of_bare())
        result = fuzz.run(game, games=games, careful=0, audited=0)
        if result.failures:
            raise RuntimeError(f"the game does not play: {result.failures[0]}")
        best = [*map(_faster, best, result.paces)] if best else result.paces
        progress(done + 1)
    began = perf_counter()
    pairs = leak_test.run(game, games)
    seconds = perf_counter() - began
    progress(_ROUNDS + 1)
    total = fuzz.FuzzResult(paces=best)
    return {
        "bare_generator": Measurement(_BARE / bare, "per second", _BARE),
        "live_decisions": Measurement(total.per_second, "per second", result.decisions),
        "replay_decisions": Measurement(total.replayed_per_second, "per second", result.decisions),
        "leak_pairs": Measurement(pairs.pairs / seconds, "per second", pairs.pairs),
    }


def _seconds_of_bare() -> float:
    """Seconds of processor time for `_BARE` answers to a generator that only counts them."""
    send = _counting({}).send
    send(None)
    began = process_time()
    for answer in range(_BARE):
        send(answer & 63)
    return process_time() - began


def _counting(counts: dict[int, int]) -> Generator[None, int | None, None]:
    while True:
        answer = yield
        if answer is not None:
            counts[answer] = counts.get(answer, 0) + 1


def _faster(one: fuzz.Pace, other: fuzz.Pace) -> fuzz.Pace:
    return fuzz.Pace(one.decisions, min(one.live, other.live), min(one.replayed, other.replayed))


def _best(work: Callable[[], object], rounds: int = _ROUNDS) -> float:
    """Seconds of the fastest round."""
    times = []
    for _ in range(rounds):
        began = perf_counter()
        work()
        times.append(perf_counter() - began)
    return min(times)


def _dice() -> Measurement:
    dice, count = Dice(bytes(32)), 20_000
    seconds = _best(lambda: [dice.roll(2) for _ in range(count)])
    return Measurement(count / seconds, "per second", count)


def _shuffles() -> Measurement:
    dice, deck, count = Dice(bytes(32)), list(range(160)), 200

    def shuffle() -> None:
        for _ in range(count):
            dice.shuffle(deck)

    seconds = _best(shuffle)
    return Measurement(count / seconds, "per second", count)


def _session(game: Game, path: Path) -> Session:
    """A committed game, played for some moves, with an open question to one seat."""
    setup = random_setup(game, Random(1), game.scenarios[0].id, _seats(game))
    people = [SeatInfo(seat, addresses=[f"{seat}@example.org"]) for seat in setup.seats]
    for moves in _PLAYED:
        session = Session.create(path, game, setup, people, name="bench")
        _play_on(session.referee, moves)
        if not session.referee.over:
            break
    session.commit(datetime(2031, 3, 1, tzinfo=UTC))
    return session


def _play_on(referee: Referee, moves: int) -> None:
    """Answer at random for so many moves, and on to a question to one seat alone."""
    below = sampler(Random(2))
    while referee.now is not None and (referee.n < moves or len(referee.asked()) > 1):
        answer_all(referee, below)


def _seats(game: Game) -> tuple[str, ...]:
    """As many players as the first scenario takes."""
    return game.scenarios[0].seats[max(game.scenarios[0].seats)]


def _reading(session: Session) -> dict[str, Measurement]:
    referee, seat = session.referee, session.save.seats[0].id
    lines = referee.table.lines[-40:]
    report = build(referee, seat, lines=lines)
    rounds = 10
    figures = {
        "view_ms": lambda: referee.game.view(referee.table, seat),
        "report_ms": lambda: build(referee, seat, lines=lines),
        "text_ms": lambda: as_text(report),
        "html_ms": lambda: as_html(report),
        "resume_ms": lambda: Session.open(session.path, session.game),
    }
    return {name: Measurement(_best(work, rounds) * 1000, "ms", rounds) for name, work in figures.items()}


def _letter(session: Session) -> Measurement:
    """One order letter through the mill: read, checked, carried out, saved, all letters written."""
    # The first letters, longer than all others, are not what is measured.
    ingest([session.path], [], now=_WHEN)
    referee = session.referee
    seat = referee.asked()[0]
    domain = referee.domain(seat)
    line = f"{referee.q}: {domain.text(domain.sample(sampler(Random(3))))}"
    rounds, times = 6, []
    for number in range(rounds):
        folder = session.path.parent / f"ingest-{number}"
        folder.mkdir()
        copy = folder / "bench.toml"
        shutil.copy(session.path, copy)
        orders = folder / "orders.txt"
        orders.write_text(f"BEGIN ORDERS bench {seat}\n{line}\nEND ORDERS\n", "utf-8")
        began = perf_counter()
        report = ingest([copy], [orders], now=_WHEN, home=folder)
        times.append(perf_counter() - began)
        if not any(outcome.accepted for outcome in report.emails):
            raise RuntimeError(f"the letter was not taken: {report}")
    return Measurement(min(times) * 1000, "ms", rounds)


def _files(session: Session, moves: int) -> dict[str, Measurement]:
    """A save whose journal before the checkpoint is the game's own, repeated until the game is `moves` old."""
    grow(session, moves)
    path, save = session.path, session.save
    figures = {"store_ms": Measurement(_best(lambda: store(path, save)) * 1000, "ms", moves)}
    figures["full_load_ms"] = Measurement(_best(lambda: load(path)) * 1000, "ms", moves)
    figures["recent_load_ms"] = Measurement(_best(lambda: load(path, recent=True)) * 1000, "ms", moves)
    figures["load_header_ms"] = Measurement(_best(lambda: load_header(path)) * 1000, "ms", moves)
    command = [sys.executable, "-c", "from pbem.cli import main; main()", "status", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"pbem status failed: {done.stderr.strip()}")
    status = _best(lambda: subprocess.run(command, capture_output=True, check=True))
    bare = _best(lambda: subprocess.run([sys.executable, "-c", ""], capture_output=True, check=True))
    figures["cold_status_ms"] = Measurement(status * 1000, "ms", moves)
    figures["cold_python_ms"] = Measurement(bare * 1000, "ms", 1)
    return figures
