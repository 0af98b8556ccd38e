"""`python -m tests.bench --cold`: what a command costs from a cold start."""

import sys

import pytest

from pbem.save import Session, load
from tests.bench import cold
from tests.bench.ageing import grow


def test_what_a_command_costs_is_measured(monkeypatch, tmp_path):
    monkeypatch.setattr(cold, "_painted", lambda folder: cold.Command("TUI", lambda work: ["-c", ""]))
    found = cold.run(["imperial_struggle"], rounds=1, saves=3)
    assert [figure.what for figure in found] == [
        "python",
        "--help",
        "status of 11",
        "ingest imperial_struggle",
        "ingest imperial_struggle, move 500",
        "ingest imperial_struggle, move 5,000",
        "tick over 3",
        "TUI",
    ]
    assert all(0 < found[0].cpu_ms < figure.cpu_ms for figure in found[1:-1])


def test_a_game_made_old_is_a_sound_save(tmp_path):
    from games.imperial_struggle import GAME

    session = cold._game(tmp_path / "g.toml", GAME)
    grow(session, 3_000)
    assert len(load(session.path).moves) == 3_000
    again = Session.open(session.path, GAME)
    assert again.referee.n == 3_000
    assert again.referee.asked() == session.referee.asked()


def test_a_command_that_fails_is_not_measured():
    with pytest.raises(RuntimeError, match="no such thing"):
        cold._measured([sys.executable, "-c", "raise SystemExit('no such thing')"])
