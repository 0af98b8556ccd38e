"""What the moderator's and the player's pages tell to type exists, and works as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import games
from pbem.cli import main
from pbem.cli.commands import every_command
from pbem.orders.grammar import read
from pbem.save import load

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "examples/README.md",
    "examples/crontab",
    *(f"docs/{p.name}" for p in DOCS.glob("*.md")),
)
LEAST = {
    "README.md": 3,
    "docs/index.md": 2,
    "docs/commands.md": 1,
    "docs/moderator.md": 30,
    "examples/README.md": 15,
    "docs/orders.md": 1,
    "docs/save-format.md": 3,
}
"""How many commands are found at least: a page that is not understood has none."""


def commands(page):
    """Every `pbem …` of a page, from blocks of shell and from code in sentences."""
    text = (ROOT / page).read_text("utf-8")
    for block in re.findall(r"^```sh\n(.*?)^```|^(    pbem .*)$", text, re.DOTALL | re.MULTILINE):
        for line in "".join(block).replace("\\\n", " ").splitlines():
            for part in re.split(r" && |; ", line.partition("  #")[0].partition(" > ")[0]):
                if re.match(r"(\S*/)?pbem ", part.strip()):
                    yield "pbem " + part.strip().partition("pbem ")[2]
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    yield from re.findall(r"`(pbem [^`]*)`", prose)
    if page == "examples/crontab":
        yield from (part.strip("' \n") for part in re.findall(r"pbem -q [^;']*", text))


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_is_there(page):
    found = list(commands(page))
    assert len(found) >= LEAST.get(page, 0)
    for line in found:
        words = [word for word in line.replace("…", "").split() if word != "-q"]
        if len(words) < 2 or words[1].startswith("-"):
            continue
        command, levels = main.commands.get(words[1]), []
        assert command is not None, line
        for word in words[2:]:
            levels.append(command)
            if word not in getattr(command, "commands", {}):
                break
            command = command.commands[word]
        inner = getattr(command, "commands", {})
        known = {
            name for level in (*levels, command, *inner.values()) for p in level.params for name in p.opts
        }
        for word in re.findall(r"(?<!\S)\[?(--[\w-]+|-\w)\b", " ".join(words[2:])):
            assert word in known, f"{line}: {word}"


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
        assert "taken" in result.stdout
        assert "dry run: nothing was written" in result.stderr
    assert before == {path: path.read_bytes() for path in Path("saves").iterdir() if path.is_file()}


def test_the_pack_and_the_move_file_of_the_moderators_page(pbem):
    """A pack as it stands there begins a game; the steps of the move file are steps that the game takes."""
    text = (DOCS / "moderator.md").read_text("utf-8")
    (pack,) = re.findall(r"^```toml\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    (pbem.folder / "mine.toml").write_text(pack, "utf-8")
    begin = next(line for line in commands("docs/moderator.md") if "--pack mine.toml" in line)
    pbem(*shlex.split(begin)[1:])
    save = load(pbem.folder / "g-02.toml")
    assert save.header.pack["cards"]["assassin"] == {"manual": True}
    plain = [
        part for kind, part in re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE) if not kind
    ]
    (block,) = [block for part in plain for block in read(part).blocks]
    assert (block.game, block.seat) == ("g-02", "moderator")
    steps = [step.strip() for step in block.items[0].body.split(";")]
    pbem("repair", "correct", "g-02.toml", *steps, "--reason", "as written", "-n")


def test_the_first_game_and_its_clock_as_written(pbem):
    lines = list(commands("docs/moderator.md"))
    begin = next(line for line in lines if line.startswith("pbem new "))
    rules = next(line for line in lines if "hours.turn=72" in line)
    assert pbem(*shlex.split(begin)[1:])
    assert len(list((pbem.folder / "outbox" / "new").iterdir())) == 3
    assert pbem(*shlex.split(rules)[1:])
    save = load(pbem.folder / "thirty-1.toml")
    assert (save.clock.grid, save.clock.time_up["turn"]) == (18, "grace")
    trusted = next(line for line in lines if "trusted=" in line)
    assert pbem(*shlex.split(trusted)[1:])
    away = (
        "clock",
        "away",
        "thirty-1.toml",
        save.seats[0].id,
        "--since",
        "2031-01-01",
        "--until",
        "2031-01-02",
    )
    assert pbem(*away)


def test_the_readmes_game_and_its_player(pbem):
    """The command begins a game of four; the player's block is a block of that game."""
    begin = next(line for line in commands("docs/index.md") if line.startswith("pbem new sixteen_thirty"))
    pbem(*shlex.split(begin)[1:])
    save = load(pbem.folder / "saves" / "g-01.toml")
    assert len(list((pbem.folder / "saves" / "outbox" / "new").iterdir())) == 4
    text = (DOCS / "index.md").read_text("utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    (block,) = [block for kind, part in found if not kind for block in read(part).blocks]
    assert (block.game, block.problem) == (save.header.name, None)
    assert block.seat in {seat.id for seat in save.seats}
    text = (ROOT / "README.md").read_text("utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    install = [part for kind, part in found if kind == "sh"][:2]
    assert all(part.count("\n") == 1 and part.startswith("python3 -m venv .venv && ") for part in install)
    assert install[0].rstrip().endswith(".venv/bin/pbem demo")
    assert "pytest -q -n 2" in install[1]


def test_the_readme_is_one_screen():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 50


@pytest.mark.parametrize("page", ["player.md", "player.ja.md"])
def test_the_players_blocks_can_be_read_and_name_seats_of_the_game(pbem, page):
    begin = next(line for line in commands("docs/moderator.md") if line.startswith("pbem new "))
    pbem(*shlex.split(begin)[1:])
    seats = {seat.id for seat in load(pbem.folder / "thirty-1.toml").seats}
    text = (DOCS / page).read_text("utf-8")
    blocks = [
        block
        for part in re.findall(r"^```\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        for block in read(part).blocks
    ]
    assert blocks
    games_named = {"thirty-1": seats, "vq-07": set(games.load("virgin_queen").seats_for(6))}
    assert {block.game for block in blocks} == games_named.keys()
    assert all(block.seat in games_named[block.game] for block in blocks)
    assert set(re.findall(r"to=(\w+)", text)) <= {*seats, "all", "moderator"}


def test_the_moderators_page_says_which_actions_ask_for_a_reason():
    text = (DOCS / "moderator.md").read_text("utf-8")
    page = text.partition("## 5. At the desk")[2].partition("### ")[0]
    free = set(re.findall(r"`([\w ]+)`", page.partition("All of\nthese but ")[2].partition("ask for")[0]))
    rows = "".join(re.findall(r"^\| `.*$", page, re.MULTILINE))
    for name in every_command():
        command = main
        for word in name.split():
            command = command.commands[word]
        reason = next((param for param in command.params if "--reason" in param.opts), None)
        if f"`pbem {name} " in rows:
            assert (reason is None or "[required" not in reason.help) == (name in free), name


TEXTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "examples/README.md")),
    *sorted([*DOCS.glob("*.md"), *ROOT.glob("games/*/README.md")]),
]
MADE_LATER = {"saves/outbox/", "saves/quarantine/"}
"""Folders that a running game makes."""


@pytest.mark.parametrize("page", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_modules_that_a_page_names_are_there(page):
    text = page.read_text("utf-8")
    named = set(re.findall(r"`((?:pbem|games|tests|docs|examples|saves|\.ci)/[\w./*-]+)`", text)) - MADE_LATER
    assert sorted(name for name in named if "GAME" not in name and not list(ROOT.glob(name))) == []
    links = set(re.findall(r"\]\(([\w./-]+)\)", text))
    assert sorted(link for link in links if not (page.parent / link).exists()) == []
    modules = {ROOT / name.replace(".", "/") for name in re.findall(r"`(pbem(?:\.[a-z_]+)+)`", text)}
    assert (
        sorted(
            module for module in modules if not module.is_dir() and not module.with_suffix(".py").is_file()
        )
        == []
    )
