"""Letters over real wires: SMTP to aiosmtpd, IMAP from dovecot, both on loopback."""

from __future__ import annotations

import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from aiosmtpd.smtp import AuthResult

from pbem.clock import heartbeat
from pbem.dev import synthetic_mail
from pbem.mail.inbox.ingest import fetch, ingest
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.inbox.sources import SourceError
from pbem.mail.quarantine import Quarantine
from pbem.mail.transport.accounts import AccountError, account
from pbem.mail.transport.bounces import Bounces
from pbem.mail.transport.dispatch import GIVE_UP, dispatch
from pbem.mail.transport.imap import Mailbox
from pbem.mail.transport.smtp import ServerUnavailable, TemporaryFailure, carrier
from pbem.save import Locked, load
from tests.mail.servers import free_port, smtp_server

# ------------------------------------------------------------------ SMTP


def test_each_letter_is_sent_once_as_it_lies_there(full):
    raw = {path.name: path.read_bytes() for path in (full.folder / "outbox" / "new").iterdir()}
    with smtp_server() as server:
        done = dispatch(full.folder, carrier(server.url), now=full.now)
        assert sorted(done.sent) == full.names
        assert dispatch(full.folder, carrier(server.url), now=full.now).sent == []
    assert sorted(content for _, _, content in server.desk.mails) == sorted(raw.values())
    assert {tuple(to) for _, to, _ in server.desk.mails} == {decode_mail(letter).to for letter in raw.values()}
    assert {path.name.partition(";")[2] for path in (full.folder / "outbox" / "cur").iterdir()} == {"2,S"}


def test_auth_from_the_environment(full, monkeypatch):
    seen = []

    def check(server, session, envelope, mechanism, data):
        seen.append((data.login, data.password))
        return AuthResult(success=data.password == b"right", handled=False)

    with smtp_server(authenticator=check, auth_required=True, auth_require_tls=False) as server:
        url = f"smtp://pbem@127.0.0.1:{server.port}"
        monkeypatch.delenv("PBEM_SMTP_PASSWORD", raising=False)
        with pytest.raises(AccountError, match="PBEM_SMTP_PASSWORD"):
            dispatch(full.folder, carrier(url), now=full.now)
        monkeypatch.setenv("PBEM_SMTP_PASSWORD", "wrong")
        assert len(dispatch(full.folder, carrier(url), now=full.now).later) == 4
        monkeypatch.setenv("PBEM_SMTP_PASSWORD", "right")
        assert len(dispatch(full.folder, carrier(url), now=full.now + timedelta(hours=1)).sent) == 4
    assert (b"pbem", b"right") in seen


def test_a_refused_address_bounces_and_the_others_get_theirs(full):
    to = decode_mail((full.folder / "outbox" / "new" / full.names[0]).read_bytes()).to[0]
    with smtp_server() as server:
        server.desk.refuse[to] = "550 5.1.1 no such user"
        done = dispatch(full.folder, carrier(server.url), now=full.now)
    assert list(done.failed) == [full.names[0]]
    assert len(done.sent) == 3
    (note,) = Bounces(full.folder).open_for(load(full.save), full.now)
    assert (note.to, note.seat) == (to, full.names[0].split(".")[1])
    assert "no such user" in note.why


def test_a_letter_put_off_is_tried_again_later_and_then_given_up(full):
    first = full.names[0]
    to = decode_mail((full.folder / "outbox" / "new" / first).read_bytes()).to[0]
    with smtp_server() as server:
        server.desk.refuse[to] = "451 later"
        done = dispatch(full.folder, carrier(server.url), now=full.now)
        assert (list(done.later), len(done.sent)) == ([first], 3)
        del server.desk.refuse[to]
        early = dispatch(full.folder, carrier(server.url), now=full.now + timedelta(minutes=5))
        assert (early.sent, list(early.later)) == ([], [first])
        server.desk.refuse[to] = "451 later"
        last = dispatch(full.folder, carrier(server.url), now=full.now + GIVE_UP + timedelta(minutes=1))
    assert list(last.failed) == [first]
    (note,) = Bounces(full.folder).open_for(load(full.save), full.now)
    assert note.to == to
    assert "451 later" in note.why


def test_a_server_that_is_not_there_costs_no_letter_its_time(full):
    """However long the server is away: nothing is given up, and all goes when it is back."""
    where = f"smtp://127.0.0.1:{free_port()}"
    for at in (timedelta(), timedelta(days=1), GIVE_UP + timedelta(days=1)):
        done = dispatch(full.folder, carrier(where), now=full.now + at)
        assert sorted(done.later) == full.names
        assert done.failed == {}
    assert list(Bounces(full.folder).listed()) == []
    with smtp_server() as server:
        back = dispatch(full.folder, carrier(server.url), now=full.now + at + timedelta(minutes=1))
    assert sorted(back.sent) == full.names


