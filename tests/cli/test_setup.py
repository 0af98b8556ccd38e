"""`pbem setup`: a new moderator connects a mailbox, tests it, schedules runs and chooses defaults."""

from __future__ import annotations

import hashlib
import os
import re
import select
import shutil
import smtplib
import ssl
import stat
import subprocess
import sys
import tomllib
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from aiosmtpd.smtp import AuthResult
from click.testing import CliRunner

from pbem.cli import main
from pbem.cli.answers import store
from pbem.cli.console import Exit
from pbem.mail.transport import login_check
from pbem.save.folder_settings import load_folder_settings
from tests.mail.servers import authority, dovecot, free_port, mailbox, provider, smtp_server

__all__ = ["authority", "dovecot", "mailbox", "provider"]  # fixtures

AUTH = "Authentication-Results: mx.example.org; spf=pass; dkim=pass header.d=example.org; dmarc=pass\r\n"


@pytest.fixture
def post(pbem, mailbox, dovecot, authority, monkeypatch):
    """A mail host: IMAP with its own authority's certificate, and SMTP that delivers into the same mailbox."""
    for name in ("PBEM_CAFILE", "PBEM_IMAP", "PBEM_SMTP", "PBEM_IMAP_PASSWORD", "PBEM_SMTP_PASSWORD"):
        monkeypatch.delenv(name, raising=False)

    def check(server, session, envelope, mechanism, data):
        good = (data.login, data.password) == (b"anna", dovecot.password.encode())
        return AuthResult(success=good, handled=False)

    more = {"authenticator": check, "auth_required": True, "tls_context": authority.server(), "require_starttls": True}
    with smtp_server(**more) as smtp:
        smtp.head, smtp.lost, taken = AUTH, False, []

        async def deliver(server, session, envelope):
            taken.append(message_from_bytes(envelope.content))
            if not smtp.lost:
                path = dovecot.mail / "tmp" / f"1.{len(taken)}.{os.urandom(4).hex()}"
                path.write_bytes(smtp.head.encode() + envelope.content)
                shutil.chown(path, dovecot.mail.stat().st_uid, dovecot.mail.stat().st_gid)
                path.rename(dovecot.mail / "new" / path.name)
            return "250 taken"

        smtp.desk.handle_DATA, smtp.taken = deliver, taken
        smtp.imap = mailbox.tls.rpartition(":")[2]
        smtp.password, smtp.folder = dovecot.password, pbem.folder / "games"
        smtp.words = ("--address", "pbem@example.org", "--user", "anna", "--saves", smtp.folder,
                      "--imap-server", f"127.0.0.1:{smtp.imap}", "--smtp-server", f"127.0.0.1:{smtp.port}")  # fmt: skip
        yield smtp


@pytest.fixture
def trusted(post, authority):
    """The folder knows the mail host's authority."""
    post.folder.mkdir()
    (post.folder / "own.pem").write_bytes(authority.pem.read_bytes())
    (post.folder / "pbem.toml").write_text('# of maria\n[mail]\ncafile = "own.pem" # of our host\n')
    return post


def settings(folder):
    return load_folder_settings(folder)


def typed(words, text):
    """Run a command as if on a terminal, with these lines typed."""
    return CliRunner().invoke(main, [str(word) for word in words], input=text, catch_exceptions=False)


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr("pbem.cli.answers.on_terminal", lambda: True)
    monkeypatch.setattr("pbem.cli.setup.on_terminal", lambda: True)


# -- 1 mail ----------------------------------------------------------------------------------------------------------


