"""Questions that come one after another in the rules, put to all at once: one round of mail instead of many.

Answers are sealed and walked in the rule's order, so nobody learns anything earlier than the rules let him. Everybody
but the first may say `wait`, or make his answer depend on what the seats before him do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Generic

import msgspec

from pbem.kernel.domain_schema import WAIT, EarlyAnswer, effective_answer
from pbem.kernel.domains import Choice, Domain
from pbem.kernel.game import HouseRule, Rule
from pbem.kernel.questions import Ask, AskAll, LazyDomain, V
from pbem.kernel.table import Table

TOGETHER, IN_TURN = "together", "in_turn"

QUESTIONS = HouseRule(
    "questions",
    Choice((TOGETHER, IN_TURN)),
    TOGETHER,
    {
        "en": "what all are asked in turn is asked of all at once, sealed, and done in turn (together); "
        "or one is asked after another (in_turn)",
        "ja": "順番に尋ねる質問を全員に同時に伏せて尋ね、順番どおりに処理する（together）、"
        "または一人ずつ尋ねる（in_turn）",
    },
    older=IN_TURN,
)
"""The option of a game with such questions."""


def asks_together(table: Table) -> bool:
    """Whether this table is asked at once."""
    return bool(table.options.get(QUESTIONS.id) == TOGETHER)


class CollectedAnswers(Generic[V]):
    """What was said beforehand, by the key under which it was asked; used in the rule's order."""

    __slots__ = ("acted", "answers", "table")

    def __init__(self, table: Table, answers: Mapping[str, Any]) -> None:
        self.table = table
        self.answers = answers
        self.acted: list[str] = []

    def of(self, key: str) -> Any:
        """What was said under a key as things stand; `wait` where nothing was."""
        return effective_answer(self.answers.get(key, WAIT), self.acted)

    def answer(self, key: str, ask: Ask[V], *, stands: bool = True) -> Rule[V]:
        """What was said if it can still be done and `stands`, else the answer to the question.

        That somebody is asked whom the others know to have answered is told, and for which of his questions.
        """
        said = self.of(key)
        # A default can always be done: no domain need be built for it.
        if said != WAIT and stands and (said == ask.default or domain_of(ask.domain).accepts(said)):
            found: V = said
            return found
        if key in self.answers:
            self.table.surprise(ask.seat)
            if key == ask.seat:
                self.table.log("together.asked", rule=ask.rule, learns=True, seat=ask.seat)
            else:
                self.table.log("together.asked_for", rule=ask.rule, learns=True, seat=ask.seat, power=key)
        return (yield from ask)

    def record_action(self, seat: str) -> None:
        """Note that a seat has done something, for the conditions of those after it."""
        self.acted.append(seat)


def ask_together(table: Table, asks: Mapping[str, Ask[V]]) -> Rule[CollectedAnswers[V]]:
    """Ask all, sealed, in the order in which they come; a seat with several questions gets one after another.

    Asks nothing where the table is asked in turn, or where there is one question only.
    """
    answers: dict[str, Any] = {}
    left = dict(asks) if asks_together(table) and len(asks) > 1 else {}
    while left:
        batch: dict[str, str] = {}
        for key, ask in left.items():
            batch.setdefault(ask.seat, key)
        got = yield from AskAll({seat: _early(asks, key) for seat, key in batch.items()})
        for seat, key in batch.items():
            answers[key] = got[seat]
            del left[key]
    return CollectedAnswers(table, answers)


def _early(asks: Mapping[str, Ask[V]], key: str) -> Ask[Any]:
    """A question as it is put before its turn."""
    ask = asks[key]
    before: list[str] = []
    for other, asked in asks.items():
        if other == key:
            break
        if asked.seat not in (ask.seat, *before):
            before.append(asked.seat)
    if not before:
        return ask
    return msgspec.structs.replace(ask, domain=_Lazily(ask.domain, before))


class _Lazily:
    """The domain of an early answer, built when somebody must choose."""

    __slots__ = ("before", "inner")

    def __init__(self, inner: LazyDomain[Any], before: Sequence[str]) -> None:
        self.inner, self.before = inner, before

    def __call__(self) -> EarlyAnswer:
        return EarlyAnswer(domain_of(self.inner), self.before)


def domain_of(lazy: LazyDomain[V]) -> Domain[V]:
    """A domain, built if it is not."""
    return lazy if isinstance(lazy, Domain) else lazy()


__all__ = [
    "IN_TURN",
    "QUESTIONS",
    "TOGETHER",
    "WAIT",
    "CollectedAnswers",
    "ask_together",
    "asks_together",
    "domain_of",
]
