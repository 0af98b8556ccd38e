"""Every refusal says why: a word that a kind of question knows, and that is not legal now, is refused by a rule."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

import pytest

import games
from pbem.dev.leak_test_pairs import settings_of
from pbem.dev.random_game import random_setup, sampler
from pbem.kernel.domains import Domain, Menu
from pbem.kernel.referee import Referee, components_of
from pbem.kernel.rejections import Rejection, RejectionReason
from pbem.kernel.standing_orders import ALWAYS
from pbem.report.messages import Catalogue
from tests.games.parts import parts_of, things_of

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


def refusals(slug: str) -> dict[tuple[str, str], RejectionReason]:
    """Kind and word → how it was refused at a question of this kind; without a reason, if that was ever so."""
    count, steps = SIZES[slug]
    found: dict[tuple[str, str], RejectionReason] = {}
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
    """The menus that are put in a random game, each with the kind of its question."""
    return ((kind, domain) for kind, domain in questions(slug, number, steps) if isinstance(domain, Menu))


def questions(slug: str, number: int, steps: int) -> Iterator[tuple[str, Domain]]:
    """Play a random game; some of the questions that are put, each with its kind."""
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
            if below(_SELDOM) == 0:
                yield kinds[seat], domain
            with contextlib.suppress(Rejection):  # deals may exclude each other
                referee.submit(seat, domain.sample(below))
            if referee.q != q or referee.now is None:
                break
        if referee.now is None:
            return


def refusal(domain: Domain, word: str) -> RejectionReason:
    """Why a word is refused."""
    return problem_of(partial(domain.parse, word))


def problem_of(answer: Callable[[], object]) -> RejectionReason:
    """Why an answer is refused."""
    with pytest.raises(Rejection) as caught:
        answer()
    return caught.value.problem


# -- every part of every question: blocks, shires, cards, houses, not the first word only ------------------------------

DEEP = {"crown_of_roses": (14, 700)}
"""Games all of whose questions give reasons to the last part: as `SIZES`."""

_TRIED = 5
"""So many things of a kind are tried at one part of a question."""

_ALIKE = 2
"""Where so many things of a kind may be written, all others of the kind are tried too."""

NO_REASON: dict[str, dict[str, str]] = {"crown_of_roses": {}}
"""Parts of questions that give no reason, and why that is so."""


@pytest.mark.parametrize("slug", DEEP)
def test_a_thing_of_the_game_that_is_not_legal_now_is_refused_by_a_rule(slug: str) -> None:
    bare, tried = parts_without_reason(slug, *DEEP[slug])
    assert len(tried) >= 250
    assert {path: words for path, words in bare.items() if path not in NO_REASON[slug]} == {}


def parts_without_reason(slug: str, count: int, steps: int) -> tuple[dict[str, set[str]], set[str]]:
    """Parts of questions → words refused there without a rule; all parts that were tried."""
    game = games.load(slug)
    box = components_of(game, {})[1]
    things = things_of(box)
    catalogues = [Catalogue(game, box, language) for language in ("en", "ja")]
    known: dict[str, dict[str, None]] = defaultdict(dict)
    bare: dict[str, set[str]] = defaultdict(set)
    for number in range(count):
        below = sampler(Random(f"words {number}"))
        for kind, domain in questions(slug, number, steps):
            for part in parts_of(kind, domain, below):
                words = known[part.path]
                words.update(dict.fromkeys(map(str, part.legal)))
                for kindred in things:
                    if len(words.keys() & kindred.keys()) >= _ALIKE:
                        ids = [*kindred]
                        words.update(dict.fromkeys(ids[below(len(ids))] for _ in range(_TRIED)))
                wrong = [word for word in words if word not in part.legal]
                for _ in range(min(_TRIED, len(wrong))):
                    word = wrong[below(len(wrong))]
                    problem = problem_of(partial(part.give, word))
                    if problem.key in UNEXPLAINED or not (problem.rule or problem.key == "answer.too_many"):
                        bare[part.path].add(word)
                    for catalogue in catalogues:
                        catalogue.render_problem(problem)
                        assert not catalogue.missing, problem
    return bare, set(known)
