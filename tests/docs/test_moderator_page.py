"""The digest and the report of `pbem doctor` on the moderator's page are what is sent and printed today."""

from __future__ import annotations

import os
import re
import shutil
from datetime import timedelta
from email import message_from_bytes, policy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.clock import heartbeat
from pbem.mail.quarantine import Quarantine, QuarantinedEmail
from pbem.mail.scheduler.tick import tick_games
from pbem.mail.transport.bounces import Bounce, Bounces
from pbem.save import Session
from pbem.timestamps import moment, stamp
from tests.docs.test_pages import blocks

ROOT = Path(__file__).parents[2]
BEGIN = moment("2026-11-27T10:00:00Z")
MORNING = moment("2026-12-01T07:10:00Z")  # after 8:00 in Berlin
PEOPLE = {"amber": "anna@example.org", "black": "ben@example.com", "green": "chiyo@example.jp"}
PAGES = [ROOT / "docs" / "how-to" / f"find-what-needs-you{suffix}.md" for suffix in ("", ".ja")]
FURTHER = """
[schedule]
every = 10
by = "systemd"
[new]
time_up.turn = "wait"
time_up.reaction = "wait"
time_up.ballot = "wait"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch, request):
    """Two games: in one a player is silent, in the other email bounces and a bot plays; runs stop at last."""
    home = tmp_path / "games"
    home.mkdir()
    (settings,) = blocks(request.param, "toml")
    (home / "pbem.toml").write_text(settings + FURTHER, "utf-8")
    monkeypatch.chdir(home)
    for name in ("thirty-1", "thirty-2"):
        seats = [f"--seat={seat}={seat.title()} <{to}>" for seat, to in PEOPLE.items()]
        words = ["new", "sixteen_thirty", "-o", f"{name}.toml", "--from-address", "pbem@example.org"]
        assert not CliRunner().invoke(main, [*words, *seats, "--now", stamp(BEGIN)]).exit_code
    shutil.rmtree(home / "outbox")
    session = Session.open(home / "thirty-2.toml", games.load)
    session.save.clock.absent_after, session.save.seats[2].understudy = 3, "normal"
    session.save.seats[2].missed = 3
    for asked in session.save.pending:
        asked.due = MORNING + timedelta(days=3)
    session.commit()
    Bounces(home).note(Bounce(at=MORNING, to=PEOPLE["black"], why="550 5.1.1 user unknown", name="x"))
    about: dict[str, Any] = {
        "id": "4cf3eeef2bda",
        "reason": "unknown-sender",
        "sender": "bob@new.example",
        "subject": "Re: turn 1",
    }
    held = QuarantinedEmail(
        **about, game="thirty-2", seat="amber", coded=True, at=MORNING - timedelta(hours=3)
    )
    Quarantine(home / "quarantine").put(held, b"From: bob@new.example\n\n?\n")
    return home


def run(folder, now):
    heart = heartbeat.load(folder)
    heart.read = heart.tick = now
    heartbeat.store(folder, heart)
    tick_games([folder], now=now)


def block(text, number, new):
    """The page with this text in its block of that number."""
    found = list(re.finditer(r"```text\n(.*?)```\n", text, re.DOTALL))[number]
    return text[: found.start(1)] + new + text[found.end(1) :]


@pytest.mark.parametrize(("folder", "page"), [(page, page) for page in PAGES], indirect=["folder"])
def test_the_page_shows_the_digest_and_the_report_of_today(folder, page, monkeypatch):
    session = Session.open(folder / "thirty-1.toml", games.load)
    for asked in session.save.pending:
        asked.due = MORNING
    session.commit()
    for now in (MORNING - timedelta(hours=4), MORNING):
        run(folder, now)
    (path,) = folder.glob("outbox/new/notice.*")
    mail = message_from_bytes(path.read_bytes(), policy=policy.default)
    head = "".join(f"{name}: {mail[name]}\n" for name in ("From", "To", "Subject"))
    digest = f"{head}\n{mail.get_body(('plain',)).get_content()}".replace("\r\n", "\n")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=41e9))
    report = CliRunner().invoke(main, ["doctor", "--offline", "--now", stamp(MORNING + timedelta(hours=31))])
    lines = re.sub(r"^pbem .* · ", "pbem 0.2.0, Python 3.13.1, linux · ", report.output)
    text = page.read_text("utf-8")
    wanted = block(block(text, 0, digest), 1, f"$ pbem doctor\n{lines}")
    if os.environ.get("PBEM_UPDATE_SNAPSHOTS"):
        page.write_text(wanted, "utf-8")
    assert text == wanted