def test_every_answer_is_an_option(pbem, trusted):
    said = pbem("setup", "mail", *trusted.words, "--password-file", "-", stdin=f"{trusted.password}\n").stdout
    assert f"ok  127.0.0.1:{trusted.imap}, TLS, logged in, INBOX, 0 new emails" in said
    assert f"ok  127.0.0.1:{trusted.port}, TLS, logged in" in said
    found = settings(trusted.folder).mail
    assert (found.address, found.imap, found.smtp, found.password_file, found.cafile) == (
        "pbem@example.org", f"imaps://anna@127.0.0.1:{trusted.imap}",
        f"submission://anna@127.0.0.1:{trusted.port}", ".password", "own.pem",
    )  # fmt: skip
    secret = trusted.folder / ".password"
    assert (secret.read_text(), stat.S_IMODE(secret.stat().st_mode)) == (f"{trusted.password}\n", 0o600)
    text = (trusted.folder / "pbem.toml").read_text()
    assert "# of maria\n" in text
    assert 'cafile = "own.pem" # of our host' in text
    assert trusted.password not in text + said
    pbem("run", "--saves", trusted.folder, code=Exit.PARTIAL)  # no games yet, but no option is missing


def test_without_a_terminal_what_is_missing_is_named(pbem, monkeypatch):
    said = pbem("setup", "mail", "--address", "pbem@example.org", code=Exit.USAGE).stderr
    assert "missing: --imap-server, --smtp-server, --password-file" in said
    assert "missing: --moderator\n" in pbem("setup", "defaults", code=Exit.USAGE).stderr
    assert "no terminal" in pbem("setup", code=Exit.USAGE).stderr
    assert not (pbem.folder / "pbem.toml").exists()
    assert "--address: " in pbem("setup", "mail", "--address", "no address", code=Exit.USAGE).stderr


def test_a_wrong_password_changes_nothing(pbem, trusted):
    before = (trusted.folder / "pbem.toml").read_text()
    result = pbem("setup", "mail", *trusted.words, "--password-file", "-", stdin="wrong\n", code=Exit.FAILED_CHECK)
    assert "no  " in result.stderr
    assert "app password or a token" in result.stderr
    assert "wrong" not in result.output
    assert (trusted.folder / "pbem.toml").read_text() == before
    assert sorted(path.name for path in trusted.folder.iterdir()) == ["own.pem", "pbem.toml"]


def test_a_password_variable_does_not_hide_a_wrong_password(pbem, trusted, monkeypatch):
    monkeypatch.setenv("PBEM_IMAP_PASSWORD", trusted.password)
    monkeypatch.setenv("PBEM_SMTP_PASSWORD", trusted.password)
    pbem("setup", "mail", *trusted.words, "--password-file", "-", stdin="wrong\n", code=Exit.FAILED_CHECK)
    assert os.environ["PBEM_IMAP_PASSWORD"] == trusted.password


def test_on_a_terminal_a_failed_step_is_asked_again(trusted, terminal):
    start = ["pbem@example.org", f"127.0.0.1:{trusted.imap}", f"127.0.0.1:{trusted.port}", "anna", ""]
    wrong, right = ("\n".join([*start, secret, "1"]) for secret in ("wrong", trusted.password))
    result = typed(["setup", "mail", "--saves", trusted.folder], f"{wrong}\n{right}\n")
    assert result.exit_code == 0, result.output
    assert result.output.index("no  ") < result.output.index("ok  ")
    assert trusted.password not in result.output.replace(right, "")
    # Each answer is the default of a second run, and the password stays.
    again = typed(["setup", "mail", "--saves", trusted.folder], "\n" * 6)
    assert again.exit_code == 0, again.output
    assert f"[127.0.0.1:{trusted.imap}]" in again.output
    assert (trusted.folder / ".password").read_text() == f"{trusted.password}\n"


