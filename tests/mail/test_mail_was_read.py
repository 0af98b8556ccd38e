"""When mail counts as read, what waits for a save that can't be read, and what is known before it is judged."""

from __future__ import annotations

import errno
import os
import re
import shutil
import threading
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

import games
from pbem.cli import demo, main
from pbem.cli.console import Exit
from pbem.clock import heartbeat
from pbem.dev import synthetic_mail
from pbem.mail import open_games
from pbem.mail.inbox import pipeline, sources
from pbem.mail.inbox.inbox_run import InboxRun
from pbem.mail.inbox.ingest import ingest
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.sources import SourceError
from pbem.mail.quarantine import Quarantine
from pbem.mail.scheduler.reminders import QueuedReminders
from pbem.mail.transport.bounces import Bounces
from pbem.save import Session, load, load_header, locked
from pbem.timestamps import stamp
from tests.mail.desks import ballots, fates
from tests.mail.ticks import HOUR, answer, pass_time, steady

GAME = "ballot"


def whole(desk, game=GAME):
    """When all mail to a game was last read."""
    return heartbeat.load(desk.folder).read_of(game)


def maildir(desk, mails, name="in"):
    """A Maildir, with emails that were delivered now."""
    box = desk.folder.parent / f"{desk.folder.name}-{name}"
    for part in ("new", "cur", "tmp"):
        (box / part).mkdir(parents=True, exist_ok=True)
    for number, mail in enumerate(mails, len(list(box.glob("*/*")))):
        (box / "new" / f"{int(mail.at.timestamp())}.{number}_1.host").write_bytes(mail.raw)
    return box


def failing(monkeypatch, owner, name, broken):
    """A function of the system fails with EIO where `broken(its arguments)` says so."""
    real = getattr(owner, name)

    def wrapped(*words, **more):
        if broken(*words):
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(words[0]))
        return real(*words, **more)

    monkeypatch.setattr(owner, name, wrapped)


@pytest.fixture
def two(desk):
    """Two games with the same players in one folder, and an email of a player of each."""
    desk.now += HOUR
    shutil.rmtree(desk.folder / "outbox", ignore_errors=True)
    desk.other = desk.folder / "other.toml"
    demo.ballot(desk.other, desk.folder / "work")
    desk.both = []
    for path in (desk.save, desk.other):
        session = Session.open(path, games.load)
        answers = synthetic_mail.answers(session, Random(1))
        desk.seat = "amber"
        desk.both.append(synthetic_mail.write_email(session, "amber", answers["amber"], desk.now, number=7))
    return desk


# ------------------------------------------------------------------ when mail counts as read


def test_the_game_whose_save_is_in_use_waits_and_the_other_goes_on(two, monkeypatch):
    monkeypatch.setattr(open_games, "locked", partial(locked, timeout=0.05))
    box = maildir(two, two.both)
    held, done = threading.Event(), threading.Event()

    def hold():
        with locked(two.other):
            held.set()
            done.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(20)
    report = two.ingest(box)
    done.set()
    thread.join()
    assert sorted(letter.fate for letter in report.emails) == ["postponed", "taken"]
    assert whole(two) == two.now
    assert whole(two, "other") is None
    assert heartbeat.load(two.folder).read == two.now
    two.now += HOUR
    assert fates(two.ingest(box)) == [(two.seat, "taken")]
    assert whole(two) == whole(two, "other") == two.now


def test_what_a_disk_does_not_take_waits(two, monkeypatch):
    failing(monkeypatch, Path, "replace", lambda path, target: Path(target).name == "other.toml")
    box = maildir(two, two.both)
    report = two.ingest(box)
    assert sorted(letter.fate for letter in report.emails) == ["postponed", "taken"]
    assert (whole(two), whole(two, "other")) == (two.now, None)
    monkeypatch.undo()
    two.now += HOUR
    two.ingest(box)
    assert whole(two, "other") == two.now


