"""The stage for examples: what a game's room builds on it."""

import shutil
from datetime import timedelta

import pytest

import games
from pbem.post.ingest import ingest
from pbem.save import Session
from pbem.trial import stage, staging

GAME = games.load("sixteen_thirty")


@pytest.fixture
def desk(tmp_path):
    (tmp_path / "work").mkdir()
    return stage.Stage(GAME, tmp_path, tmp_path / "work")


def over_turn_one(referee):
    return referee.game.clock(referee.table.state)["turn"] == 2


def test_a_save_at_a_moment_and_its_row(desk):
    path = desk.save("x-two", over_turn_one, what="turn two", players=3)
    referee = Session.open(path, games.load).referee
    assert over_turn_one(referee)
    assert not referee.over
    assert len(referee.table.seats) == 3
    assert desk.rows == [stage.Row("`saves/x-two.toml`", "turn two", "`pbem tui saves/x-two.toml`")]
    assert desk.files == [path]
    assert not (desk.examples / "outbox").exists()


def test_most_players_is_what_nobody_says(desk):
    path = desk.save("x-all", over_turn_one, what="-")
    assert len(Session.open(path, games.load).referee.table.seats) == 6


def test_the_letters_of_a_save_lie_in_the_outbox(desk):
    desk.save("x-two", over_turn_one, what="-", players=3, outbox=True)
    assert len(list((desk.examples / "outbox" / "new").iterdir())) == 3
    assert len(desk.files) == 4


def test_a_moment_that_never_comes(desk):
    with pytest.raises(LookupError, match="no game gets there"):
        desk.save("x-never", lambda referee: False, what="-", players=3, seeds=range(2))


def test_turns_are_played_by_their_letters(desk, tmp_path):
    desk.save("x-two", over_turn_one, what="-", players=3)
    box = desk.turns("x-turns", "x-two", what="-", same=lambda referee: referee.n, letters=3)
    save = shutil.copy2(desk.saves / "x-two.toml", tmp_path / "played.toml")
    shutil.copy2(desk.saves / "x-two.toml", tmp_path / "x-two.toml")
    began = Session.open(save, games.load).referee.n
    report = ingest([tmp_path / "x-two.toml"], [box], now=staging.START + timedelta(days=9))
    assert not report.incomplete
    assert Session.open(tmp_path / "x-two.toml", games.load).referee.n >= began + 3


def test_no_turn_fits(desk):
    desk.save("x-two", over_turn_one, what="-", players=3)
    with pytest.raises(LookupError, match="fits"):
        desk.turns("x-turns", "x-two", what="-", same=lambda referee: referee.n, fits=lambda n, lines: False)


def test_a_game_without_examples_that_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(stage, "find_spec", lambda name: None)
    monkeypatch.setattr(games, "catalogue", lambda: [games.entry("sixteen_thirty")])
    with pytest.raises(stage.NoExamples):
        stage.build_all(tmp_path, ["sixteen_thirty"])
    assert stage.build_all(tmp_path) == [tmp_path / "examples" / "README.md"]
