"""Logging in with an access token: XOAUTH2 to IMAP and SMTP, and the command that prints the token."""

from __future__ import annotations

import base64
import contextlib
import re
import socketserver
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from pbem.clock import heartbeat
from pbem.mail.inbox.ingest import fetch
from pbem.mail.inbox.sources import SourceError
from pbem.mail.transport import tokens
from pbem.mail.transport.accounts import TokenError
from pbem.mail.transport.dispatch import dispatch
from pbem.mail.transport.imap import Mailbox
from pbem.mail.transport.smtp import carrier

GOOGLE = '{"status":"401","schemes":"bearer","scope":"https://mail.google.com/"}'
DOVECOT = '{"status":"invalid_token","scope":"mail"}'


class TokenServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    state: SimpleNamespace


class TokenSession(socketserver.StreamRequestHandler):
    """One session of a server that knows one token; `server.state` notes what was given to it."""

    server: TokenServer

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())
        self.wfile.flush()

    def hear(self) -> str:
        return self.rfile.readline(200_000).decode().rstrip("\r\n")

    def right(self, word: str) -> bool:
        state = self.server.state
        given = base64.b64decode(word).decode()
        found = re.fullmatch("user=(.*)\x01auth=Bearer (.*)\x01\x01", given)
        state.given.append(found.groups())
        return found[1] == "anna@example.org" and found[2] == state.good

    def refuse(self, mark: str) -> bool:
        """Say why, as a challenge; what comes back must be empty. Returns false if the session ends there."""
        state = self.server.state
        if state.cuts:
            return False
        if state.challenge is not None:
            self.say(mark + state.challenge)
            assert self.hear() == ""
        return True


class ImapTokens(TokenSession):
    def handle(self) -> None:
        self.say("* OK ready")
        while line := self.hear():
            tag, name, *words = line.split(" ")
            if name == "CAPABILITY":
                self.say("* CAPABILITY IMAP4rev1")
            elif name == "AUTHENTICATE":
                assert words == ["XOAUTH2"]
                self.say("+ ")
                if not self.right(self.hear()):
                    if not self.refuse("+ "):
                        return
                    self.say(f"{tag} NO {self.server.state.no}")
                    continue
            elif name == "LOGIN":
                self.say(f"{tag} NO no passwords here")
                continue
            elif name == "SELECT":
                self.say("* 0 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n* OK [UIDNEXT 1] ok")
            elif name == "UID":
                self.say("* SEARCH")
            self.say(f"{tag} OK done")
            if name == "LOGOUT":
                return


class SmtpTokens(TokenSession):
    def handle(self) -> None:
        self.say("220 ready")
        while line := self.hear():
            name, *words = line.split(" ")
            if name == "ehlo":
                self.say("250-mx.test\r\n250 AUTH XOAUTH2 PLAIN")
            elif name == "AUTH":
                assert words[0] == "XOAUTH2"
                if self.right(words[1]):
                    self.say("235 ok")
                elif not self.refuse("334 "):
                    return
                else:
                    self.say(f"535 {self.server.state.no}")
            elif name == "data":
                self.say("354 go on")
                while self.hear() != ".":
                    pass
                self.server.state.mails += 1
                self.say("250 taken")
            else:
                self.say("221 bye" if name == "quit" else "250 ok")


