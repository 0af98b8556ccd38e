"""Commands as a person runs them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbem.cli import main

NOW = "2026-05-01T12:00:00Z"


class Shell:
    """Runs `pbem …` in a folder of its own; keeps stdout and stderr apart."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *words, code=0, stdin=None):
        result = CliRunner().invoke(main, [str(word) for word in words], input=stdin, catch_exceptions=False)
        assert result.exit_code == code, f"{words}: {result.exit_code}\n{result.output}"
        return result

    def json(self, *words, code=0):
        """What `--json` says: the list of a command that lists, else all but the mark of its schema."""
        found = json.loads(self(*words, "--json", code=code).stdout)
        assert re.fullmatch(r"pbem/[a-z-]+/\d", found.pop("schema"))
        (first, *others) = found.values()
        return first if isinstance(first, list) and not others else found


def hand_over(folder):
    """A mail server took all that lies in the outbox of a folder."""
    for path in (folder / "outbox" / "new").glob("*"):
        path.rename(folder / "outbox" / "cur" / f"{path.name};2,S")


@pytest.fixture
def pbem(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("PBEM_SAVES", "PBEM_FROM", "PBEM_AUTHSERV", "PBEM_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    return Shell(tmp_path)


@pytest.fixture
def new_game(pbem):
    """`saves/g-01.toml`: four players, at its first question."""
    seats = (
        "amber=Anna <anna@example.org>,Europe/Berlin,en",
        "black=Ben <ben@example.com>,America/New_York",
        "green=千代 <chiyo@example.jp chiyo@work.example>,Asia/Tokyo,ja",
        "ivory=Dora <dora@example.net>",
    )
    words = [word for seat in seats for word in ("--seat", seat)]
    (pbem.folder / "seed").write_text("00" * 32)
    words += ["--seed", "seed", "--now", NOW, "--from-address", "pbem@games.example"]
    pbem("new", "sixteen_thirty", "-o", "saves/g-01.toml", *words)
    return pbem.folder / "saves" / "g-01.toml"
