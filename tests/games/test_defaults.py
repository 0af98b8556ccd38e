"""A seat that never writes holds up nobody: what happens when time runs out leads the game on.

In random games some seats never answer, so that their defaults are taken. No question comes back again and again with
the same facts, and the games end.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

import games
import pbem
from pbem.dev.fuzz import LIMIT
from pbem.dev.random_game import random_setup, sampler
from pbem.kernel.game import Setup
from pbem.kernel.questions import Negotiate
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import NEVER

GAMES = {"sixteen_thirty": 12, "imperial_struggle": 6, "crown_of_roses": 16, "virgin_queen": 6}
AGAIN = 12
"""How often a question may come back with the same facts before that counts as for ever."""


def play(slug: str, number: int) -> Referee:
    """A random game in which one seat never answers; in every fourth game only one does."""
    game, random = games.load(slug), Random(f"defaults:{slug}:{number}")
    settings = [(scenario.id, seats) for scenario in game.scenarios for seats in scenario.seats.values()]
    setup = random_setup(game, random, *settings[number % len(settings)])
    referee = Referee.new(game, setup, ask_me=NEVER)
    alone = random.choice(setup.seats)
    absent = {alone} if number % 4 else {seat for seat in setup.seats if seat != alone}
    below, last, times = sampler(random), "", 0
    for _ in range(LIMIT):
        if referee.over:
            return referee
        pending = next(question for question in referee.pending() if not question.answered)
        if pending.seat not in absent or pending.default is None:
            _answer(referee, pending.seat, below)
            continue
        asked = f"{pending.seat} {pending.kind} {json.dumps(pending.about)}"
        times = times + 1 if asked == last else 0
        last = asked
        assert times < AGAIN, f"{asked}: {pending.default}"
        if isinstance(referee.now, Negotiate):
            referee.time_up()
        else:
            assert referee.time_up(seats=[pending.seat]) == ()
    raise AssertionError(f"{slug} {number} does not end")


def _answer(referee: Referee, seat: str, below) -> None:
    try:
        referee.submit(seat, referee.domain(seat).sample(below))
    except Rejection:
        if not isinstance(referee.now, Negotiate):  # deals may exclude each other
            raise


@pytest.mark.parametrize(("slug", "number"), [(slug, n) for slug, count in GAMES.items() for n in range(count)])
def test_an_absent_seat_holds_up_nobody(slug: str, number: int) -> None:
    assert play(slug, number).over


@pytest.mark.slow
@pytest.mark.parametrize("slug", GAMES)
def test_absent_seats_in_many_games(slug: str) -> None:
    for number in range(100, 200):
        play(slug, number)


# House rules: games that were begun before one was offered go on as they began.


def course(slug: str, options: dict[str, object]) -> list[str]:
    """The narration of a random game of a hundred answers."""
    game, random = games.load(slug), Random(slug)
    scenario = game.scenarios[0]
    setup = Setup(slug, next(iter(scenario.seats.values())), "ab" * 32, scenario.id, options)
    referee = Referee.new(game, setup)
    for _ in range(100):
        seat = referee.waiting()[0]
        with suppress(Rejection):
            referee.submit(seat, referee.domain(seat).sample(random.randrange))
    return [f"{line.key} {line.args}" for line in referee.table.lines]


@pytest.mark.parametrize("slug", games.BUILT_IN)
def test_a_game_begun_before_its_house_rules_were_offered_plays_on(slug: str) -> None:
    older = {option.id: option.value({}) for option in games.load(slug).options}
    assert course(slug, {}) == course(slug, older) == course(slug, {**older, "rule_of_yore": "yes"})


def test_house_rules_are_read_in_one_way() -> None:
    """`table.rule(…)`, which knows what holds where nothing was chosen."""
    ways = re.compile(r"table\.options\b|\boptions\.get\(|\.value\(\w+\.options\)|setup\.options\[")
    places = [path for home in (games, pbem) for path in Path(home.__path__[0]).rglob("*.py")]
    found = {f"{path.parent.name}/{path.name}" for path in places if ways.search(path.read_text("utf-8"))}
    assert {name for name in found if not name.startswith("kernel/")} == {"report/viewfile.py"}