def test_a_certificate_of_ones_own_server_is_shown_and_kept_after_a_yes(pbem, post, terminal, authority):
    pem = authority.certs["good"].cert_chain_pems[0].bytes().decode()
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest().upper()
    mark = ":".join(digest[at : at + 2] for at in range(0, 64, 2))
    words = ["setup", "mail", *post.words, "--login", "password", "--store", "file", "--password-file"]
    secret = post.folder / ".secret"
    post.folder.mkdir()
    secret.write_text(post.password)
    assert "chmod 600" in typed([*words, secret], "").output
    secret.chmod(0o600)
    no = typed([*words, secret], "n\n")
    assert f"SHA-256 {mark}" in no.output
    assert not (post.folder / "ca.pem").exists()
    yes = typed([*words, secret], "y\n")
    assert yes.exit_code == 0, yes.output
    assert (post.folder / "ca.pem").read_text() == pem
    assert settings(post.folder).mail.cafile == "ca.pem"
    assert settings(post.folder).mail.password_file == ".secret"
    assert pbem("setup", "test", "--no-authserv", "--saves", post.folder).exit_code == 0


def test_the_fingerprint_as_an_option(pbem, post, authority):
    pem = authority.certs["good"].cert_chain_pems[0].bytes().decode()
    digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()
    words = ("setup", "mail", *post.words, "--password-file", "-", "--trust")
    pbem(*words, "0" * 64, stdin=post.password, code=Exit.FAILED_CHECK)
    pbem(*words, digest, stdin=post.password)
    assert settings(post.folder).mail.cafile == "ca.pem"


def test_a_maildir_and_the_mail_system_of_this_machine_need_no_login(pbem, tmp_path):
    (tmp_path / "Maildir" / "new").mkdir(parents=True)
    (tmp_path / "sendmail").write_text("#!/bin/sh\n")
    pbem("setup", "mail", "--address", "pbem@example.org", "--imap-server", tmp_path / "Maildir",
         "--smtp-server", tmp_path / "sendmail")  # fmt: skip
    found = settings(tmp_path).mail
    assert (found.maildir, found.imap, found.password_file) == (str(tmp_path / "Maildir"), "", "")
    assert pbem("setup", "mail", "--imap-server", tmp_path / "nowhere", code=Exit.FAILED_CHECK)


def test_the_keyring_is_offered_and_its_refusal_is_told(pbem, trusted, monkeypatch):
    import keyring

    kept = {}
    monkeypatch.setattr(keyring, "set_password", lambda service, name, word: kept.update({(service, name): word}))
    monkeypatch.setattr(keyring, "get_password", lambda service, name: kept.get((service, name)))
    words = ("setup", "mail", *trusted.words, "--password-file", "-", "--store", "keyring")
    pbem(*words, stdin=trusted.password)
    assert kept == {("pbem", "anna@127.0.0.1"): trusted.password}
    assert not (trusted.folder / ".password").exists()
    assert pbem("setup", "test", "--saves", trusted.folder).exit_code == 0

    def locked(*words):
        raise keyring.errors.KeyringLocked("no desktop\nmore")

    monkeypatch.setattr(keyring, "set_password", locked)
    said = pbem(*words, stdin=trusted.password, code=Exit.FAILED_CHECK).stderr
    assert "no desktop" in said
    assert "--store file" in said


def test_a_token_command_that_fails(pbem, trusted):
    words = ("setup", "mail", *trusted.words, "--login", "token", "--token-command", "exit 3")
    assert "status 3" in pbem(*words, code=Exit.FAILED_CHECK).stderr


SERVERS = [
    ("mail.example.org", False, ["imaps://a%40b@mail.example.org", "imap://a%40b@mail.example.org"]),
    ("mail.example.org", True, ["submission://a%40b@mail.example.org", "smtps://a%40b@mail.example.org"]),
    ("mail.example.org:465", True, ["smtps://a%40b@mail.example.org:465"]),
    (
        "mail.example.org:2525",
        True,
        ["submission://a%40b@mail.example.org:2525", "smtps://a%40b@mail.example.org:2525"],
    ),
    ("localhost", True, ["submission://a%40b@localhost", "smtps://a%40b@localhost", "smtp://localhost"]),
    ("imaps://x@y/Games", False, ["imaps://x@y/Games"]),
    ("sendmail", True, ["sendmail"]),
]