def test_a_server_that_takes_nothing_is_asked_once_in_a_run(full):
    class Away:
        count = 0

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

        def send(self, *_):
            self.count += 1
            raise ServerUnavailable("away")

    away = Away()
    assert len(dispatch(full.folder, away, now=full.now).later) == 4
    assert away.count == 1


def test_a_sender_that_the_server_refuses_is_no_players_bounce(full):
    with smtp_server() as server:
        server.desk.refuse_sender = "553 5.7.1 not your address"
        done = dispatch(full.folder, carrier(server.url), now=full.now)
        assert "pbem@games.example: 553" in done.later[full.names[0]]
        assert len(done.later) == 4
        server.desk.refuse_sender = ""
        assert len(dispatch(full.folder, carrier(server.url), now=full.now).sent) == 4
    assert list(Bounces(full.folder).listed()) == []


@pytest.mark.parametrize("refused", ["", "552 5.3.4 too big", "554 5.2.3 over your limit", "552"])
def test_a_letter_too_large_for_the_server_bounces_alone(full, refused):
    """The server says so when it hears the size, before it hears for whom: that is no reason to stop all mail."""
    path = full.folder / "outbox" / "new" / full.names[1]
    path.write_bytes(path.read_bytes() + b"x" * 70 + b"\r\n" * 400_000)
    with smtp_server(data_size_limit=33_000_000 if refused else 500_000) as server:
        server.desk.refuse_large = refused
        done = dispatch(full.folder, carrier(server.url), now=full.now)
        assert len(server.desk.mails) == 3
    assert list(done.failed) == [full.names[1]]
    assert sorted(done.sent) == [full.names[0], *full.names[2:]]
    (note,) = Bounces(full.folder).open_for(load(full.save), full.now)
    assert note.seat == full.names[1].split(".")[1]
    assert (refused or "552") in note.why


def test_two_at_once_send_nothing_twice(full):
    with smtp_server() as server:

        class Slow:
            """While the first letter is on its way, somebody else runs `pbem send`."""

            def __enter__(self):
                return self

            def __exit__(self, *_):
                return None

            def send(self, sender, to, raw):
                with ThreadPoolExecutor(1) as other:  # a lock belongs to its thread
                    second = other.submit(dispatch, full.folder, carrier(server.url), now=full.now, patience=0)
                    with pytest.raises(Locked):
                        second.result()
                refused.append(to)

        refused: list[str] = []
        assert len(dispatch(full.folder, Slow(), now=full.now).sent) == 4
        assert len(refused) == 4
        assert server.desk.mails == []


def test_no_letter_goes_to_our_own_address(full):
    own = frozenset({decode_mail((full.folder / "outbox" / "new" / full.names[0]).read_bytes()).to[0]})
    with smtp_server() as server:
        done = dispatch(full.folder, carrier(server.url), now=full.now, own=own)
        assert list(done.failed) == [full.names[0]]
        assert len(server.desk.mails) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_sendmail(full, tmp_path):
    program = tmp_path / "sendmail"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/args\ncat >> {tmp_path}/mail\n[ -e {tmp_path}/down ] && exit 75\nexit 0\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "down").touch()
    assert len(dispatch(full.folder, carrier(str(program)), now=full.now).later) == 4
    (tmp_path / "down").unlink()
    assert len(dispatch(full.folder, carrier(str(program)), now=full.now + timedelta(hours=1)).sent) == 4
    assert all(line.startswith("-i -f pbem@games.example -- ") for line in (tmp_path / "args").read_text().splitlines())


@pytest.mark.parametrize("url", ["http://x", "smtp://", "smtps://a:secret@host", "smtp://host:port"])
def test_accounts_that_cannot_be(url):
    with pytest.raises(AccountError):
        account(url, ("smtps", "smtp"))


def test_no_tls_no_letters(monkeypatch, full):
    """A server elsewhere that offers no TLS gets nothing."""
    with smtp_server() as server:
        monkeypatch.setattr("pbem.mail.transport.accounts.LOOPBACK", frozenset())
        with pytest.raises(AccountError, match="TLS"), carrier(server.url) as link:
            link.send("a@example.org", "b@example.org", b"x")
        assert server.desk.mails == []


