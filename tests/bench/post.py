"""Figures of the post: a mailbox over many games, a tick over many saves, memory against the size of the mailbox."""

from __future__ import annotations

import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from email.utils import format_datetime
from hashlib import sha256
from pathlib import Path
from random import Random

from pbem.clock import heartbeat
from pbem.dev import synthetic_mail
from pbem.kernel.game import Game
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.inbox.stages import Received
from pbem.mail.save_index import code_of
from pbem.mail.scheduler.tick import tick_games
from pbem.save import Save, load_header

Progress = Callable[[int, int], None]


def many(game: Game, folder: Path, count: int) -> list[Path]:
    """`count` different games with a question open to several, named g0000…"""
    paths = []
    for number in range(count):
        path = folder / f"g{number:04d}.toml"
        session = synthetic_mail.new_game(path, game, 4)
        synthetic_mail.play(session, lambda referee: len(referee.asked()) > 1, Random(number))
        synthetic_mail.finish(session)
        paths.append(path)
    return paths


def mailbox(saves: list[Save], count: int) -> Iterator[Received]:
    """`count` mails, one after the other: mostly press and settings, some strangers; made when they are read."""
    for number in range(count):
        save = saves[number % len(saves)]
        seat = save.seats[(number // len(saves)) % len(save.seats)]
        # A stranger who knew the code would make it void, and its owner's next letters with it.
        code = code_of(save, seat.id) if number % 20 else "0000-0000"
        head = f"BEGIN ORDERS {save.header.name} {seat.id} {code}"
        body = f"{head}\nBEGIN PRESS to=all\nLetter {number}.\nEND PRESS\nEND ORDERS\n"
        sender = seat.addresses[0] if number % 20 else "stranger@evil.example"
        key = sha256(body.encode()).hexdigest()[:16]
        raw = (
            f"From: {sender}\nTo: {synthetic_mail.HOME}\nSubject: orders\n"
            f"Date: {format_datetime(synthetic_mail.START)}\n"
            f"Message-ID: <{key}.{number}@bench>\n\n{body}"
        ).encode()
        yield Received(f"{number}", raw, f"bench {number}")


def ingest_rate(
    game: Game, *, games: int = 100, letters: int = 10_000, progress: Progress | None = None
) -> tuple[float, float, float]:
    """(letters a second, letters a second of processor time, growth of memory in MiB after the first tenth)."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = many(game, folder, games)
        now = synthetic_mail.START + timedelta(hours=1)
        InboxRun([folder], now=now, sender=synthetic_mail.HOME, home=folder).finish()
        headers = [load_header(path) for path in paths]
        began, busy, early = time.perf_counter(), _busy(), 0.0
        run = InboxRun([folder], now=now, sender=synthetic_mail.HOME, home=folder)
        run.taking.receipts = False  # as `pbem ingest` does
        for count, received in enumerate(mailbox(headers, letters), 1):
            run.add_message(received)
            if count == letters // 10:
                early = _memory()
            if progress is not None:
                progress(count, letters)
        run.finish()
        seconds = time.perf_counter() - began
        return letters / seconds, letters / (_busy() - busy), _memory() - early


def tick_seconds(game: Game, *, saves: int = 1000) -> tuple[float, int]:
    """(seconds of a tick over `saves` in which nothing is due, how many of them it opened)."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        many(game, folder, 1)
        now = synthetic_mail.START + timedelta(hours=1)
        InboxRun([folder], now=now, sender=synthetic_mail.HOME, home=folder).finish()
        # Copies with another name: good enough for whoever reads headers only, and refused by whoever reads more.
        text = (folder / "g0000.toml").read_text("utf-8")
        for number in range(1, saves):
            copy = text.replace('name = "g0000"', f'name = "g{number:04d}"', 1)
            (folder / f"g{number:04d}.toml").write_text(copy, "utf-8")
        shutil.rmtree(folder / "outbox", ignore_errors=True)
        heartbeat.store(folder, heartbeat.Heartbeat(now, now))
        began = time.perf_counter()
        done = tick_games([folder], now=now + timedelta(minutes=10), sender=synthetic_mail.HOME).done
        return time.perf_counter() - began, done.opened


def _busy() -> float:
    """Processor time of this process, in seconds."""
    return sum(os.times()[:4])


def _memory() -> float:
    """The most memory this process has had, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