@pytest.mark.parametrize(("server", "sends", "urls"), SERVERS)
def test_a_server_is_tried_at_its_usual_ports(server, sends, urls):
    assert login_check.urls_of(server, "a@b", sends=sends) == urls


def test_servers_are_guessed_from_the_address(monkeypatch):
    there = {("mail.example.org", 993), ("smtp.example.org", 465)}
    monkeypatch.setattr(login_check, "accepts", lambda host, port: (host, port) in there)
    assert login_check.guess_servers("example.org") == ("mail.example.org", "smtp.example.org")
    assert login_check.guess_servers("elsewhere.example") == ("", "")
    assert login_check.guess_servers("") == ("", "")


def test_nobody_listens(pbem, tmp_path):
    port = free_port()
    result = pbem("setup", "mail", "--address", "a@example.org", "--imap-server", f"127.0.0.1:{port}", "--smtp-server",
                  "sendmail", "--password-file", "-", stdin="x", code=Exit.FAILED_CHECK)  # fmt: skip
    assert f"127.0.0.1:{port}: Connection refused" in result.stderr


# -- 2 test ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def connected(pbem, trusted):
    pbem("setup", "mail", *trusted.words, "--password-file", "-", stdin=trusted.password)
    return trusted


def test_an_email_goes_round_and_its_verdict_is_told(pbem, connected):
    said = pbem("setup", "test", "--saves", connected.folder).stdout
    assert "ok  email to pbem@example.org sent, back after" in said
    assert "ok  SPF pass, DKIM pass, DMARC pass, says mx.example.org" in said
    assert settings(connected.folder).mail.authserv == "mx.example.org"
    assert connected.taken[0]["Auto-Submitted"] == "auto-generated"
    assert connected.password not in str(connected.taken[0])


def test_the_email_that_went_round_is_nobodys_later(pbem, connected, new_game):
    pbem("setup", "test", "--saves", connected.folder)
    shutil.copy(new_game, connected.folder / "g-01.toml")
    pbem("run", "--saves", connected.folder, "--from-address", "pbem@example.org", "--now", "2026-05-01T13:00:00Z")
    assert pbem.json("quarantine", "--saves", connected.folder, "list") == []


VERDICTS = {
    "": "your mail host doesn't say",
    "Authentication-Results: mx.example.org; spf=none; dkim=none\r\n": "no  SPF none, DKIM none",
    "Authentication-Results: mx.example.org; spf=fail; dkim=fail; dmarc=fail\r\n": "no  SPF fail",
}


@pytest.mark.parametrize("head", VERDICTS)
def test_a_host_that_does_not_vouch_for_us_is_not_trusted_with_others(pbem, connected, head):
    connected.head = head
    assert VERDICTS[head] in pbem("setup", "test", "--saves", connected.folder).output
    assert settings(connected.folder).mail.authserv == ""


def test_an_email_that_does_not_come_back(pbem, connected):
    connected.lost = True
    said = pbem("setup", "test", "--saves", connected.folder, "--wait", "1", code=Exit.FAILED_CHECK).stderr
    assert "isn't back after 1 s" in said
    assert "spam" in said


def test_a_step_that_comes_too_early(pbem):
    assert "pbem setup mail" in pbem("setup", "test", code=Exit.USAGE).stderr
    assert "pbem setup mail" in pbem("setup", "schedule", "--scheduler", "cron", code=Exit.USAGE).stderr


# -- 4 defaults ------------------------------------------------------------------------------------------------------


