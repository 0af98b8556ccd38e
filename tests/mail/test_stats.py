"""`pbem stats`: what it counts, and that a running game's figures follow from what everybody may know."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pbem.kernel.table import LogLine
from pbem.mail.statistics import GameStats, dice_of, of_game, results, stats
from pbem.save import Session
from tests.cli.conftest import new_game, pbem  # noqa: F401
from tests.mail.test_onlookers import played

SAVES = Path(__file__).parents[2] / "saves"


def test_a_finished_game_tells_all(pbem, tmp_path):  # noqa: F811
    shutil.copy(SAVES / "1630-finished.toml", tmp_path / "f.toml")
    found = pbem.json("stats", "f.toml")
    (one,) = found["games"]
    assert one["over"]
    assert set(one["scores"]) >= set(one["winners"]) != set()
    assert sum(row["wins"] for row in found["results"]) == len(one["winners"])
    assert one["rounds"] > 20
    assert all(len(dice["faces"]) == dice["sides"] for dice in one["dice"])
    text = pbem("stats", "f.toml").stdout
    assert "won by" in text
    assert "points on average" in text


def test_dice_against_expectation():
    lines = [LogLine("a", {"dice": [6, 6, 5]}), LogLine("b", {"dice": [1]}), LogLine("c", {"dice": [1]}, only=("x",))]
    (dice,) = dice_of(lines)
    assert (dice.count, dice.sum, dice.expected, dice.faces) == (4, 18, 14.0, [1, 0, 0, 0, 1, 2])
    assert dice.sigmas == pytest.approx((18 - 14) / (4 * 35 / 12) ** 0.5, abs=0.01)


def test_hours_of_whoever_was_asked_alone(pbem, new_game):  # noqa: F811
    """When one of several answered is not told while the game runs; who was asked alone, everybody saw."""
    import games

    played(new_game, 12)
    session = Session.open(new_game, games.load)
    moves = session.moves()
    several = {move.q for move in moves if sum(other.q == move.q for other in moves) > 1}
    counted = sum(time.answers for time in of_game(session).time.values())
    assert several
    seats = {seat.id for seat in session.save.seats}
    assert counted == len([move for move in moves if move.q not in several and move.seat in seats])


def test_times_of_sealed_answers_change_no_figure_of_a_running_game(pbem, new_game, monkeypatch):  # noqa: F811
    import games

    played(new_game, 12)
    session = Session.open(new_game, games.load)
    before, moves = of_game(session), session.moves()
    for number, move in enumerate(moves):
        group = [other for other in moves if other.q == move.q]
        if len(group) > 1 and move is not group[-1]:
            moves[number] = type(move)(**{f: getattr(move, f) for f in move.__struct_fields__})
            moves[number].at = "2026-05-01T12:00:01Z"
    monkeypatch.setattr(session, "moves", lambda: moves)
    assert of_game(session) == before


def test_results_are_counted_by_game_scenario_and_seat():
    def game(name, scores, winners, over=True):
        return GameStats(name, "g", "s", over, 1, 1, 0.0, scores=scores, winners=winners)

    rows = list(
        results(
            [game("a", {"x": 3, "y": 1}, ["x"]), game("b", {"x": 1, "y": 4}, ["y"]), game("c", {"x": 9}, [], False)]
        )
    )
    assert [(row.seat, row.games, row.wins, row.points) for row in rows] == [("x", 2, 1, 2), ("y", 2, 1, 2.5)]


def test_what_cannot_be_read_costs_no_other(pbem, new_game):  # noqa: F811
    (new_game.parent / "bad.toml").write_bytes(new_game.read_bytes()[:1500])
    found = stats([new_game.parent])
    assert [game.name for game in found.games] == ["g-01"]
    assert len(found.broken) == 1


def test_a_moderator_who_plays_reads_no_hours_of_a_running_game(pbem, new_game):  # noqa: F811
    import games

    played(new_game, 12)
    session = Session.open(new_game, games.load)
    assert of_game(session).time
    assert of_game(session).answers
    for found in (of_game(session, public=True), _playing(session)):
        assert (found.time, found.days, found.answers) == ({}, 0.0, 0)
        assert found.rounds == of_game(session).rounds


def _playing(session):
    session.save.post.plays = "amber"
    try:
        return of_game(session)
    finally:
        session.save.post.plays = ""
