"""The commands of the pages are run: each page in a folder of its own, its commands one after the other.

Words in capitals stand for things: they are filled in. A bare name (`pbem audit`) of a command that wants an argument
is no command line. A command in a sentence may find nothing to do (its file isn't there), but must be written as
commands are. What needs a screen, a network or minutes is named in `NOT_RUN`. The generated page of commands has the
examples of the help pages, which have a test of their own.
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
from pbem.cli.console import Exit
from tests.cli.test_docs import commands, first, resolved, typed

ROOT = Path(__file__).parents[2]
PAGES = (
    "README.md",
    "README.ja.md",
    "CONTRIBUTING.md",
    "examples/README.md",
    "examples/auction/README.md",
    *sorted(f"games/{path.parent.name}/README.md" for path in (ROOT / "games").glob("*/README.md")),
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md") if path.stem != "commands"),
)
NOW = ("--now", "2026-05-01T12:00:00Z")
WORDS = {
    "SAVE": "thirty-1.toml",
    "FILE": "amber.json",
    "NAME.toml": "thirty-1.toml",
    "GAME": "sixteen_thirty",
    "SEAT": "amber",
    "YOU": "amber",
    "MOVE": "0",
    "TIME": "2031-01-01T12:00Z",
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
    "live": "a terminal for each seat; tests/tui/test_live.py",
    "play": "a screen; tests/cli/test_play.py",
    "dev fuzz": "minutes; tests/dev/test_fuzz.py",
    "dev leak-test": "minutes; tests/dev",
    "send": "a mail server; tests/mail/test_transport.py",
    "setup": "a terminal and a mail server; tests/cli/test_setup.py",
    "setup mail": "a mail server; tests/cli/test_setup.py",
    "setup test": "a mail server; tests/cli/test_setup.py",
    "run": "a mail server; tests/cli/test_schedule.py",
    "dev lint-game": "an installed package; .ci/run",
    "verify": "emails of a whole game; tests/mail/test_verify.py",
}
SKIPPED = {
    "pbem new auction --players 3 -o first.toml": "an installed package; .ci/run",
    "pbem dev test-rules examples/auction/tests/cases": "an installed package",
    "pbem dev new-game lanterns": "tests/games/test_third_party.py runs all commands of the tutorial",
    "pbem new lanterns --players 3 -o first.toml": "tests/games/test_third_party.py",
    "pbem dev test-rules lanterns/tests/cases": "tests/games/test_third_party.py",
    "pbem setup schedule": "a mailbox; tests/cli/test_schedule.py",
    "pbem pack edit box.toml": "a screen; tests/tui",
    "pbem dev test-rules tests/cases": "tests/cases/test_all.py",
    "pbem check reply.txt --view my-view.toml": "tests/cli",
    "pbem check reply.eml --view my-view.toml --email question.eml": "tests/cli",
    "pbem upgrade components vq-1.toml --pack box.toml": "tests/cli/test_set_pack.py",
}
AT_LEAST = {
    "README.md": 3,
    "docs/tutorials/first-game-moderator.md": 8,
    "docs/how-to/set-deadlines.md": 6,
    "docs/how-to/handle-absence.md": 7,
    "docs/how-to/correct-your-copy.md": 10,
    "examples/README.md": 6,
}


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
    (games / "games").mkdir()
    for save in (ROOT / "saves").glob("*.toml" if "examples" in request.node.name else "1630-ballot.toml"):
        shutil.copy(save, games / "saves")
    for folder in (tmp_path / "Maildir", games / "Maildir"):
        for part in ("cur", "new", "tmp"):
            (folder / part).mkdir(parents=True)
    shell = Shell(games)
    shell(*first("docs/tutorials/first-game-moderator.md", "pbem new "), *NOW)
    if "correct-your-copy" in request.node.name:
        shell("pack", "new", "virgin_queen", "-o", "friend.toml")
    shell("bundle", "thirty-1.toml", "--seat", "amber", "-o", "amber.json")
    text = (ROOT / "docs/how-to/write-a-rule-test.md").read_text("utf-8")
    case = re.findall(r"^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[0]
    (games / WORDS["FOLDER"]).mkdir()  # of rule tests, where a sentence names no other
    for place in (games, games / WORDS["FOLDER"]):
        (place / "my-tests.toml").write_text(case, "utf-8")
    return games


def lines_of(page):
    """The command lines of a page, each on one line."""
    return list(dict.fromkeys(" ".join(line.split()) for line in commands(page)))


def made(words):
    """The file that a command line writes."""
    return {words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-o", "--output")}


def skipped(line):
    """Whether `SKIPPED` names the line, whatever its reason is."""
    return line.partition(" --reason ")[0] in SKIPPED


def filled(line, *, in_block):
    """The words of a command line, with things for the words in capitals; None if it is no whole command line."""
    words = shlex.split(line.replace("[", "").replace("]", ""))[1:]
    if not in_block and "…" in words and words[words.index("…") - 1] != "--reason":
        return None  # `pbem config set … --allow-earlier`: a part of a command
    words = [os.path.expandvars(word.replace("~/", "$HOME/")) for word in words if word != "-q"]
    words = [WORDS.get(word, word) for word in words]
    path, command, rest = resolved(words)
    if command is None or isinstance(command, click.Group) or path in NOT_RUN or skipped(line):
        return None
    wants = [param for param in command.params if param.param_type_name == "argument" and param.required]
    if not rest and (wants or not in_block):
        return None  # a name
    known = {name for param in command.params for name in param.opts}
    if "--reason" in known and not {"--reason", "--dry-run"} & set(rest) and path.split()[0] != "quarantine":
        rest += ["--reason", "why"]
    if not in_block and any(re.search(r"\b[A-Z]{2,}\b|…", word) for word in rest):
        return None  # `pbem config set SAVE beacon=CHAIN:…`: a sentence that leaves something to be filled in
    written = {name for name in rest if re.fullmatch(r"[\w-]+\.(toml|json|csv|mbox|orders)", name)}
    if not in_block and any(not Path(name).exists() for name in written - made(rest)):
        return None  # `pbem verify bundle.json`: a sentence speaks of a file that the reader has
    try:
        command.make_context(path, list(rest))
    except (click.MissingParameter, click.BadOptionUsage):
        return None  # a part of a command: `pbem new --invite`
    except click.UsageError:
        pass  # let running it tell
    return [*path.split(), *rest, *(NOW if "--now" in known else ())]


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_can_be_run(page, sandbox):
    run, blocks = 0, {" ".join(line.split()) for line in typed(page)}
    for line in lines_of(page):
        in_block = line in blocks
        words = filled(line, in_block=in_block)
        if words is None:
            continue
        if "-o" in words and words[0] == "new":  # begun already
            (sandbox / words[words.index("-o") + 1]).unlink(missing_ok=True)
            shutil.rmtree(sandbox / "outbox", ignore_errors=True)
            shutil.rmtree(sandbox / "saves/outbox", ignore_errors=True)
        done = CliRunner().invoke(main, words, catch_exceptions=False)
        ends = {Exit.OK} if in_block else {*Exit} - {Exit.USAGE}
        assert done.exit_code in ends, f"{line}\n{words}\n{done.output}"
        run += 1
    assert run >= AT_LEAST.get(page, 0)


SMALL = {"dev fuzz": ("--count", "1"), "dev leak-test": ("--count", "1", "--mail-pairs", "0", "--settings-pairs", "0")}
"""What makes a command of minutes one of seconds."""


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_commands_of_minutes_are_run_on_a_small_scale(page, monkeypatch):
    monkeypatch.setenv("PBEM_GAMES", str(ROOT / "examples" / "lanterns"))
    for line in lines_of(page):
        path, _, rest = resolved([WORDS.get(word, word) for word in shlex.split(line)[1:]])
        if path in SMALL and rest and not rest[0].startswith("-") and rest[0] != "auction" and "…" not in line:
            small = ["--players", "3"] if rest[0] == "sixteen_thirty" else []
            done = CliRunner().invoke(main, [*path.split(), *rest, *SMALL[path], *small], catch_exceptions=False)
            assert done.exit_code == Exit.OK, f"{line}\n{rest}\n{done.output}"


def test_what_is_not_run_is_on_some_page():
    """A name on the list that no page has any more goes."""
    named = {resolved(shlex.split(line)[1:])[0] for page in PAGES for line in lines_of(page)}
    assert sorted(set(NOT_RUN) - named) == []
    lines = {line.partition(" --reason ")[0] for page in PAGES for line in lines_of(page)}
    assert sorted(set(SKIPPED) - lines) == []


@pytest.mark.parametrize("name", NOT_RUN)
def test_what_is_not_run_here_is_run_where_the_list_says(name):
    place = ROOT / NOT_RUN[name].rpartition("; ")[2]
    files = sorted(place.rglob("test_*.py")) if place.is_dir() else [place]
    assert any(re.search(rf"\b{name.split()[-1]}\b", file.read_text("utf-8")) for file in files), place


PROGRAMS = {
    *("pbem", "python3", "pip", "python"),  # with the environment that the page makes
    *("cd", "cp", "eval", "export", "find", "ls", "mkdir", "sudo"),  # of the shell and every system
    *("pipx", "uv"),  # how-to/install.md says how to get them
}
INDEX = re.compile(r"(?:install|--spec)\s+(?:--\S+\s+)*['\"]?pbem(?:\[|==|\s|$|['\"`])")


@pytest.mark.parametrize("page", ["README.md", "README.ja.md", *(page for page in PAGES if page.startswith("docs/"))])
def test_a_reader_has_the_programs_of_a_page(page):
    """Pbem's own environment hides other programs, such as `keyring`; pbem itself is on no index."""
    text = (ROOT / page).read_text("utf-8")
    assert INDEX.findall(text) == []
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for part in re.split(r" && |; | \| |\n", block.replace("\\\n", " ")):
            if words := part.partition("#")[0].split():
                assert words[0].rpartition("/")[2] in PROGRAMS, part
