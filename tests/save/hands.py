"""What tests do to a game and to its file: play on, edit a line, expect a refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.kernel.dice import Dice
from pbem.save import SaveError, Session, load, load_header, verify
from tests.toy import playing as toy


def until(session: Session, kind: type, answers: int = 0, seed: int = 3) -> Session:
    """Play on until a question of that kind is open and so many have answered it."""
    dice = Dice(seed.to_bytes(32, "big"))
    referee = session.referee
    for _ in range(2000):
        given = len(referee.sealed) + (len(referee.talk.acts) if referee.talk is not None else 0)
        if isinstance(referee.now, kind) and given == answers:
            return session
        toy.step(referee, dice)
    raise AssertionError(f"no open {kind.__name__}")


def edited(path: Path, old: str, new: str, after: str = "") -> int:
    """Replace the first `old` behind `after`; the line (from 1) on which that was."""
    text = path.read_text("utf-8")
    start = text.index(after) if after else 0
    at = text.index(old, start)
    path.write_text(text[:at] + new + text[at + len(old) :], "utf-8")
    return text.count("\n", 0, at) + 1


def refused(path: Path, kind: type[SaveError], key: str, line: int, *, header: bool = False) -> SaveError:
    """Every way of reading refuses the file in the same words; the error is returned."""
    ways = [
        lambda: load(path),
        lambda: load(path, recent=True),
        lambda: Session.open(path, toy.load),
        lambda: verify(path, toy.load),
    ]
    if header:
        ways.append(lambda: load_header(path))
    said = set()
    for way in ways:
        with pytest.raises(SaveError) as caught:
            way()
        error = caught.value
        assert type(error) is kind
        assert (error.key, error.line, error.path) == (key, line, str(path))
        said.add(str(error))
    assert len(said) == 1
    text = said.pop()
    assert text.endswith(f"{error.why}. {error.remedy}")
    assert len(error.remedy) > 10
    return error
