"""Positions from random games, for the tests of this room."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import games
from pbem.bot.worlds import Position, below
from pbem.dev.random_game import random_setup
from pbem.kernel.journal import CheckpointRecord
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import ALWAYS

SLUGS = ("sixteen_thirty", "imperial_struggle", "crown_of_roses", "virgin_queen")


def positions(slug: str, number: int, *, every: float = 0.02) -> Iterator[tuple[Referee, Position]]:
    """Positions of one random game: each question with this chance. The referee goes on after each."""
    game = games.load(slug)
    random = Random(f"{slug} {number}")
    scenario = random.choice(game.scenarios)
    seats = scenario.seats[random.choice(list(scenario.seats))]
    marks: list[CheckpointRecord] = []
    setup = random_setup(game, random, scenario.id, seats)
    referee = Referee.new(game, setup, ask_me=ALWAYS, on_mark=marks.append)
    draw = below(random)
    while referee.now is not None:
        if random.random() < every:
            yield referee, Position.of(referee)
        q = referee.q
        for seat in referee.waiting():
            try:
                referee.submit(seat, referee.domain(seat).sample(draw))
            except Rejection:
                assert referee.talk is not None  # deals may exclude each other
            if referee.now is None or referee.q != q:
                break
