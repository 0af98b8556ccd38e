"""`pbem run`, and what `pbem setup schedule` prints for cron, systemd and launchd: it must run as it stands."""

from __future__ import annotations

import contextlib
import os
import plistlib
import re
import resource
import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.cli.console import Exit
from pbem.clock import heartbeat
from pbem.mail.inbox.mime import decode_mail
from pbem.mail.quarantine import Quarantine, QuarantinedEmail
from pbem.mail.transport.bounces import Bounce, Bounces
from pbem.save import Session, load_header
from pbem.save.folder_settings import load_folder_settings
from pbem.timestamps import moment, stamp
from tests.cli.conftest import NOW, hand_over
from tests.mail.servers import smtp_server
from tests.mail.test_sixty_days import full_disk

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


def printed(pbem, scheduler, *more):
    return pbem("setup", "schedule", "--print", "--scheduler", scheduler, *more).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no cron there")
@pytest.mark.parametrize("scheduler", ["cron", "systemd", "launchd"])
def test_what_is_printed_runs_as_it_stands(pbem, mailbox, monkeypatch, scheduler):
    monkeypatch.chdir(mailbox.parent)  # relative names must hold wherever the scheduler stands
    (mailbox.parent / "pbem.toml").write_text(f'[mail]\nmaildir = "{mailbox.name}"\n')
    text = printed(pbem, scheduler, "--saves", ".")
    if scheduler == "cron":
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


SECRETS = {"PBEM_IMAP_PASSWORD": "secret-1", "PBEM_SMTP_PASSWORD": "secret-2", "PBEM_CAFILE": "/etc/own ca.pem"}


@pytest.mark.parametrize("scheduler", ["cron", "systemd", "launchd", "task"])
def test_no_password_is_in_what_a_scheduler_reads(pbem, monkeypatch, scheduler):
    (pbem.folder / "pbem.toml").write_text('[mail]\npassword_file = ".password"\n[schedule]\nevery = 15\n')
    (pbem.folder / ".password").write_text("secret-3")
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    text = printed(pbem, scheduler)
    assert "secret" not in text
    assert ("900" if scheduler == "launchd" else "15") in text
    assert (f"LoadCredential=pbem-password:{pbem.folder}/.password" in text) is (scheduler == "systemd")
    assert scheduler == "task" or "/etc/own ca.pem" in text


def test_systemd_hands_the_password_over(pbem, monkeypatch):
    from pbem.mail.transport.accounts import account, password
    from pbem.save.folder_settings import FolderMail, FolderSettings, folder_settings

    (pbem.folder / "pbem-password").write_text("by systemd\n")
    (pbem.folder / ".password").write_text("of the file\n")
    found = FolderSettings(mail=FolderMail(password_file=".password"), folder=str(pbem.folder))
    before = folder_settings.set(found)
    try:
        there = account("imaps://a@host", ("imaps",))
        assert password(there, "PBEM_IMAP_PASSWORD") == "of the file"
        monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(pbem.folder))
        assert password(there, "PBEM_IMAP_PASSWORD") == "by systemd"
    finally:
        folder_settings.reset(before)


def test_cron_starts_this_very_pbem(pbem, monkeypatch):
    """Its PATH is short: a bare `pbem` would not be found."""
    script = pbem.folder / "bin" / "pbem"
    script.parent.mkdir()
    script.touch()
    monkeypatch.setattr(sys, "argv", [str(script), "setup", "schedule"])
    assert f" {script} -q run " in printed(pbem, "cron")
    monkeypatch.setattr(sys, "argv", [str(ROOT / "pbem" / "__main__.py"), "setup", "schedule"])
    assert f" {sys.executable} -m pbem -q run " in printed(pbem, "cron")