def test_an_email_that_cannot_be_read_may_be_for_any_game(two, monkeypatch):
    box = maildir(two, two.both)
    bad = min(path.name for path in (box / "new").iterdir())
    failing(monkeypatch, sources, "_read_plain", lambda path, limit: path.name == bad)
    report = two.ingest(box)
    assert [letter.fate for letter in report.emails] == ["postponed", "taken"]
    assert Quarantine(two.folder / "quarantine").listed() == []
    assert whole(two) is whole(two, "other") is None
    monkeypatch.undo()
    two.now += HOUR
    assert fates(two.ingest(box)) == [(two.seat, "taken")]
    assert whole(two) == whole(two, "other") == two.now
    assert not (two.folder / "unread.json").exists()


def test_one_source_that_cannot_be_opened_keeps_no_other_from_being_read(two):
    box = maildir(two, two.both)
    report = two.ingest(two.folder / "nowhere", box)
    assert [letter.fate for letter in report.emails] == ["taken", "taken"]
    assert list(report.broken) == [str(two.folder / "nowhere")]
    assert heartbeat.load(two.folder).read is None
    with pytest.raises(SourceError):
        two.ingest(two.folder / "nowhere")


def test_an_empty_folder_is_no_mailbox(two):
    (two.folder / "mail").mkdir()
    with pytest.raises(SourceError, match="mounted"):
        two.ingest(two.folder / "mail")
    assert heartbeat.load(two.folder).read is None


@pytest.mark.parametrize("how", ["file", "letter", "dry run", "folder of files"])
def test_what_is_no_mailbox_does_not_count(two, how):
    session = Session.open(two.save, games.load)
    seat, lines = next(iter(synthetic_mail.answers(session, Random(1)).items()))
    place = two.folder / "files" / ("one.eml" if how == "letter" else "one.orders")
    place.parent.mkdir()
    text = "\n".join([f"BEGIN ORDERS {GAME} {seat}", *lines, "END ORDERS", ""]).encode()
    place.write_bytes(two.both[0].raw if how == "letter" else text)
    if how == "dry run":
        report = two.ingest(maildir(two, two.both), dry_run=True)
    else:
        report = two.ingest(place.parent if how == "folder of files" else place)
    assert "taken" in [letter.fate for letter in report.emails]
    assert not (two.folder / "heartbeat.json").exists()


def test_a_file_of_earlier_versions_holds_for_all(tmp_path):
    (tmp_path / "heartbeat.json").write_text('{"read": "2026-05-01T12:00:00Z", "tick": "", "gaps": []}')
    heart = heartbeat.load(tmp_path)
    assert heart.read_of("any") == heart.read
    heart.read_mail(heart.read + HOUR, ["One"])
    assert (heart.read_of("one"), heart.read_of("any")) == (heart.read, None)


# ------------------------------------------------------------------ a save that can't be read


