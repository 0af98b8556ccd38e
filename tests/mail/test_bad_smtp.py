"""SMTP servers that misbehave: none of our emails is given up or sent twice, and all others go on."""

from __future__ import annotations

import errno
import os
import pathlib
from datetime import timedelta

import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.transport.bounces import Bounces
from pbem.mail.transport.dispatch import GIVE_UP, dispatch, take_back
from pbem.mail.transport.smtp import Cut, PermanentFailure, ServerUnavailable, TemporaryFailure, _meaning, carrier
from pbem.save import Session
from pbem.timestamps import stamp
from tests.mail.bad_servers import BadSmtp
from tests.mail.servers import free_port

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


# ------------------------------------------------------------------ what a refusal means


@pytest.mark.parametrize(
    "said",
    [
        "5.1.1 user unknown",
        "5.1.1 <bob@example.net>: Recipient address rejected: User unknown in relay recipient table",
        "5.1.1 The email account that you tried to reach does not exist. Please double-check the recipient's address",
        "5.1.10 recipient not found",
        "5.1.2 no such domain",
        "5.2.1 mailbox disabled",
        "No such user here",
        "5.1.0 <bob@example.net>... User unknown",
        "<sender@example.net>: unrouteable address",
    ],
)
def test_that_there_is_nobody_is_final(said):
    assert isinstance(_meaning(550, said, of_recipient=True), PermanentFailure)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (550, "5.4.5 Daily user sending limit exceeded"),
        (554, "5.7.1 <x>: Relay access denied"),
        (550, "5.1.1 relaying denied, Authentication required"),
        (550, "5.1.8 <pbem@example.org>: Sender address rejected: Domain not found"),
        (550, "5.1.7 The sender's address was syntactically invalid"),
        (550, "5.1.1 Your account was suspended"),
        (550, "5.1.0 Message rejected due to its content"),
        (550, "5.2.1 The user you are trying to contact is receiving mail at a rate that is too high, try again later"),
        (552, "5.2.2 mailbox full"),
        (550, "Mailbox quota exceeded"),
        (550, "5.0.0 Mailbox is full"),
        (550, "5.7.26 This mail is unauthenticated: SPF and DKIM did not pass"),
        (503, "5.5.1 bad sequence: authenticate first"),
        (554, "Transaction failed: policy 4711"),
        (550, "relay not permitted"),
        (451, "4.3.0 later"),
    ],
)
def test_all_else_is_tried_again(code, said):
    found = _meaning(code, said, of_recipient=True)
    assert isinstance(found, TemporaryFailure)
    assert not isinstance(found, (Cut, ServerUnavailable))


def at(stage, text, which=lambda word, session: True):
    return lambda here, word, session: text if here == stage and which(word, session) else ""


def waits(desk):
    return len(list((desk.folder / "outbox" / "new").iterdir()))


def send(desk, server, **more):
    with server.serving() as url:
        return dispatch(desk.folder, carrier(url), now=desk.now, **more)


def test_a_refusal_that_names_each_recipient_is_the_same_one(full):
    def says(stage, word, session):
        local = word.partition("@")[0]
        return f"550 5.1.1 <{word}>: user {local} unknown ({session['number']}-{local}7)" if stage == "RCPT" else ""

    done = send(full, BadSmtp(says))
    assert (len(done.later), done.failed) == (4, {})


@pytest.mark.parametrize("stage", ["RCPT", "DATA", "TEXT"])
@pytest.mark.parametrize("text", ["554 5.7.1 Relay access denied", "550 5.4.5 quota", "554 no", "550 5.1.1 unknown"])
def test_the_same_refusal_for_two_is_about_neither(full, stage, text):
    done = send(full, BadSmtp(at(stage, text)))
    assert (len(done.later), done.failed, done.sent) == (4, {}, [])
    assert not list(Bounces(full.folder).listed())
    full.now += DAY
    assert len(send(full, BadSmtp()).sent) == 4


def test_nothing_is_given_up_while_the_server_refuses_all_of_us(full):
    for _ in range(12):
        full.now += GIVE_UP / 8
        done = send(full, BadSmtp(at("TEXT", "550 5.4.5 Daily user sending limit exceeded")))
        assert (len(done.later), done.failed) == (4, {})
    full.now += DAY
    assert len(send(full, BadSmtp()).sent) == 4


def test_two_who_are_not_there_are_given_up_in_the_end(full):
    gone = sorted({decode_mail((full.folder / "outbox" / "new" / name).read_bytes()).to[0] for name in full.names})[:2]
    server = BadSmtp(at("RCPT", "550 5.1.1 unknown", lambda word, session: word in gone))
    first = send(full, server)
    assert len(first.sent) == 2
    assert first.failed == {}
    full.now += GIVE_UP + HOUR
    assert len(send(full, server).failed) == 2


