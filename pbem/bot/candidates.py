"""The answers that a bot judges: all of them if they are few, else some of each kind of act."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import cycle, islice, zip_longest

from pbem.kernel.domains import PASS, Below, Domain, Menu, Value

_DRAWS = 3
"""Samples drawn for each candidate that is wanted."""


def act_of(value: Value) -> str:
    """Return the kind of an answer: its word, without what it is done with; the length of a list."""
    if isinstance(value, dict):
        return str(value.get("do") or next(iter(value), ""))
    return str(len(value)) if isinstance(value, list) else str(value)


def candidates(
    domain: Domain, default: Value | None, most: int, draw: Below, barred: Collection[str] = ()
) -> list[Value]:
    """Return up to `most` different answers: the default and `pass` first, acts in `barred` only if nothing else.

    Words of a menu take turns, so that an act with hundreds of forms doesn't crowd the others out.
    """
    few = list(islice(domain.options(), most + 1))
    drawn = few if len(few) <= most else _by_kind(domain, most * _DRAWS, draw)
    found: dict[str, Value] = {}
    for value in (*always(domain, default), *drawn):
        if len(found) == most:
            break
        if act_of(value) not in barred:
            found.setdefault(repr(value), value)
    return list(found.values()) or [domain.sample(draw)]


def always(domain: Domain, default: Value | None) -> list[Value]:
    """Return the default and `pass`, where they are legal: an answer that waits is judged to the end."""
    return [value for value in (default, PASS) if value is not None and domain.accepts(value)]


def _by_kind(domain: Domain, count: int, draw: Below) -> Iterator[Value]:
    """Yield up to `count` samples, one of each kind in turn."""
    inner = getattr(domain, "inner", domain)
    if isinstance(inner, Menu):
        for word in islice(cycle(inner.words), count):
            behind = inner.entry(word)
            yield word if behind is None else inner.outer(word, behind, behind.sample(draw))
        return
    groups: dict[str, list[Value]] = {}
    for _ in range(count):
        value = domain.sample(draw)
        groups.setdefault(act_of(value), []).append(value)
    for row in zip_longest(*groups.values()):
        yield from (value for value in row if value is not None)
