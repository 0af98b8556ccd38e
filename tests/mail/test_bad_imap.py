"""IMAP servers that misbehave: no email of a player is lost, and all others go on."""

from __future__ import annotations

import errno
import os
import pathlib
from datetime import timedelta
from random import Random

import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.clock import heartbeat
from pbem.dev import synthetic_mail
from pbem.mail.inbox import stages
from pbem.mail.inbox.ingest import fetch
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.sources import SourceError
from pbem.mail.scheduler.tick import tick_games
from pbem.save import Session, load
from pbem.timestamps import stamp
from tests.mail.bad_servers import BadImap
from tests.mail.servers import free_port

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def answering(begun, monkeypatch):
    """A game, and an answer of each seat that is asked: messages 1, 2, 3 …"""
    monkeypatch.setenv("PBEM_IMAP_PASSWORD", "x")
    session = Session.open(begun.save, games.load)
    lines = synthetic_mail.answers(session, Random(5))
    begun.seats = [seat for seat in session.referee.asked() if lines.get(seat)][:3]
    begun.mails = [synthetic_mail.write_email(session, seat, lines[seat], begun.now) for seat in begun.seats]
    assert len(begun.mails) == 3
    return begun


def read(desk, box, times=1, step=timedelta(minutes=10)):
    """The reports of some runs."""
    found = []
    with box.serving() as url:
        for _ in range(times):
            found.append(fetch([desk.folder], url, now=desk.now))
            desk.now += step
    return found


def taken(desk):
    """Which of the three answers were taken in."""
    known = {record.seat for record in load(desk.save).intake if record.verdict == "taken"}
    return [seat in known for seat in desk.seats]


def once(what, which=2):
    return lambda uid, attempt: what if uid == which and attempt == 1 else ""


def always(what, which=2):
    return lambda uid, attempt: what if uid == which else ""


PASSING = ("nil", "empty", "zero", "nothing", "bare", "no", "bad", "half", "cut", "bye")
ELSEWISE = ("huge", "other", "moved", "both", "noise", "short")


@pytest.mark.parametrize("what", [*PASSING, *ELSEWISE])
def test_what_fails_once_is_read_in_the_same_run(answering, what):
    box = BadImap(answering.mails, once(what))
    (report,) = read(answering, box)
    assert taken(answering) == [True, True, True]
    assert not report.incomplete
    assert heartbeat.load(answering.folder).read is not None


@pytest.mark.parametrize(("what", "which"), [*((what, 2) for what in PASSING), ("cut", 1), ("cut", 3), ("no", 3)])
def test_one_that_is_never_given_keeps_no_other_from_being_read(answering, what, which):
    box = BadImap(answering.mails, always(what, which))
    first, second = read(answering, box, 2)
    assert taken(answering) == [uid != which for uid in (1, 2, 3)]
    for report in (first, second):
        left = [outcome.where for outcome in report.emails if outcome.fate == "postponed"]
        assert [where.rpartition("/INBOX ")[2] for where in left] == [f"message {which}"]
    assert {uid for uid, count in box.asked.items() if count == 1} == {1, 2, 3} - {which}, "others are read once"
    assert box.seen == {1, 2, 3} - {which}
    box.fault = lambda uid, attempt: ""
    read(answering, box)
    assert taken(answering) == [True, True, True]


def test_an_empty_message_is_one_and_is_put_aside(answering):
    box = BadImap(answering.mails)
    box.add(b"", answering.now.timestamp())
    (report,) = read(answering, box)
    assert sorted(outcome.fate for outcome in report.emails) == ["quarantined", *["taken"] * 3]
    assert not report.incomplete


def notices(desk):
    found = sorted((desk.folder / "outbox" / "new").glob("notice.*"), key=lambda path: path.stat().st_mtime_ns)
    return [decode_mail(path.read_bytes()) for path in found]


