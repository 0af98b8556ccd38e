"""Every example of a help page is run, in a folder that has what the examples name."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pbem.cli import demo, main
from pbem.cli.commands import every_command
from pbem.cli.console import Exit
from pbem.dev import synthetic_mail
from pbem.mail.quarantine import Quarantine, QuarantinedEmail
from pbem.timestamps import moment

NOW = "2026-05-01T12:00:00Z"
ROOT = Path(__file__).parents[2]

NOT_RUN = {
    "fetch": "a mail server; tests/mail/test_transport.py",
    "live": "it serves until Ctrl-C; tests/tui/test_live.py",
    "run --every": "it goes on until SIGTERM; tests/cli/test_schedule.py",
    "setup mail": "a mail server; tests/cli/test_setup.py",
    "setup test": "a mail server; tests/cli/test_setup.py",
    "dev fuzz": "minutes; tests/dev/test_fuzz.py",
    "dev leak-test": "minutes; tests/dev/test_planted_leaks.py",
    "dev lint-game": "half a minute; tests/dev/test_game_check.py",
}
ENDS = {
    "doctor --offline": Exit.OK,
    "doctor": Exit.FAILED_CHECK,  # no mail server is named
    "setup defaults --moderator": Exit.OK,
    "setup defaults": Exit.USAGE,  # it asks: there is no terminal here
    "tui": Exit.USAGE,  # a screen: there is no terminal here
    "play": Exit.USAGE,
    "pack edit": Exit.USAGE,
    "mail release": Exit.FAILED_CHECK,  # no email is held
    "repair accept-rollback": Exit.FAILED_CHECK,  # the save is the newest
    "upgrade apply --reason": Exit.FAILED_CHECK,  # nothing to upgrade
    "upgrade components --reason": Exit.FAILED_CHECK,  # the pack corrects nothing
    "clock resume": Exit.FAILED_CHECK,  # the clock runs
    "clock back": Exit.FAILED_CHECK,  # nobody is away
    "seat cc remove": Exit.FAILED_CHECK,  # nobody gets copies
    "seat grant": Exit.FAILED_CHECK,  # nobody has asked
    "seat bot off": Exit.FAILED_CHECK,  # no bot plays
    "spectators remove": Exit.FAILED_CHECK,  # there are none
    "clock extend --question": Exit.FAILED_CHECK,  # no such question
}
"""How an example ends that finds nothing to do here; the others end well."""


def found(name):
    """A command by its full name."""
    command: Any = main
    for word in name.split():
        command = command.commands[word]
    return command


def examples():
    for name in every_command():
        for line in found(name).examples:
            if not named(NOT_RUN, name, line):
                yield pytest.param(name, line, id=line[5:80])


def named(table, name, line):
    """The first entry of a table for an example: a command, or a command with an option."""
    for known in table:
        command, _, option = known.partition(" --")
        if name == command and (not option or f"--{option}" in line):
            return known
    return ""


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """The files that the examples name."""
    home = tmp_path_factory.mktemp("examples")
    here = Path.cwd()
    os.chdir(home)
    try:
        demo.ballot(Path("g1.toml"), home)
        Path("games").mkdir()
        shutil.copy("g1.toml", "games/1630.toml")
        (home / "work").mkdir()
        mails = synthetic_mail.demo_round(Path("g1.toml"), home / "work")
        Path("round.mbox").write_bytes(synthetic_mail.as_mbox(mails))
        ours = [path.read_bytes() for path in sorted((home / "outbox" / "new").iterdir())]
        for name in ("mine.mbox", "yours.mbox"):
            head = b"From pbem Fri May  1 14:07:00 2026\n"
            Path(name).write_bytes(b"".join(head + raw + b"\n" for raw in ours))
        for part in ("cur", "new", "tmp"):
            (home / "Maildir" / part).mkdir(parents=True)
        said(["view", "g1.toml", "--seat", "amber", "--format", "player-file", "-o", "my-view.toml"])
        said(["bundle", "g1.toml", "-o", "bundle.json"])
        said(["backup", "games.tar", "--saves", "games"])
        (asked,) = json.loads(said(["questions", "g1.toml", "--seat", "amber", "--json"]).stdout)["questions"]
        block = f"BEGIN ORDERS g1 amber {asked['code']}\n{asked['question']}: {asked['default']}\nEND ORDERS\n"
        Path("orders.txt").write_text(block, "utf-8")
        Path("reply.eml").write_bytes(mails[0].raw)
        held = QuarantinedEmail(
            id="beafaefab6f7",
            reason="unknown-sender",
            at=moment(NOW),
            sender="ivory@new.example",
            game="g1",
            seat="ivory",
        )
        Quarantine(home / "quarantine").put(held, mails[0].raw)
        Path("notice.txt").write_text("Back on Monday.\n", "utf-8")
        for pack in ("my-copy.toml", "your-copy.toml", "a.toml", "b.toml"):
            said(["pack", "new", "virgin_queen", "-o", pack])
        said(["pack", "new", "sixteen_thirty", "-o", "my-1630.toml"])
        said(["pack", "export", "my-copy.toml", "-o", "tables"])
        said(["pack", "export", "my-copy.toml", "--table", "cards.cards", "-o", "cards.csv"])
        shutil.copytree(ROOT / "tests/cases/sixteen_thirty", "tests/cases")
    finally:
        os.chdir(here)
    return home


def said(words, **more):
    result = CliRunner().invoke(main, words, catch_exceptions=False, **more)
    assert result.exit_code == 0, (words, result.output)
    return result


def expected(name, line):
    """How an example ends."""
    return ENDS.get(named(ENDS, name, line), Exit.OK)


@pytest.mark.parametrize(("name", "line"), examples())
def test_every_example_runs(stage, tmp_path, monkeypatch, name, line):
    folder = tmp_path / "home"
    shutil.copytree(stage, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    for variable in ("PBEM_SAVES", "PBEM_FROM", "PBEM_SMTP", "PBEM_IMAP"):
        monkeypatch.delenv(variable, raising=False)
    line, _, source = line.partition(" < ")
    words = [os.path.expandvars(word.replace("~/", "$HOME/").replace("~", "$HOME")) for word in shlex.split(line)[1:]]
    words = [str(folder / "games/1630.toml") if "*" in word else word for word in words]
    if name in ("new", "pack new"):
        Path(words[words.index("-o") + 1]).unlink(missing_ok=True)
    if any("--now" in param.opts for param in found(name).params):
        words += ["--now", NOW]
    result = CliRunner().invoke(main, words, input=Path(source).read_text() if source else "")
    assert "Traceback" not in result.output
    assert result.exit_code == expected(name, line), result.output
