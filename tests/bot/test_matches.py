"""What an understudy is worth: more than chance, and the same game each time."""

from __future__ import annotations

from random import Random

import pytest

import games
from pbem.bot import EFFORTS, Effort, Position, choose
from pbem.kernel.domains import Value
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee, components_of
from tests.bench.command import PLAYED_BY
from tests.bench.matches import match, match_ahead, played
from tests.bot.positions import SLUGS


def test_it_beats_a_random_side() -> None:
    found = match(games.load("imperial_struggle"), 2, 4, Effort(0.25))
    assert found.wins == 4
    assert found.margin > 20


def test_a_match_is_the_same_each_time() -> None:
    one, two = (match(games.load("sixteen_thirty"), 3, 2, Effort(0.15)) for _ in range(2))
    assert (one.wins, one.margin) == (two.wins, two.margin)
    assert one.games == 2


@pytest.mark.slow
def test_a_turn_written_ahead_is_played_unless_things_change() -> None:
    found = match_ahead(games.load("imperial_struggle"), 2, 1, Effort(0.05))
    assert found.written >= found.used > 0
    assert found.line()["points"] == found.ahead[0] - found.waiting[0]


@pytest.mark.slow
@pytest.mark.parametrize("slug", SLUGS)
def test_games_of_understudies_alone_end(slug: str) -> None:
    game = games.load(slug)
    seats = game.scenarios[0].seats[PLAYED_BY[slug]]
    setup = Setup(slug, seats, "5e" * 32, game.scenarios[0].id, game.with_defaults({}))

    def mind(referee: Referee, seat: str) -> Value:
        return choose(Position.of(referee), seat, Effort(0.02))

    referee = played(game, setup, components_of(game, {})[1], dict.fromkeys(seats, mind), Random(slug))
    assert referee.over
    assert referee.result is not None


@pytest.mark.slow
def test_more_effort_plays_better() -> None:
    """At the same games: by the margin over the mean of the others, which tells more than who won."""
    low, normal = (match(games.load("sixteen_thirty"), 4, 24, EFFORTS[name]) for name in ("low", "normal"))
    assert normal.margin > low.margin
    assert normal.rate >= 0.7  # docs/explanation/bots.md: 78 % of 200 games


@pytest.mark.slow
@pytest.mark.parametrize(
    ("slug", "players", "games_played", "least"),
    [("sixteen_thirty", 4, 24, 0.45), ("crown_of_roses", 3, 6, 0.5), ("virgin_queen", 6, 6, 0.3)],
)
def test_it_beats_random_seats(slug: str, players: int, games_played: int, least: float) -> None:
    assert match(games.load(slug), players, games_played, EFFORTS["low"]).rate >= least
