"""Examples of a game: what its room builds."""

import shutil
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

import games
from pbem.dev import synthetic_mail
from pbem.mail.inbox.ingest import ingest
from pbem.save import Session
from tests.examples import kit

GAME = games.load("sixteen_thirty")


@pytest.fixture
def made(tmp_path):
    (tmp_path / "work").mkdir()
    return kit.Examples(GAME, tmp_path, tmp_path / "work")


def over_turn_one(referee):
    return referee.game.calendar(referee.table.state)["turn"] == 2


def test_a_save_at_a_moment_and_its_row(made):
    path = made.save("x-two", over_turn_one, what="turn two", players=3)
    referee = Session.open(path, games.load).referee
    assert over_turn_one(referee)
    assert not referee.over
    assert len(referee.table.seats) == 3
    assert made.rows == [kit.ExampleRow("`saves/x-two.toml`", "turn two", "`pbem tui saves/x-two.toml`")]
    assert made.files == [path]
    assert not (made.folder / "outbox").exists()


def test_most_players_is_what_nobody_says(made):
    path = made.save("x-all", over_turn_one, what="-")
    assert len(Session.open(path, games.load).referee.table.seats) == 6


def test_the_letters_of_a_save_lie_in_the_outbox(made):
    made.save("x-two", over_turn_one, what="-", players=3, outbox=True)
    assert len(list((made.folder / "outbox" / "new").iterdir())) == 3
    assert len(made.files) == 4


def test_a_moment_that_never_comes(made):
    with pytest.raises(LookupError, match="no game gets there"):
        made.save("x-never", lambda referee: False, what="-", players=3, seeds=range(2))


def test_a_save_that_is_there_is_made_anew(made):
    first = made.save("x-two", over_turn_one, what="-", players=3).read_bytes()
    assert made.save("x-two", over_turn_one, what="-", players=3).read_bytes() == first


def second_ballot(referee):
    return referee.pending()[0].kind == "ballot" and referee.q > 1


def test_a_game_played_by_a_script(made):
    first = GAME.seats_for(3, "")[0]
    for _ in range(2):  # the second replaces the first
        path = made.scripted("x-script", (), second_ballot, what="quiet", players=3)
    assert second_ballot(Session.open(path, games.load).referee)
    with pytest.raises(LookupError, match="script did not get past"):
        made.scripted("x-lost", [(first, "no-such-kind", "pass")], second_ballot, what="-", players=3)


def test_letters_round_after_round(made, tmp_path):
    made.scripted("x-script", (), second_ballot, what="-", players=3)
    referee = Session.open(made.saves / "x-script.toml", games.load).referee
    written = [(seat, [referee.domain(seat).text(kit.quiet(referee, seat))]) for seat in referee.waiting()]
    box = made.letters("x-letters", "x-script", [written], what="everybody votes")
    shutil.copy2(made.saves / "x-script.toml", tmp_path / "x-script.toml")
    report = ingest([tmp_path / "x-script.toml"], [box], now=synthetic_mail.START + timedelta(days=1))
    assert {letter.fate for letter in report.emails} == {"taken"}
    assert Session.open(tmp_path / "x-script.toml", games.load).referee.q > referee.q


def test_turns_are_played_by_their_letters(made, tmp_path):
    made.save("x-two", over_turn_one, what="-", players=3)
    box = made.turns("x-turns", "x-two", what="-", same=lambda referee: referee.n, letters=3)
    save = shutil.copy2(made.saves / "x-two.toml", tmp_path / "played.toml")
    shutil.copy2(made.saves / "x-two.toml", tmp_path / "x-two.toml")
    began = Session.open(save, games.load).referee.n
    report = ingest([tmp_path / "x-two.toml"], [box], now=synthetic_mail.START + timedelta(days=9))
    assert not report.incomplete
    assert Session.open(tmp_path / "x-two.toml", games.load).referee.n >= began + 3


def test_no_turn_fits(made):
    made.save("x-two", over_turn_one, what="-", players=3)
    with pytest.raises(LookupError, match="fits"):
        made.turns("x-turns", "x-two", what="-", same=lambda referee: referee.n, fits=lambda n, lines: False)


def test_a_game_without_examples_that_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(kit, "find_spec", lambda name: None)
    monkeypatch.setattr(games, "BUILT_IN", {"sixteen_thirty": games.entry("sixteen_thirty")})
    with pytest.raises(kit.NoExamples):
        kit.build_all(tmp_path, ["sixteen_thirty"])
    assert kit.build_all(tmp_path) == [tmp_path / "examples" / "README.md"]


BY_HAND = ("auction", "fleet", "lanterns", "packs")
"""What of `examples/` is written by hand."""


@pytest.mark.slow
def test_what_ships_is_what_its_builder_writes(tmp_path):
    """After a change of rules, texts or emails: `python -m tests.examples`, and commit what it has written."""
    root = Path(__file__).parents[2]
    run = [sys.executable, "-m", "tests.examples", "--into", str(tmp_path)]
    subprocess.run(run, cwd=root, check=True, stdout=subprocess.DEVNULL)

    def files(home):
        found = {}
        for folder in ("saves", "examples"):
            for path in (home / folder).rglob("*"):
                name = path.relative_to(home)
                kept = path.suffix not in (".lock", ".bak") and name.parts[1] not in (*BY_HAND, ".pbem-cache")
                if path.is_file() and kept:
                    found[name.as_posix()] = path.read_bytes()
        return found

    made, there = files(tmp_path), files(root)
    assert sorted(made) == sorted(there)
    assert [name for name in made if made[name] != there[name]] == []
