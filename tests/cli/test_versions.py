"""`pbem rehearse` and `pbem export`."""

from __future__ import annotations

import json

from pbem.cli.exits import Exit
from pbem.save import load, store


def test_live_games_are_rehearsed(pbem, new_game):
    assert "the same game (rules 1)" in pbem("rehearse", new_game, new_game.parent, "--jobs", "2").stdout
    assert pbem.json("rehearse", new_game)["games"][0]["same"] is True


def test_what_cannot_be_read_is_told_and_costs_no_other(pbem, new_game):
    broken = new_game.with_name("broken.toml")
    broken.write_text(new_game.read_text("utf-8")[:-30], "utf-8")
    result = pbem("rehearse", new_game, broken, code=Exit.PARTLY)
    assert "the same game" in result.stdout
    assert "broken.toml" in result.stderr


def test_the_state_goes_to_other_tools(pbem, new_game):
    whole = json.loads(pbem("export", new_game, "--state").stdout)
    assert whole["schema"] == "pbem/export/1"
    assert whole["asked"]
    assert whole["state"]["turn"] == 1
    pbem("export", new_game, "--state", "-o", "state.json")
    assert json.loads((pbem.folder / "state.json").read_text("utf-8")) == whole


def test_who_plays_gets_no_state(pbem, new_game):
    save = load(new_game)
    save.post.plays = save.seats[0].id
    store(new_game, save)
    assert "reveal" in pbem("export", new_game, "--state", code=Exit.REFUSED).stderr
