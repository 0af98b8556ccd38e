"""`pbem run`, and what `pbem setup schedule` prints for cron, systemd and launchd: it must run as it stands."""

from __future__ import annotations

import plistlib
import re
import shlex
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

import games
from pbem.cli.exit_codes import Exit
from pbem.clock import heartbeat
from pbem.save import Session, load_header
from pbem.timestamps import moment, stamp
from tests.cli.conftest import NOW, hand_over
from tests.mail.servers import smtp_server

ROOT = Path(__file__).parents[2]
MAIL = "From a@b Fri May  1 14:07:00 2026\nFrom: anna@example.org\nMessage-ID: <1@example.org>\n\n{}\n"


@pytest.fixture
def mailbox(pbem, new_game):
    """A mailbox with an answer of amber's, in a folder that shells and cron do not like."""
    folder = pbem.folder / "a 100% 'good' $HOME folder"
    folder.mkdir()
    form = pbem.json("questions", new_game, "--seat", "amber")[0]["form"]
    path = folder / "mail.mbox"
    path.write_text(MAIL.format(form), "utf-8")
    session = Session.open(new_game, games.load)  # what is printed runs today: no deadline is past by then
    session.save.clock.hours = dict.fromkeys(session.save.clock.hours, 0)
    for asked in session.save.pending:
        asked.due = None
    session.commit()
    new_game.rename(folder / new_game.name)
    shutil.rmtree(pbem.folder / "outbox", ignore_errors=True)  # another program has sent what lay there
    shutil.rmtree(folder / "outbox", ignore_errors=True)
    return path


def started(words, folder):
    """Run these words as a scheduler does: another folder, hardly any environment."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd="/", env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (done.stdout, done.stderr) == ("", "")


def unit_words(line):
    """The words of a systemd command line, as systemd reads them."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"', line)
    return [re.sub(r"\\(.)", r"\1", word).replace("%%", "%").replace("$$", "$") for word in found]


@pytest.mark.skipif(sys.platform == "win32", reason="no cron there")
@pytest.mark.parametrize("scheduler", ["crontab", "systemd", "launchd"])
def test_what_is_printed_runs_as_it_stands(pbem, mailbox, monkeypatch, scheduler):
    monkeypatch.chdir(mailbox.parent)  # relative names must hold wherever the scheduler stands
    text = pbem(
        "setup", "schedule", "--saves", ".", "--maildir", mailbox.name, "--scheduler", scheduler
    ).stdout
    if scheduler == "crontab":
        line = text.splitlines()[-1]
        assert line.startswith("*/10 * * * * ")
        assert "%" not in line.replace(r"\%", "")
        words = ["sh", "-c", line.split(" ", 5)[5].replace(r"\%", "%")]
    elif scheduler == "systemd":
        words = unit_words(re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)[1])
        assert "OnUnitActiveSec=10min" in text
    else:
        job = plistlib.loads(text.encode())
        words = job["ProgramArguments"]
        assert job["StartInterval"] == 600
    started(words, pbem.folder)
    save = load_header(mailbox.parent / "g-01.toml")
    assert len(list((mailbox.parent / "outbox" / "new").iterdir())) >= 1  # a receipt
    assert save.header.read


def test_the_environment_is_what_the_options_would_say(pbem, monkeypatch):
    for name, value in {
        "PBEM_SAVES": str(pbem.folder),
        "PBEM_IMAP": "imaps://a%40b@host/INBOX",
        "PBEM_SMTP": "smtps://a@host",
        "PBEM_FROM": "games@example.org",
        "PBEM_AUTHSERV": "mx.example.org",
        "PBEM_CAFILE": "/etc/own ca.pem",
    }.items():
        monkeypatch.setenv(name, value)
    text = pbem("setup", "schedule").stdout
    words = shlex.split(text.splitlines()[-1].replace(r"\%", "%"))
    asked = dict(zip(words[-10::2], words[-9::2], strict=True))
    assert asked == {
        "--saves": str(pbem.folder),
        "--imap": "imaps://a%40b@host/INBOX",
        "--smtp": "smtps://a@host",
        "--from-address": "games@example.org",
        "--authserv": "mx.example.org",
    }
    assert "PBEM_CAFILE=/etc/own ca.pem" in text
    assert "# PBEM_IMAP_PASSWORD=..." in text


def test_cron_starts_this_very_pbem(pbem, monkeypatch):
    """Its PATH is short: a bare `pbem` would not be found."""
    script = pbem.folder / "bin" / "pbem"
    script.parent.mkdir()
    script.touch()
    monkeypatch.setattr(sys, "argv", [str(script), "setup", "schedule"])
    assert f" {script} -q run " in pbem("setup", "schedule").stdout
    monkeypatch.setattr(sys, "argv", [str(ROOT / "pbem" / "__main__.py"), "setup", "schedule"])
    assert f" {sys.executable} -m pbem -q run " in pbem("setup", "schedule").stdout


