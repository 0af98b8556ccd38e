"""The parts of a question, each with what may be written there: a word, a block, a shire, a card."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from pbem.kernel.domains import Below, Choice, Domain, Form, Menu, Optional, Reply, Series, Subset


class Part(NamedTuple):
    """A part of a question: where it stands, what may be written there, and giving it a word."""

    path: str
    legal: Collection[Any]
    give: Callable[[str], object]


def things_of(box: Any) -> list[dict[str, None]]:
    """The things of a game, each kind by itself."""
    kinds = (box.blocks, (*box.shires, *box.exiles), box.cards, box.offices)
    return [dict.fromkeys(kind) for kind in kinds]


def parts_of(path: str, domain: Domain | None, below: Below) -> Iterator[Part]:
    """The parts of a question with one legal answer to those before them."""
    domain = _inside(domain)
    if isinstance(domain, Menu):
        yield Part(path, domain.words, domain.parse)
        for word in domain.words:
            yield from parts_of(f"{path} {word}", domain.entry(word), below)
    elif isinstance(domain, Form):
        before: dict[str, Any] = {}
        for name, value in domain.sample(below).items():
            yield from parts_of(f"{path} {name}", domain.field(name, before), below)
            before[name] = value
    elif isinstance(domain, Series):
        whole = domain.sample(below)
        for done in ([], whole[: below(len(whole) + 1)]):
            yield from _items_of(path, domain, done, below)
    elif isinstance(domain, Choice):
        yield Part(path, domain.listed, domain.check)
    elif isinstance(domain, Subset):
        yield Part(path, domain.listed, lambda word: domain.check([word]))


def _inside(domain: Domain | None) -> Domain | None:
    """What a reply to a window, or a part that may be left out, is made of."""
    while isinstance(domain, (Reply, Optional)):
        domain = domain.inner if isinstance(domain, Reply) else domain.domain
    return domain


def _items_of(path: str, series: Series[Any], done: Sequence[Any], below: Below) -> Iterator[Part]:
    """What may follow those that are named in a series."""
    item = series.item(done) if len(done) < series.most else None
    if item is None or isinstance(item, Choice):
        yield Part(path, () if item is None else item.listed, partial(_following, series, done))
    else:
        yield from parts_of(path, item, below)


def _following(series: Series[Any], done: Sequence[Any], word: str) -> None:
    """Name a word after those that are named in a series."""
    series.check([*done, word])