def test_one_sender_that_is_refused_stops_no_other(full):
    path = full.folder / "outbox" / "new" / full.names[0]
    path.write_bytes(path.read_bytes().replace(b"pbem@games.example", b"other@games.example"))
    done = send(full, BadSmtp(at("MAIL", "553 5.7.1 not yours", lambda word, session: word == "other@games.example")))
    assert list(done.later) == [full.names[0]]
    assert len(done.sent) == 3


@pytest.mark.parametrize(
    "says",
    [
        at("TEXT", "421 4.7.0 too many messages in this session", lambda word, session: session["mails"] >= 1),
        at("MAIL", "421 4.4.2 idle too long", lambda word, session: session["mails"] >= 1),
        at("MAIL", "452 4.5.3 too many messages in this session", lambda word, session: session["mails"] >= 1),
        at("MAIL", "cut", lambda word, session: session["mails"] >= 1),
        at("DATA", "cut", lambda word, session: session["mails"] >= 1),
        at("RCPT", "421 4.3.2 shutting down", lambda word, session: session["number"] == 1),
        at("TEXT", "cut", lambda word, session: session["number"] == 1),
    ],
)
def test_a_cut_line_costs_no_run(full, says):
    server = BadSmtp(says)
    done = send(full, server)
    assert len(done.sent) == 4
    assert len({text for _, text in server.taken}) == len(server.taken) == 4


def test_a_server_that_ends_each_conversation_is_not_asked_for_each_email(full):
    server = BadSmtp(at("RCPT", "421 4.7.0 later"))
    done = send(full, server)
    assert (len(done.later), done.failed) == (4, {})
    assert server.connections <= 4


def test_one_email_that_cuts_the_line_stops_no_other(full):
    bad = decode_mail((full.folder / "outbox" / "new" / full.names[0]).read_bytes()).to[0]
    done = send(full, BadSmtp(at("TEXT", "cut", lambda word, session: word == bad)))
    assert (list(done.later), len(done.sent)) == ([full.names[0]], 3)


# ------------------------------------------------------------------ the outbox


class Counting:
    """A carrier that takes all."""

    def __init__(self):
        self.taken = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def send(self, sender, to, raw):
        self.taken.append((to, raw))


def renaming(monkeypatch, broken):
    """Moving a file fails where `broken` says so."""
    real = pathlib.Path.rename

    def rename(path, target):
        if broken(str(target)):
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(target))
        return real(path, target)

    monkeypatch.setattr(pathlib.Path, "rename", rename)


def test_missing_folders_are_made_anew(full):
    for part in ("cur", "tmp"):
        for path in (full.folder / "outbox" / part).iterdir():
            path.unlink()
        (full.folder / "outbox" / part).rmdir()
    assert len(dispatch(full.folder, Counting(), now=full.now).sent) == 4


def test_nothing_is_handed_over_if_that_cannot_be_noted(full):
    (full.folder / "outbox" / "cur").rmdir()
    (full.folder / "outbox" / "cur").write_text("")
    count = Counting()
    for _ in range(3):
        done = dispatch(full.folder, count, now=full.now)
        assert len(done.later) == 4
    assert count.taken == []


@pytest.mark.parametrize("times", [1, 2, 3, 1000])
def test_what_was_handed_over_is_not_handed_over_again(full, monkeypatch, times):
    """However often moving it fails: what can't be moved is marked."""
    left = [times]

    def broken(target):
        left[0] -= "/cur/" in target
        return "/cur/" in target and left[0] >= 0

    renaming(monkeypatch, broken)
    count = Counting()
    for _ in range(3):
        dispatch(full.folder, count, now=full.now)
    monkeypatch.undo()
    dispatch(full.folder, count, now=full.now)
    assert len(count.taken) == len(set(count.taken)) == 4
    assert waits(full) == 0
    assert len(list((full.folder / "outbox" / "cur").glob("*;2,S"))) == 4


