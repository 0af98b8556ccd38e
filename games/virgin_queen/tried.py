"""Choices and menus for where it costs much to know of each option whether it is legal, little to know it of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from pbem.kernel.answers import Below, Budget, Choice, Domain, Menu, Series

FEW = 24


class Tried(Choice):
    """A `Choice` whose options are tried when they are taken, each once.

    `possible` is what comes into question, `fits(option)` tells whether it is an option; at least one must be. Whoever
    lists the options tries all, in the order of `order` (by default as they stand in `possible`).
    """

    __slots__ = ("_fits", "_known", "_order", "possible")

    def __init__(
        self,
        possible: Sequence[str],
        fits: Callable[[str], bool],
        what: str = "",
        order: Iterable[str] | None = None,
    ) -> None:
        super().__init__(self._all, what)
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
        """Whether this is an option."""
        known = self._known.get(option)
        if known is None:
            known = self._known[option] = self._fits(option)
        return known

    def any(self) -> bool:
        """Whether anything fits."""
        return any(self.fits(option) for option in self.possible)

    def check(self, value: Any) -> None:
        if not (value.__class__ is str and value in self.possible and self.fits(value)):
            super().check(value)

    def sample(self, below: Below) -> Any:
        left = [*self.possible]
        while left:
            option = left.pop(below(len(left)))
            if self.fits(option):
                return option
        return super().sample(below)


class TriedMenu(Menu):
    """A `Menu` whose words are tried when they are taken.

    `build(word)` gives the domain of a word of `possible`, None if it is not legal now; `bare` are words that need
    nothing, always legal. At least one word must be. `can(word)`, if given, tells the same as `build` at less cost: for
    those who list the words. `weights` are per word, 1 by default.
    """

    __slots__ = ("_asked", "_can", "_forms", "bare", "possible")

    def __init__(
        self,
        possible: Sequence[str],
        build: Callable[[str], Domain | None],
        bare: Sequence[str] = (),
        weights: Mapping[str, int] | None = None,
        can: Callable[[str], bool] | None = None,
    ) -> None:
        super().__init__(self._all, weights)
        self.possible = possible
        self.bare = bare
        self._asked = build
        self._can = can
        self._forms: dict[str, Domain | None] = {}

    def _all(self) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        for word in self.possible:
            if (self.form(word) is not None) if self._can is None else self._can(word):
                entries[word] = partial(self.form, word)
        return {**entries, **dict.fromkeys(self.bare)}

    def form(self, word: str) -> Domain | None:
        """The domain of a word, None if it is not legal."""
        if word not in self._forms:
            self._forms[word] = self._asked(word)
        return self._forms[word]

    def check(self, value: Any) -> None:
        if isinstance(value, str) and value in self.bare:
            return
        word = value.get("do") if isinstance(value, dict) else None
        form = self.form(word) if isinstance(word, str) and word in self.possible else None
        if form is None:
            super().check(value)
        else:
            form.check(self._inner(form, value))

    def sample(self, below: Below) -> Any:
        weights = self.weights or {}
        words = [*self.possible, *self.bare]
        while words:
            left = below(sum([weights.get(word, 1) for word in words]))
            for word in words:
                left -= weights.get(word, 1)
                if left < 0:
                    break
            if word in self.bare:
                return word
            form = self.form(word)
            if form is not None:
                return self._outer(word, form, form.sample(below))
            words.remove(word)
        return super().sample(below)


class Wide(Series):
    """A `Series` that is described only where its first item has few answers.

    All its answers together outgrow any description soon after, and to find that out by trying costs a second.
    """

    __slots__ = ()

    def describe(self, budget: Budget) -> dict[str, Any]:
        domain = self.item([]) if self.most > 1 else None
        if domain is not None and sum(1 for _ in islice(domain.options(), FEW + 1)) > FEW:
            return {"type": "unknown"}
        return super().describe(budget)
