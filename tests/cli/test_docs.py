"""What the moderator's and the player's pages tell to type exists, and works as it stands there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from pbem.cli import main
from pbem.orders import read
from pbem.save import load

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("moderator.md", "player.md")


def commands(page):
    """Every `pbem …` of a page, from blocks of shell and from code in sentences."""
    text = (DOCS / page).read_text("utf-8")
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("pbem "):
                yield line.partition("  #")[0].partition(" > ")[0].strip()
    yield from re.findall(r"`(pbem [^`]*)`", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize("page", PAGES)
def test_every_command_and_option_is_there(page):
    found = list(commands(page))
    assert len(found) > (20 if page == "moderator.md" else 0)
    for line in found:
        words = line.replace("…", "").split()
        command = main.commands.get(words[1])
        assert command is not None, line
        inner = getattr(command, "commands", {})
        if inner and len(words) > 2 and words[2] in inner:
            command = inner[words[2]]
        known = {name for one in (command, *inner.values()) for p in one.params for name in p.opts}
        for word in re.findall(r"(?<!\S)\[?(--[\w-]+|-\w)\b", " ".join(words[2:])):
            assert word in known | {"-o"} if inner else word in known, f"{line}: {word}"


def test_the_first_game_and_its_clock_as_written(pbem):
    lines = list(commands("moderator.md"))
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
        "absent",
        "thirty-1.toml",
        "--seat",
        save.seats[0].id,
        "--from",
        "2031-01-01",
        "--to",
        "2031-01-02",
    )
    assert pbem(*away)


def test_the_players_blocks_can_be_read_and_name_seats_of_the_game(pbem):
    begin = next(line for line in commands("moderator.md") if line.startswith("pbem new "))
    pbem(*shlex.split(begin)[1:])
    seats = {seat.id for seat in load(pbem.folder / "thirty-1.toml").seats}
    text = (DOCS / "player.md").read_text("utf-8")
    blocks = [
        block
        for part in re.findall(r"^```\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        for block in read(part).blocks
    ]
    assert blocks
    assert {block.seat for block in blocks} <= seats
    assert {block.game for block in blocks} == {"thirty-1"}
    assert set(re.findall(r"to=(\w+)", text)) <= {*seats, "all", "moderator"}
