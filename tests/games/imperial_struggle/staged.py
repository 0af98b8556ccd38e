"""Saves of Imperial Struggle at telling moments, and a mailbox with one full Action Round of each side.

`python -m tests.games.imperial_struggle.staged` writes them anew, the same bytes every time.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from random import Random

from games.imperial_struggle import GAME
from pbem.kernel.referee import Referee
from pbem.save import Session
from pbem.trial import staging

ROOT = Path(__file__).parents[3]


def open_round(referee: Referee) -> bool:
    """The first Action Round of turn 3, before a tile is taken."""
    state = referee.table.state
    return state.turn == 3 and state.rounds == 0 and referee.pending()[0].kind == "tile"


def mid_war(referee: Referee) -> bool:
    """A Territory is being taken in a war, and its owner may refuse."""
    return referee.pending()[0].kind == "refuse"


def save(path: Path, until: staging.Until, seed: int) -> Path:
    """A game of made-up people, played at random until something holds."""
    path.unlink(missing_ok=True)
    session = staging.setting_up(path, GAME, 2)
    staging.play(session, until, Random(seed))
    staging.finish(session)
    return path


def game_until(path: Path, until: staging.Until) -> Path:
    """As `save`, with the first seed whose game gets there."""
    for seed in range(200):
        save(path, until, seed)
        if not Session.open(path, lambda slug: GAME).referee.over:
            return path
    raise AssertionError("no game gets there")


def round_lines(path: Path, work: Path, seed: int) -> tuple[str, list[str]]:
    """What the side to play could write for its whole Action Round; tried on a copy."""
    copy = Path(shutil.copy2(path, work / "tried.toml"))
    referee = Session.open(copy, lambda slug: GAME).referee
    (seat,) = referee.waiting()
    rounds, below, lines = referee.table.state.rounds, Random(seed).randrange, []
    while referee.waiting() == (seat,) and referee.table.state.rounds == rounds:
        value = referee.domain(seat).sample(below)
        lines.append(referee.domain(seat).text(value))
        referee.submit(seat, value)
    return seat, lines


def rounds(path: Path, work: Path) -> list[staging.Mail]:
    """One letter of each side with its whole Action Round; the first plays an Event."""
    mails = []
    copy = Path(shutil.copy2(path, work / path.name))
    at = staging.START + timedelta(hours=5)
    for number in range(2):
        for seed in range(500):
            seat, lines = round_lines(copy, work, seed)
            if 5 <= len(lines) <= 9 and (number or any(line.startswith("event ") for line in lines)):
                break
        session = Session.open(copy, lambda slug: GAME)
        mails.append(staging.letter(session, seat, lines, at, number=number))
        for line in lines:
            session.referee.submit(seat, session.referee.domain(seat).parse(line, session.referee.names))
        session.commit(staging.stamp(at))
        at += timedelta(hours=20)
    return mails


def build(into: Path) -> list[Path]:
    """Write everything below `into`; returns the files."""
    saves, examples = into / "saves", into / "examples"
    for folder in (saves, examples):
        folder.mkdir(parents=True, exist_ok=True)
    made = [
        game_until(saves / "is-round.toml", open_round),
        game_until(saves / "is-war.toml", mid_war),
        save(saves / "is-finished.toml", lambda referee: referee.over, 1),
    ]
    box = examples / "is-round.mbox"
    with tempfile.TemporaryDirectory(prefix="pbem-is-") as work:
        box.write_bytes(staging.as_mbox(rounds(made[0], Path(work))))
    return [*made, box]


if __name__ == "__main__":
    for file in build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT):
        sys.stdout.write(f"{file}\n")
