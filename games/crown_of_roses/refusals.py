"""Why a word of the action step is not possible now: the registry of reasons, each given by the chapter of its word.

A reason is worked out when something is refused, never when a menu is built. Whoever asks may know his own hand, blocks
and markers; of other houses a reason names public facts only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from games.crown_of_roses.table import Table
from games.crown_of_roses.wording import names
from pbem.kernel.answers import Choice, Domain, Series
from pbem.kernel.problems import Problem

Reason = Callable[[Table, str], Problem | None]
"""Why a house cannot use a word, asked when it cannot; None if nothing bars it."""

REASONS: dict[str, Reason] = {}
"""Word of the menu of actions (15) → why it is not there."""


def no(key: str, rule: str, **args: object) -> Problem:
    """A reason: a message key after `no.`, the rule that bars it, and what the message names."""
    return Problem(f"no.{key}", dict(args), rule)


def reason(word: str) -> Callable[[Reason], Reason]:
    """Decorator: this says why a word is not in the menu of actions."""

    def register(why: Reason) -> Reason:
        REASONS[word] = why
        return why

    return register


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
