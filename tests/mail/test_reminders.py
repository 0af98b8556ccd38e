"""Reminders: each stage once, one letter for one person, whatever dies in between."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
from email import message_from_bytes, policy
from random import Random
from typing import Any

import pytest

import games
from pbem.dev import synthetic_mail
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.outbox import mime_message as outbox
from pbem.mail.scheduler import due, reminders, tick
from pbem.mail.scheduler import tick_run as running
from pbem.mail.scheduler.due import ReminderJournal
from pbem.mail.scheduler.tick import preview_reminders
from pbem.mail.transport.bounces import Bounce, Bounces
from pbem.save import Session, load_header
from tests.mail.ticks import HOUR, answer, hand_over, pass_time, sent, set_policy, steady


def entries(desk):
    """By recipient the calendar entries of the reminders: properties by UID."""
    found = {}
    for path in desk.folder.glob("outbox/*/reminder.*"):
        whole = message_from_bytes(path.read_bytes(), policy=policy.default)
        for part in whole.walk():
            if part.get_content_type() == "text/calendar":
                assert part.get_param("method") == "PUBLISH"
                text = re.sub(r"\r?\n ", "", part.get_content())
                assert text.count("METHOD:PUBLISH") == text.count("BEGIN:VCALENDAR") == 1
                for event in text.split("BEGIN:VEVENT")[1:]:
                    lines = dict(line.split(":", 1) for line in event.splitlines() if ":" in line)
                    found.setdefault(whole["To"], {})[lines["UID"]] = lines
    return found


def test_a_reminder_carries_the_entry_that_the_letter_gave(waiting):
    """Under the same number: who has it sees no change, who deleted it by mistake has it again."""
    now = waiting.due - HOUR
    steady(waiting, now)
    told = {seat.addresses[0]: seat.told.entry for seat in load_header(waiting.save).seats}
    pass_time([waiting.folder], now=now)
    found = entries(waiting)
    assert set(found) == set(told)
    for to, events in found.items():
        (event,) = events.values()
        assert event["UID"] == told[to].uid
        assert int(event["SEQUENCE"]) == told[to].sequence
        assert event["DTEND"] == waiting.due.strftime("%Y%m%dT%H%M%SZ")
        assert event["ORGANIZER"] == "mailto:pbem@games.example"
        assert event["STATUS"] == "CONFIRMED"


def test_the_subject_of_a_reminder_asks_for_nothing_by_a_time_that_is_past(waiting):
    for hours, late in ((-1, False), (1, True)):
        set_policy(waiting, "wait")
        now = waiting.due + hours * HOUR
        steady(waiting, now)
        before = set(waiting.folder.glob("outbox/new/reminder.*"))
        pass_time([waiting.folder], now=now)
        fresh = set(waiting.folder.glob("outbox/new/reminder.*")) - before
        subjects = {decode_mail(path.read_bytes()).subject for path in fresh}
        assert len(fresh) == len(waiting.asked)
        assert all(subject.startswith("[ballot] ") for subject in subjects)
        overdue = {"overdue" in subject or "回答期限が過ぎています" in subject for subject in subjects}
        assert overdue == {late}, subjects


def test_a_reminder_has_no_entry_for_what_is_past_or_was_never_sent_as_one(waiting):
    set_policy(waiting, "wait")
    now = waiting.due + HOUR
    steady(waiting, now)
    pass_time([waiting.folder], now=now)
    assert len(sent(waiting)) == len(waiting.asked)
    assert entries(waiting) == {}


def test_a_deadline_that_moved_unsaid_has_in_the_reminder_the_number_of_the_next_letter(waiting):
    session = Session.open(waiting.save, games.load)
    for question in session.save.pending:
        question.due = waiting.due + HOUR
    session.commit()
    told = {seat.addresses[0]: seat.told.entry for seat in load_header(waiting.save).seats}
    now = waiting.due
    steady(waiting, now)
    pass_time([waiting.folder], now=now)
    for to, events in entries(waiting).items():
        (event,) = events.values()
        assert int(event["SEQUENCE"]) == told[to].sequence + 1
        assert event["DTEND"] == (waiting.due + HOUR).strftime("%Y%m%dT%H%M%SZ")


def test_each_stage_is_told_once_to_those_who_owe_an_answer(waiting):
    answer(waiting, waiting.asked[:1])
    for hours, count in ((30, 0), (24, 3), (23, 3), (2, 6), (1, 6)):
        now = waiting.due - hours * HOUR
        steady(waiting, now)
        pass_time([waiting.folder], now=now)
        assert len(sent(waiting)) == count, hours
    letters = [decode_mail(path.read_bytes()) for path in waiting.folder.glob("outbox/*/reminder.*")]
    # Who plays next may answer ahead.
    assert all("\n29: ?\n[ballot " in letter.text.replace("\nnext: ?", "") for letter in letters)
    done = load_header(waiting.save).seat(waiting.asked[0])
    assert not any(set(letter.to) & set(done.addresses) for letter in letters)


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of POSIX")
def test_what_tells_of_people_is_their_moderators_alone(waiting):
    """Who has not answered, whose letters bounce, what was put aside: not for others on the same machine."""
    now = waiting.due - 24 * HOUR
    steady(waiting, now)
    pass_time([waiting.folder], now=now)
    Bounces(waiting.folder).note(Bounce(at=now, why="full", to="a@example.org"))
    stranger = b"From: x@example.com\nMessage-ID: <1@example.com>\n\nhello\n"
    (waiting.folder / "stranger.eml").write_bytes(stranger)
    waiting.ingest(waiting.folder / "stranger.eml")
    for name in ("reminders.jsonl", "bounces.jsonl", "quarantine", "quarantine/index.jsonl"):
        assert (waiting.folder / name).stat().st_mode & 0o077 == 0, name


def test_a_missed_stage_is_covered_by_the_next_one(waiting):
    steady(waiting, waiting.due - HOUR)
    pass_time([waiting.folder], now=waiting.due - HOUR)
    assert len(sent(waiting)) == len(waiting.asked)
    assert pass_time([waiting.folder], now=waiting.due - HOUR).done.reminders == 0


def test_one_letter_for_one_person_over_all_games(waiting):
    twin = waiting.folder / "twin.toml"
    session = synthetic_mail.new_game(twin, games.load("sixteen_thirty"), 4)
    synthetic_mail.play(session, lambda referee: len(referee.asked()) > 1, Random(5))
    synthetic_mail.finish(session)
    waiting.ingest(waiting.box([]))
    session = Session.open(twin, games.load)
    for question in session.save.pending:
        question.due = waiting.due
    session.commit()
    text = waiting.save.read_text("utf-8")
    hand_over(waiting)
    now = waiting.due - HOUR
    steady(waiting, now)
    done = pass_time([waiting.folder], now=now).done
    people = {row.to for row in due.ReminderJournal(waiting.folder).settled}
    assert done.reminders == len(people) == len(sent(waiting))
    both = [p for p in waiting.folder.glob("outbox/new/reminder.*") if "\n[twin " in decode_mail(p.read_bytes()).text]
    assert both
    whose = {message_from_bytes(path.read_bytes(), policy=policy.default)["To"] for path in both}
    assert all(len(entries(waiting)[to]) == 2 for to in whose)  # an entry for each game
    assert waiting.save.read_text("utf-8") == text  # the saves were read, not written


def test_remind_prints_and_changes_nothing(waiting):
    now = waiting.due - HOUR
    steady(waiting, now)
    assert {row.seat for row in preview_reminders([waiting.folder], now=now)[1]} == set(waiting.asked)
    assert sent(waiting) == []


def test_a_reminder_does_not_tell_of_others(waiting):
    """The same reminder, byte for byte, whoever else has answered."""
    now, one = waiting.due - HOUR, waiting.asked[-1]
    found = []
    for others in (0, 1, 2):
        folder = waiting.folder.with_name(f"{waiting.folder.name}-{others}")
        shutil.copytree(waiting.folder, folder)
        other: Any = object.__new__(type(waiting))
        vars(other).update({**vars(waiting), "folder": folder, "save": folder / waiting.save.name})
        answer(other, waiting.asked[:others])
        steady(other, now)
        pass_time([folder], now=now)
        own = load_header(other.save).seat(one).addresses[0].encode()
        found.append([p.read_bytes() for p in sorted(folder.glob("outbox/*/reminder.*")) if own in p.read_bytes()])
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 1


def _killed_at(line: int, work) -> bool:
    """Run `work` in a child that is killed at the `line`th line of the code that sends reminders."""
    files = {module.__file__ for module in (tick, running, reminders, due, outbox)}
    child = os.fork()
    if child == 0:
        seen = 0

        def trace(frame, event, arg):
            nonlocal seen
            if frame.f_code.co_filename not in files:
                return None
            seen += event == "line"
            if seen >= line:
                os.kill(os.getpid(), signal.SIGKILL)
            return trace

        try:
            sys.settrace(trace)
            work()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def _kill_everywhere(waiting, tmp_path, step: int) -> int:
    now, kills, line = waiting.due - HOUR, 0, 1
    steady(waiting, now)
    while True:
        folder = tmp_path / f"kill{line}"
        shutil.copytree(waiting.folder, folder)
        if not _killed_at(line, lambda folder=folder: pass_time([folder], now=now)):
            return kills
        pass_time([folder], now=now)
        pass_time([folder], now=now)
        letters = [path.read_bytes() for path in folder.glob("outbox/*/reminder.*")]
        people = sorted(decode_mail(raw).to[0] for raw in letters)
        assert len(people) == len(set(people)) == len(waiting.asked), f"killed at line {line}"
        shutil.rmtree(folder)
        kills, line = kills + 1, line + step


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_killed_at_any_line_never_two_never_none(waiting, tmp_path):
    assert _kill_everywhere(waiting, tmp_path, 23) > 8


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_killed_at_every_line(waiting, tmp_path):
    assert _kill_everywhere(waiting, tmp_path, 1) > 200


def test_who_names_a_reminder_without_having_got_it_names_none(waiting):
    """The journal and the file have an id that holds for any game, the Message-ID has a part that nobody can guess."""
    now = waiting.due - HOUR
    steady(waiting, now)
    pass_time([waiting.folder], now=now)
    sent_letters = outbox.StoredEmails(outbox.Outbox(waiting.folder / "outbox"))
    for line in ReminderJournal(waiting.folder).written.values():
        assert line.id == due.reminder_id(line.to, line.rows)
        whole = message_from_bytes((waiting.folder / "outbox" / "new" / line.file).read_bytes(), policy=policy.default)
        assert whole["Message-ID"].startswith(f"<reminder.{line.id}.")
        assert len([*sent_letters.reminders([whole["Message-ID"]])]) == 1
        for guess in (f"<reminder.{line.id}@games.example>", f"<reminder.{line.id}.{line.id}@games.example>"):
            assert [*sent_letters.reminders([guess])] == []
