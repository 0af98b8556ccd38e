"""TLS from the start and by STARTTLS, to SMTP and IMAP; bad certificates; passwords from environment and keyring."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import keyring
import pytest
from aiosmtpd.smtp import AuthResult
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from pbem.clock import heartbeat
from pbem.mail.inbox.ingest import fetch
from pbem.mail.transport.accounts import AccountError
from pbem.mail.transport.dispatch import dispatch
from pbem.mail.transport.imap import Mailbox, folder_name
from pbem.mail.transport.smtp import carrier
from tests.mail.servers import free_port, smtp_server

ELSEWHERE = pytest.mark.usefixtures("elsewhere")
"""As if the server were not on this machine: TLS is a must, and certificates are looked at."""


@pytest.fixture
def elsewhere(monkeypatch):
    monkeypatch.setattr("pbem.mail.transport.accounts.LOOPBACK", frozenset())


@pytest.fixture
def trusted(monkeypatch, authority):
    monkeypatch.setenv("PBEM_CAFILE", str(authority.pem))


def server_of(scheme, authority, which="good", **more):
    """An SMTP server that speaks TLS as the scheme says, and insists on it."""
    context = authority.server(which)
    if scheme == "smtps":
        return smtp_server(ssl_context=context, **more)
    return smtp_server(tls_context=context, require_starttls=True, **more)


# ------------------------------------------------------------------ SMTP


@ELSEWHERE
@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("scheme", ["smtps", "submission", "smtp"])
def test_letters_go_by_tls_and_the_password_too(full, authority, monkeypatch, scheme):
    seen = []

    def check(server, session, envelope, mechanism, data):
        seen.append((session.ssl is not None or scheme == "smtps", data.login, data.password))
        return AuthResult(success=data.password == b"right", handled=False)

    monkeypatch.setenv("PBEM_SMTP_PASSWORD", "right")
    more = {"authenticator": check, "auth_required": True, "auth_require_tls": scheme != "smtps"}
    with server_of(scheme, authority, **more) as server:
        url = f"{scheme}://pbem%40example.org@127.0.0.1:{server.port}"
        done = dispatch(full.folder, carrier(url), now=full.now)
    assert sorted(done.sent) == full.names
    assert seen == [(True, b"pbem@example.org", b"right")]
    assert server.desk.tls == ([True] * 4 if scheme != "smtps" else server.desk.tls)


CASES = [("good", "PBEM_CAFILE"), ("other", "another host"), ("old", "out of date")]


@ELSEWHERE
@pytest.mark.parametrize("scheme", ["smtps", "submission"])
@pytest.mark.parametrize(("which", "says"), CASES)
def test_a_bad_certificate_stops_all_and_says_what_to_do(full, authority, monkeypatch, scheme, which, says):
    if which != "good":  # its authority is known, and still it is bad
        monkeypatch.setenv("PBEM_CAFILE", str(authority.pem))
    monkeypatch.setenv("PBEM_SMTP_PASSWORD", "right")
    with server_of(scheme, authority, which) as server:
        with pytest.raises(AccountError, match=says) as stopped:
            dispatch(full.folder, carrier(f"{scheme}://pbem@127.0.0.1:{server.port}"), now=full.now)
        assert server.desk.mails == []
    assert f"{scheme}://pbem@127.0.0.1" in str(stopped.value)
    assert "right" not in str(stopped.value).replace("clock right", "")
    assert sorted(path.name for path in (full.folder / "outbox" / "new").iterdir()) == full.names
    assert not (full.folder / "outbox" / "tries.json").exists()


@ELSEWHERE
def test_tls_to_a_port_without_it_says_so(full):
    with smtp_server() as server, pytest.raises(AccountError, match="submission://"):
        dispatch(full.folder, carrier(f"smtps://127.0.0.1:{server.port}"), now=full.now)


@pytest.mark.parametrize("scheme", ["smtp", "submission"])
def test_starttls_on_this_machine(full, authority, scheme):
    """`smtp://localhost` would go in the clear: whose certificate it is does not matter. `submission` asks for TLS."""
    with server_of(scheme, authority) as server:
        url = f"{scheme}://127.0.0.1:{server.port}"
        if scheme == "submission":
            with pytest.raises(AccountError, match="PBEM_CAFILE"):
                dispatch(full.folder, carrier(url), now=full.now)
        else:
            assert len(dispatch(full.folder, carrier(url), now=full.now).sent) == 4
            assert server.desk.tls == [True] * 4


def test_submission_without_starttls_sends_nothing(full):
    with smtp_server() as server, pytest.raises(AccountError, match="no TLS"):
        dispatch(full.folder, carrier(f"submission://127.0.0.1:{server.port}"), now=full.now)
    assert server.desk.mails == []


@pytest.mark.parametrize(("content", "says"), [(None, "No such file"), ("no certificate", "no PEM file")])
def test_a_cafile_that_is_none(full, authority, monkeypatch, tmp_path, content, says):
    path = tmp_path / "own.pem"
    if content:
        path.write_text(content)
    monkeypatch.setenv("PBEM_CAFILE", str(path))
    with server_of("smtps", authority) as server, pytest.raises(AccountError, match=says):
        dispatch(full.folder, carrier(f"smtps://127.0.0.1:{server.port}"), now=full.now)


def test_the_command_says_it_in_a_sentence(full, authority):
    """What cron mails to the moderator: what is wrong and what to do; no traceback."""
    with server_of("submission", authority) as server:
        url = f"submission://127.0.0.1:{server.port}"
        command = [
            sys.executable,
            "-c",
            "from pbem.cli import main; main()",
            "-q",
            "send",
            "--saves",
            str(full.folder),
            "--smtp",
            url,
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"pbem: {url}: its certificate is not trusted")
    assert "set PBEM_CAFILE" in done.stderr
    assert "Traceback" not in done.stderr


# ------------------------------------------------------------------ IMAP


@ELSEWHERE
@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("how", ["tls", "url"])
def test_fetch_by_tls_and_by_starttls(desk, mailbox, how):
    mailbox.put(desk.mails[:3])
    report = fetch([desk.folder], getattr(mailbox, how), now=desk.now)
    assert len(report.emails) == 3
    assert not report.incomplete
    assert all(mailbox.flags())


@ELSEWHERE
@pytest.mark.parametrize("how", ["tls", "url"])
def test_imap_with_a_certificate_that_nobody_vouches_for(desk, mailbox, how):
    mailbox.put(desk.mails[:3])
    with pytest.raises(AccountError, match="PBEM_CAFILE"):
        fetch([desk.folder], getattr(mailbox, how), now=desk.now)
    assert heartbeat.load(desk.folder).read is None, "no mail was read, so no heartbeat"
    assert not any(mailbox.flags())


@ELSEWHERE
@pytest.mark.usefixtures("trusted")
def test_imap_under_a_name_that_the_certificate_does_not_have(desk, mailbox):
    port = mailbox.tls.rpartition(":")[2]
    with pytest.raises(AccountError, match="another host"):
        fetch([desk.folder], f"imaps://anna@127.0.0.2:{port}", now=desk.now)


def test_imaps_to_a_port_without_tls_from_the_start(desk, mailbox):
    port = mailbox.url.rpartition(":")[2]
    with pytest.raises(AccountError, match="imap://"):
        fetch([desk.folder], f"imaps://anna@127.0.0.1:{port}", now=desk.now)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("INBOX", '"INBOX"'),
        ("Spiele & Briefe", '"Spiele &- Briefe"'),
        ("~peter/mail/台北/日本語", '"~peter/mail/&U,BTFw-/&ZeVnLIqe-"'),  # the example of RFC 3501
        ('a"b\\c', '"a\\"b\\\\c"'),
    ],
)
def test_names_of_mailboxes(name, written):
    assert folder_name(name) == written


def test_a_mailbox_with_a_name_of_its_own(desk, mailbox):
    def make(link):
        link.create(folder_name("ゲーム & 手紙"))
        link.append(folder_name("ゲーム & 手紙"), "", None, desk.mails[0].raw)

    mailbox.talk(make)
    with Mailbox(f"{mailbox.url}/%E3%82%B2%E3%83%BC%E3%83%A0%20&%20%E6%89%8B%E7%B4%99", desk.folder) as box:
        assert len(box.new()) == 1


# ------------------------------------------------------------------ passwords


class InMemory(KeyringBackend):
    """A keyring like any other, but for where it keeps things."""

    priority = 1

    def __init__(self):
        self.kept = {}

    def get_password(self, service, username):
        return self.kept.get((service, username))

    def set_password(self, service, username, password):
        self.kept[service, username] = password

    def delete_password(self, service, username):
        del self.kept[service, username]


class Shut(InMemory):
    def get_password(self, service, username):
        raise KeyringLocked("the ring is locked")


@pytest.fixture
def ring(monkeypatch):
    monkeypatch.delenv("PBEM_SMTP_PASSWORD", raising=False)
    monkeypatch.delenv("PBEM_IMAP_PASSWORD", raising=False)
    before = keyring.get_keyring()
    keyring.set_keyring(InMemory())
    yield SimpleNamespace(use=keyring.set_keyring)
    keyring.set_keyring(before)


@pytest.mark.usefixtures("ring")
def test_smtp_password_from_the_keyring(full, authority, monkeypatch):
    keyring.set_password("pbem", "pbem@127.0.0.1", "of the ring")

    def check(server, session, envelope, mechanism, data):
        return AuthResult(success=data.password == b"of the ring", handled=False)

    with server_of("smtp", authority, authenticator=check, auth_required=True) as server:
        url = f"smtp://pbem@127.0.0.1:{server.port}"
        monkeypatch.setenv("PBEM_SMTP_PASSWORD", "the environment comes first")
        done = dispatch(full.folder, carrier(url), now=full.now)
        assert "does not accept user or password" in next(iter(done.later.values()))
        monkeypatch.delenv("PBEM_SMTP_PASSWORD")
        assert len(dispatch(full.folder, carrier(url), now=full.now).sent) == 4


def test_imap_password_from_the_keyring(desk, mailbox, ring):
    with pytest.raises(AccountError, match="run `pbem setup mail`, or set PBEM_"):
        fetch([desk.folder], mailbox.url, now=desk.now)
    keyring.set_password("pbem", "anna@127.0.0.1", mailbox.password)
    mailbox.put(desk.mails[:1])
    assert len(fetch([desk.folder], mailbox.url, now=desk.now).emails) == 1
    ring.use(Shut())
    with pytest.raises(AccountError, match="the keyring reports: the ring is locked"):
        fetch([desk.folder], mailbox.url, now=desk.now)


@pytest.mark.usefixtures("ring")
def test_without_the_library(full, monkeypatch):
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(AccountError, match=r"extra .keyring."):
        dispatch(full.folder, carrier(f"smtp://pbem@127.0.0.1:{free_port()}"), now=full.now)


def test_a_password_that_mail_cannot_carry(full, monkeypatch):
    monkeypatch.setenv("PBEM_SMTP_PASSWORD", "Bücher")
    with pytest.raises(AccountError, match="other than ASCII"):
        dispatch(full.folder, carrier(f"smtp://pbem@127.0.0.1:{free_port()}"), now=full.now)


def test_no_password_is_written_anywhere(full, authority, monkeypatch):
    monkeypatch.setenv("PBEM_SMTP_PASSWORD", "s3cret-of-mine")

    def check(server, session, envelope, mechanism, data):
        return AuthResult(success=False, handled=False)

    with server_of("smtp", authority, authenticator=check, auth_required=True) as server:
        url = f"smtp://pbem@127.0.0.1:{server.port}"
        done = dispatch(full.folder, carrier(url), now=full.now)
    assert "s3cret" not in str(done)
    for path in full.folder.rglob("*"):
        assert not path.is_file() or b"s3cret-of-mine" not in path.read_bytes()
