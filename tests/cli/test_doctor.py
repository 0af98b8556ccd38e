"""`pbem doctor`: a line for each check, a remedy for each that fails, and a status for scripts."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

import games
from pbem.clock import heartbeat
from pbem.mail.quarantine import Quarantine, QuarantinedEmail
from pbem.mail.transport.bounces import Bounce, Bounces
from pbem.save import Session
from pbem.timestamps import moment
from tests.cli.conftest import NOW, hand_over
from tests.cli.test_setup import connected, post, trusted
from tests.mail.servers import authority, dovecot, mailbox, provider

__all__ = ["authority", "connected", "dovecot", "mailbox", "post", "provider", "trusted"]  # fixtures

LATER = "2026-05-05T12:00:00Z"


@pytest.fixture
def folder(pbem, new_game):
    """A folder with a game whose first emails have left, a moderator, and runs that are on time."""
    hand_over(new_game.parent)
    text = '[moderator]\naddresses = ["maria@example.net"]\n[schedule]\nevery = 10\nby = "systemd"\n'
    (new_game.parent / "pbem.toml").write_text(text, "utf-8")
    beat(new_game.parent, NOW)
    return new_game.parent


def beat(folder, at):
    heartbeat.store(folder, heartbeat.Heartbeat(moment(at), moment(at)))


def lines(pbem, folder, *words, code=0, now=NOW):
    """The checks by name; one of several is the last."""
    report = pbem.json("doctor", folder, "--offline", "--now", now, *words, code=code)
    return {check["name"]: check for check in report}


def states(found):
    return {name: check["state"] for name, check in found.items() if check["state"] != "ok"}


def test_a_sound_folder_is_all_right(pbem, folder):
    assert states(lines(pbem, folder)) == {}
    text = pbem("doctor", folder, "--offline", "--now", NOW).stdout
    assert text.splitlines()[0].startswith("pbem ")
    assert text.splitlines()[-1] == "0 wrong, 0 to look at. Nothing was changed."


def test_it_changes_nothing(pbem, folder):
    shutil.copytree(folder, folder.parent / "before")
    lines(pbem, folder)
    for path in folder.rglob("*"):
        if path.is_file() and ".pbem-cache" not in path.parts:
            assert path.read_bytes() == (folder.parent / "before" / path.relative_to(folder)).read_bytes()


def test_runs_that_stopped_are_wrong_with_the_command_of_the_scheduler(pbem, folder):
    check = lines(pbem, folder, code=1, now="2026-05-02T12:00:00Z")["schedule"]
    assert check["state"] == "no"
    assert "24 h ago; every 10 min expected" in check["words"]
    assert check["remedy"].startswith("systemctl --user status pbem.timer")


def test_a_folder_in_which_nothing_ever_ran_is_to_look_at(pbem, folder):
    (folder / "heartbeat.json").unlink()
    (folder / "pbem.toml").unlink()
    assert states(lines(pbem, folder)) == {"schedule": "!", "you": "!"}


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_files_that_others_can_read_are_named_with_chmod(pbem, folder):
    (folder / ".password").write_text("x\n")
    (folder / ".password").chmod(0o644)
    (folder / "g-01.toml").chmod(0o640)
    with (folder / "pbem.toml").open("a") as stream:
        stream.write('[mail]\npassword_file = ".password"\nlogin = "app password"\n')
    found = lines(pbem, folder, code=1)
    assert states(found) == {"account": "no", "g-01.toml": "!"}
    assert found["account"]["remedy"] == f"chmod 600 {folder / '.password'}"
    (folder / ".password").unlink()
    assert "missing" in lines(pbem, folder, code=1)["account"]["words"]


def test_a_damaged_save_is_wrong_and_its_copy_is_the_remedy(pbem, folder):
    whole = (folder / "g-01.toml").read_bytes()
    (folder / "g-01.toml.bak").write_bytes(whole)
    (folder / "g-01.toml").write_bytes(whole[:900])
    check = lines(pbem, folder, code=1)["g-01.toml"]
    assert check["state"] == "no"
    assert check["remedy"] == "cp g-01.toml.bak g-01.toml && pbem audit g-01.toml"


def test_a_save_that_cannot_be_written_is_wrong(pbem, folder, monkeypatch):
    monkeypatch.setattr(os, "access", lambda _, mode: mode == os.R_OK)
    assert states(lines(pbem, folder, code=1)) == {"g-01.toml": "no"}


def test_a_save_of_other_rules_is_wrong(pbem, folder):
    text = (folder / "g-01.toml").read_text("utf-8")
    rules = games.load("sixteen_thirty").rules
    (folder / "g-01.toml").write_text(text.replace(f'rules = "{rules}"', 'rules = "0.0"', 1), "utf-8")
    check = lines(pbem, folder, code=1)["g-01.toml"]
    assert (check["state"], check["remedy"]) == ("no", "pbem upgrade check g-01.toml")


def test_a_full_disk_is_wrong(pbem, folder, monkeypatch):
    used = shutil.disk_usage(folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: used._replace(free=50 << 20))
    assert states(lines(pbem, folder, code=1)) == {"disk": "no"}


def test_what_the_digest_says_is_there_with_its_command(pbem, folder):
    session = Session.open(folder / "g-01.toml", games.load)
    session.save.clock.time_up["turn"] = session.save.clock.time_up["reaction"] = "wait"
    session.save.clock.time_up["ballot"] = session.save.clock.time_up["negotiation"] = "wait"
    session.commit()
    beat(folder, LATER)
    Bounces(folder).note(Bounce(at=moment(LATER), to="ben@example.com", why="550 5.1.1 no such user", name="x"))
    held = QuarantinedEmail(
        id="4cf3eeef2bda", reason="unknown-sender", sender="b@new.example", coded=True, at=moment(LATER)
    )
    Quarantine(folder / "quarantine").put(held, b"From: b\n\nx\n")
    found = lines(pbem, folder, now=LATER)
    assert states(found) == {"g-01": "!", "quarantine": "!"}
    text = pbem("doctor", folder, "--offline", "--now", LATER).stdout
    for word in (
        "550 5.1.1 no such user",
        "pbem seat address g-01.toml black",
        "pbem clock extend g-01.toml",
        "4cf3eeef2bda",
    ):
        assert word in text


def test_a_moderator_whose_address_bounces_is_wrong(pbem, folder):
    pbem("config", "set", folder / "g-01.toml", "moderator=maria@example.net", "--now", NOW, "--reason", "x")
    Bounces(folder).note(Bounce(at=moment(NOW), to="maria@example.net", why="550 gone", name="notice.1"))
    check = lines(pbem, folder, code=1)["you"]
    assert "550 gone" in check["words"]


def test_a_moderator_who_plays_reads_no_seat_of_a_sealed_question(pbem, folder):
    session = Session.open(folder / "g-01.toml", games.load)
    session.save.clock.time_up = dict.fromkeys(session.save.clock.hours, "wait")
    session.save.post.plays = "amber"
    session.commit()
    beat(folder, LATER)
    text = pbem("doctor", folder, "--offline", "--now", LATER).stdout
    assert "g-01" in text
    assert not any(seat in text for seat in ("black", "green", "ivory"))


def test_the_environment_may_hold_the_password(pbem, folder, monkeypatch):
    monkeypatch.setitem(os.environ, "PBEM_IMAP_PASSWORD", "x")
    assert lines(pbem, folder)["account"]["words"] == "password from the environment"


# -- with a mail host ------------------------------------------------------------------------------------------------


@pytest.fixture
def host(pbem, connected, monkeypatch):
    """A folder that `pbem setup mail` has connected, without a game."""
    monkeypatch.setattr("pbem.mail.moderator.doctor._PATIENCE", 5.0)
    return connected


def online(pbem, host, code=0, now=NOW):
    return {check["name"]: check for check in pbem.json("doctor", host.folder, "--now", now, code=code)}


def test_it_logs_in_and_sends_one_email_to_itself_a_day(pbem, host):
    found = online(pbem, host)
    assert "logged in, INBOX" in found["mail in"]["words"]
    assert "certificate until" in found["mail in"]["words"]
    assert "logged in; 0 emails wait; certificate until" in found["mail out"]["words"]
    assert found["round trip"]["state"] == "ok"
    assert "SPF pass, DKIM pass, DMARC pass" in found["round trip"]["words"]
    sent = len(host.taken)
    assert "came back" in online(pbem, host, now="2026-05-02T11:00:00Z")["round trip"]["words"]
    assert len(host.taken) == sent
    host.head = host.head.replace("dkim=pass header.d=example.org", "dkim=none")
    check = online(pbem, host, now="2026-05-02T13:00:00Z")["round trip"]
    assert len(host.taken) == sent + 1
    assert (check["state"], check["remedy"].partition(";")[0]) == ("!", "ask your mail host for DKIM")


def test_a_clock_that_is_wrong_is_told_by_the_mail_host(pbem, host):
    host.head = "Received: from a by mx.example.org; Fri, 01 May 2020 12:00:00 +0000\r\n" + host.head
    check = online(pbem, host, code=1)["clock"]
    assert (check["state"], check["remedy"]) == ("no", "set this machine's clock")


def test_what_the_mail_host_refuses_is_wrong_in_its_words(pbem, host):
    (host.folder / ".password").write_text("wrong\n")
    found = online(pbem, host, code=1)
    assert (found["mail in"]["state"], found["mail out"]["state"]) == ("no", "no")
    assert "535" in found["mail out"]["words"]
    assert found["mail out"]["remedy"] == "pbem setup mail"


def test_an_email_that_does_not_come_back_is_wrong(pbem, host, monkeypatch):
    monkeypatch.setattr("pbem.mail.moderator.doctor._PATIENCE", 0.1)
    host.lost = True
    assert "did not come back" in online(pbem, host, code=1)["round trip"]["words"]
