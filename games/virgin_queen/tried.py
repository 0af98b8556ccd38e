"""A choice for where it costs much to know of every option whether it is legal, and little to know it of one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from pbem.kernel.answers import Below, Choice


class Tried(Choice):
    """A `Choice` whose options are tried when they are taken.

    `possible` is what comes into question, `fits(option)` tells whether it is an option; at least one must be. Whoever
    lists the options tries all, in the order of `order` (by default as they stand in `possible`).
    """

    __slots__ = ("fits", "possible")

    def __init__(
        self,
        possible: Sequence[str],
        fits: Callable[[str], bool],
        what: str = "",
        order: Iterable[str] | None = None,
    ) -> None:
        super().__init__(lambda: _sorted(possible, fits, order), what)
        self.possible = possible
        self.fits = fits

    def any(self) -> bool:
        """Whether anything fits."""
        fits = self.fits
        return any(fits(option) for option in self.possible)

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


def _sorted(possible: Collection[str], fits: Callable[[str], bool], order: Iterable[str] | None) -> list[str]:
    return [one for one in (possible if order is None else order) if one in possible and fits(one)]
