"""Outages and faults: deadlines move, the moderator hears of it once, the other games go on."""

from __future__ import annotations

import errno
import os
import shutil
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.clock import heartbeat
from pbem.dev import synthetic_mail
from pbem.kernel.referee import Referee
from pbem.mail.bots import set_due
from pbem.mail.inbox.mime import decode_mail
from pbem.report.build import build
from pbem.report.model import ReportContext
from pbem.report.text import as_text
from pbem.save import Pause, Session, files, load
from pbem.timestamps import moment, stamp
from tests.mail.ticks import HOUR, answer, pass_time, read_mail, set_policy, steady


def test_an_outage_moves_deadlines_and_is_told_once(waiting):
    set_policy(waiting, "default")
    steady(waiting, waiting.due - 5 * HOUR)
    now = waiting.due + 7 * HOUR  # twelve hours without us
    read_mail(waiting, now)
    done = pass_time([waiting.folder], now=now).done
    assert len(done.outages) == 1
    assert done.time_up == []
    assert {question.due for question in load(waiting.save).pending} == {waiting.due + 12 * HOUR}
    texts = [decode_mail(p.read_bytes()).text for p in waiting.folder.glob("outbox/new/ballot.*")]
    texts = ["".join(text.split()) for text in texts]
    assert sum("OURMAILWASDOWN" in text or "メールを受け取れませんでした" in text for text in texts) == len(
        load(waiting.save).seats
    )
    again = pass_time([waiting.folder], now=now + HOUR / 2).done
    assert again.outages == []
    assert again.emails.sent == []


def run_next_day(desk, now):
    """Runs went on until the next day, when the hour of the digest has come."""
    heart = heartbeat.load(desk.folder)
    heart.read = heart.tick = now + 24 * HOUR
    heartbeat.store(desk.folder, heart)
    pass_time([desk.folder], now=now + 24 * HOUR)


@pytest.mark.parametrize(("language", "says"), [("en", "the clock was stopped"), ("ja", "回答期限の時計を止めました")])
def test_the_moderator_hears_of_an_outage_once_over_all_games(waiting, language, says):
    session = Session.open(waiting.save, games.load)
    session.save.post.moderator = ["boss@example.org"]
    session.save.post.language = language
    session.commit()
    clock, seats, begun = session.save.clock, session.save.seats, waiting.due - 9 * HOUR
    for name in ("second", "third"):
        path, at = waiting.folder / f"{name}.toml", begun
        other = Session.create(path, session.game, session.setup, seats, clock=clock, at=at)
        other.save.post = session.save.post
        set_due(other, begun)
        other.commit()
    steady(waiting, waiting.due - 5 * HOUR)
    now = waiting.due + 7 * HOUR
    read_mail(waiting, now)
    for minutes in (0, 30):
        done = pass_time([waiting.folder], now=now + timedelta(minutes=minutes)).done
        assert done.emails.broken == {}
    run_next_day(waiting, now)
    letters = [decode_mail(p.read_bytes()) for p in waiting.folder.glob("outbox/*/notice.*")]
    assert [letter.to for letter in letters] == [("boss@example.org",)]
    words = letters[0].subject + " ".join(letters[0].text.split())
    assert says in words or says in words.replace(" ", "")
    for name in (session.save.header.name, "second", "third"):
        assert name in words
        assert {p.reason for p in load(waiting.folder / f"{name}.toml").clock.pauses} == {"outage"}


