"""Every refusal says why: a word that a kind of question knows, and that is not legal now, is refused by a rule."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator
from random import Random

import pytest

import games
from pbem.kernel.answers import Domain, Menu
from pbem.kernel.problems import Problem, Refused
from pbem.kernel.referee import Referee
from pbem.kernel.standing import ALWAYS
from pbem.trial.pairing import settings_of
from pbem.trial.random_game import random_setup, sampler

SIZES = {
    "sixteen_thirty": (20, 250),
    "imperial_struggle": (6, 250),
    "crown_of_roses": (6, 250),
    "virgin_queen": (6, 300),
}
"""Random games, and the answers after which each is left."""

_SELDOM = 5
"""One menu of so many is tried."""

UNEXPLAINED = ("answer.unknown", "answer.not_now")
"""Refusals that give no reason."""

EXCEPTIONS: dict[str, dict[tuple[str, str], str]] = {
    "sixteen_thirty": {},
    "imperial_struggle": {},
    "crown_of_roses": {},
    "virgin_queen": {},
}
"""Kind and word that no reason is given for, and why that is so."""


def test_every_game_is_tried() -> None:
    assert list(SIZES) == [entry.slug for entry in games.catalogue()]
    assert SIZES.keys() == EXCEPTIONS.keys()


@pytest.mark.parametrize("slug", SIZES)
def test_a_word_that_is_not_legal_now_is_refused_by_a_rule(slug: str) -> None:
    refused = refusals(slug)
    assert len(refused) >= 10
    bare = {tried for tried, problem in refused.items() if problem.key in UNEXPLAINED or not problem.rule}
    assert bare - EXCEPTIONS[slug].keys() == set()
    assert EXCEPTIONS[slug].keys() - bare == set()  # an exception that is no longer needed


def refusals(slug: str) -> dict[tuple[str, str], Problem]:
    """Kind and word → how it was refused at a question of this kind; without a reason, if that was ever so."""
    count, steps = SIZES[slug]
    found: dict[tuple[str, str], Problem] = {}
    known: dict[str, set[str]] = defaultdict(set)
    for number in range(count):
        for kind, domain in menus(slug, number, steps):
            known[kind].update(domain.words)
            for word in known[kind].difference(domain.words):
                problem = refusal(domain, word)
                before = found.get((kind, word))
                if before is None or problem.key in UNEXPLAINED:
                    found[kind, word] = problem
    return found


def menus(slug: str, number: int, steps: int) -> Iterator[tuple[str, Menu]]:
    """Play a random game; the menus that are put, each with the kind of its question."""
    game, random = games.load(slug), Random(f"refusals {number}")
    chosen = settings_of(game, None)
    setup = random_setup(game, random, *chosen[number % len(chosen)])
    referee = Referee.new(game, setup, ask_me=ALWAYS)
    below = sampler(random)
    for _ in range(steps):
        q = referee.q
        kinds = {pending.seat: pending.kind for pending in referee.pending()}
        for seat in referee.waiting():
            domain = referee.domain(seat)
            if isinstance(domain, Menu) and below(_SELDOM) == 0:
                yield kinds[seat], domain
            with contextlib.suppress(Refused):  # deals may exclude each other
                referee.submit(seat, domain.sample(below))
            if referee.q != q or referee.now is None:
                break
        if referee.now is None:
            return


def refusal(domain: Domain, word: str) -> Problem:
    """Why a word is refused."""
    with pytest.raises(Refused) as caught:
        domain.parse(word)
    return caught.value.problem
