"""`pbem upgrade check` and `pbem view --seat moderator --format state`."""

from __future__ import annotations

import json

from msgspec.structs import replace

import games
from pbem.cli.console import Exit
from pbem.save import load, store


def test_live_games_are_rehearsed(pbem, new_game):
    assert "the same game (rules 2)" in pbem("upgrade", "check", new_game, new_game.parent, "--jobs", "2").stdout
    assert pbem.json("upgrade", "check", new_game)["games"][0]["unchanged"] is True


def test_what_cannot_be_read_is_told_and_costs_no_other(pbem, new_game):
    broken = new_game.with_name("broken.toml")
    broken.write_text(new_game.read_text("utf-8")[:-30], "utf-8")
    result = pbem("upgrade", "check", new_game, broken, code=Exit.PARTIAL)
    assert "the same game" in result.stdout
    assert "broken.toml" in result.stderr


def test_the_state_goes_to_other_tools(pbem, new_game):
    whole = json.loads(pbem("view", new_game, "--seat", "moderator", "--format", "state").stdout)
    assert whole["schema"] == "pbem/export/2"
    assert whole["asked"]
    assert whole["state"]["turn"] == 1
    pbem("view", new_game, "--seat", "moderator", "--format", "state", "-o", "state.json")
    assert json.loads((pbem.folder / "state.json").read_text("utf-8")) == whole


def test_who_plays_gets_no_state(pbem, new_game):
    save = load(new_game)
    save.post.plays = save.seats[0].id
    store(new_game, save)
    assert "reveal" in pbem("view", new_game, "--seat", "moderator", "--format", "state", code=Exit.FAILED_CHECK).stderr


def test_an_upgrade_is_looked_at_before(pbem, new_game, monkeypatch):
    assert "under these rules already" in pbem("upgrade", "apply", new_game, "--dry-run").stdout
    game = games.load("sixteen_thirty")
    monkeypatch.setattr(games, "load", lambda slug: replace(game, rules="77"))
    before = new_game.read_bytes()
    shown = pbem("upgrade", "apply", new_game, "--dry-run")
    assert "the same game (rules 2 → 77)" in shown.stdout
    assert "it goes on as it stands" in shown.stdout
    assert new_game.read_bytes() == before
    assert "--reason" in pbem("upgrade", "apply", new_game, code=Exit.USAGE).stderr
    done = pbem.json("upgrade", "apply", new_game, "--reason", "the new version")
    assert done["kept"].endswith("before-upgrade-0.toml")
    assert load(new_game).header.rules == "77"
    again = pbem("upgrade", "apply", new_game, "--reason", "once more", code=Exit.FAILED_CHECK)
    assert "under the installed rules already" in again.stderr


def test_who_plays_is_not_shown_what_differs(pbem, new_game, monkeypatch):
    save = load(new_game)
    save.post.plays = save.seats[0].id
    store(new_game, save)

    def play(table):
        table.shuffle([1, 2, 3])
        return game.play(table)

    game = games.load("sixteen_thirty")
    monkeypatch.setattr(games, "load", lambda slug: replace(game, rules="77", play=play))
    shown = pbem("upgrade", "apply", new_game, "--dry-run").stdout
    assert "what differs is not shown: you play in it" in shown
    assert "from its checkpoint, after move 0" in shown


def test_several_saves_are_audited_side_by_side(pbem, new_game):
    second = new_game.with_name("g-02.toml")
    second.write_text(new_game.read_text("utf-8"), "utf-8")
    broken = new_game.with_name("g-03.toml")
    broken.write_text(new_game.read_text("utf-8").replace("turn = 1", "turn = 2"), "utf-8")
    assert pbem("audit", new_game, second, "--jobs", "2").stdout == 2 * pbem("audit", new_game).stdout
    found = json.loads(pbem("audit", new_game, broken, second, "--json", code=Exit.FAILED_CHECK).stdout)
    assert found["schema"] == "pbem/audits/2"
    assert [game["ok"] for game in found["games"]] == [True, True]
    assert len(found["faults"]) == 1
    assert "g-03.toml" in found["faults"][0]