@pytest.mark.parametrize(("hours", "paused"), [(54, False), (54, True), (5, False)])
def test_an_outage_after_which_all_answers_are_there_is_told_as_well(waiting, hours, paused):
    """Nobody loses time by it, and yet the moderator must know that nothing ran."""
    session = Session.open(waiting.save, games.load)
    session.save.post.moderator = ["boss@example.org"]
    begun = session.save.header.created
    if paused:
        session.save.clock.pauses = [Pause("holiday", begun, None, "holiday")]
    session.commit()
    steady(waiting, begun + HOUR)
    waiting.now = begun + HOUR + hours * HOUR
    answer(waiting, waiting.asked)
    assert load(waiting.save).pending[0].since == waiting.now
    read_mail(waiting, waiting.now)
    for minutes in (0, 30):
        assert pass_time([waiting.folder], now=waiting.now + timedelta(minutes=minutes)).done.outages == []
    run_next_day(waiting, waiting.now)
    letters = [decode_mail(p.read_bytes()) for p in waiting.folder.glob("outbox/*/notice.*")]
    said = [letter for letter in letters if "mail was not read, or cron did not run" in " ".join(letter.text.split())]
    assert len(said) == (hours > 6 and not paused)


def test_a_damaged_heartbeat_hides_no_outage(waiting):
    set_policy(waiting, "default")
    begun = waiting.due - 5 * HOUR
    (waiting.folder / "heartbeat.json").write_bytes(b"{")
    os.utime(waiting.folder / "heartbeat.json", (begun.timestamp(), begun.timestamp()))
    now = waiting.due + 7 * HOUR
    read_mail(waiting, now)
    done = pass_time([waiting.folder], now=now).done
    assert (len(done.outages), done.time_up) == (1, [])
    assert {question.due for question in load(waiting.save).pending} == {waiting.due + 12 * HOUR}


def a_faulty_game_and_a_sound_one(waiting, monkeypatch, where):
    """Two games whose time is up; in the first of them the program breaks off."""
    set_policy(waiting, "default")
    session = Session.open(waiting.save, games.load)
    session.save.post.moderator = ["boss@example.org"]
    session.commit()
    begun, path = waiting.due - 9 * HOUR, waiting.folder / "second.toml"
    clock, seats = session.save.clock, session.save.seats
    setup = msgspec.structs.replace(session.setup, seed="7" * 64)
    second = Session.create(path, session.game, setup, seats, clock=clock, at=begun)
    set_due(second, begun)
    second.commit()
    whole = getattr(Referee, where)

    def breaks(referee, *args, **more):
        if referee.setup.seed == session.setup.seed:
            raise ZeroDivisionError("a fault of the rules")
        return whole(referee, *args, **more)

    monkeypatch.setattr(Referee, where, breaks)
    return second


@pytest.mark.parametrize("where", ["time_up", "waiting"])
def test_a_fault_in_one_game_does_not_stop_the_games_after_it(waiting, monkeypatch, where):
    second = a_faulty_game_and_a_sound_one(waiting, monkeypatch, where)
    before = waiting.save.read_bytes()
    letters = []
    for minutes in (0, 30, 3000):
        now = waiting.due + 240 * HOUR + timedelta(minutes=minutes)
        steady(waiting, now)
        result = CliRunner().invoke(main, ["tick", str(waiting.folder), "--now", stamp(now)])
        assert result.exit_code == 5, result.output
        assert "a fault of the program" in result.output
        assert "ZeroDivisionError" in result.output
        letters += [decode_mail(p.read_bytes()) for p in waiting.folder.glob("outbox/*/notice.*")]
        # As the docs advise: what was told is told once all the same.
        shutil.rmtree(waiting.folder / "outbox", ignore_errors=True)
    assert waiting.save.read_bytes() == before
    assert load(second.path).header.q > second.referee.q
    assert [letter.to for letter in letters] == [("boss@example.org",)]
    assert "a fault of the rules" in " ".join(letters[0].text.split())


def test_a_moderator_who_plays_does_not_read_what_a_fault_says(waiting, monkeypatch):
    a_faulty_game_and_a_sound_one(waiting, monkeypatch, "time_up")
    session = Session.open(waiting.save, games.load)
    session.save.post.plays = session.save.seats[0].id
    session.commit()
    now = waiting.due + 240 * HOUR
    steady(waiting, now)
    (why,) = pass_time([waiting.folder], now=now).done.emails.broken.values()
    (letter,) = (decode_mail(p.read_bytes()) for p in waiting.folder.glob("outbox/*/notice.*"))
    for text in (why, letter.text):
        assert "ZeroDivisionError" in text
        assert "fault of the rules" not in text