def test_minutes_that_cron_cannot_count(pbem):
    assert "10, 12, 15, 20, 30, 60" in pbem("setup", "schedule", "--every", "40", code=Exit.USAGE).stderr
    assert "\n0 * * * * " in pbem("setup", "schedule", "--every", "60").stdout
    assert (
        "OnUnitActiveSec=40min" in pbem("setup", "schedule", "--every", "40", "--scheduler", "systemd").stdout
    )


def test_a_run_reads_ticks_and_sends_and_is_never_overtaken(pbem, mailbox):
    words = ("run", "--saves", mailbox.parent, "--maildir", mailbox, "--now", NOW)
    code = "import sys; from pbem.file_locks import lock\nwith lock(sys.argv[1]): print(flush=True); sys.stdin.read()"
    held = [sys.executable, "-c", code, str(mailbox.parent / "cron.lock")]
    with subprocess.Popen(held, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"\n"
        assert "another run" in pbem(*words).stderr
        other.kill()
    result = pbem(*words)
    assert "accepted" in result.stdout
    assert "1 games" in result.stderr


def test_what_fails_keeps_nothing_else_from_being_done(pbem, mailbox):
    """The mail server is down: deadlines and letters go their way all the same."""
    result = pbem(
        "run",
        "--saves",
        mailbox.parent,
        "--imap",
        "imap://me@127.0.0.1:1/INBOX",
        "--now",
        NOW,
        code=Exit.PARTIAL,
    )
    assert "127.0.0.1" in result.stderr
    assert "1 games" in result.stderr
    heart = heartbeat.load(mailbox.parent)
    assert (heart.read, heart.tick) == (None, moment(NOW))


def test_a_mail_server_that_refuses_is_told_once_a_day_and_at_the_end(pbem, new_game):
    """Cron mails what is said: not at each run."""
    words = ["-q", "run", "--saves", new_game.parent]
    start, said = moment(NOW), {}
    for hours in range(0, 50, 2):
        now = stamp(start + timedelta(hours=hours))
        result = pbem(*words, "--smtp", "smtp://127.0.0.1:1", "--now", now, code=Exit.PARTIAL)
        said |= {hours: result.stderr} if result.output else {}
    assert {hours for hours, text in said.items() if "not sent yet" in text} == {0, 24, 48}
    assert len(said) <= 6, said  # and that the clock stands
    with smtp_server() as server:
        for hours in (50, 52):
            now = stamp(start + timedelta(hours=hours))
            result = pbem(*words, "--smtp", server.url, "--now", now)
            assert bool(re.search("over .* not sent yet", result.output)) is (hours == 50)


def test_letters_that_wait_without_a_mail_server_are_an_error(pbem, new_game):
    result = pbem("send", "--saves", new_game.parent, "--now", NOW, code=Exit.USAGE)
    assert "4 emails are waiting" in result.stderr
    assert "--smtp" in result.stderr
    assert (
        "4 emails are waiting"
        in pbem("-q", "run", "--saves", new_game.parent, "--now", NOW, code=Exit.PARTIAL).stderr
    )


def test_a_run_that_could_not_read_mail_sends_no_reminder(pbem, new_game):
    due = load_header(new_game).pending[0].due
    hand_over(new_game.parent)
    now = stamp(due - timedelta(hours=1))
    words = ["run", "--saves", new_game.parent, "--now", now, "--maildir"]
    pbem(*words, pbem.folder / "nowhere", code=Exit.PARTIAL)
    assert not list((new_game.parent / "outbox").glob("new/reminder.*"))
    (pbem.folder / "box" / "new").mkdir(parents=True)
    (pbem.folder / "box" / "cur").mkdir()
    pbem(*words, pbem.folder / "box")
    assert len(list((new_game.parent / "outbox").glob("new/reminder.*"))) == 4


def test_a_digest_that_cannot_leave_is_printed_once_in_24_hours(pbem, new_game):
    """No server takes email: what starts the run tells the moderator, who reads each item there."""
    hand_over(new_game.parent)
    session = Session.open(new_game, games.load)
    session.save.clock.time_up = dict.fromkeys(session.save.clock.hours, "wait")
    session.save.clock.outage = 100
    session.save.post.moderator = ["maria@example.net"]
    session.commit()
    due = max(asked.due for asked in session.save.pending)
    words = ("-q", "run", "--saves", new_game.parent, "--smtp", "smtp://127.0.0.1:1", "--now")
    said = {}
    for hours in range(0, 60, 4):
        heart = heartbeat.load(new_game.parent)
        heart.read = due + timedelta(hours=hours)
        heartbeat.store(new_game.parent, heart)
        done = pbem(*words, stamp(due + timedelta(hours=hours)), code=5)
        said[hours] = done.stderr
    told = [hours for hours, text in said.items() if "pbem clock extend g-01.toml" in text]
    assert told == [0, 24, 48]
    assert {hours for hours, text in said.items() if text} == {0, 24, 48}
