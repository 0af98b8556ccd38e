"""The commands of the pages are run: each page in a folder of its own, its commands one after the other.

Words in capitals stand for things: they are filled in. A bare name (`pbem audit`) of a command that wants an argument
is no command line. A command in a sentence may find nothing to do (its file is not there), but must be written as
commands are. What needs a screen, a network or minutes is named in `NOT_RUN`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.cli.exits import Exit
from tests.cli.test_docs import commands

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "examples/README.md",
    "examples/auction/README.md",
    *sorted(f"games/{path.parent.name}/README.md" for path in (ROOT / "games").glob("*/README.md")),
    *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
)
NOW = ("--now", "2026-05-01T12:00:00Z")
WORDS = {
    "SAVE": "thirty-1.toml",
    "FILE": "amber.json",
    "NAME.toml": "thirty-1.toml",
    "GAME": "sixteen_thirty",
    "SEAT": "amber",
    "YOU": "amber",
    "S": "amber",
    "ADDRESS": "x@example.org",
    "TEXT": "hello",
    "DATE": "2031-01-01",
    "N": "0",
    "NAME=VALUE": "grace=12",
    "PATH=VALUE": "turn=1",
    "MAILDIR": "Maildir",
    "PAGE": "moderator",
    "FOLDER": "shots",
    "…": "why",
}
"""What stands for what."""

NOT_RUN = {
    "tui": "a screen; tests/tui",
    "play": "a screen; tests/cli/test_play.py",
    "fuzz": "minutes; tests/trial/test_fuzz.py",
    "leaks": "minutes; tests/trial",
    "send": "a mail server; tests/post/test_transport.py",
    "run": "a mail server; tests/cli/test_cron.py",
    "fetch": "a mail server; tests/post/test_transport.py",
    "check-game": "an installed package; .ci/run",
    "verify": "letters of a whole game; tests/post/test_verify.py",
}
SKIPPED = {
    "pbem new auction --players 3 -o first.toml": "an installed package; .ci/run",
    "pbem check examples/auction/tests/cases": "an installed package",
    "pbem new-game lanterns": "tests/games/test_third_party.py runs all commands of the tutorial",
    "pbem new lanterns --players 3 -o first.toml": "tests/games/test_third_party.py",
    "pbem check lanterns/tests/cases": "tests/games/test_third_party.py",
    "pbem new --option": "a part of a command",
    "pbem new --invite": "a part of a command",
    "pbem upgrade SAVE --reason …": "nothing to upgrade; tests/cli/test_versions.py",
    "pbem upgrade SAVE --from-checkpoint --reason …": "nothing to upgrade; tests/cli/test_versions.py",
    "pbem release SAVE": "nothing to release: no email is held back",
    "pbem release SAVE [--seat S]": "nothing to release: no email is held back",
    "pbem ingest": "a name",
    "pbem set … --earlier": "a part of a command",
    "pbem pack edit box.toml": "a screen; tests/tui",
    'pbem set vq-1.toml pack=box.toml --reason "I have the box at last"': "tests/cli/test_set_pack.py",
    "pbem quarantine show ID": "no letter was put aside",
    "pbem quarantine release ID --add-address": "no letter was put aside",
    "pbem orders check FILE --view mine.toml": "tests/cli",
    "pbem fiat SAVE PATH=VALUE --reason …": "the steps are another game's; tests/cli/test_docs.py",
    "pbem check FILE_OR_FOLDER…": "tests/docs/test_pages.py runs the page's case",
}
AT_LEAST = {"docs/moderator.md": 30, "examples/README.md": 6, "docs/index.md": 4}


@pytest.fixture
def sandbox(tmp_path, monkeypatch, request):
    """A home with the games of the pages, and the repository's examples."""
    from tests.cli.conftest import Shell

    games = tmp_path / "games"
    games.mkdir()
    for name, value in {
        "HOME": tmp_path,
        "PBEM_IMAP": "imaps://a@imap.example.org/INBOX",
        "PBEM_SMTP": "sendmail",
    }.items():
        monkeypatch.setenv(name, str(value))
    for name in ("PBEM_SAVES", "PBEM_FROM", "PBEM_AUTHSERV"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(games)
    (games / "examples").symlink_to(ROOT / "examples")
    (games / "saves").mkdir()
    for save in (ROOT / "saves").glob("*.toml" if "examples" in request.node.name else "1630-ballot.toml"):
        shutil.copy(save, games / "saves")
    for folder in (tmp_path / "Maildir", games / "Maildir"):
        for part in ("cur", "new", "tmp"):
            (folder / part).mkdir(parents=True)
    shell = Shell(games)
    for page, begins in (
        ("docs/moderator.md", "pbem new sixteen_thirty -o thirty-1"),
        ("docs/index.md", "pbem new sixteen_thirty -o"),
    ):
        line = next(line for line in commands(page) if line.startswith(begins))
        shell(*shlex.split(line)[1:], *NOW)
    if "packs" in request.node.name:
        shell("pack", "new", "virgin_queen", "-o", "friend.toml")
    shell("bundle", "thirty-1.toml", "--seat", "amber", "-o", "amber.json")
    text = (ROOT / "docs/moderator.md").read_text("utf-8")
    (games / "mine.toml").write_text(
        re.findall(r"^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[0], "utf-8"
    )
    return games


def lines_of(page):
    """The command lines of a page, each on one line."""
    return list(dict.fromkeys(" ".join(line.split()) for line in commands(page)))


def blocks_of(page):
    """What stands in a page's blocks of shell, on one line."""
    text = (ROOT / page).read_text("utf-8")
    found = re.findall(r"^```sh\n(.*?)^```|^(    pbem .*)$", text, re.DOTALL | re.MULTILINE)
    return " ".join("".join(map("".join, found)).replace("\\\n", " ").split())


def made(words):
    """The file that a command line writes."""
    return {words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-o", "--output")}


def filled(line, *, in_block):
    """The words of a command line, with things for the words in capitals; None if it is no whole command line."""
    words = shlex.split(line.replace("[", "").replace("]", ""))[1:]
    words = [os.path.expandvars(word.replace("~/", "$HOME/")) for word in words if word != "-q"]
    words = [WORDS.get(word, word) for word in words]
    if not words or words[0] not in main.commands or words[0] in NOT_RUN or line in SKIPPED:
        return None
    command = main.commands[words[0]]
    inner = getattr(command, "commands", {})
    if inner:
        if len(words) == 1 or words[1] not in inner:
            return None
        command, words = inner[words[1]], [f"{words[0]} {words[1]}", *words[2:]]
    wants = [param for param in command.params if param.param_type_name == "argument" and param.required]
    if wants and len(words) == 1:
        return None  # a name
    words = [*words[0].split(), *words[1:]]
    known = {name for param in command.params for name in param.opts}
    reasons = words[0] not in ("rewind", "upgrade", "quarantine")
    if reasons and "--reason" in known and "--reason" not in words:
        words += ["--reason", "why"]
    if not in_block and any(re.search(r"\b[A-Z]{3,}\b", word) for word in words):
        return None  # `pbem set SAVE beacon=CHAIN:…`: a sentence that leaves something to be filled in
    written = {name for name in words if re.fullmatch(r"[\w-]+\.(toml|json|csv|mbox|orders)", name)}
    if not in_block and any(not Path(name).exists() for name in written - made(words)):
        return None  # `pbem bundle verify bundle.json`: a sentence speaks of a file that the reader has
    try:
        command.make_context(words[0], words[1 + bool(inner) :])
    except click.MissingParameter:
        return None  # a part of a command: `pbem new --invite`
    except click.UsageError:
        pass  # let running it tell
    return [*words, *(NOW if "--now" in known else ())]


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_can_be_run(page, sandbox):
    run, blocks = 0, blocks_of(page)
    for line in lines_of(page):
        in_block = line.removeprefix("pbem ") in blocks
        words = filled(line, in_block=in_block)
        if words is None:
            continue
        if "-o" in words and words[0] == "new":  # begun already
            (sandbox / words[words.index("-o") + 1]).unlink(missing_ok=True)
            shutil.rmtree(sandbox / "outbox", ignore_errors=True)
            shutil.rmtree(sandbox / "saves/outbox", ignore_errors=True)
        done = CliRunner().invoke(main, words, catch_exceptions=False)
        ends = (Exit.OK,) if in_block else (Exit.OK, Exit.REFUSED, Exit.DATA, Exit.PARTLY)
        assert done.exit_code in ends, f"{line}\n{words}\n{done.output}"
        run += 1
    assert run >= AT_LEAST.get(page, 0)


SMALL = {"fuzz": ("--games", "1"), "leaks": ("--pairs", "1", "--post", "0", "--settings", "0")}
"""What makes a command of minutes one of seconds."""


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_commands_of_minutes_are_run_on_a_small_scale(page, monkeypatch):
    monkeypatch.setenv("PBEM_GAMES", str(ROOT / "examples" / "lanterns"))
    for line in lines_of(page):
        words = [WORDS.get(word, word) for word in shlex.split(line)[1:]]
        whole = len(words) > 1 and not words[1].startswith("-") and words[1] != "auction"
        if words[0] in SMALL and whole and "…" not in line:
            small = ["--seats", "3"] if words[1] == "sixteen_thirty" else []
            done = CliRunner().invoke(main, [*words, *SMALL[words[0]], *small], catch_exceptions=False)
            assert done.exit_code == Exit.OK, f"{line}\n{words}\n{done.output}"


def test_what_is_not_run_is_on_some_page():
    """A name on the list that no page has any more goes."""
    told = {line.split()[1] for page in PAGES for line in lines_of(page) if len(line.split()) > 1}
    assert sorted(set(NOT_RUN) - told) == []
    lines = {line for page in PAGES for line in lines_of(page)}
    assert sorted(set(SKIPPED) - lines) == []


@pytest.mark.parametrize("name", NOT_RUN)
def test_what_is_not_run_here_is_run_where_the_list_says(name):
    place = ROOT / NOT_RUN[name].rpartition("; ")[2]
    files = sorted(place.rglob("test_*.py")) if place.is_dir() else [place]
    assert any(re.search(rf"\b{name}\b", file.read_text("utf-8")) for file in files), place
