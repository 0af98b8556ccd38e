"""The memory of a run does not grow with the mailbox."""

from __future__ import annotations

import gc
import tracemalloc
from datetime import timedelta

import games
from games.sixteen_thirty import names
from pbem.post import intake, report
from pbem.post.intake import Intake
from pbem.post.mime import read_letter
from pbem.save import load, load_header
from pbem.trial import staging
from pbem.trial.post import mailbox, many

KIB = 1024


def prepared(folder, count):
    """`count` games whose first letters are out."""
    paths = many(games.load("sixteen_thirty"), folder, count)
    run(folder).finish()
    return paths, [load_header(path) for path in paths]


def run(folder):
    return Intake([folder], now=staging.START + timedelta(hours=1), sender=staging.HOME, home=folder)


def test_twice_the_letters_no_more_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "KEPT", 5)
    monkeypatch.setattr(intake, "OPEN", 2)
    monkeypatch.setattr(intake, "WAITING", 4)
    _, headers = prepared(tmp_path, 8)
    letters = sorted(mailbox(headers, 40), key=lambda one: int(one.key) % 8)
    at_work, held = run(tmp_path), {}
    tracemalloc.start()
    try:
        for count, received in enumerate(letters, 1):
            at_work.take(received)
            if count in (20, 40):
                names.cache_clear()  # of the last 16 games, so bounded, and no matter of the mailbox
                gc.collect()
                held[count] = tracemalloc.get_traced_memory()[0] / KIB
    finally:
        tracemalloc.stop()
    assert held[40] - held[20] < 150, held  # four games more, kept open, would be 830
    assert sum(at_work.report.counts.values()) == 40
    assert len(at_work.report.letters) == 5


def test_nothing_is_lost_between_games_that_are_let_go(tmp_path, monkeypatch):
    monkeypatch.setattr(intake, "OPEN", 2)
    monkeypatch.setattr(intake, "WAITING", 3)
    paths, headers = prepared(tmp_path, 4)
    letters = list(mailbox(headers, 60))
    at_work = run(tmp_path)
    for received in letters:
        at_work.take(received)
    told = at_work.finish()
    assert len(at_work._sessions) <= 2
    saves = [load(path) for path in paths]
    assert sum(len(save.press) for save in saves) == told.counts["taken"] == 57
    assert all(save.outbox == [] for save in saves)
    texts = [read_letter(one.read_bytes()).text for one in (tmp_path / "outbox" / "new").iterdir()]
    seats = len(headers[0].seats)
    for number in range(60):
        if number % 20:
            assert sum(f"| Letter {number}.\n" in text for text in texts) == seats - 1, number
    again = run(tmp_path)
    for received in letters:
        again.take(received)
    done = again.finish()
    assert (done.known, done.letters, done.sent) == (60, [], [])