def test_it_is_told_at_first_and_given_up_after_a_week(answering):
    session = Session.open(answering.save, games.load)
    session.save.post.moderator = ["mod@example.org"]
    session.commit()
    box = BadImap(answering.mails, always("no"))
    read(answering, box, 3)
    tick_games([answering.folder], now=answering.now)
    (first,) = notices(answering)
    assert first.to == ("mod@example.org",)
    assert "message 2" in first.text
    answering.now += stages.GIVE_UP
    read(answering, box, 3)
    for _ in range(2):
        tick_games([answering.folder], now=answering.now)
    texts = [" ".join(mail.text.split()) for mail in notices(answering)]
    assert sum("could not be read for 7 days" in text for text in texts) == 1
    assert sum("emails in the mailbox that can't be read" in text.casefold() for text in texts) == 1
    asked = box.asked[2]
    (last,) = read(answering, box)
    assert box.asked[2] == asked, "it is not asked for any more"
    assert last.idle
    assert not (answering.folder / "unread.json").exists()


def test_for_a_day_it_holds_back_all_deadlines_and_then_no_longer(answering):
    name = load(answering.save).header.name
    box = BadImap(answering.mails, always("no"))
    begin = heartbeat.load(answering.folder).read_of(name)
    answering.now += HOUR
    read(answering, box)
    heart = heartbeat.load(answering.folder)
    assert heart.read_of(name) == begin
    assert heart.read > begin, "mail as such was read: that is no outage"
    answering.now += stages.HELD
    read(answering, box)
    heart = heartbeat.load(answering.folder)
    assert heart.read_of(name) == heart.read > begin


def test_the_server_goes_away_in_the_middle(answering):
    """What was read is taken in and not read again; nothing counts as read to the end."""
    name = load(answering.save).header.name
    before = heartbeat.load(answering.folder).read_of(name)

    def dies(uid, attempt):
        if uid == 2:
            box.greeting = "* BYE for good"
            return "cut"
        return ""

    box = BadImap(answering.mails, dies)
    (report,) = read(answering, box)
    assert report.broken
    assert taken(answering) == [True, False, False]
    assert heartbeat.load(answering.folder).read_of(name) == before
    box.fault, box.greeting = lambda uid, attempt: "", "* OK ready"
    read(answering, box)
    assert taken(answering) == [True, True, True]
    assert box.asked[1] == 1


def test_many_that_cut_the_line_are_the_server(answering):
    box = BadImap(answering.mails * 4, lambda uid, attempt: "cut" if uid > 1 else "")
    (report,) = read(answering, box)
    assert report.broken
    assert len(box.asked) == 4, "one that is given, and three that are not"


@pytest.mark.parametrize(
    "says",
    [
        lambda uids: f"* SEARCH {' '.join(map(str, reversed(uids)))} (MODSEQ 917162500)",
        lambda uids: "* SEARCH " + " ".join(map(str, uids * 80_000)) if uids else "* SEARCH",
        lambda uids: "\r\n".join(f"* SEARCH {uid}" for uid in uids),
    ],
)
def test_a_search_in_any_form(answering, says):
    box = BadImap(answering.mails)
    box.search_says = says
    (report,) = read(answering, box)
    assert taken(answering) == [True, True, True]
    assert not report.incomplete


@pytest.mark.parametrize("more", ["99999999999999999999", "-1 0", "one"])
def test_a_search_with_nonsense_is_read_and_not_taken_for_the_whole(answering, more):
    name = load(answering.save).header.name
    before = heartbeat.load(answering.folder).read_of(name)
    box = BadImap(answering.mails)
    box.search_says = lambda uids: f"* SEARCH {' '.join(map(str, uids))} {more}"
    (report,) = read(answering, box)
    assert taken(answering) == [True, True, True]
    assert report.broken
    assert heartbeat.load(answering.folder).read_of(name) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("validity", "abc"),
        ("validity", "9" * 5000),
        ("greeting", "+OK POP3 server ready"),
        ("search_says", lambda uids: "* SEARCH one two"),
    ],
)
def test_what_is_no_mailbox_is_said(answering, name, value):
    box = BadImap(answering.mails)
    setattr(box, name, value)
    with pytest.raises(SourceError) as found:
        read(answering, box)
    assert found.value.strerror not in ("", "None", None)


