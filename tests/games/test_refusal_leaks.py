"""The no-leak law for every part of every question: what is refused there tells nothing that a seat may not know."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

import games
from games.crown_of_roses import command
from games.crown_of_roses.table import Table
from pbem.dev import leak_test
from pbem.dev.leak_test_pairs import LeakTestResult
from pbem.dev.observation import SeatObservation
from pbem.dev.random_game import sampler
from pbem.kernel.referee import Referee, components_of
from pbem.kernel.rejections import Rejection, RejectionReason, because
from tests.games.parts import Part, parts_of, things_of

_TRIED = 8
"""So many things of each kind are tried at one part of a question."""

SLUG = "crown_of_roses"


class Refusals:
    """Takes the place of `SeatObservation.refusals`: the texts that it tries, and things at every part of the question.

    Both worlds are asked the same, and what they know of is learnt from what is legal for the seat in either.
    """

    def __init__(self) -> None:
        self.said = SeatObservation.refusals
        box = components_of(games.load(SLUG), {})[1]
        self.things = [list(kindred) for kindred in things_of(box)]
        self.known: dict[str, dict[str, None]] = {}
        self.keys: set[str] = set()

    def __call__(self, observer: SeatObservation, referee: Referee, probes: list[str]) -> list[Any]:
        said = self.said(observer, referee, probes)
        asked = referee.pending_to(observer.seat)
        if asked is None:
            return said
        below = sampler(Random(str(referee.q)))
        parts = list(parts_of(asked.kind, referee.domain(observer.seat), below))
        for part in parts:
            self.known.setdefault(part.path, {}).update(dict.fromkeys(map(str, part.legal)))
        return [*said, *(self.answer(part, word) for part in parts for word in self.words(part, referee.q))]

    def words(self, part: Part, q: int) -> list[str]:
        """Words to try at a part of a question: the same in both worlds."""
        known = sorted(self.known[part.path])
        random = Random(f"{q} {part.path}")
        found = random.sample(known, min(_TRIED, len(known)))
        for kindred in self.things:
            if not set(kindred).isdisjoint(known):
                found += random.sample(kindred, min(_TRIED, len(kindred)))
        return found

    def answer(self, part: Part, word: str) -> Any:
        """What is said to a word at a part of a question."""
        try:
            part.give(word)
        except Rejection as refused:
            self.keys.add(refused.problem.key)
            return part.path, word, refused.problem
        return part.path, word


def played(monkeypatch: pytest.MonkeyPatch, pairs: int, seed: int) -> tuple[LeakTestResult, set[str]]:
    """Pairs of worlds that are compared so; the messages that were met."""
    refusals = Refusals()
    monkeypatch.setattr(
        SeatObservation, "refusals", lambda observer, referee, probes: refusals(observer, referee, probes)
    )
    return leak_test.run(games.load(SLUG), pairs, seed=seed), refusals.keys


def test_no_refusal_tells_what_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    result, keys = played(monkeypatch, 8, 6)
    assert [str(leak) for leak in result.leaks[:3]] == []
    assert len(keys) > 30


@pytest.mark.slow
def test_no_refusal_tells_what_is_hidden_in_many_games(monkeypatch: pytest.MonkeyPatch) -> None:
    result, keys = played(monkeypatch, 200, 2)
    assert [str(leak) for leak in result.leaks[:3]] == []
    assert len(keys) > 110


def test_a_reason_that_knows_another_hand_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def bar_hand(table: Table, house: str, rule: str, card: str) -> RejectionReason:
        holders = [seat for seat, own in table.state.houses.items() if card in own.hand]
        return because("not_in_hand", rule, card=card, holders=holders)

    monkeypatch.setattr(command, "bar_hand", bar_hand)
    result, _ = played(monkeypatch, 4, 5)
    assert result.leaks
    assert "refusals" in str(result.leaks[0])
