"""Where cards could be used now: the places of my open questions in which their ids may be written."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice

from pbem.kernel.answers import Arrange, Choice, Domain, Form, Menu, Optional, Pick, Reply, Series
from pbem.tui.model.seat_desk import SeatDesk

_DEEP = 6
_WIDE = 60
"""Answers of a field on which others depend that are tried."""

_FIELDS = 1500
"""Fields that are looked at for one question: the clauses of a treaty have tens of thousands."""


@dataclass(frozen=True)
class Use:
    """A place of question `q`: a menu's word or a field ("" for the answer itself)."""

    q: int
    kind: str
    field: str


def uses_now(desk: SeatDesk, seat: str, cards: Collection[str]) -> dict[str, list[Use]]:
    """The uses of each of these cards of `seat` that has any.

    Fields that depend on others are tried for some of their answers.
    """
    found: dict[str, dict[Use, None]] = {}
    for asked in desk.asked:
        if asked.seat == seat and cards:
            for card, name in _Search(frozenset(cards)).places(asked.domain, "", _DEEP):
                found.setdefault(card, {})[Use(asked.q, asked.kind, name)] = None
    return {card: list(uses) for card, uses in found.items()}


@dataclass
class _Search:
    """One walk through a domain for some cards; `left` are the fields that it may still look at."""

    cards: frozenset[str]
    left: int = field(default=_FIELDS)

    def places(self, domain: Domain | None, name: str, deep: int) -> Iterator[tuple[str, str]]:
        """Each card with the field or word of a menu in which it may stand."""
        match domain:
            case None:
                return
            case Choice() | Pick():
                yield from ((card, name) for card in domain.listed if card in self.cards)
            case Arrange():
                yield from ((card, name) for card in domain.bounds if card in self.cards)
            case Optional(domain=inner) | Reply(inner=inner):
                yield from self.places(inner, name, deep)
            case Series():
                yield from self.places(domain.item([]), name, deep - 1)
            case Menu():
                for word, part in domain.entries.items():
                    if word in self.cards:
                        yield word, name
                    yield from self.places(part, word, deep - 1)
            case Form():
                yield from self._fields(domain, deep)

    def _fields(self, form: Form, deep: int) -> Iterator[tuple[str, str]]:
        """The fields of a form, walking through some of the answers to those that others depend on."""
        befores: list[dict[str, object]] = [{}]
        for name in form.fields:
            longer: list[dict[str, object]] = []
            for before in befores:
                self.left -= 1
                if self.left < 0:
                    return
                domain = form.field(name, before)
                yield from self.places(domain, name, deep - 1)
                if domain is None or isinstance(domain, Optional):
                    longer.append(before)
                else:  # later fields may rely on this one: only answers that it takes are tried
                    many = _WIDE if isinstance(domain, Choice) else 3
                    longer += [{**before, name: option} for option in islice(domain.options(), many)]
            befores = longer[:_WIDE]