@pytest.mark.parametrize("style", ["reply", "block"])
def test_what_may_be_for_a_save_that_cannot_be_read_waits(two, style):
    """Nobody knows who is a stranger then. What is for the other game is taken in."""
    broken = two.other.read_bytes()
    mine = two.both[1]
    if style == "reply":
        session = Session.open(two.other, games.load)
        lines = synthetic_mail.answers(session, Random(1))[two.seat]
        mine = synthetic_mail.write_email(session, two.seat, lines, two.now, number=8, style=synthetic_mail.TAPPED)
    stranger = mine.raw.replace(mine.sender.encode(), b"new@example.net").replace(b"Message-ID: <", b"Message-ID: <s")
    two.other.write_bytes(broken[: len(broken) // 2])
    box = maildir(two, [two.both[0], mine, synthetic_mail.SyntheticEmail(mine.at, "new@example.net", stranger)])
    report = two.ingest(box)
    assert sorted(letter.fate for letter in report.emails) == ["postponed", "postponed", "taken"]
    assert Quarantine(two.folder / "quarantine").listed() == []
    assert not any(str(two.folder) in letter.why for letter in report.emails)
    assert whole(two) == two.now
    two.other.write_bytes(broken)
    report = two.ingest(box)
    assert sorted(letter.fate for letter in report.emails) == ["quarantined", "taken"]


def test_a_bounce_waits_for_the_save_whose_email_comes_back(two):
    letter = next((two.folder / "work" / "outbox" / "new").glob("other.*"))
    dsn = (
        b"Return-Path: <>\r\nFrom: mailer-daemon@mx.example\r\nTo: pbem@games.example\r\nSubject: failure\r\n"
        b"Message-ID: <1@mx.example>\r\n\r\nYour message " + decode_mail(letter.read_bytes()).message_id.encode()
    )
    box = maildir(two, [synthetic_mail.SyntheticEmail(two.now, "mailer-daemon@mx.example", dsn + b" came back.\r\n")])
    whole_save = two.other.read_bytes()
    two.other.write_bytes(whole_save[:200])
    assert [letter.fate for letter in two.ingest(box).emails] == ["postponed"]
    assert not list(Bounces(two.folder).listed())
    two.other.write_bytes(whole_save)
    two.ingest(box)
    assert [note.game for note in Bounces(two.folder).listed()] == ["other"]


def test_strangers_are_put_aside_while_all_saves_can_be_read(two):
    shutil.copy(two.other, two.folder / "copy.toml")  # of one name: it is known whose players these are
    raw = two.both[0].raw.replace(two.both[0].sender.encode(), b"new@example.net")
    report = two.ingest(maildir(two, [synthetic_mail.SyntheticEmail(two.now, "new@example.net", raw)]))
    assert [letter.fate for letter in report.emails] == ["quarantined"]


def piped(desk, raw, *words):
    line = ["-q", "ingest", "--pipe", "--saves", str(desk.folder), "--now", stamp(desk.now), *words]
    return CliRunner().invoke(main, line, input=raw)


def test_by_pipe(two):
    good = two.other.read_bytes()
    assert piped(two, b"").exit_code == Exit.NO_EMAIL
    two.other.write_bytes(good[: len(good) // 2])
    done = piped(two, two.both[1].raw)
    assert done.exit_code == Exit.TRY_AGAIN
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert str(two.folder) not in done.output
    assert "@" not in done.output
    assert piped(two, two.both[0].raw).exit_code == Exit.OK, "it is for the other game"
    two.other.write_bytes(good)
    assert piped(two, two.both[1].raw).exit_code == Exit.OK
    assert {record.verdict for path in (two.save, two.other) for record in load(path).intake} >= {"taken"}
    for path in (two.save, two.other):
        path.unlink()
    shutil.rmtree(two.folder / "quarantine", ignore_errors=True)
    assert piped(two, two.both[0].raw).exit_code == Exit.NO_GAMES


def test_what_waits_with_the_mail_server_is_not_read_yet(two):
    """An email that came later, and was taken in, doesn't make the other one late."""
    with locked(two.save):
        held = threading.Thread(target=lambda: found.append(piped(two, two.both[0].raw).exit_code))
        found = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(open_games, "locked", partial(locked, timeout=0.05))
            held.start()
            held.join()
    assert found == [Exit.TRY_AGAIN]
    two.now += HOUR
    assert piped(two, two.both[1].raw).exit_code == Exit.OK
    assert whole(two) is None
    two.now += HOUR
    assert piped(two, two.both[0].raw).exit_code == Exit.OK
    assert whole(two) == two.now
    assert not (two.folder / "unread.json").exists()


def test_by_pipe_any_fault_keeps_the_email_with_the_server(two, monkeypatch):
    failing(monkeypatch, Path, "replace", lambda path, target: Path(target).suffix == ".toml")
    assert piped(two, two.both[0].raw).exit_code == Exit.TRY_AGAIN


# ------------------------------------------------------------------ what is known


@pytest.mark.parametrize("named", [True, False])
def test_an_email_is_known_before_it_is_judged(desk, monkeypatch, named):
    """Its question has closed, and what it says is no answer any more: nothing is asked of it again."""
    mails = list(ballots(desk).values())
    if not named:
        lines = [re.sub(rb"(?im)^Message-ID: .*\r?\n", b"", mail.raw) for mail in mails]
        mails = [
            synthetic_mail.SyntheticEmail(mail.at, mail.sender, raw) for mail, raw in zip(mails, lines, strict=True)
        ]
    box = desk.box(mails)
    count = len(ballots(desk))
    assert {fate for _, fate in fates(desk.ingest(box))} == {"taken"}
    before = desk.letters()

    def never(*_):
        raise AssertionError("it was judged again")

    monkeypatch.setattr(pipeline, "claims_of", never)
    report = desk.ingest(box)
    assert (report.emails, report.known) == ([], count)
    assert desk.letters() == before


def test_a_quiet_run_reads_no_email(desk, monkeypatch):
    """Steps, not seconds: the second run opens none of the files, however many there are."""
    box = maildir(desk, list(ballots(desk).values()))
    desk.ingest(box)
    for path in list((box / "new").iterdir())[:2]:  # a mail program has seen them
        path.rename(box / "cur" / f"{path.name};2,S")
    opened = []
    failing(monkeypatch, sources, "_read_plain", lambda path, limit: opened.append(path) or False)
    assert desk.ingest(box).idle
    assert opened == []
    more = maildir(desk, [desk.mails[-1]])
    desk.ingest(more)
    assert len(opened) == 1


def test_what_was_not_dealt_with_is_read_again(desk, monkeypatch):
    mails = list(ballots(desk).values())
    box = maildir(desk, mails)
    failing(monkeypatch, Path, "replace", lambda path, target: Path(target) == desk.save)
    assert {fate for _, fate in fates(desk.ingest(box))} == {"postponed"}
    monkeypatch.undo()
    assert {fate for _, fate in fates(desk.ingest(box))} == {"taken"}


def test_a_file_that_has_changed_is_read_again(desk):
    """An email may be read while it is being copied into the folder."""
    (mail, *_) = ballots(desk).values()
    box = maildir(desk, [mail])
    (path,) = (box / "new").iterdir()
    path.write_bytes(mail.raw[: len(mail.raw) // 2])
    desk.ingest(box)
    path.write_bytes(mail.raw)
    assert [fate for _, fate in fates(desk.ingest(box))][-1:] == ["taken"]


def test_an_older_save_takes_in_again_what_came_since(desk):
    old = desk.save.read_bytes()
    mails = list(ballots(desk).values())
    box = maildir(desk, mails[:1])
    desk.ingest(box)
    assert load(desk.save).sealed
    desk.save.write_bytes(old)
    (desk.folder / "heads.json").unlink(missing_ok=True)
    assert {fate for _, fate in fates(desk.ingest(box))} == {"taken"}
    assert load(desk.save).sealed


def test_the_cache_may_be_missing(desk):
    box = maildir(desk, list(ballots(desk).values()))
    desk.ingest(box)
    state = desk.read().header.head, desk.letters()
    shutil.rmtree(desk.folder / ".pbem-cache")
    report = desk.ingest(box)
    assert report.emails == []
    assert (desk.read().header.head, desk.letters()) == state


# ------------------------------------------------------------------ what a run says


def replies(desk, *answers):
    """Emails of a seat that is asked: each the lines of one."""
    session = Session.open(desk.save, games.load)
    found = synthetic_mail.answers(session, Random(1))
    desk.seat = next((seat for seat in found if load(desk.save).seat(seat).language == "en"), next(iter(found)))
    good = found[desk.seat]
    return [
        synthetic_mail.write_email(session, desk.seat, good if lines is None else lines, desk.now, number=number)
        for number, lines in enumerate(answers, 20)
    ]


def told(desk, mails):
    """What the seat is told for these emails in one run."""
    desk.ingest(desk.box([]))
    before = set(desk.letters())
    desk.ingest(desk.box(mails, "more.mbox"))
    return [decode_mail(raw) for name, raw in desk.letters().items() if name not in before and f".{desk.seat}." in name]


def test_a_refused_answer_and_its_correction_are_one_receipt_of_what_holds(desk):
    (letter,) = told(desk, replies(desk, ["nonsense and more"], None))
    assert "Accepted" in letter.subject
    assert "Rejected" not in letter.text
    assert "Write it like this" not in letter.text
    assert "nonsense and more" in " ".join(letter.text.split())


def test_a_correction_that_is_refused_is_told_as_such(desk):
    (letter,) = told(desk, replies(desk, None, ["nonsense and more"]))
    assert "Rejected" in letter.subject


def test_a_refused_line_of_another_kind_is_not_made_good_by_an_answer(desk):
    first, second = replies(desk, ["standing nothing: pass"], None)
    (letter,) = told(desk, [first, second])
    assert "Rejected" in letter.subject


@pytest.mark.parametrize("order", [1, -1])
def test_an_old_answer_beside_a_good_one_changes_no_subject(desk, order):
    desk.ingest(desk.box([]))
    old = list(ballots(desk).values())
    desk.ingest(desk.box(old, "old.mbox"))
    desk.now += HOUR
    (good,) = replies(desk, None)
    again = next(mail for mail in old if mail.sender == good.sender)
    again = synthetic_mail.SyntheticEmail(
        desk.now, again.sender, again.raw.replace(b"Message-ID: <", b"Message-ID: <again.")
    )
    letters = told(desk, [again, good][::order])
    assert letters
    assert not any(word in letter.subject for letter in letters for word in ("Rejected", "受け付けられません"))
    text = "".join("".join(letter.text.split()) for letter in letters)
    assert "Itchangednothing" in text or "何も変わっていません" in text


def test_two_folders_on_one_mailbox(two):
    """Each takes in its own, and tells nobody that the other's were put aside."""
    aside = two.folder / "aside"
    aside.mkdir()
    two.other.rename(aside / "other.toml")
    session = Session.open(aside / "other.toml", games.load)
    lines = synthetic_mail.answers(session, Random(1))[two.seat]
    reply = synthetic_mail.write_email(session, two.seat, lines, two.now, number=9, style=synthetic_mail.TAPPED)
    box = maildir(two, [*two.both, reply])
    two.ingest(box)
    ingest([aside], [box], now=two.now)
    for folder, save in ((two.folder, two.save), (aside, aside / "other.toml")):
        assert "taken" in {record.verdict for record in load(save).intake}
        texts = [decode_mail(path.read_bytes()).text for path in (folder / "outbox" / "new").glob(f"*.{two.seat}.*")]
        assert texts
        assert not any("in quarantine" in text for text in texts)


def test_a_name_that_was_mistyped_is_still_told(two):
    raw = two.both[0].raw.replace(b"ORDERS ballot", b"ORDERS balot")
    assert raw != two.both[0].raw
    report = two.ingest(maildir(two, [synthetic_mail.SyntheticEmail(two.now, two.both[0].sender, raw)]))
    assert [letter.fate for letter in report.emails] == ["quarantined"]
    assert any(record.verdict == "held:unknown-game" for path in (two.save, two.other) for record in load(path).intake)


# ------------------------------------------------------------------ what waits is checked when it leaves


def withdrawn(desk, now):
    waiting = QueuedReminders(InboxRun([desk.folder], now=now).taking)
    return {path.name for path in desk.folder.glob("outbox/new/reminder.*") if waiting.outdated(path.name)}


def test_a_reminder_that_waits_is_withdrawn_when_its_answer_has_come(waiting):
    now = waiting.due - 25 * HOUR + timedelta(hours=1)
    steady(waiting, now)
    pass_time([waiting.folder], now=now)
    before = {path.name for path in waiting.folder.glob("outbox/new/reminder.*")}
    assert len(before) == len(waiting.asked)
    assert withdrawn(waiting, now) == set(), "nothing has changed since"
    answer(waiting, waiting.asked[:1])
    later = now + 2 * HOUR
    (gone,) = withdrawn(waiting, later)  # of a sealed question, too
    (waiting.folder / "outbox" / "new" / gone).unlink()
    before.discard(gone)
    session = Session.open(waiting.save, games.load)
    session.save.clock.remind = []
    session.commit()
    assert withdrawn(waiting, later) == before, "none of them is due any more"


def test_a_reminder_of_an_earlier_stage_does_not_leave_after_the_later_one(waiting):
    now = waiting.due - 24 * HOUR
    steady(waiting, now)
    pass_time([waiting.folder], now=now)
    before = {path.name for path in waiting.folder.glob("outbox/new/reminder.*")}
    now = waiting.due - HOUR
    steady(waiting, now)
    pass_time([waiting.folder], now=now)
    assert withdrawn(waiting, now) == before
    assert load_header(waiting.save).pending