class FillingDisk(Counting):
    """A server on whose first reply the disk is full: from then on nothing can be written down for good."""

    def __init__(self, monkeypatch, room):
        super().__init__()
        self.monkeypatch, self.room = monkeypatch, room

    def send(self, sender, to, raw):
        super().send(sender, to, raw)
        if len(self.taken) == self.room:
            for name in ("fsync", "rename", "replace"):
                self.monkeypatch.setattr(os, name, self.fails)

    @staticmethod
    def fails(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("room", [1, 2, 4])
def test_a_disk_that_is_full_once_an_email_is_accepted_does_not_send_it_again(full, monkeypatch, room):
    server = FillingDisk(monkeypatch, room)
    dispatch(full.folder, server, now=full.now)
    taken = len(server.taken)
    dispatch(full.folder, server, now=full.now)
    assert len(server.taken) == taken, "nothing goes out while nothing can be written"
    monkeypatch.undo()
    count = Counting()
    dispatch(full.folder, count, now=full.now)
    assert len([*server.taken, *count.taken]) == len({*server.taken, *count.taken}) == 4
    assert waits(full) == 0
    assert sorted(path.name for path in (full.folder / "outbox" / "cur").iterdir()) == [
        f"{name};2,S" for name in full.names
    ]
    assert not (full.folder / "outbox" / "sending").exists()


@pytest.mark.parametrize("name", ["sending", "tries.json"])
def test_a_folder_in_the_place_of_a_file_is_put_aside(full, name):
    (full.folder / "outbox" / name).mkdir()
    assert len(dispatch(full.folder, Counting(), now=full.now).sent) == 4
    assert (full.folder / "outbox" / f"{name}.damaged").is_dir()


def test_where_neither_mark_nor_move_works_one_goes_and_no_more(full, monkeypatch):
    renaming(monkeypatch, lambda target: "/cur/" in target)
    real = pathlib.Path.open

    def broken(path, mode="r", *args, **more):
        if mode == "rb+":
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return real(path, mode, *args, **more)

    monkeypatch.setattr(pathlib.Path, "open", broken)
    count = Counting()
    assert len(dispatch(full.folder, count, now=full.now).later) == 3
    assert len(count.taken) == 1


def test_one_that_cannot_be_read_stops_no_other(full, monkeypatch):
    real = pathlib.Path.read_bytes

    def broken(path):
        if path.name == full.names[0]:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return real(path)

    monkeypatch.setattr(pathlib.Path, "read_bytes", broken)
    done = dispatch(full.folder, Counting(), now=full.now)
    assert (list(done.later), len(done.sent)) == ([full.names[0]], 3)


@pytest.mark.parametrize("name", ["sending", "tries.json"])
def test_what_cannot_be_read_may_tell_what_was_sent(full, monkeypatch, name):
    (full.folder / "outbox" / name).write_text("{}")
    real = pathlib.Path.read_bytes

    def broken(path):
        if path.name == name:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return real(path)

    monkeypatch.setattr(pathlib.Path, "read_bytes", broken)
    count = Counting()
    assert len(dispatch(full.folder, count, now=full.now).later) == 4
    assert count.taken == []


def test_what_was_given_up_is_sent_again_to_who_still_plays(full):
    to = decode_mail((full.folder / "outbox" / "new" / full.names[1]).read_bytes()).to[0]
    send(full, BadSmtp(at("RCPT", "550 5.1.1 unknown", lambda word, session: word == to)))
    given = [path.name for path in (full.folder / "outbox" / "cur").glob("*;2,T")]
    assert len(given) == 1
    assert take_back(full.folder, lambda to: False) == 0
    assert take_back(full.folder, lambda to: "@" in to) == 1
    assert len(send(full, BadSmtp()).sent) == 1


def test_send_again_by_the_command(full):
    to = decode_mail((full.folder / "outbox" / "new" / full.names[1]).read_bytes()).to[0]
    send(full, BadSmtp(at("RCPT", "550 5.1.1 unknown", lambda word, session: word == to)))
    server = BadSmtp()
    with server.serving() as url:
        words = ["send", "--saves", str(full.folder), "--smtp", url, "--now", stamp(full.now)]
        assert CliRunner().invoke(main, words).exit_code == 0
        assert server.taken == [], "only if it is asked for"
        session = Session.open(full.save, games.load)
        session.save.seat(full.names[1].split(".")[1]).addresses = ["new@example.org"]
        session.commit()
        assert CliRunner().invoke(main, [*words, "--again"]).exit_code == 0
        assert server.to == [], "nobody of that address plays any more"
        session.save.seat(full.names[1].split(".")[1]).addresses = [to]
        session.commit()
        assert CliRunner().invoke(main, [*words, "--again"]).exit_code == 0
    assert server.to == [to]


def test_a_server_that_is_away_is_no_reason_to_give_up(full):
    done = dispatch(full.folder, carrier(f"smtp://127.0.0.1:{free_port()}"), now=full.now + 2 * GIVE_UP)
    assert len(done.later) == 4
