"""Games of 1630 Something to report on, played at random but the same in every run."""

import random
from collections.abc import Callable

import pytest

import games
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.report.model import ReportContext
from pbem.timestamps import moment

SEED = "5e" * 32


def played(moves: int, *, seats: int = 4, chance: int = 1, **options: object) -> Referee:
    """A game after so many random answers (fewer if it ends)."""
    game = games.load("sixteen_thirty")
    setup = Setup(game.slug, game.seats_for(seats), SEED, options=game.with_defaults(options))
    referee = Referee.new(game, setup)
    source = random.Random(chance)
    for _ in range(moves):
        if referee.over:
            break
        seat = source.choice(referee.waiting())
        referee.submit(seat, referee.domain(seat).sample(source.randrange))
    return referee


@pytest.fixture
def play() -> Callable[..., Referee]:
    return played


@pytest.fixture(scope="module")
def midgame() -> Referee:
    """In the middle: piles on the table, a question open to one seat."""
    return next(game for moves in range(200, 300) if len((game := played(moves)).asked()) == 1)


@pytest.fixture
def frame() -> ReportContext:
    return ReportContext(
        name="g-07",
        code="3f9c-a1d2",
        due=moment("2031-03-06T18:00:00+00:00"),
        zone="Europe/Berlin",
        reader_zone="Asia/Tokyo",
        head="ab" * 32,
        players={"green": "Mori <script>[/x]"},
        history=[("1", {"amber": 3, "black": 4}), ("2", {"amber": 5, "black": 9})],
    )
