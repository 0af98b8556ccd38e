"""One letter, one game or one disk that fails costs no other letter."""

from __future__ import annotations

import re
from datetime import timedelta
from random import Random

import msgspec

from pbem.dev import synthetic_mail
from pbem.kernel.referee import Referee
from pbem.mail.outbox import write as letters_out
from pbem.orders.apply import execute_block
from pbem.save import files
from tests.mail.desks import ballots, fates, opened


def test_nothing_is_lost_when_the_save_is_locked(desk, monkeypatch):
    from pbem.mail import open_games
    from pbem.save import Locked

    def refuse(path, timeout=0):
        raise Locked("busy", path=path)

    with monkeypatch.context() as patch:
        patch.setattr(open_games, "locked", refuse)
        report = desk.ingest(desk.box(desk.mails[:1]))
    assert [letter.fate for letter in report.emails] == ["postponed"]
    assert report.incomplete
    assert [letter.fate for letter in desk.ingest(desk.folder / "box.mbox").emails] == ["taken"]


def test_a_damaged_save_postpones_its_letters_and_no_others(desk):
    other = desk.folder / "other.toml"
    other.write_text("[game]\nformat = 1\n", "utf-8")
    session = opened(desk)
    answer = synthetic_mail.answers(session, Random(2))["amber"]
    mail = synthetic_mail.write_email(session, "amber", answer, desk.now)
    raw = mail.raw.replace(b"ORDERS ballot", b"ORDERS other").replace(b"Message-ID: <", b"Message-ID: <o")
    lost = msgspec.structs.replace(mail, raw=raw)
    report = desk.ingest(desk.box([lost, mail]))
    assert [letter.fate for letter in report.emails] == ["postponed", "taken"]
    assert report.incomplete
    assert str(other) in report.broken


def test_a_fault_in_the_rules_costs_one_letter_only(desk, monkeypatch):
    from pbem.mail.inbox import pipeline

    letters = ballots(desk)
    real = execute_block

    def faulty(referee, block, **more):
        if block.seat == "amber":
            raise ZeroDivisionError("a bug")
        return real(referee, block, **more)

    monkeypatch.setattr(pipeline, "execute_block", faulty)
    report = desk.ingest(desk.box(list(letters.values())))
    assert {letter.seat: letter.fate for letter in report.emails}["amber"] == "failed"
    assert sorted(move.seat for move in desk.read().sealed) == sorted(set(letters) - {"amber"})
    monkeypatch.undo()
    assert fates(desk.ingest(desk.folder / "box.mbox")) == [("amber", "taken")]


def test_due_times_count_from_the_run_not_from_the_vote(desk):
    letters = list(ballots(desk).values())
    desk.ingest(desk.box(letters[:-1], "1.mbox"))
    desk.now += timedelta(hours=5)
    desk.ingest(desk.box(letters[-1:], "2.mbox"))
    since = {question.since for question in desk.read().pending}
    assert since == {desk.now}


def test_progress_is_told_letter_by_letter_and_game_by_game(desk):
    seen, saves = [], []

    def progress(done, total, what=""):
        (saves if what == "saves" else seen).append((done, total))

    desk.ingest(desk.box(desk.mails), progress=progress)
    assert saves == [(0, 1)]
    assert seen == sorted(seen)
    assert all(dealt <= read for dealt, read in seen)
    assert seen[-1] == (len(desk.mails), len(desk.mails))


def test_the_report_is_in_the_order_of_the_mailbox_whatever_game_it_is_for(desk, make_desk):
    """Letters are dealt with game by game; what is told of them is not."""
    letters = list(ballots(desk).values())
    strange = [
        msgspec.structs.replace(letter, raw=letter.raw.replace(letter.sender.encode(), b"x@evil.example"))
        for letter in letters
    ]
    mixed = [letter for pair in zip(letters, strange, strict=True) for letter in pair]
    report = desk.ingest(desk.box(mixed))
    assert [letter.fate for letter in report.emails] == ["taken", "quarantined"] * len(letters)
    places = [int(re.search(r"message (\d+)", letter.where)[1]) for letter in report.emails]
    assert places == sorted(places)


def test_one_letter_that_fails_costs_no_other_of_its_transaction(desk, monkeypatch):
    """The third of four fails in the middle: the two before it are in, the one after it too, and nothing is twice."""
    from pbem.mail.inbox import pipeline

    letters = ballots(desk)
    order = list(letters)
    real, calls = execute_block, []

    def faulty(referee, block, **more):
        calls.append(block.seat)
        if block.seat == order[2]:
            raise ZeroDivisionError("a bug")
        return real(referee, block, **more)

    monkeypatch.setattr(pipeline, "execute_block", faulty)
    report = desk.ingest(desk.box([letters[seat] for seat in order]))
    assert [(letter.seat, letter.fate) for letter in report.emails] == [
        (seat, "failed" if seat == order[2] else "taken") for seat in order
    ]
    save = desk.read()
    assert sorted(move.seat for move in save.sealed) == sorted(set(order) - {order[2]})
    assert len({entry.key for entry in save.intake}) == len(save.intake) == len(order) - 1


def counted(monkeypatch, place, name):
    """The calls of a function from now on."""
    real, calls = getattr(place, name), []

    def call(*args, **more):
        calls.append(args)
        return real(*args, **more)

    monkeypatch.setattr(place, name, call)
    return calls


def test_a_game_is_stored_when_it_is_told_and_when_its_letters_lie_in_the_outbox(desk, monkeypatch):
    """However many letters come: nothing else is written to the save, and little is asked of the referee."""
    letters = list(ballots(desk).values())
    stored, asked = counted(monkeypatch, files, "store"), counted(monkeypatch, Referee, "pending")
    for mails, most in ((letters[:1], 8), (letters[1:], 26)):
        stored.clear()
        asked.clear()
        assert {letter.fate for letter in desk.ingest(desk.box(mails)).emails} == {"taken"}
        assert len(stored) == 2
        assert len(asked) <= most


def test_a_fault_in_what_is_told_keeps_no_letter_from_being_taken_in(desk, monkeypatch):
    """The orders count, nobody loses time, and the next run tells what happened."""
    letters = list(ballots(desk).values())
    with monkeypatch.context() as patch:
        patch.setattr(letters_out, "compose_email", lambda *args: 1 // 0)
        report = desk.ingest(desk.box(letters))
    assert report.incomplete
    assert "ZeroDivisionError" in report.broken[str(desk.save)]
    assert desk.letters() == {}
    assert len(desk.read().moves) > 0
    told = desk.ingest(desk.box(letters))
    assert sorted(letter.seat for letter in told.sent) == sorted(seat.id for seat in desk.read().seats)
    assert told.known == len(letters)
