"""What a refused word means: the things of the game that a reason names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from games.crown_of_roses.table import Table
from games.crown_of_roses.wording import names
from pbem.kernel.answers import Choice, Domain, Series
from pbem.kernel.problems import Problem


def meant(table: Table, word: str) -> str:
    """The id that a word of the game names, the word itself if it names none or several."""
    return names(table.c).meant(word) or word


def block_meant(table: Table, word: str) -> str:
    """The block that a word names, where a block is asked for (Norfolk is a shire too); "" if none."""
    found = names(table.c).exact(word, list(table.c.blocks))
    return "" if found is None else str(found)


class OneByOne(Series[str]):
    """Blocks one by one. Where no more can follow, one too many is refused by what bars it: `why(so_far, block)`."""

    __slots__ = ("why",)

    def __init__(
        self,
        item: Callable[[Sequence[str]], Domain[str] | None],
        least: int,
        most: int,
        what: str,
        why: Callable[[Sequence[str], str], Problem | None],
    ) -> None:
        super().__init__(item, least, most, what)
        self.why = why

    def _next(self, done: list[str]) -> Domain[str]:
        return self.item(done) or Choice((), self.what, partial(self.why, done))