def test_defaults_for_new_games_and_a_greeting(pbem, connected):
    words = ("--saves", connected.folder, "--timezone", "Europe/Berlin", "--no-weekends", "--if-silent", "grace")
    said = pbem("setup", "defaults", "--moderator", "maria@example.net", *words).stdout
    assert "ok  an email to maria@example.net is on its way" in said
    found = settings(connected.folder)
    assert (found.moderator.addresses, found.moderator.zone) == (["maria@example.net"], "Europe/Berlin")
    assert found.new["hours.turn"] == "72"
    assert found.new["time_up.turn"] == "grace"
    assert found.new["days"] == "mon,tue,wed,thu,fri"
    assert connected.taken[-1]["To"] == "maria@example.net"
    sent = len(connected.taken)
    pbem("setup", "defaults", "--saves", connected.folder, "--weekends", "--turn-hours", "48")
    assert len(connected.taken) == sent  # the address is the same
    found = settings(connected.folder)
    assert ("days" in found.new, found.new["hours.turn"]) == (False, "48")
    for wrong in (("--turn-hours", "soon"), ("--moderator", "pbem@example.org"), ("--timezone", "Mars")):
        assert f"{wrong[0]}: " in pbem("setup", "defaults", *words[:2], *wrong, code=Exit.USAGE).stderr


# -- the file --------------------------------------------------------------------------------------------------------

TEXTS = {
    "": '[mail]\naddress = "b@c"\nsmtp = "sendmail"\n',
    '[mail]\naddress = "x" # mine\n\n[new]\nhours.turn = 7\n': (
        '[mail]\naddress = "b@c"\nsmtp = "sendmail"\n\n[new]\nhours.turn = 7\n'
    ),
    "# head\n[new]\ngrace = 3\n": '# head\n[new]\ngrace = 3\n\n[mail]\naddress = "b@c"\nsmtp = "sendmail"\n',
    'mail = { address = "x", imap = "y" }\n': '[mail]\naddress = "b@c"\nimap = "y"\nsmtp = "sendmail"\n',
    '[mail]\naddress = """\n[mail]\n"""\nimap = "old"\n': '[mail]\naddress = "b@c"\nimap = "old"\nsmtp = "sendmail"\n',
}


@pytest.mark.parametrize("text", TEXTS)
def test_only_what_differs_is_changed_in_the_file(tmp_path, text):
    (tmp_path / "pbem.toml").write_text(text)
    store(tmp_path, "mail", {"address": "b@c", "smtp": "sendmail", "cafile": ""})
    assert (tmp_path / "pbem.toml").read_text() == TEXTS[text]
    store(tmp_path, "mail", {"address": "", "smtp": "", "imap": ""})
    assert "mail" not in tomllib.loads((tmp_path / "pbem.toml").read_text())


def test_a_damaged_file_is_kept_aside_and_begun_anew(pbem):
    (pbem.folder / "pbem.toml").write_text("[mail\n")
    result = pbem("setup", "defaults", "--moderator", "maria@example.net")
    assert "pbem.toml.bak" in result.stderr
    assert (pbem.folder / "pbem.toml.bak").read_text() == "[mail\n"
    assert settings(pbem.folder).moderator.addresses == ["maria@example.net"]


# -- all of it, in a terminal ----------------------------------------------------------------------------------------


def dialogue(post):
    """What a new moderator types, by the beginning of each question."""
    return {
        "Address that the games": "pbem@example.org",
        "IMAP server": f"127.0.0.1:{post.imap}",
        "SMTP server": f"127.0.0.1:{post.port}",
        "User name": "anna",
        "Log in with": "1",
        "Password": post.password,
        "Keep it in": "1",
        "your own": "y",
        "marks as forged": "",
        "Start runs by": "nothing",
        "Monitoring": "",
        "Your address": "maria@example.net",
        "Time zone": "",
        "Hours to answer": "",
        "silent after": "",
        "weekends": "n",
    }


