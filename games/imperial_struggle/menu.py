"""The menu of an Action Round, and choices of spaces, built no further than somebody looks.

To list all that a side may do with every space of the map costs many times what it costs to tell whether one thing may
be done. A letter, a view file or a refusal needs the whole list; an answer, also one at random, needs one line of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pbem.kernel.answers import Below, Choice, Domain, Menu, Value
from pbem.kernel.problems import Problem


class Perhaps:
    """An entry of which only building it tells whether its word may be written: the function gives None if not."""

    __slots__ = ("build",)

    def __init__(self, build: Callable[[], Domain | None]) -> None:
        self.build = build


Entry = Domain | Callable[[], Domain] | Perhaps | None
"""What a word of the menu needs: a domain, a function that builds it once somebody writes the word, or nothing."""


class RoundMenu(Menu):
    """A `Menu` some words of which are open only perhaps; each is settled when somebody writes it.

    At least one word must be open for certain.
    """

    __slots__ = ("known",)

    def __init__(self, entries: dict[str, Any], weights: Mapping[str, int]) -> None:
        super().__init__(self._settled, weights)
        self.known = entries

    def _settled(self) -> Mapping[str, Any]:
        return {word: self.known[word] for word in list(self.known) if self._open(word)}

    def _open(self, word: str) -> bool:
        """Whether the word may be written now."""
        known = self.known
        entry = known.get(word)
        if entry.__class__ is not Perhaps:
            return word in known
        domain = entry.build()
        if domain is None:
            del known[word]
            return False
        known[word] = domain
        return True

    def entry(self, word: str) -> Domain | None:
        """What an open word needs, built on first use."""
        entry = self.known[word]
        if callable(entry):
            entry = self.known[word] = entry()
        return entry

    def check(self, value: Value) -> None:
        if value.__class__ is dict:
            word = value.get("do")
            if word.__class__ is str and self._open(word):
                domain = self.entry(word)
                if domain is not None:
                    domain.check(self._inner(domain, value))
                    return
        elif value.__class__ is str and self._open(value) and self.entry(value) is None:
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
                domain = self.entry(word)
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
