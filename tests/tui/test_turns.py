"""A turn of each game, played by keys in a real terminal: the answers are in the save."""

import random
import shutil
from pathlib import Path

import pytest

from pbem.tui.model.game_source import SaveSource
from pbem.tui.model.seat_view import ScreenQuestion
from pbem.tui.screens.board_base import room_of
from tests.tui.terminal import PBEM, ROOT, Terminal, needs_tmux

TURNS = [
    ("1630-ballot", "green", (80, 24)),
    ("cor-battle", "york", (160, 45)),
    ("cor-impulse", "york", (80, 24)),
    ("is-round", "france", (200, 60)),
    ("is-war", "france", (80, 24)),
    ("vq-interception", "protestant", (160, 45)),
    ("vq-negotiation", "spain", (80, 24)),
]
ANSWERS = 4
"""How many answers are given at most: some turns go on for long."""


def asked_now(path: Path, seat: str) -> tuple[ScreenQuestion | None, tuple[int, int]]:
    """What `seat` is asked, and how far the save has come: its moves, and the answers that lie sealed."""
    source = SaveSource(path, seat)
    mine = [asked for asked in source.desk().asked if not asked.answered]
    save = source.session.save
    return (mine[0] if mine else None), (source.session.referee.n, len(save.sealed))


def write(terminal: Terminal, text: str) -> None:
    """The order text into its line, once the form is there."""
    terminal.escape()  # from the choices
    terminal.escape()  # from the parts of the answer
    terminal.type(text)
    terminal.wait(text[:24])


def answer(terminal: Terminal, asked: ScreenQuestion, text: str, *, first: bool) -> None:
    """Answer a question by keys, as a player would, and send it."""
    place = room_of(asked)
    if place == "negotiation":
        terminal.press("5", "w write")
        terminal.press("d", "In your orders")
    else:
        terminal.press("4", "the whole answer goes here")
        write(terminal, text)
    steps = ["Seal this answer?"] * asked.secret + ["How do you want to send it?"] * first  # asked once
    key = "F8"
    for asks in steps:
        terminal.press(key, asks)
        key = "Enter"  # seal it; straight into the save
    terminal.press(key, "Receipt", "Accepted and sealed")
    terminal.escape()


@needs_tmux
@pytest.mark.slow
@pytest.mark.parametrize(("name", "seat", "size"), TURNS, ids=lambda value: str(value))
def test_a_turn_is_played_in_a_real_terminal(tmp_path, name, seat, size):
    path = tmp_path / "g-01.toml"
    shutil.copy(ROOT / "saves" / f"{name}.toml", path)
    asked, before = asked_now(path, seat)
    assert asked is not None
    terminal = Terminal(tmp_path, *size)
    terminal.start(f"{PBEM} tui {path} --seat {seat} --lang en; echo LEFT; sleep 60")
    dice = random.Random(name)
    try:
        terminal.wait("^Q quit")
        for number in range(ANSWERS):
            if asked is None:
                break
            answer(terminal, asked, asked.domain.text(asked.domain.sample(dice.randrange)), first=number == 0)
            asked, after = asked_now(path, seat)
            assert after > before or asked is None
            before = after
        terminal.press("6", "questions answered")
        terminal.press("C-q", "LEFT")
    finally:
        terminal.stop()