def at_a_terminal(words, answers, **more):
    """Run a command at a terminal; return what it showed, the questions that it didn't ask, and its status."""
    import pty

    line, screen = pty.openpty()
    shown, left = "", list(answers.items())
    with subprocess.Popen(words, stdin=screen, stdout=screen, stderr=screen, close_fds=True, **more) as run:
        os.close(screen)
        while part := _read(line):
            shown += part
            if left and re.search(rf"{left[0][0]}[^\n]*[:\]] ?$", shown):
                os.write(line, f"{left.pop(0)[1]}\n".encode())
    os.close(line)
    return shown, left, run.returncode


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_all_four_steps_in_a_terminal(trusted, monkeypatch):
    """The dialogue of the docs; nothing is asked twice, and no password is shown or stands in a process's words."""
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable) + ":/nowhere")  # noqa: PTH120
    monkeypatch.setenv("TZ", "Europe/Berlin")
    answers = dialogue(trusted)
    del answers["your own"]
    shown, left, status = at_a_terminal(
        [sys.executable, "-m", "pbem", "setup", "--saves", str(trusted.folder)], answers
    )
    assert status == 0, shown
    assert not left
    assert trusted.password not in shown
    found = settings(trusted.folder)
    assert found.mail.authserv == "mx.example.org"
    assert (found.schedule.by, found.new["outage"]) == ("", "36")
    assert found.moderator.addresses == ["maria@example.net"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_the_tutorial_of_the_moderator_as_it_is_typed(post, tmp_path, monkeypatch):
    """Each block of the page runs in a shell of a new account; one email from a player comes between the last two."""
    page = (Path(__file__).parents[2] / "docs/tutorials/first-game-moderator.md").read_text("utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    printed = re.findall(r"^```text\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[0]
    (home := tmp_path / "home").mkdir()
    (bin_ := tmp_path / "bin").mkdir()
    for name, does in {"pbem": f'exec {sys.executable} -m pbem "$@"', "pipx": '[ "$1" = install ]'}.items():
        (bin_ / name).write_text(f"#!/bin/sh\n{does}\n")
        (bin_ / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{bin_}:/usr/bin:/bin")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("TZ", "Europe/Berlin")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    deliver = post.desk.handle_DATA

    async def for_the_games(server, session, envelope):
        if "pbem@example.org" in envelope.rcpt_tos:
            return await deliver(server, session, envelope)
        post.taken.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 taken"

    post.desk.handle_DATA = for_the_games

    def typed_block(text, answers=()):
        shown, left, status = at_a_terminal(["sh", "-ec", text], dict(answers), cwd=games if games.exists() else home)
        assert (status, left) == (0, []), shown
        return shown

    games = home / "games"
    install, connect, start, look, play, deadlines = blocks
    typed_block(install)
    shown = typed_block(connect, dialogue(post))
    for question in re.findall(r"^([A-Z][^\n\[:]*?)(?:  1 |[,:]| \[)[^\n]*(?::|\]:)", printed, re.MULTILINE):
        assert question in shown or question.startswith("Minutes between"), question  # nobody starts runs here
    typed_block(start)
    assert "thirty-1.amber" in typed_block(look)
    assert "3 emails sent" in typed_block(play)
    asked = next(mail for mail in post.taken if "anna@example.org" in mail["To"])
    text = asked.get_body(("plain",)).get_content().replace("\r", "")
    answer = re.search(r"If silent: (.*?)\n\n", text, re.DOTALL)[1]
    tag = re.search(r"\[thirty-1 amber [0-9a-f-]+\]", text)[0]
    reply = f"From: anna@example.org\nTo: pbem@example.org\nSubject: Re: x\nMessage-ID: <1@x>\n\n{answer}\n\n> {tag}\n"
    with smtplib.SMTP("127.0.0.1", post.port) as link:
        link.starttls(context=ssl._create_unverified_context())
        link.login("anna", post.password)
        link.sendmail("anna@example.org", ["pbem@example.org"], reply.encode())
    shown = typed_block(play)
    assert "thirty-1 amber: accepted" in shown
    assert "outbox 0, quarantine 0" in shown
    assert len(re.findall("→ thirty-1", typed_block(deadlines))) == 3  # all are notified


def _read(line):
    """What a program has written to its terminal; "" at its end, or if it asks something else for a minute."""
    if not select.select([line], [], [], 60)[0]:
        return ""
    try:
        return os.read(line, 4096).decode("utf-8", "replace").replace("\r", "")
    except OSError:
        return ""