@contextlib.contextmanager
def server(kind, good="good", challenge=GOOGLE, no="AUTHENTICATIONFAILED", cuts=False):
    """A server that takes the token `good`; its URL and what was given to it."""
    encoded = None if challenge is None else base64.b64encode(challenge.encode()).decode()
    state = SimpleNamespace(good=good, given=[], mails=0, challenge=encoded, no=no, cuts=cuts)
    with TokenServer(("127.0.0.1", 0), kind) as listening:
        listening.state = state
        threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        scheme = "imap" if kind is ImapTokens else "smtp"
        state.url = f"{scheme}://anna%40example.org@127.0.0.1:{listening.server_address[1]}"
        try:
            yield state
        finally:
            listening.shutdown()


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Set the command; it prints these tokens, one at each run (the last one again and again)."""
    monkeypatch.delenv("PBEM_IMAP_PASSWORD", raising=False)
    monkeypatch.delenv("PBEM_SMTP_PASSWORD", raising=False)

    def give(*words):
        path = tmp_path / "tokens"
        path.write_text("\n".join(words) + "\n")
        line = f"head -1 '{path}'; if [ $(wc -l < '{path}') -gt 1 ]; then sed -i 1d '{path}'; fi"
        monkeypatch.setenv("PBEM_MAIL_TOKEN_COMMAND", line)

    return give


pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="commands of a shell")


def test_mail_is_read_and_sent_with_a_fresh_token_each(full, command):
    command("first", "second")
    with server(ImapTokens, "first") as imap:
        fetch([full.folder], imap.url, now=full.now)
    with server(SmtpTokens, "second") as smtp:
        assert sorted(dispatch(full.folder, carrier(smtp.url), now=full.now).sent) == full.names
    assert imap.given == [("anna@example.org", "first")]
    assert smtp.given == [("anna@example.org", "second")]
    assert smtp.mails == 4
    assert heartbeat.load(full.folder).read == full.now


def test_a_refused_token_is_asked_for_once_more(full, command):
    command("expired", "good")
    with server(ImapTokens) as imap:
        fetch([full.folder], imap.url, now=full.now)
    assert [token for _, token in imap.given] == ["expired", "good"]
    command("expired", "good")
    with server(SmtpTokens) as smtp:
        assert sorted(dispatch(full.folder, carrier(smtp.url), now=full.now).sent) == full.names
    assert [token for _, token in smtp.given] == ["expired", "good"]


SAYS: dict[str, tuple[dict, str]] = {
    "Gmail": ({}, "the token isn't valid, or has expired [401]"),
    "Dovecot": ({"challenge": DOVECOT}, "the token isn't valid, or has expired [invalid_token]"),
    "RFC 7628": ({"challenge": '{"error":"insufficient_scope","status":403}'}, "the token doesn't allow mail [403]"),
    "an error of its own": ({"challenge": '{"error":"mfa_required\x1b[2J"}'}, "mfa_required"),
    "no JSON": ({"challenge": "go away"}, "go away"),
    "no challenge": ({"challenge": None, "no": "5.7.3 Authentication unsuccessful"}, "Authentication unsuccessful"),
    "JSON in the last line": (
        {"challenge": None, "no": f"denied {base64.b64encode(DOVECOT.encode()).decode()}"},
        "denied (the token isn't valid, or has expired [invalid_token])",
    ),
    "cut": ({"cuts": True}, ""),
}  # fmt: skip


@pytest.mark.parametrize("case", SAYS)
@pytest.mark.parametrize("kind", [ImapTokens, SmtpTokens])
def test_what_the_server_says_of_a_token_is_told_in_words(full, command, kind, case):
    more, says = SAYS[case]
    command("secret-1", "secret-2", "secret-3")
    with server(kind, **more) as wrong:
        if kind is ImapTokens:
            with pytest.raises(SourceError) as stopped:
                fetch([full.folder], wrong.url, now=full.now)
            said = str(stopped.value)
        else:
            done = dispatch(full.folder, carrier(wrong.url), now=full.now)
            assert sorted(done.later) == full.names
            said = " ".join(done.later.values())
    assert says in said
    assert "secret-" not in said
    assert "\x1b" not in said
    assert case == "cut" or [token for _, token in wrong.given] == ["secret-1", "secret-2"]


BAD = {
    "exit 3": "status 3",
    "echo 'refresh token expired' >&2; exit 1": "status 1: refresh token expired",
    "true": "its first line is empty",
    "echo two words": "has blanks",
    "printf 'tok\\303\\244n'": "has blanks",
    "no-such-program-here": "status 127",
}


@pytest.mark.parametrize("line", BAD)
def test_a_command_without_a_token_says_so_and_nothing_it_printed(full, monkeypatch, line):
    monkeypatch.setenv("PBEM_MAIL_TOKEN_COMMAND", line)
    with server(SmtpTokens) as smtp, server(ImapTokens) as imap:
        told = " ".join(dispatch(full.folder, carrier(smtp.url), now=full.now).later.values())
        with pytest.raises(SourceError) as stopped, Mailbox(imap.url, full.folder):
            pass
    for said in (told, str(stopped.value)):
        assert BAD[line] in said
        assert "two words" not in said
    assert smtp.given == imap.given == []


def test_a_command_that_hangs_is_ended_with_all_it_started(monkeypatch, tmp_path):
    monkeypatch.setattr(tokens, "PATIENCE", 0.2)
    with pytest.raises(TokenError, match=r"within 0\.2 seconds"):
        tokens.token_of(f"echo $$ > '{tmp_path}/group'; sleep 600 & sleep 600")
    group = int((tmp_path / "group").read_text())
    until = time.monotonic() + 5
    while _lives(group):
        assert time.monotonic() < until
        time.sleep(0.01)


def _lives(group):
    import os
    from pathlib import Path

    if not Path("/proc").is_dir():
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, 0)
            return True
        return False
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            state, _, pgrp = stat.read_text().rpartition(")")[2].split()[:3]
            if int(pgrp) == group and state != "Z":
                return True
    return False


def test_the_folder_names_the_command_and_a_password_variable_wins(full, monkeypatch):
    from pbem.save.folder_settings import FolderMail, FolderSettings, folder_settings

    monkeypatch.delenv("PBEM_MAIL_TOKEN_COMMAND", raising=False)
    monkeypatch.delenv("PBEM_SMTP_PASSWORD", raising=False)
    before = folder_settings.set(FolderSettings(mail=FolderMail(token_command="echo good")))
    try:
        assert tokens.token_source("PBEM_SMTP_PASSWORD")() == "good"
        monkeypatch.setenv("PBEM_SMTP_PASSWORD", "a password")
        assert tokens.token_source("PBEM_SMTP_PASSWORD") is None
    finally:
        folder_settings.reset(before)


def test_dovecot_takes_a_token_in_force_and_says_why_it_takes_no_other(full, mailbox, dovecot, provider, command):
    provider.good.add("fresh")
    command("old", "fresh")
    fetch([full.folder], dovecot.url, now=full.now)
    assert heartbeat.load(full.folder).read == full.now
    provider.good.clear()
    command("old", "fresh")
    with pytest.raises(SourceError, match="the token isn't valid, or has expired"):
        fetch([full.folder], dovecot.url, now=full.now)
