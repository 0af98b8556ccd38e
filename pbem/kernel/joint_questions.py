"""Questions that follow one another in the rules, put to all seats at once to save rounds of mail.

Answers are sealed and used in the rule's order, so nobody learns anything too early. Everybody but the first may
answer `wait`, or depend on what earlier seats do.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    """Check whether this table asks such questions together."""
    return bool(table.options.get(QUESTIONS.id) == TOGETHER)


class CollectedAnswers(Generic[V]):
    """The answers given beforehand, by the key under which they were asked; used in the rule's order."""

    __slots__ = ("acted", "answers", "table")

    def __init__(self, table: Table, answers: Mapping[str, Any]) -> None:
        self.table = table
        self.answers = answers
        self.acted: list[str] = []

    def of(self, key: str) -> Any:
        """Return the answer under a key as things are now; `wait` if there is none."""
        return effective_answer(self.answers.get(key, WAIT), self.acted)

    def answer(self, key: str, ask: Ask[V], *, stands: bool = True) -> Rule[V]:
        """Return the early answer if it can be executed and `stands`; else ask, and log that an early answer failed."""
        said = self.of(key)
        # A default can always be executed, so no domain is built for it.
        if said != WAIT and stands and (said == ask.default or domain_of(ask.domain).accepts(said)):
            found: V = said
            return found
        if key in self.answers:
            self.table.stop_advance_orders(ask.seat)
            if key == ask.seat:
                self.table.log("together.asked", rule=ask.rule, reveals=True, seat=ask.seat)
            else:
                self.table.log("together.asked_for", rule=ask.rule, reveals=True, seat=ask.seat, power=key)
        return (yield from ask)

    def record_action(self, seat: str) -> None:
        """Record that a seat has acted, for the conditions of those after it."""
        self.acted.append(seat)


def ask_together(table: Table, asks: Mapping[str, Ask[V]]) -> Rule[CollectedAnswers[V]]:
    """Ask all seats, sealed, a seat's questions one after another.

    Asks nothing at a table that is asked in turn, or if there is only one question.
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
    ask = asks[key]
    before: list[str] = []
    for other, asked in asks.items():
        if other == key:
            break
        if asked.seat not in (ask.seat, *before):
            before.append(asked.seat)
    if not before:
        return ask
    return msgspec.structs.replace(ask, domain=lambda: EarlyAnswer(domain_of(ask.domain), before))


def domain_of(lazy: LazyDomain[V]) -> Domain[V]:
    """Return a domain, building it if necessary."""
    return lazy if isinstance(lazy, Domain) else lazy()


__all__ = ["IN_TURN", "QUESTIONS", "TOGETHER", "WAIT", "CollectedAnswers", "ask_together", "asks_together", "domain_of"]
