"""`rehearse`: the same game under the installed rules, or the first difference with both texts."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

import games
from pbem.save import Session, load, store
from pbem.save.upgrade_check import rehearse

SAVES = Path(__file__).parents[2] / "saves"


@pytest.fixture
def path(tmp_path):
    return Path(shutil.copy(SAVES / "1630-ballot.toml", tmp_path))


@pytest.mark.parametrize("name", ["1630-ballot", "1630-exchange", "1630-finished", "is-round"])
def test_a_game_of_this_version_is_the_same(name):
    found = rehearse(SAVES / f"{name}.toml", games.load)
    assert (found.same, found.n, found.why, found.theirs, found.ours) == (True, 0, "", "", "")
    assert found.moves > 10
    assert not found.pack_changed


def test_other_rules_are_no_error_by_themselves(path):
    newer = replace(games.load("sixteen_thirty"), rules="77")
    found = rehearse(path, newer)
    assert found.same
    assert found.rules[1] == "77"


def test_the_first_answer_that_rules_do_not_take_is_shown_with_what_they_ask(path):
    save = load(path)
    move = save.moves[6]
    save.moves[6] = msgspec.structs.replace(move, kind="nonsense")
    save.moves[6].hash = move.hash
    before = path.read_bytes()
    found = _rehearsed(path, save)
    assert not found.same
    assert found.n == 7
    assert f"question {move.q}, {move.seat or 'all'} nonsense" in found.theirs
    assert found.ours.startswith(f"question {move.q}, asked are ")
    assert path.read_bytes() == before


def test_another_state_names_the_first_place(path):
    save = load(path)
    save.checkpoint.state["turn"] = 9
    found = _rehearsed(path, save)
    assert (found.same, found.n) == (False, 0)
    assert found.why.startswith("another state: ")
    assert found.theirs == "9"
    assert found.ours != "9"


def _rehearsed(path, save):
    """As if the save were so: the rules have changed, not the file."""
    from pbem.save import files

    real = files.load
    files.load = lambda *args, **more: save
    try:
        return rehearse(path, games.load)
    finally:
        files.load = real


def test_a_game_in_play_with_corrections(path):
    session = Session.open(path, games.load)
    store(path, session.save)
    assert rehearse(path, games.load).same