def test_a_date_beyond_all_years_is_none(answering):
    box = BadImap(answering.mails)
    box.date = '"31-Dec-9999 23:59:59 -1200"'
    read(answering, box)
    assert taken(answering) == [True, True, True]


def test_a_mailbox_made_anew_under_the_same_name_is_read_again(answering):
    box = BadImap([])
    box.add(answering.mails[0].raw, answering.now.timestamp(), 50)
    read(answering, box)
    box.messages.clear()
    for mail in answering.mails[1:]:
        box.add(mail.raw, answering.now.timestamp())
    (report,) = read(answering, box)
    assert taken(answering) == [True, True, True]
    assert any("new numbers" in line for line in report.moderator)


def test_the_bookmark_does_not_depend_on_the_port(answering):
    """A mailbox is the same one by STARTTLS and by TLS from the start."""
    box = BadImap(answering.mails)
    read(answering, box)
    (again,) = read(answering, box)
    assert box.asked == {1: 1, 2: 1, 3: 1}
    assert again.idle


def test_an_odd_date_of_the_server_is_not_before_the_question(answering):
    since = min(pending.since for pending in load(answering.save).pending)
    box = BadImap(answering.mails)
    box.date = '"01-Jan-1980 00:00:00 +0000"'
    read(answering, box)
    assert taken(answering) == [True, True, True]
    assert {record.at for record in load(answering.save).intake if record.message_id} == {since}


def test_a_bookmark_that_cannot_be_read_is_not_one_that_is_not_there(answering, monkeypatch):
    box = BadImap(answering.mails)
    read(answering, box)
    real = pathlib.Path.read_bytes

    def broken(path):
        if path.name == "imap.json":
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return real(path)

    monkeypatch.setattr(pathlib.Path, "read_bytes", broken)
    with pytest.raises(SourceError):
        read(answering, box)
    monkeypatch.undo()
    monkeypatch.setenv("PBEM_IMAP_PASSWORD", "x")
    read(answering, box)
    assert box.asked == {1: 1, 2: 1, 3: 1}


# ------------------------------------------------------------------ files next to the saves

FILES = (
    "heartbeat.json",
    "told.json",
    "heads.json",
    "imap.json",
    "unread.json",
    "outbox/tries.json",
    "reminders.jsonl",
    "bounces.jsonl",
)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_put_aside_and_the_moderator_hears_of_it_once(answering, name, language):
    """All else goes on: answers are taken in, and emails wait for the server."""
    session = Session.open(answering.save, games.load)
    session.save.post.moderator, session.save.post.language = ["boss@example.org"], language
    session.commit()
    path = answering.folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b'{"half": \n' if path.suffix == ".jsonl" else b"[1]")
    os.utime(path, (answering.now.timestamp(), answering.now.timestamp()))
    command = ["run", "--saves", str(answering.folder), "--smtp", f"smtp://127.0.0.1:{free_port()}"]
    with BadImap(answering.mails).serving() as url:
        for _ in range(3):
            result = CliRunner().invoke(main, [*command, "--imap", url, "--now", stamp(answering.now)])
            assert "not sent yet" in result.output, result.output
            answering.now += HOUR / 2
    assert taken(answering) == [True, True, True]
    notices = [decode_mail(p.read_bytes()) for p in answering.folder.glob("outbox/*/notice.*")]
    (notice,) = (notice for notice in notices if ".damaged" in notice.text)
    assert notice.to == ("boss@example.org",)
    assert path.name in notice.text
    assert path.with_name(f"{path.name}.damaged").exists()
