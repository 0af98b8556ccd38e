"""The menu of an Action Round, and choices of spaces, built no further than somebody looks.

To list all that a side may do with every space of the map costs many times what it costs to tell whether one thing may
be done. A letter, a view file or a refusal needs the whole list; an answer, also one at random, needs one line of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pbem.kernel.answers import Below, Choice, Domain, Menu, Value
from pbem.kernel.problems import Problem
from pbem.kernel.table import Table

Build = Callable[[Table, str, Any], Domain | None]
"""Builds what a word needs for a side with its `points.Purses`; None if it turns out that the word is not open."""

Words = dict[str, Domain | Build | None]
"""Words of the menu with what they need: a domain, a function that builds it once somebody looks, or nothing."""


class RoundMenu(Menu):
    """A `Menu` some words of which are open only perhaps; each is settled when somebody writes it.

    At least one word must be open for certain. `purses` is worked out by nobody but those who build.
    """

    __slots__ = ("known", "purses", "seat", "table")

    known: dict[str, Any]

    def __init__(
        self, table: Table, seat: str, words: Words, purses: Any, weights: Mapping[str, int]
    ) -> None:
        super().__init__(self._settled, weights)
        self.table, self.seat = table, seat
        self.known = words
        self.purses = purses

    def _settled(self) -> Mapping[str, Any]:
        return {word: self.known[word] for word in list(self.known) if self._open(word)}

    def _open(self, word: str) -> bool:
        """Whether the word may be written now."""
        known = self.known
        if word not in known:
            return False
        entry = known[word]
        if callable(entry):
            domain = entry(self.table, self.seat, self.purses)
            if domain is None:
                del known[word]
                return False
            known[word] = domain
        return True

    def entry(self, word: str) -> Domain | None:
        """What an open word needs."""
        if not self._open(word):
            raise KeyError(word)
        domain: Domain | None = self.known[word]
        return domain

    def check(self, value: Value) -> None:
        if value.__class__ is dict:
            word = value.get("do")
            if word.__class__ is str and self._open(word):
                domain = self.known[word]
                if domain is not None:
                    domain.check(self._inner(domain, value))
                    return
        elif value.__class__ is str and self._open(value) and self.known[value] is None:
            return
        super().check(value)  # it says what is wrong

    def sample(self, below: Below) -> Value:
        known, weights = self.known, self.weights or {}
        while True:
            left = below(sum([weights.get(word, 1) for word in known]))
            for word in known:
                left -= weights.get(word, 1)
                if left < 0:
                    break
            if self._open(word):
                domain = self.known[word]
                return word if domain is None else self._outer(word, domain, domain.sample(below))


_THROWS = 40
"""How many spaces a sample tries before it lists them all."""


class Spaces(Choice):
    """One of those spaces of `pool` for which `fits` holds; each can be asked by itself."""

    __slots__ = ("fits", "pool")

    def __init__(
        self,
        pool: Sequence[str],
        fits: Callable[[str], bool],
        what: str = "space",
        why: Callable[[Any], Problem | None] | None = None,
    ) -> None:
        super().__init__(self._fitting, what, why)
        self.pool = pool
        self.fits = fits

    def _fitting(self) -> Iterator[str]:
        return filter(self.fits, self.pool)

    def some(self) -> bool:
        """Whether there is any."""
        fits = self.fits
        for space in self.pool:  # noqa: SIM110 - on every question: a generator costs more
            if fits(space):
                return True
        return False

    def check(self, value: Value) -> None:
        if value.__class__ is not str or value not in self.pool or not self.fits(value):
            super().check(value)  # it says what is wrong

    def sample(self, below: Below) -> Value:
        pool, fits = self.pool, self.fits
        count = len(pool)
        for _ in range(_THROWS):
            space = pool[below(count)]
            if fits(space):
                return space
        return super().sample(below)
