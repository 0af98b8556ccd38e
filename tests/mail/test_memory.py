"""The memory of a run does not grow with the mailbox."""

from __future__ import annotations

import gc
import re
import sys
import tracemalloc
from datetime import timedelta

import games
from games.sixteen_thirty import names
from pbem.dev import synthetic_mail
from pbem.kernel.order_words import normalize_word
from pbem.kernel.rejections import _nearest
from pbem.mail import open_games
from pbem.mail.inbox import inbox_run, stages
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.reply_orders import _ours
from pbem.mail.inbox.stages import Received
from pbem.mail.outbox import delivery, press
from pbem.mail.outbox.mime_message import _texts_of
from pbem.mail.save_index import _codes, code_of
from pbem.orders.replies.quotation import comparison_key
from pbem.report import text_width
from pbem.report.messages import report_messages
from pbem.save import load, load_header
from tests.bench.post import mailbox, many

KIB = 1024
BOUNDED = (
    names,
    report_messages,
    text_width._wrap_cached,
    text_width._width,
    normalize_word,
    _texts_of,
    _nearest,
    _codes,
    _ours,
    comparison_key,
)


def prepared(folder, count):
    """`count` games whose first letters are out."""
    paths = many(games.load("sixteen_thirty"), folder, count)
    run(folder).finish()
    return paths, [load_header(path) for path in paths]


def run(folder):
    return InboxRun([folder], now=synthetic_mail.START + timedelta(hours=1), sender=synthetic_mail.HOME, home=folder)


def _forget_names():
    """Empty Python's cache of methods, 4,096 names at most.

    It keeps each name that C made for one call: `strftime` makes `utcoffset` and `timetuple` again for every date.
    """
    getattr(sys, "_clear_internal_caches", sys._clear_type_cache)()


def test_twice_the_letters_no_more_memory(tmp_path, monkeypatch):
    """Letters to four games in turn: what a run holds besides open games is the same after 24 as after 48."""
    monkeypatch.setattr(stages, "KEPT", 5)
    monkeypatch.setattr(open_games, "OPEN", 2)
    monkeypatch.setattr(open_games, "_COLLECT", 1)
    monkeypatch.setattr(delivery, "WAITING", 4)
    monkeypatch.setattr(inbox_run, "GATHERED", 8)
    warm, folder = tmp_path / "warm", tmp_path / "measured"
    warm.mkdir()
    folder.mkdir()
    # What is kept once for all is there before anything is measured.
    _, headers = prepared(warm, 4)
    for received in mailbox(headers, 48):
        run(warm).add_message(received)
    paths, headers = prepared(folder, 4)
    at_work, held = run(folder), {}
    tracemalloc.start()
    try:
        for count, received in enumerate(mailbox(headers, 48), 1):
            at_work.add_message(received)
            if count in (24, 48):
                at_work.process_batch()
                assert len(at_work.taking.games) <= 2
                for path in paths:  # a game that is open has its letters in it: at most two of them at a time
                    at_work.taking.games.forget(path)
                for bounded in BOUNDED:
                    bounded.cache_clear()  # of the last 16 games, the last tables and lines: no matter of the mailbox
                re.purge()
                _forget_names()
                gc.collect()
                held[count] = tracemalloc.get_traced_memory()[0] / KIB
    finally:
        tracemalloc.stop()
    assert held[48] - held[24] < 24 * 0.1, held
    assert sum(at_work.report.counts.values()) == 48
    assert len(at_work.report.emails) == 5


def test_strangers_cost_no_memory(tmp_path, monkeypatch):
    """Of a letter put aside a number is kept, whatever it holds; and of early ones only so many."""
    monkeypatch.setattr(stages, "KEPT", 5)
    monkeypatch.setattr(inbox_run, "GATHERED", 16)
    prepared(tmp_path, 1)
    at_work, held = run(tmp_path), {}
    text = "Buy now. " * 200
    tracemalloc.start()
    try:
        for number in range(180):
            raw = f"From: spam{number}@evil.example\nMessage-ID: <{number}@evil>\nSubject: x\n\n{text}\n".encode()
            at_work.add_message(Received(str(number), raw, f"box {number}"))
            if number in (59, 119, 179):
                gc.collect()
                held[number] = tracemalloc.get_traced_memory()[0] / KIB
    finally:
        tracemalloc.stop()
    assert at_work.report.counts == {"quarantined": 180}
    growth = min(held[119] - held[59], held[179] - held[119])  # a table that is loaded once is no growth
    assert growth < 0.5 * 60, held


def test_of_letters_that_come_too_early_only_some_are_kept_for_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(inbox_run, "EARLY", 3)
    monkeypatch.setattr(inbox_run, "GATHERED", 4)
    _, headers = prepared(tmp_path, 1)
    save = headers[0]
    seat = save.seats[0]
    code = code_of(save, seat.id, save.header.q + 3)
    at_work = run(tmp_path)
    for number in range(20):
        raw = (
            f"From: {seat.addresses[0]}\nMessage-ID: <{number}@x>\nSubject: x\n\n"
            f"BEGIN ORDERS {save.header.name} {seat.id} {code}\nfirst {number}\nEND ORDERS\n"
        ).encode()
        at_work.add_message(Received(str(number), raw, f"box {number}"))
        assert len(at_work.early()) <= 3
    told = at_work.finish()
    assert told.counts == {"quarantined": 20}
    assert {letter.reason for letter in at_work.taking.quarantine.listed()} == {"early"}
    assert len(at_work.taking.quarantine.listed()) == 20


def test_nothing_is_lost_between_games_that_are_let_go(tmp_path, monkeypatch):
    monkeypatch.setattr(open_games, "OPEN", 2)
    monkeypatch.setattr(delivery, "WAITING", 3)
    monkeypatch.setattr(inbox_run, "GATHERED", 7)
    monkeypatch.setattr(press, "MESSAGES", 100)
    paths, headers = prepared(tmp_path, 4)
    letters = list(mailbox(headers, 60))
    at_work = run(tmp_path)
    for received in letters:
        at_work.add_message(received)
    told = at_work.finish()
    assert len(at_work.taking.games) <= 2
    saves = [load(path) for path in paths]
    assert sum(len(save.press) for save in saves) == told.counts["taken"] == 57
    assert all(save.outbox == [] for save in saves)
    texts = [decode_mail(file.read_bytes()).text for file in (tmp_path / "outbox" / "new").iterdir()]
    seats = len(headers[0].seats)
    for number in range(60):
        if number % 20:
            assert sum(f"| Letter {number}.\n" in text for text in texts) == seats - 1, number
    again = run(tmp_path)
    for received in letters:
        again.add_message(received)
    done = again.finish()
    assert (done.known, done.emails, done.sent) == (60, [], [])
