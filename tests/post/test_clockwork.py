"""What time brings about: reminders once, deadlines, grace, outages; whatever dies in between."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path
from random import Random

import msgspec
import pytest
from click.testing import CliRunner

import games
from pbem import report
from pbem.cli import main
from pbem.clock import heartbeat
from pbem.clock.policy import moment
from pbem.kernel.referee import Referee
from pbem.post.clockwork import due, passing, reminder_journal, reminders
from pbem.post.clockwork import run as running
from pbem.post.clockwork.passing import due_reminders
from pbem.post.deadlines import set_due
from pbem.post.inbox.mime import decode_mail
from pbem.post.outbox import maildir as outbox
from pbem.post.transport.bounces import Bounce, Bounces
from pbem.save import Session, load, load_header
from pbem.trial import synthetic_mail

HOUR = timedelta(hours=1)


def pass_time(saves, *, now, **more):
    """A run. It must do nothing where the headers say that nothing is due; elsewhere `quiet` notes nothing."""
    home = saves[0]
    before = heartbeat.load(home)
    nothing = due.quiet(saves, now)
    after = heartbeat.load(home)
    assert nothing is not None or after == before
    heartbeat.store(home, before)
    run = passing.pass_time(saves, now=now, **more)
    if nothing is not None:
        done = run.done
        assert done.opened == done.reminders == 0
        assert done.letters.idle
        assert [*done.time_up, *done.outages, *done.moderator, *done.letters.broken] == []
        assert heartbeat.load(home) == after
        assert nothing.index.paths == run.intake.index.paths
        assert nothing.home == run.intake.home
    return run


@pytest.fixture
def waiting(desk):
    """A game whose ballot waits for four, none of whom has answered, and its deadline."""
    desk.ingest(desk.box([]))
    shutil.rmtree(desk.folder / "outbox", ignore_errors=True)
    desk.due = moment(load_header(desk.save).pending[0].due)
    desk.asked = [question.seat for question in load_header(desk.save).pending]
    return desk


def read_mail(desk, at):
    heartbeat.beat(desk.folder, heartbeat.READ, at)


def steady(desk, until):
    """Cron and mail were well all the time up to `until`."""
    heartbeat.store(desk.folder, heartbeat.Heartbeat(heartbeat.stamp(until), heartbeat.stamp(until)))


def set_policy(desk, policy, **more):
    session = Session.open(desk.save, games.load)
    session.save.clock.time_up = dict.fromkeys(("turn", "ballot", "reaction", "negotiation"), policy)
    for name, value in more.items():
        setattr(session.save.clock, name, value)
    session.commit()


def sent(desk):
    return sorted(path.name for path in desk.folder.glob("outbox/*/reminder.*"))


def answer(desk, seats):
    session = Session.open(desk.save, games.load)
    lines = synthetic_mail.answers(session, Random(3))
    mails = [synthetic_mail.letter(session, seat, lines[seat], desk.due - 30 * HOUR) for seat in seats]
    desk.ingest(desk.box(mails, "answers.mbox"))


# ------------------------------------------------------------------ reminders


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
        assert {subject.startswith(("Overdue:", "期限が過ぎています")) for subject in subjects} == {late}, (
            subjects
        )


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
        question.due = heartbeat.stamp(waiting.due + HOUR)
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
    assert all("\n29: ?\n[ballot " in letter.text for letter in letters)
    done = load_header(waiting.save).seat(waiting.asked[0])
    assert not any(set(letter.to) & set(done.addresses) for letter in letters)


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of POSIX")
def test_what_tells_of_people_is_their_moderators_alone(waiting):
    """Who has not answered, whose letters bounce, what was put aside: not for others on the same machine."""
    now = waiting.due - 24 * HOUR
    steady(waiting, now)
    pass_time([waiting.folder], now=now)
    Bounces(waiting.folder).note(Bounce(at="", why="full", to="a@example.org"))
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
        question.due = heartbeat.stamp(waiting.due)
    session.commit()
    text = waiting.save.read_text("utf-8")
    now = waiting.due - HOUR
    steady(waiting, now)
    done = pass_time([waiting.folder], now=now).done
    people = {row.to for row in reminder_journal.ReminderJournal(waiting.folder).settled}
    assert done.reminders == len(people) == len(sent(waiting))
    both = [
        p
        for p in waiting.folder.glob("outbox/new/reminder.*")
        if "\n[twin " in decode_mail(p.read_bytes()).text
    ]
    assert both
    whose = {message_from_bytes(path.read_bytes(), policy=policy.default)["To"] for path in both}
    assert all(len(entries(waiting)[to]) == 2 for to in whose)  # an entry for each game
    assert waiting.save.read_text("utf-8") == text  # the saves were read, not written


def test_remind_prints_and_changes_nothing(waiting):
    now = waiting.due - HOUR
    steady(waiting, now)
    assert {row.seat for row in due_reminders([waiting.folder], now=now)} == set(waiting.asked)
    assert sent(waiting) == []


def test_a_reminder_does_not_tell_of_others(waiting):
    """The same reminder, byte for byte, whoever else has answered."""
    now, one = waiting.due - HOUR, waiting.asked[-1]
    found = []
    for others in (0, 1, 2):
        folder = waiting.folder.parent / f"w{others}"
        shutil.copytree(waiting.folder, folder)
        other = type(waiting).__new__(type(waiting))
        vars(other).update({**vars(waiting), "folder": folder, "save": folder / waiting.save.name})
        answer(other, waiting.asked[:others])
        steady(other, now)
        pass_time([folder], now=now)
        own = load_header(other.save).seat(one).addresses[0].encode()
        found.append(
            [p.read_bytes() for p in sorted(folder.glob("outbox/*/reminder.*")) if own in p.read_bytes()]
        )
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 1


def _killed_at(line: int, work) -> bool:
    """Run `work` in a child that is killed at the `line`th line of the code that sends reminders."""
    files = {module.__file__ for module in (passing, running, reminders, reminder_journal, outbox)}
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


# ------------------------------------------------------------------ time is up


def test_wait_waits(waiting):
    now = waiting.due + 3 * HOUR
    steady(waiting, now)
    assert pass_time([waiting.folder], now=now).done.time_up == []
    assert load(waiting.save).pending[0].q == load(waiting.save).header.q


def test_default_at_the_deadline_is_recorded_as_time_ran_out(waiting):
    set_policy(waiting, "default")
    answer(waiting, waiting.asked[:1])
    before = load(waiting.save).header
    steady(waiting, waiting.due)
    done = pass_time([waiting.folder], now=waiting.due).done
    assert len(done.time_up) == 1
    save = load(waiting.save)
    moves = [move for move in save.moves if move.n > before.n and move.q == before.q]
    assert {move.seat: move.how for move in moves} == {
        seat: "chosen" if seat == waiting.asked[0] else "time" for seat in waiting.asked
    }
    texts = [decode_mail(p.read_bytes()).text for p in waiting.folder.glob("outbox/new/ballot.*")]
    told = [" ".join(text.split()) for text in texts]
    assert (
        sum("TIME RAN OUT" in text or "時間切れになりました" in text for text in told)
        == len(waiting.asked) - 1
    )


def test_grace(waiting):
    set_policy(waiting, "grace", grace=12)
    for hours, up in ((0, 0), (11, 0), (12, 1)):
        now = waiting.due + hours * HOUR
        steady(waiting, now)
        done = pass_time([waiting.folder], now=now).done
        assert len(done.time_up) == up, hours
    assert len(sent(waiting)) == len(waiting.asked)  # told once that the deadline had gone by


def test_the_moderator_decides_and_is_asked_once(waiting):
    set_policy(waiting, "moderator")
    session = Session.open(waiting.save, games.load)
    session.save.post.moderator = ["boss@example.org"]
    session.commit()
    for _ in range(3):
        steady(waiting, waiting.due)
        pass_time([waiting.folder], now=waiting.due)
    letters = [decode_mail(p.read_bytes()) for p in waiting.folder.glob("outbox/*/reminder.*")]
    assert [letter.to for letter in letters] == [("boss@example.org",)]
    assert not any(seat in letters[0].text for seat in waiting.asked)
    assert letters[0].subject == "ballot: time is up, and you decide"
    assert "form" not in letters[0].text  # as for a player
    assert load(waiting.save).header.n == session.referee.n


def test_no_deadline_bites_before_mail_was_read_after_it(waiting):
    set_policy(waiting, "default")
    now = waiting.due + HOUR
    steady(waiting, waiting.due - timedelta(minutes=1))
    done = pass_time([waiting.folder], now=now).done
    assert done.time_up == []
    assert "nothing is done" in done.moderator[0]
    read_mail(waiting, now)
    assert len(pass_time([waiting.folder], now=now).done.time_up) == 1


# ------------------------------------------------------------------ outages


def test_an_outage_moves_deadlines_and_is_told_once(waiting):
    set_policy(waiting, "default")
    steady(waiting, waiting.due - 5 * HOUR)
    now = waiting.due + 7 * HOUR  # twelve hours without us
    read_mail(waiting, now)
    done = pass_time([waiting.folder], now=now).done
    assert len(done.outages) == 1
    assert done.time_up == []
    assert {moment(question.due) for question in load(waiting.save).pending} == {waiting.due + 12 * HOUR}
    texts = [decode_mail(p.read_bytes()).text for p in waiting.folder.glob("outbox/new/ballot.*")]
    texts = ["".join(text.split()) for text in texts]
    assert sum("OURMAILWASDOWN" in text or "郵便が止まって" in text for text in texts) == len(
        load(waiting.save).seats
    )
    again = pass_time([waiting.folder], now=now + HOUR / 2).done
    assert again.outages == []
    assert again.letters.sent == []


@pytest.mark.parametrize(
    ("language", "says"), [("en", "no deadline counted"), ("ja", "郵便が止まっていました")]
)
def test_the_moderator_hears_of_an_outage_once_over_all_games(waiting, language, says):
    session = Session.open(waiting.save, games.load)
    session.save.post.moderator = ["boss@example.org"]
    session.save.post.language = language
    session.commit()
    clock, seats, begun = session.save.clock, session.save.seats, waiting.due - 9 * HOUR
    for name in ("second", "third"):
        path, at = waiting.folder / f"{name}.toml", heartbeat.stamp(begun)
        other = Session.create(path, session.game, session.setup, seats, clock=clock, at=at)
        other.save.post = session.save.post
        set_due(other, begun)
        other.commit()
    steady(waiting, waiting.due - 5 * HOUR)
    now = waiting.due + 7 * HOUR
    read_mail(waiting, now)
    for minutes in (0, 30):
        done = pass_time([waiting.folder], now=now + timedelta(minutes=minutes)).done
        assert done.letters.broken == {}
    letters = [decode_mail(p.read_bytes()) for p in waiting.folder.glob("outbox/*/notice.*")]
    assert [letter.to for letter in letters] == [("boss@example.org",)]
    words = letters[0].subject + " ".join(letters[0].text.split())
    assert says in words
    for name in (session.save.header.name, "second", "third"):
        assert name in words
        assert {p.reason for p in load(waiting.folder / f"{name}.toml").clock.pauses} == {"outage"}


def a_faulty_game_and_a_sound_one(waiting, monkeypatch, where):
    """Two games whose time is up; in the first of them the program breaks off."""
    set_policy(waiting, "default")
    session = Session.open(waiting.save, games.load)
    session.save.post.moderator = ["boss@example.org"]
    session.commit()
    begun, path = waiting.due - 9 * HOUR, waiting.folder / "second.toml"
    clock, seats = session.save.clock, session.save.seats
    setup = msgspec.structs.replace(session.setup, seed="7" * 64)
    second = Session.create(path, session.game, setup, seats, clock=clock, at=heartbeat.stamp(begun))
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
    for minutes in (0, 30):
        now = waiting.due + 240 * HOUR + timedelta(minutes=minutes)
        steady(waiting, now)
        result = CliRunner().invoke(main, ["tick", str(waiting.folder), "--now", heartbeat.stamp(now)])
        assert result.exit_code == 5, result.output
        assert "a fault of the program" in result.output
        assert "ZeroDivisionError" in result.output
    assert waiting.save.read_bytes() == before
    assert load(second.path).header.q > second.referee.q
    letters = [decode_mail(p.read_bytes()) for p in waiting.folder.glob("outbox/*/notice.*")]
    assert [letter.to for letter in letters] == [("boss@example.org",)]
    assert "a fault of the rules" in " ".join(letters[0].text.split())


def test_a_moderator_who_plays_does_not_read_what_a_fault_says(waiting, monkeypatch):
    a_faulty_game_and_a_sound_one(waiting, monkeypatch, "time_up")
    session = Session.open(waiting.save, games.load)
    session.save.post.plays = session.save.seats[0].id
    session.commit()
    now = waiting.due + 240 * HOUR
    steady(waiting, now)
    (why,) = pass_time([waiting.folder], now=now).done.letters.broken.values()
    (letter,) = (decode_mail(p.read_bytes()) for p in waiting.folder.glob("outbox/*/notice.*"))
    for text in (why, letter.text):
        assert "ZeroDivisionError" in text
        assert "fault of the rules" not in text


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
        assert ("こちらの郵便が止まって" in text.replace("\n", "")) == (language == "ja")


def test_the_heartbeat_stands_in_markdown():
    session = synthetic_mail.new_game(Path("x.toml"), games.load("sixteen_thirty"), 4)
    seat = session.save.seats[0].id
    frame = report.Frame("x", read="2026-05-01T12:00:00Z")
    told = report.as_markdown(report.build(session.referee, seat, frame=frame))
    assert "Mail was last read: " in told
    assert "Mail was last read: " not in report.as_markdown(report.build(session.referee, seat))


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
    assert {moment(question.due) for question in load(waiting.save).pending} == {waiting.due + 26 * HOUR}


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
    assert "Mail was last read:" in text or "最後に郵便を読んだ" in text
    assert Path(waiting.folder / "heartbeat.json").exists()


# ------------------------------------------------------------------ the command line


def test_tick_and_remind_by_hand(waiting):
    now = waiting.due - HOUR
    steady(waiting, now)
    run = CliRunner()
    told = run.invoke(main, ["remind", str(waiting.folder), "--now", heartbeat.stamp(now)])
    assert told.exit_code == 0
    assert all(seat in told.output for seat in waiting.asked)
    done = run.invoke(main, ["tick", str(waiting.folder), "--now", heartbeat.stamp(now)])
    assert "4 reminders written" in done.output
    assert not any(seat in done.stdout for seat in waiting.asked)  # cron's mail tells no secrets


# ------------------------------------------------------------------ nothing is due


def test_a_tick_in_which_nothing_is_due_imports_neither_rules_nor_letters(waiting):
    steady(waiting, waiting.due - 60 * HOUR)
    now = waiting.due - 59 * HOUR
    words = ["tick", str(waiting.folder), "--now", heartbeat.stamp(now)]
    heavy = "pbem.kernel.referee", "pbem.post.inbox.intake", "pbem.report"
    code = (
        "import sys; from pbem.cli import main\n"
        f"try: main({words!r})\n"
        f"finally: print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert "1 games, 0 opened" in done.stderr
    assert heartbeat.load(waiting.folder).tick == heartbeat.stamp(now)


def test_what_cannot_be_told_from_the_headers_is_not_quiet(waiting, monkeypatch):
    steady(waiting, waiting.due - 60 * HOUR)
    now = waiting.due - 59 * HOUR
    assert due.quiet([waiting.folder], now) is not None

    def fault(save, heart, now):
        raise ZeroDivisionError

    with monkeypatch.context() as patched:
        patched.setattr(due, "game_due", fault)
        assert due.quiet([waiting.folder], now) is None
    (waiting.folder / "torn.toml").write_text("[game]\n")
    assert due.quiet([waiting.folder], now) is None
