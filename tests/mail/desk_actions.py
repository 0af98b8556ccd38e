"""A game whose first letters are out, and actions of its moderator."""

from __future__ import annotations

from datetime import timedelta

import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.mail.inbox.mime import decode_mail
from pbem.save import load
from pbem.timestamps import stamp

HOUR = timedelta(hours=1)


@pytest.fixture
def begun(desk):
    """A game whose first letters are out."""
    desk.ingest(desk.box([]))
    desk.due = load(desk.save).pending[0].due
    desk.clock = stamp(desk.now)
    return desk


def pbem(desk, *words, ok=True):
    now = [] if words[:2] == ("mail", "preview") else ["--now", desk.clock]
    result = CliRunner().invoke(main, [*words, *now])
    if ok:
        assert result.exit_code == 0, result.output
    return result


def action(desk, *words, **more):
    return pbem(desk, *words, "--reason", "a good one", "--as", "Miriam", **more)


def letters(desk):
    """The last letter of each seat."""
    found = {}
    for path in sorted((desk.folder / "outbox" / "new").glob("ballot.*")):
        found[path.name.split(".")[1]] = decode_mail(path.read_bytes())
    return found


def committed(desk):
    return load(desk.save).dice.commitment
