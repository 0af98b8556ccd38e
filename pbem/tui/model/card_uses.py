"""Where cards can be used now: the places of the seat's open questions that accept their ids."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice

from pbem.kernel.domains import Choice, Distribution, Domain, Form, Menu, Optional, Reply, Series, Subset
from pbem.tui.model.seat_view import SeatView

_DEEP = 6
_WIDE = 60
"""Answers tried for a field on which others depend."""

_FIELDS = 1500
"""Fields that are searched for one question: the clauses of a treaty have tens of thousands."""


@dataclass(frozen=True)
class CardUse:
    """A place of question `q`: a menu's word or a field ("" for the answer itself)."""

    q: int
    kind: str
    field: str


def current_card_uses(desk: SeatView, seat: str, cards: Collection[str]) -> dict[str, list[CardUse]]:
    """Return the uses of these cards of `seat`. For fields that depend on others, some answers are tried."""
    found: dict[str, dict[CardUse, None]] = {}
    for asked in desk.asked:
        if asked.seat == seat and cards:
            for card, name in _Search(frozenset(cards)).places(asked.domain, "", _DEEP):
                found.setdefault(card, {})[CardUse(asked.q, asked.kind, name)] = None
    return {card: list(uses) for card, uses in found.items()}


@dataclass
class _Search:
    """One search of a domain for some cards; `left` is how many fields it may still look at."""

    cards: frozenset[str]
    left: int = field(default=_FIELDS)

    def places(self, domain: Domain | None, name: str, deep: int) -> Iterator[tuple[str, str]]:
        """Yield each card with the field or word of a menu that accepts it."""
        match domain:
            case None:
                return
            case Choice() | Subset():
                yield from ((card, name) for card in domain.listed if card in self.cards)
            case Distribution():
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
        """Yield the fields of a form, trying some answers of those that others depend on."""
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
                else:  # later fields may rely on this one: only accepted answers are tried
                    many = _WIDE if isinstance(domain, Choice) else 3
                    longer += [{**before, name: option} for option in islice(domain.options(), many)]
            befores = longer[:_WIDE]
