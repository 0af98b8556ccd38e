"""Where a card could be used now: the places of my open questions in which its id may be written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from pbem.kernel.answers import Arrange, Choice, Domain, Form, Menu, Optional, Pick, Reply, Series
from pbem.tui.model.seat_desk import SeatDesk

_DEEP = 6
_WIDE = 60


@dataclass(frozen=True)
class Use:
    """A place of question `q`: a menu's word or a field ("" for the answer itself)."""

    q: int
    kind: str
    field: str


def uses_now(desk: SeatDesk, seat: str, card: str) -> list[Use]:
    """The uses of a card of `seat`. Fields that depend on others are tried for some of their answers."""
    return [
        Use(asked.q, asked.kind, field)
        for asked in desk.asked
        if asked.seat == seat
        for field in dict.fromkeys(_places(asked.domain, card, "", _DEEP))
    ]


def _places(domain: Domain | None, card: str, field: str, deep: int) -> Iterator[str]:
    match domain:
        case None:
            return
        case Choice() | Pick():
            if card in domain.listed:
                yield field
        case Arrange():
            if card in domain.bounds:
                yield field
        case Optional(domain=inner) | Reply(inner=inner):
            yield from _places(inner, card, field, deep)
        case Series():
            yield from _places(domain.item([]), card, field, deep - 1)
        case Menu():
            for word, part in domain.entries.items():
                if word == card:
                    yield field
                yield from _places(part, card, word, deep - 1)
        case Form():
            yield from _fields(domain, card, deep)


def _fields(form: Form, card: str, deep: int) -> Iterator[str]:
    """The fields of a form, walking through some of the answers to those that others depend on."""
    befores: list[dict[str, object]] = [{}]
    for name in form.fields:
        longer: list[dict[str, object]] = []
        for before in befores:
            domain = form.field(name, before)
            yield from _places(domain, card, name, deep - 1)
            if domain is None or isinstance(domain, Optional):
                longer.append(before)
            else:  # later fields may rely on this one: only answers that it takes are tried
                many = _WIDE if isinstance(domain, Choice) else 3
                longer += [{**before, name: option} for option in islice(domain.options(), many)]
        befores = longer[:_WIDE]