def test_a_bounce_from_far_away_is_noted_and_a_forged_one_is_not(full):
    raw = (full.folder / "outbox" / "new" / full.names[0]).read_bytes()
    ident = decode_mail(raw).message_id
    seat = full.names[0].split(".")[1]

    def bounced(ident, number):
        return synthetic_mail.SyntheticEmail(
            full.now,
            "mailer-daemon@mx.example",
            (
                f"Return-Path: <>\r\nFrom: mailer-daemon@mx.example\r\nTo: pbem@games.example\r\n"
                f"Subject: failure {number}\r\n"
                f"Message-ID: <{number}@mx.example>\r\n\r\nYour message {ident} could not be delivered.\r\n"
            ).encode(),
        )

    forged = ident.replace(ident.partition("@")[0][-4:], "0000")
    full.ingest(full.box([bounced(ident, 1), bounced(forged, 2)], "bounces.mbox"))
    notes = list(Bounces(full.folder).listed())
    assert [(note.game, note.seat) for note in notes] == [("ballot", seat)]
    full.now += timedelta(hours=1)
    full.ingest(full.folder / "bounces.mbox")
    assert list(Bounces(full.folder).listed()) == notes, "read again, it is noted once"


# ------------------------------------------------------------------ IMAP


def test_fetch_is_ingest_by_imap(desk, make_desk, mailbox):
    mailbox.put(desk.mails)
    assert not any(mailbox.flags())
    report = fetch([desk.folder], mailbox.url, now=desk.now)
    assert not report.incomplete
    assert all(mailbox.flags())
    other = make_desk()
    other.ingest(other.box(other.mails))
    assert load(desk.save).header.head == load(other.save).header.head
    assert heartbeat.load(desk.folder).read == desk.now


def test_the_bookmark_keeps_old_mail_from_being_read_again(desk, mailbox):
    mailbox.put(desk.mails[:3])
    assert len(fetch([desk.folder], mailbox.url, now=desk.now).emails) == 3
    again = fetch([desk.folder], mailbox.url, now=desk.now)
    assert again.idle
    assert again.known == 0
    mailbox.put(desk.mails[3:])
    with Mailbox(mailbox.url, desk.folder) as box:
        assert len(box.new()) == len(desk.mails) - 3
    assert not fetch([desk.folder], mailbox.url, now=desk.now).incomplete


def test_seen_only_after_commit(desk, mailbox, monkeypatch):
    mailbox.put(desk.mails[:2])
    before = load(desk.save).header.head

    def dies(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pbem.mail.inbox.inbox_run.InboxRun.add_message", dies)
    with pytest.raises(KeyboardInterrupt):
        fetch([desk.folder], mailbox.url, now=desk.now)
    monkeypatch.undo()
    monkeypatch.setenv("PBEM_IMAP_PASSWORD", mailbox.password)
    assert not any(mailbox.flags())
    assert load(desk.save).header.head == before
    fetch([desk.folder], mailbox.url, now=desk.now)
    assert all(mailbox.flags())


def test_a_letter_to_a_damaged_save_is_left_and_read_again(desk, mailbox):
    whole = desk.save.read_bytes()
    mailbox.put(desk.mails[:2])
    desk.save.write_bytes(whole[:-20])
    report = fetch([desk.folder], mailbox.url, now=desk.now)
    assert report.incomplete
    assert not any(mailbox.flags())
    desk.save.write_bytes(whole)
    report = fetch([desk.folder], mailbox.url, now=desk.now)
    assert not report.incomplete
    assert len(report.emails) == 2
    assert all(mailbox.flags())


def test_a_wrong_password_is_no_heartbeat(desk, mailbox, monkeypatch):
    monkeypatch.setenv("PBEM_IMAP_PASSWORD", "wrong")
    # a static passdb takes one password only
    with pytest.raises(SourceError):
        fetch([desk.folder], mailbox.url, now=desk.now)
    assert heartbeat.load(desk.folder).read is None


def test_a_huge_message_is_read_in_part_and_put_aside(desk, mailbox):
    first = desk.mails[0]
    huge = synthetic_mail.SyntheticEmail(first.at, first.sender, first.raw + b"x" * 72 + b"\r\n" + b"y" * (6 << 20))
    mailbox.put([huge])
    report = fetch([desk.folder], mailbox.url, now=desk.now)
    assert [letter.fate for letter in report.emails] == ["quarantined"]
    (held,) = Quarantine(desk.folder / "quarantine").listed()
    assert held.detail == "1 MB"


def test_ingest_and_fetch_know_each_others_letters(desk, mailbox):
    ingest([desk.folder], [desk.box(desk.mails)], now=desk.now)
    head = load(desk.save).header.head
    mailbox.put(desk.mails)
    report = fetch([desk.folder], mailbox.url, now=desk.now)
    assert report.emails == []
    assert load(desk.save).header.head == head


def test_later_is_an_oserror():
    assert issubclass(TemporaryFailure, OSError)