def test_the_moderator_hears_at_once_of_a_save_that_nothing_can_be_written_into(waiting, monkeypatch):
    set_policy(waiting, "default")
    session = Session.open(waiting.save, games.load)
    session.save.post.moderator = ["boss@example.org"]
    session.commit()

    def refuses(*_):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(files, "_replace", refuses)
    for hours in (1, 2, 3):
        now = waiting.due + hours * HOUR
        steady(waiting, now)
        pass_time([waiting.folder], now=now)
    letters = [decode_mail(path.read_bytes()) for path in waiting.folder.glob("outbox/*/notice.*")]
    said = [" ".join(letter.text.split()) for letter in letters if "written into" in letter.subject]
    assert len(said) == 1
    assert f"{waiting.save.name}: Operation not permitted. Its game is stopped" in said[0]


def test_an_outage_is_told_in_each_seats_language(waiting):
    steady(waiting, waiting.due - 5 * HOUR)
    now = waiting.due + 7 * HOUR
    read_mail(waiting, now)
    pass_time([waiting.folder], now=now)
    told = {p.name.split(".")[1]: p.read_bytes() for p in waiting.folder.glob("outbox/new/ballot.*")}
    spoken = {seat.id: seat.language for seat in load(waiting.save).seats}
    assert set(spoken.values()) == {"en", "ja"}
    for seat, language in spoken.items():
        text = decode_mail(told[seat]).text
        assert ("OUR MAIL WAS DOWN" in text) == (language == "en")
        assert ("こちらでメールを受け取れませんでした" in text.replace("\n", "")) == (language == "ja")


def test_the_heartbeat_stands_in_markdown():
    session = synthetic_mail.new_game(Path("x.toml"), games.load("sixteen_thirty"), 4)
    seat = session.save.seats[0].id
    frame = ReportContext("x", read=moment("2026-05-01T12:00:00Z"))
    told = as_text(build(session.referee, seat, frame=frame))
    assert "Mail was last read: " in told
    assert "Mail was last read: " not in as_text(build(session.referee, seat))


def test_mail_that_cannot_be_read_for_a_day_costs_nobody_a_turn(waiting):
    """Cron runs every hour, but the mailbox does not answer."""
    set_policy(waiting, "default")
    steady(waiting, waiting.due - 2 * HOUR)
    for hours in range(-1, 24):
        now = waiting.due + hours * HOUR
        assert pass_time([waiting.folder], now=now).done.time_up == []
    now = waiting.due + 24 * HOUR
    read_mail(waiting, now)
    done = pass_time([waiting.folder], now=now).done
    assert len(done.outages) == 1
    assert done.time_up == []
    assert {question.due for question in load(waiting.save).pending} == {waiting.due + 26 * HOUR}


def test_a_short_gap_is_no_outage(waiting):
    steady(waiting, waiting.due - 5 * HOUR)
    read_mail(waiting, waiting.due)
    assert pass_time([waiting.folder], now=waiting.due).done.outages == []


def test_headers_only_unless_something_is_due(waiting):
    now = waiting.due - 40 * HOUR
    steady(waiting, now)
    done = pass_time([waiting.folder], now=now).done
    assert (done.games, done.opened) == (1, 0)


def test_the_heartbeat_stands_in_long_letters(waiting):
    session = Session.open(waiting.save, games.load)
    for seat in session.save.seats:
        seat.letters = "full"
    session.commit()
    answer(waiting, waiting.asked[:1])
    text = next(decode_mail(p.read_bytes()).text for p in waiting.folder.glob("outbox/new/ballot.*"))
    assert "Mail was last read:" in text or "最後にメールを読んだ" in text
    assert Path(waiting.folder / "heartbeat.json").exists()
