"""Made-up games and mail, built once and copied for each test."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from pbem.cli import demo
from pbem.dev import synthetic_mail
from pbem.mail.inbox.ingest import ingest
from pbem.save import load
from tests.mail.desk_actions import begun
from tests.mail.replies.ballots import shared_ballot, table
from tests.mail.servers import authority, dovecot, mailbox, provider
from tests.mail.ticks import waiting

__all__ = ["authority", "begun", "dovecot", "mailbox", "provider", "shared_ballot", "table", "waiting"]  # fixtures


@pytest.fixture(scope="session")
def staged(tmp_path_factory):
    """A save with an open ballot, the mail of a whole round, and when the last of it came."""
    folder = tmp_path_factory.mktemp("staged")
    (folder / "work").mkdir()
    save = folder / "ballot.toml"
    demo.ballot(save, folder / "work")
    mails = synthetic_mail.demo_round(save, folder / "work")
    return SimpleNamespace(save=save, mails=mails, now=mails[-1].at + timedelta(minutes=5))


class Desk:
    """A moderator's folder: one save, mailboxes, and what `ingest` makes of them."""

    def __init__(self, folder: Path, staged) -> None:
        self.folder = folder
        self.save = Path(shutil.copy2(staged.save, folder / "ballot.toml"))
        self.mails = staged.mails
        self.now = staged.now

    def box(self, mails, name="box.mbox", cut=None) -> Path:
        path = self.folder / name
        path.write_bytes(synthetic_mail.as_mbox(mails)[:cut])
        return path

    def ingest(self, *sources, **more):
        return ingest([self.folder], sources, now=self.now, **more)

    def read(self):
        return load(self.save)

    def letters(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted((self.folder / "outbox" / "new").glob("*"))}

    def everything(self) -> dict[str, bytes]:
        """All files that count, by name: not locks, backups, mailboxes."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and path.suffix not in (".lock", ".bak", ".mbox", ".tmp"):
                content = path.read_bytes().replace(str(self.folder).encode(), b"FOLDER")
                found[str(path.relative_to(self.folder))] = content
        return found


@pytest.fixture(scope="session")
def desk_type():
    return Desk


@pytest.fixture
def desk(tmp_path, staged):
    return Desk(tmp_path, staged)


@pytest.fixture
def make_desk(tmp_path, staged):
    """Any number of desks in one test."""
    count = 0

    def make() -> Desk:
        nonlocal count
        count += 1
        folder = tmp_path / f"desk{count}"
        folder.mkdir()
        return Desk(folder, staged)

    return make


@pytest.fixture
def full(desk):
    """An outbox with four letters."""
    desk.ingest(desk.box(desk.mails))
    desk.names = sorted(path.name for path in (desk.folder / "outbox" / "new").glob("*"))
    assert len(desk.names) == 4
    return desk
