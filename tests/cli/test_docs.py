"""What the moderator's and the player's pages tell to type exists, and works as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.orders.parser import read
from pbem.save import load

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = (
    "README.md",
    "README.ja.md",
    "CONTRIBUTING.md",
    "examples/README.md",
    "examples/crontab",
    *sorted(p.relative_to(ROOT).as_posix() for p in DOCS.rglob("*.md")),
)
LEAST = {
    "README.md": 8,
    "docs/index.md": 2,
    "docs/reference/commands.md": 50,
    "docs/reference/orders.md": 1,
    "docs/reference/save-format.md": 3,
    "docs/reference/settings.md": 3,
    "docs/tutorials/first-game-moderator.md": 10,
    "docs/tutorials/first-solo-game.md": 3,
    "docs/how-to/connect-a-mailbox.md": 5,
    "docs/how-to/correct-your-copy.md": 12,
    "docs/how-to/handle-absence.md": 7,
    "docs/how-to/handle-quarantine.md": 6,
    "docs/how-to/publish-pages.md": 6,
    "docs/how-to/set-deadlines.md": 6,
    "docs/how-to/verify-a-game.md": 7,
    "examples/README.md": 15,
}
"""How many commands are found at least: a page that is not understood has none."""


def typed(page):
    """Every `pbem …` in the blocks of shell of a page."""
    text = (ROOT / page).read_text("utf-8")
    for block in re.findall(r"^```sh\n(.*?)^```|^(    pbem .*)$", text, re.DOTALL | re.MULTILINE):
        for line in "".join(block).replace("\\\n", " ").splitlines():
            for part in re.split(r" && |; ", line.partition("  #")[0].partition(" > ")[0]):
                if re.match(r"(\S*/)?pbem ", part.strip()):
                    yield "pbem " + part.strip().partition("pbem ")[2]


def commands(page):
    """Every `pbem …` of a page, from blocks of shell and from code in sentences."""
    text = (ROOT / page).read_text("utf-8")
    yield from typed(page)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    yield from re.findall(r"`(pbem [^`]*)`", prose)
    if page == "examples/crontab":
        yield from (part.strip("' \n") for part in re.findall(r"pbem -q [^;']*", text))


def resolved(words):
    """The path of the command that `words` name, the command (None: there is none), and the other words."""
    path, command, rest = [], None, list(words)
    inner = main.commands
    while rest and rest[0] in inner:
        path.append(rest.pop(0))
        command = inner[path[-1]]
        inner = getattr(command, "commands", {})
    return " ".join(path), command, rest


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_is_there(page):
    found = list(commands(page))
    assert len(found) >= LEAST.get(page, 0)
    for line in found:
        words = [word for word in line.replace("…", "").split()[1:] if word not in ("-q", "-h", "--help", "--version")]
        if not words or not re.fullmatch(r"[a-z][a-z-]*", words[0]):
            continue  # `pbem COMMAND --help`
        path, command, rest = resolved(words)
        assert command is not None, line
        inner = getattr(command, "commands", {})
        assert not inner or not rest or not re.fullmatch(r"[a-z][a-z-]+", rest[0]), f"{line}: no command {rest[0]}"
        known = {"--help", *(name for level in (command, *inner.values()) for p in level.params for name in p.opts)}
        for word in re.findall(r"(?<!\S)\[?(--[\w-]+|-\w)\b", " ".join(rest)):
            assert word in known, f"{line}: {path} has no {word}"


def test_the_crontab_does_all_that_must_be_done():
    found = [line.split()[2] for line in commands("examples/crontab") if line.startswith("pbem -q")]
    assert found == ["run"]


@pytest.mark.parametrize(
    "line", [command for command in commands("examples/README.md") if not command.startswith("pbem examples")]
)
def test_the_examples_can_be_tried_as_written_and_stay_as_they_are(line, monkeypatch):
    """What lies in the repository works under these rules; if not: `python -m tests.examples`."""
    monkeypatch.chdir(ROOT)
    words = shlex.split(line)[1:]
    before = {path: path.read_bytes() for path in Path("saves").iterdir() if path.is_file()}
    if words[0] == "tui":
        words = ["view", *words[1:], "--seat", "public"]  # the screen itself has tests of its own
    result = CliRunner().invoke(main, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert result.stdout
    if words[0] == "ingest":
        assert "accepted" in result.stdout
        assert "dry run: nothing was written" in result.stderr
    assert before == {path: path.read_bytes() for path in Path("saves").iterdir() if path.is_file()}


MODERATOR = "docs/tutorials/first-game-moderator.md"


def first(page, *words):
    """The words of the first command of a page that has all of `words`."""
    return shlex.split(next(line for line in commands(page) if all(word in line for word in words)))[1:]


def blocks(page):
    """The order blocks of a page."""
    text = (ROOT / page).read_text("utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return [block for kind, part in found if kind in ("", "text") for block in read(part).blocks]


def test_the_move_file_for_a_manual_card(pbem):
    """The steps of the move file are steps that a game takes."""
    pbem("new", "sixteen_thirty", "-o", "g-02.toml", "--players", "4")
    (block,) = blocks("docs/how-to/correct-a-game.md")
    assert (block.game, block.seat) == ("g-02", "moderator")
    steps = [step.strip() for step in block.items[0].body.split(";")]
    pbem("repair", "correct", "g-02.toml", *steps, "--dry-run")


def test_the_first_game_and_its_clock_as_written(pbem):
    assert pbem(*first(MODERATOR, "pbem new "))
    assert len(list((pbem.folder / "outbox" / "new").iterdir())) == 3
    assert pbem(*first(MODERATOR, "pbem config set"))
    assert pbem(*first("docs/how-to/set-deadlines.md", "hours.turn=72"))
    save = load(pbem.folder / "thirty-1.toml")
    assert (save.clock.grid, save.clock.time_up["turn"]) == (18, "grace")
    assert pbem(*first("docs/how-to/connect-a-mailbox.md", "trusted="))
    assert pbem("clock", "away", "thirty-1.toml", save.seats[0].id, "--since", "2031-01-01", "--until", "2031-01-02")


def test_the_readmes_game(pbem):
    """The command of the README starts a game of three, and writes their emails."""
    (pbem.folder / "games").mkdir()
    pbem(*first("README.md", "pbem new sixteen_thirty"))
    assert len(load(pbem.folder / "games" / "g1.toml").seats) == 3
    assert len(list((pbem.folder / "games" / "outbox" / "new").iterdir())) == 3


@pytest.mark.parametrize("readme", ["README.md", "README.ja.md"])
def test_the_readme_begins_with_two_commands_and_two_pictures(readme):
    text = (ROOT / readme).read_text("utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    install = [part for kind, part in found if kind == "sh"][:2]
    assert all(part.count("\n") == 1 and part.startswith("python3 -m venv .venv && ") for part in install)
    assert install[0].rstrip().endswith(".venv/bin/pbem demo")
    assert "pytest -q -n 2" in install[1]
    screen = "\n".join(text.splitlines()[:24])
    assert all(part in screen for part in install)
    assert re.findall(r'<img src="docs/img/([\w-]+)\.svg"', screen) == ["tui-questions", "email"]
    assert len(text.splitlines()) <= 100


@pytest.mark.parametrize("page", ["first-game-player.md", "first-game-player.ja.md"])
def test_the_players_blocks_can_be_read_and_name_seats_of_the_game(pbem, page):
    pbem(*first(MODERATOR, "pbem new "))
    seats = {seat.id for seat in load(pbem.folder / "thirty-1.toml").seats}
    text = (DOCS / "tutorials" / page).read_text("utf-8")
    found = blocks(f"docs/tutorials/{page}")
    games_named = {"thirty-1": seats, "vq-07": set(games.load("virgin_queen").seats_for(6))}
    assert {block.game for block in found} == games_named.keys()
    assert all(block.seat in games_named[block.game] for block in found)
    assert set(re.findall(r"to=(\w+)", text)) <= {*seats, "all", "moderator"}


TEXTS = [
    *(ROOT / name for name in ("README.md", "README.ja.md", "CONTRIBUTING.md", "examples/README.md")),
    *sorted([*DOCS.rglob("*.md"), *ROOT.glob("games/*/README.md")]),
]
MADE_LATER = {"saves/outbox/", "saves/quarantine/", "games/outbox"}
"""Folders that a running game makes."""


@pytest.mark.parametrize("page", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_modules_that_a_page_names_are_there(page):
    text = page.read_text("utf-8")
    named = set(re.findall(r"`((?:pbem|games|tests|docs|examples|saves|\.ci)/[\w./*-]+)`", text)) - MADE_LATER
    assert sorted(name for name in named if "GAME" not in name and not list(ROOT.glob(name))) == []
    links = set(re.findall(r"\]\(([\w./-]+)(?:#[^)]*)?\)", text))
    assert sorted(link for link in links if not (page.parent / link).exists()) == []
    modules = {ROOT / name.replace(".", "/") for name in re.findall(r"`(pbem(?!\.toml`)(?:\.[a-z_]+)+)`", text)}
    assert sorted(module for module in modules if not module.is_dir() and not module.with_suffix(".py").is_file()) == []
