"""A choice for where it costs much to know of every option whether it is legal, and little to know it of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pbem.kernel.answers import Below, Choice


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
