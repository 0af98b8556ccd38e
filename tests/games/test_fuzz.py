"""Random games of every game: at each number of players, with random options, replayed and restarted at checkpoints."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
import pytest

import games
from games.virgin_queen.state import MINORS, POWERS, WAR, pair
from pbem.dev import fuzz
from pbem.kernel.game import Game
from pbem.kernel.table import Table


class Size(NamedTuple):
    """So many games at each of `seats` (None: all numbers in turn), and what each has at the least."""

    seats: tuple[int | None, ...]
    games: int
    audited: int
    decisions: int
    checkpoints: int


SIZES = {
    "sixteen_thirty": Size((3, 4, 5, 6), 12, 6, 150, 20),
    "imperial_struggle": Size((None,), 20, 5, 100, 15),
    "crown_of_roses": Size((None,), 6, 3, 100, 10),
    "virgin_queen": Size((2, 3, 4, 5, 6), 2, 2, 150, 50),
}
CAREFUL: dict[str, tuple[int | None, ...]] = {"sixteen_thirty": (3, 6), "imperial_struggle": (None,)}
"""Played with care at every answer in each run; of the other games, whose answers are dearer, in the slow one."""
MANY: dict[str, tuple[tuple[int | None, ...], dict[str, int]]] = {
    "sixteen_thirty": ((3, 4, 5, 6), {"games": 1_000, "seed": 1630, "careful": 100, "audited": 5}),
    "imperial_struggle": ((None,), {"games": 600, "seed": 1697, "careful": 50, "audited": 2}),
    "crown_of_roses": ((None,), {"games": 100, "seed": 1455, "careful": 30}),
    "virgin_queen": ((2, 3, 4, 5, 6), {"games": 40, "seed": 1559, "careful": 10}),
}


def played(game: Game, **keywords: Any) -> fuzz.FuzzResult:
    """A run without a failure."""
    result = fuzz.run(game, **keywords)
    assert [f"{failure}\n{failure.trace}" for failure in result.failures[:3]] == []
    return result


def test_every_game_has_its_sizes() -> None:
    slugs = [entry.slug for entry in games.catalogue()]
    assert (list(SIZES), list(MANY)) == (slugs, slugs)


@pytest.mark.parametrize(("slug", "seats"), [(slug, n) for slug, size in SIZES.items() for n in size.seats])
def test_random_games(slug: str, seats: int | None) -> None:
    size = SIZES[slug]
    result = played(games.load(slug), games=size.games, seats=seats, seed=seats or 1, careful=0, audited=size.audited)
    assert result.games == size.games
    assert result.decisions > size.games * size.decisions
    assert result.checkpoints > size.games * size.checkpoints


@pytest.mark.parametrize(("slug", "seats"), [(slug, n) for slug, numbers in CAREFUL.items() for n in numbers])
def test_careful_games(slug: str, seats: int | None) -> None:
    assert played(games.load(slug), games=2, seats=seats, seed=seats or 7, careful=1).careful == 2


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "seats"), [(slug, n) for slug, (numbers, _) in MANY.items() for n in numbers])
def test_many_random_games(slug: str, seats: int | None) -> None:
    played(games.load(slug), seats=seats, **MANY[slug][1])


def test_everybody_at_war() -> None:
    """Virgin Queen's set-up, but for wars between all powers that may be at war."""
    game = games.load("virgin_queen")

    def at_war(table: Table) -> Any:
        state = game.setup(table)
        for i, a in enumerate(POWERS):
            for b in (*POWERS[i + 1 :], *(minor for minor in MINORS if not state.minors[minor].ally)):
                state.diplomacy[pair(a, b)] = WAR
        return state

    played(msgspec.structs.replace(game, setup=at_war), games=3, seats=6, seed=9, careful=0, audited=0)