def test_minutes_that_cron_cannot_count(pbem):
    words = ("setup", "schedule", "--print", "--scheduler", "cron", "--every")
    for minutes in ("40", "90", "420", "1439"):
        assert "10, 12, 15, 20, 30, 60" in pbem(*words, minutes, code=Exit.USAGE).stderr
    for minutes, when in {"60": "0 * * * *", "360": "0 */6 * * *", "1440": "0 0 * * *"}.items():
        assert f"\n{when} " in pbem(*words, minutes).stdout
    assert "OnUnitActiveSec=40min" in printed(pbem, "systemd", "--every", "40")


FAKE = """#!/bin/sh
echo "${{0##*/}} $*" >> {log}
case "${{0##*/}} $1" in
  "crontab -l") cat {table} 2>/dev/null || {{ echo "no crontab for maria" >&2; exit 1; }} ;;
  "crontab -") cat > {table} ;;
esac
"""


@pytest.fixture
def machine(pbem, monkeypatch):
    """A machine with cron and systemd, which note what they are told."""
    pbem.log, pbem.table = pbem.folder / "told", pbem.folder / "table"
    for name in ("crontab", "systemctl", "loginctl"):
        script = pbem.folder / "programs" / name
        script.parent.mkdir(exist_ok=True)
        script.write_text(FAKE.format(log=pbem.log, table=pbem.table))
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{pbem.folder / 'programs'}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(pbem.folder / "config"))
    (pbem.folder / "pbem.toml").write_text('[mail]\nmaildir = "/var/mail/box"\n')
    return pbem


@pytest.mark.skipif(sys.platform == "win32", reason="no cron there")
def test_the_crontab_keeps_its_other_lines(machine):
    words = ("setup", "schedule", "--scheduler", "cron")
    machine(*words)
    first = machine.table.read_text().splitlines()
    assert len(first) == 2
    others = ["MAILTO=maria", "# run --saves x", "5 4 * * * backup run"]
    machine.table.write_text("\n".join([*others, *first]) + "\n")
    machine(*words)  # the same again
    assert machine.table.read_text().splitlines() == [*others, *first]
    assert "add --yes" in machine(*words, "--every", "30", code=Exit.USAGE).stderr
    assert machine.table.read_text().splitlines() == [*others, *first]
    machine(*words, "--every", "30", "--yes")
    assert machine.table.read_text().splitlines() == [*others, first[0], first[1].replace("*/10", "*/30")]


@pytest.mark.skipif(sys.platform == "win32", reason="no systemd there")
def test_a_timer_is_written_and_enabled(machine):
    said = machine("setup", "schedule", "--monitor", "https://example.org/ping").stdout
    assert "ok  pbem.timer enabled, every 10 minutes" in said
    units = machine.folder / "config" / "systemd" / "user"
    assert "OnUnitActiveSec=10min" in (units / "pbem.timer").read_text()
    assert "systemctl --user enable --now pbem.timer" in machine.log.read_text()
    assert "loginctl enable-linger" in machine.log.read_text()
    before = (units / "pbem.service").read_text()
    assert before.rstrip().endswith(f'"-q" "run" "--saves" "{machine.folder}"')
    assert "Replace" in machine("setup", "schedule", "--every", "20", code=Exit.USAGE).stderr
    machine("setup", "schedule", "--every", "20", "--yes")
    assert "OnUnitActiveSec=20min" in (units / "pbem.timer").read_text()
    other = machine.folder / "more games"
    other.mkdir()
    (other / "pbem.toml").write_text('[mail]\nmaildir = "/var/mail/other"\n')
    machine("setup", "schedule", "--saves", other)
    assert (units / "pbem.service").read_text() == before
    assert (units / "pbem-more-games.timer").exists()


@pytest.mark.parametrize(
    ("words", "hours"),
    [(("cron",), 6), (("cron", "--every", "360"), 18), (("loop", "--every", "1440"), 72), (("nothing",), 36)],
)
def test_an_outage_is_longer_than_the_pause_between_two_runs(machine, words, hours):
    machine("setup", "schedule", "--scheduler", *words)
    assert load_folder_settings(machine.folder).new["outage"] == str(hours)


