"""The no-leak law for every game: nothing that a seat gets depends on what it may not know."""

from __future__ import annotations

import contextlib
import tomllib
from collections import defaultdict
from importlib.resources import files
from random import Random

import pytest

import games
from pbem.dev import leak_test
from pbem.dev.leak_test_pairs import settings_of
from pbem.dev.random_game import random_setup, sampler
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.kernel.standing_orders import ALWAYS

PAIRS = {
    "sixteen_thirty": (16, 500, 0.95, 0.1),
    "imperial_struggle": (5, 300, 0.95, 0.1),
    "crown_of_roses": (5, 240, 0.95, 0.4),
    "virgin_queen": (3, 70, 0.9, 0.1),
}
"""Pairs of worlds in every run and in the slow one (two minutes a game); the share that must differ, and the share that
may part early. The full size, 10,000 for 1630 and 1,000 each of the others, is a command: see trust.md.
"""


def check(slug: str, pairs: int, seed: int) -> None:
    _, _, changed, parted = PAIRS[slug]
    result = leak_test.run(games.load(slug), pairs, seed=seed)
    assert [str(leak) for leak in result.leaks[:3]] == []
    assert result.pairs == pairs
    assert result.changed > pairs * changed
    assert result.ended.get("parted", 0) <= max(1, pairs * parted)  # a pair that parts has tried little
    assert result.steps > pairs * 10


def test_every_game_has_its_pairs() -> None:
    assert list(PAIRS) == [entry.slug for entry in games.catalogue()]


@pytest.mark.parametrize("slug", PAIRS)
def test_pairs(slug: str) -> None:
    check(slug, PAIRS[slug][0], 5)


@pytest.mark.slow
@pytest.mark.parametrize("slug", PAIRS)
def test_many_pairs(slug: str) -> None:
    check(slug, PAIRS[slug][1], 2)


@pytest.mark.parametrize("slug", PAIRS)
def test_what_may_be_learnt_is_told_under_its_rule(slug: str) -> None:
    """A line on the list stands in the game's story with the rule that the list names."""
    game = games.load(slug)
    lists = tomllib.loads(files(game.package).joinpath("public_lines.toml").read_text("utf-8"))
    told = defaultdict[str, set[str]](set)
    for number, (scenario, seats) in enumerate(settings_of(game, None)[:4]):
        random = Random(f"told {number}")
        referee = Referee.new(game, random_setup(game, random, scenario, seats), ask_me=ALWAYS)
        _play_out(referee, random)
        for line in referee.table.lines:
            told[line.key].add(line.rule or "")
    listed = [(key, rule) for table in ("public", "private") for key, rule in lists[table].items()]
    others = {key: (rules, told[key]) for key, rules in listed if told[key] and not _named(rules, told[key])}
    assert others == {}
    assert sum(bool(told[key]) for key, _ in listed) > len(listed) / 3


def _named(rules: str, told: set[str]) -> bool:
    """Whether one of the rules of the list is that of a line, or a part of it."""
    return any(
        section.startswith(rule) or (section and rule.startswith(section))
        for rule in rules.partition(":")[0].split(", ")
        for section in told
    )


def _play_out(referee: Referee, random: Random) -> None:
    below = sampler(random)
    while referee.now is not None:
        q = referee.q
        for seat in referee.waiting():
            with contextlib.suppress(Rejection):  # deals may exclude each other
                referee.submit(seat, referee.domain(seat).sample(below))
            if referee.q != q or referee.now is None:
                break
