"""Choices and menus for where it costs much to know of each option whether it is legal, little to know it of one.

To list all that may be done with every space of a map costs many times what it costs to tell whether one thing may be
done. A letter, a view file or a refusal needs the whole list; an answer, also one at random, needs one line of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from pbem.kernel.compound import Entry, Menu
from pbem.kernel.domain import Below, Domain, Value
from pbem.kernel.problems import Problem
from pbem.kernel.simple import Choice


class Tried(Choice):
    """A `Choice` whose options are tried when they are taken, each once.

    `possible` is what comes into question, `fits(option)` tells whether it is an option; at least one must be. Whoever
    lists the options tries all, in the order of `order`, which holds them all (by default as they stand in `possible`).
    """

    __slots__ = ("_fits", "_known", "_order", "possible")

    def __init__(
        self,
        possible: Sequence[str],
        fits: Callable[[str], bool],
        what: str = "",
        order: Iterable[str] | None = None,
        why: Callable[[Any], Problem | None] | None = None,
    ) -> None:
        super().__init__(self._all, what, why)
        self.possible = possible
        self._fits = fits
        self._order = order
        self._known: dict[str, bool] = {}

    def _all(self) -> list[str]:
        possible = self.possible
        if self._order is None:
            return [one for one in possible if self.fits(one)]
        return [one for one in self._order if one in possible and self.fits(one)]

    def fits(self, option: str) -> bool:
        """Whether this one, of those that come into question, is an option."""
        known = self._known.get(option)
        if known is None:
            known = self._known[option] = self._fits(option)
        return known

    def any(self) -> bool:
        """Whether there is any option: else the question must not be put."""
        fits = self.fits
        for option in self.possible:  # noqa: SIM110 - on every question: a generator costs more
            if fits(option):
                return True
        return False

    def check(self, value: Value) -> None:
        if value.__class__ is not str or value not in self.possible or not self.fits(value):
            super().check(value)  # it says what is wrong

    def sample(self, below: Below) -> Value:
        left = [*self.possible]
        while left:
            option = left.pop(below(len(left)))
            if self.fits(option):
                return option
        return super().sample(below)


class TriedMenu(Menu):
    """A `Menu` whose words are tried when they are taken, each once.

    `build(word)` gives what a word of `possible` needs, None if it is not legal now; `bare` are words that need nothing
    and are always legal. At least one word must be. `can(word)`, if given, tells the same as `build` at less cost: for
    those who list the words. `weights` steer `sample` only.
    """

    __slots__ = ("_asked", "_can", "_forms", "bare", "possible", "weights")

    def __init__(
        self,
        possible: Sequence[str],
        build: Callable[[str], Domain | None],
        bare: Sequence[str] = (),
        weights: Mapping[str, int] | None = None,
        can: Callable[[str], bool] | None = None,
    ) -> None:
        super().__init__(self._all)
        self.possible = possible
        self.bare = bare
        self.weights = weights or {}
        self._asked = build
        self._can = can
        self._forms: dict[str, Domain | None] = {}

    def _all(self) -> dict[str, Entry]:
        can = self._can or (lambda word: self.form(word) is not None)
        entries: dict[str, Entry] = {word: partial(self.form, word) for word in self.possible if can(word)}
        return {**entries, **dict.fromkeys(self.bare)}

    def form(self, word: str) -> Domain | None:
        """What a word of `possible` needs, None if it is not legal."""
        if word not in self._forms:
            self._forms[word] = self._asked(word)
        return self._forms[word]

    def check(self, value: Value) -> None:
        if value.__class__ is str and value in self.bare:
            return
        word = value.get("do") if isinstance(value, dict) else None
        form = self.form(word) if word.__class__ is str and word in self.possible else None
        if form is None:
            super().check(value)  # it says what is wrong
        else:
            form.check(self._inner(form, value))

    def sample(self, below: Below) -> Value:
        weights = self.weights
        words = [*self.possible, *self.bare]
        while words:
            word = _weighted(words, weights, below)
            if word in self.bare:
                return word
            form = self.form(word)
            if form is not None:
                return self._outer(word, form, form.sample(below))
            words.remove(word)
        return super().sample(below)


def _weighted(words: Collection[str], weights: Mapping[str, int], below: Below) -> str:
    """One of `words` at random, each as likely as its weight says (1 by default)."""
    total = 0
    for word in words:
        total += weights.get(word, 1)
    left = below(total)
    for word in words:  # stays at the word where the weights are used up
        left -= weights.get(word, 1)
        if left < 0:
            break
    return word