def test_games_whose_outage_is_too_short_are_named(machine, new_game):
    (new_game.parent / "pbem.toml").write_text('[mail]\nmaildir = "/var/mail/box"\n')
    said = machine("setup", "schedule", "--saves", new_game.parent, "--scheduler", "nothing").stderr
    assert f"pbem config set {new_game} outage=36" in said


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


@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM ends a process at once there")
def test_runs_one_after_another_until_sigterm(pbem, new_game):
    """The entry point of the container: it ends between two runs, with status 0, whatever the runs find."""
    words = [sys.executable, "-m", "pbem", "run", "--saves", str(new_game.parent), "--every", "1440"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, stderr=subprocess.PIPE, env=env, text=True) as run:
        while "emails are waiting" not in (line := run.stderr.readline()):
            assert line, "it ended by itself"
        run.terminate()  # while it is at work, or as it falls asleep
        assert run.wait(60) == 0


def test_what_fails_keeps_nothing_else_from_being_done(pbem, mailbox):
    """The mail server is down: deadlines and letters go their way all the same."""
    result = pbem(
        "run", "--saves", mailbox.parent, "--imap", "imap://me@127.0.0.1:1/INBOX", "--now", NOW, code=Exit.PARTIAL
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


def test_a_fault_whose_words_change_at_each_run_is_one_fault(pbem, new_game, monkeypatch):
    """Gmail puts a new id into each refusal; a token command says another thing when it has no network."""
    folder, start, said = new_game.parent, moment(NOW), {}
    hand_over(folder)
    session = Session.open(new_game, games.load)
    session.save.post.moderator = ["maria@example.net"]
    session.commit()
    words = iter("abcdefghijklmnopqrstuvwxyz")

    def refuses(*_, **__):
        raise OSError(f"refused {next(words)}")

    monkeypatch.setattr("pbem.mail.transport.imap.Mailbox.__enter__", refuses)
    with smtp_server() as server:
        run = ["-q", "run", "--saves", folder, "--smtp", server.url]
        for hours in range(0, 30, 3):
            more = ("--imap", "imap://me@127.0.0.1:1/INBOX") if hours < 24 else ()
            result = pbem(*run, *more, "--now", stamp(start + timedelta(hours=hours)), code=5 if more else 0)
            said |= {hours: result.stderr} if "refused" in result.stderr else {}
        texts = [" ".join(decode_mail(raw).text.split()) for _, _, raw in server.desk.mails]
    assert list(said) == [0, 24], said
    assert sum("The mailbox hasn't been read since" in text for text in texts) == 1, texts
    assert sum("is over. It was" in text for text in texts) == 1, texts


def test_letters_that_wait_without_a_mail_server_are_an_error(pbem, new_game):
    result = pbem("send", "--saves", new_game.parent, "--now", NOW, code=Exit.USAGE)
    assert "4 emails are waiting" in result.stderr
    assert "--smtp" in result.stderr
    assert (
        "4 emails are waiting" in pbem("-q", "run", "--saves", new_game.parent, "--now", NOW, code=Exit.PARTIAL).stderr
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


# -- what the moderator hears of, within a day, once -------------------------------------------------------------------


def nothing(folder, start):
    pass


def bounced(folder, start):
    Bounces(folder).note(Bounce(at=start, to="ben@example.com", why="550 user unknown", name="g-01.black.0001.x"))


def quarantined(folder, start):
    mail = QuarantinedEmail(
        id="4cf3eeef2bda",
        reason="unknown-sender",
        at=start,
        sender="anna@new.example",
        subject="Re: turn 1",
        game="g-01",
        seat="amber",
        coded=True,
    )
    Quarantine(folder / "quarantine").put(mail, b"From: anna\n\n?\n")


def token(folder, start):
    (folder / "pbem.toml").write_text('[mail]\nlogin = "token"\ntoken_command = "echo expired >&2; exit 1"\n')
    return ("--imap", "imap://me@127.0.0.1:1/INBOX")


HEARD = {
    "a silent player": (nothing, range(0, 40, 8), "The deadline of question 1 has expired"),
    "a bounced address": (bounced, range(-60, -20, 8), "ben@example.com"),
    "a full disk": (nothing, range(-84, -12, 8), "the clock was stopped from"),
    "an expired token": (token, range(-60, -20, 8), "token_command of pbem.toml ended"),
    "a dead cron": (nothing, (-60, -24, -16, -8, 0, 8), "the clock was stopped from"),
    "a player in quarantine": (quarantined, range(-60, -20, 8), "anna@new.example"),
}
"""What happens, the hours of the runs from the deadline on, and the words of the email that tells it."""


@pytest.mark.parametrize("fault", HEARD)
def test_the_moderator_hears_of_it_within_a_day_and_once(pbem, new_game, fault):
    begin, hours, words = HEARD[fault]
    emails, printed = heard(new_game, begin, hours, full=hours[1:6] if fault == "a full disk" else ())
    told = [hour for hour in hours if any(words in " ".join(text.split()) for text in emails[hour])]
    assert len(told) == 1, (emails, printed)
    if fault == "a full disk":  # the run prints it, and an email tells it at once and when it is over
        full = [hour for hour in hours if any("No space left" in text for text in emails[hour])]
        assert full == [hours[1], hours[7]], emails
        # Once, after a day, and when it is over.
        assert [hour for hour in hours if "No space left" in printed[hour]] == [hours[1], hours[4], hours[6]], printed
    else:
        assert told[0] - (hours[0] if fault != "a dead cron" else hours[1]) <= 24


def heard(new_game, begin, hours, full=()):
    """Run at these hours from the deadline on; return the moderator's emails and what was printed, by the hour."""
    folder = new_game.parent
    hand_over(folder)
    session = Session.open(new_game, games.load)
    session.save.clock.time_up = dict.fromkeys(session.save.clock.hours, "wait")
    session.save.clock.outage = 9
    session.save.post.moderator = ["maria@example.net"]
    session.commit()
    due = max(asked.due for asked in session.save.pending)
    start = due + timedelta(hours=hours[0])
    heartbeat.store(folder, heartbeat.Heartbeat(start, start))
    more = begin(folder, start) or ()
    emails, printed = {}, {}
    with smtp_server() as server:
        for hour in hours:
            now = due + timedelta(hours=hour)
            if not more:  # the mailbox was read
                heart = heartbeat.load(folder)
                heart.read_mail(now, ["g-01"])
                heartbeat.store(folder, heart)
            with full_disk() if hour in full else contextlib.nullcontext():
                run = ("-q", "run", "--saves", folder, "--smtp", server.url, "--now", stamp(now), *more)
                printed[hour] = CliRunner().invoke(main, [str(word) for word in run]).output
            emails[hour] = [decode_mail(raw).text for _, to, raw in server.desk.mails if to == ["maria@example.net"]]
            server.desk.mails.clear()
    return emails, printed


def test_a_save_that_cannot_grow_is_told_once(pbem, new_game):
    folder = new_game.parent
    hand_over(folder)
    (folder / "mail.mbox").write_text(MAIL.format(pbem.json("questions", new_game, "--seat", "amber")[0]["form"]))
    session = Session.open(new_game, games.load)
    session.save.post.moderator = ["maria@example.net"]
    session.commit()
    begin = moment(NOW) + timedelta(hours=1)
    run = ("run", "--saves", folder, "--maildir", folder / "mail.mbox", "--now")
    failed = subprocess.run(
        [sys.executable, "-m", "pbem", *map(str, run), stamp(begin)],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert failed.returncode > 0
    assert "File too large" in failed.stdout + failed.stderr, failed.stdout
    for hours in range(2, 30, 2):
        CliRunner().invoke(main, [*map(str, run), stamp(begin + timedelta(hours=hours))])
    sent = [decode_mail(path.read_bytes()) for path in (folder / "outbox" / "new").iterdir()]
    told = [mail.text for mail in sent if mail.to == ("maria@example.net",)]
    assert sum("no space for g-01.toml: File too large" in " ".join(text.split()) for text in told) == 1, told
