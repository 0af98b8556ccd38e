"""Where the chapters hook into one another, so that a card knows the board but the board knows no card.

Chapters fill these tables when they are imported (`games/imperial_struggle/__init__.py` imports them all).
Order within a table is the order of import, which is fixed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from games.imperial_struggle.table import Table
from pbem.kernel.answers import Domain
from pbem.kernel.game import Play


class Purchase(msgspec.Struct, frozen=True):
    """What Action Points are to be spent on.

    `type` of points; `cost` in all, surcharge included; `kind`: `shift`, `card`, `tile`, `clear`, `build`, `repair`,
    `seize`, `squadron`, `deploy`, `convert`, or a card's own; `space` and `region` (surcharge 5.3.4) where it happens;
    `removes`: takes an opposing flag or Squadron away (5.3.2).
    """

    type: str
    cost: int
    kind: str
    space: str = ""
    region: str = ""
    removes: bool = False


Build = Callable[[Table, str, Any], Domain | None]
"""Builds what a word needs for a side with its `points.Purses`; None if it turns out that the word is not open."""

Words = dict[str, Domain | Build | None]
"""Words of the menu with what they need: a domain, a function that builds it once somebody looks, or nothing."""

Offer = Callable[[Table, str, Words, set[str]], None]
Handler = Callable[[Table, str, Any], "Play | None"]
Test = Callable[[Table, str, Purchase], bool]
Cut = Callable[[Table, str, str, bool], int]

OFFERS: list[Offer] = []
"""What the active seat may write now: each adds its words to the menu of the Action Round. It gets the types of points
that lie there; whether they suffice for anything is found out when a word is looked at.
"""

HANDLERS: dict[str, Handler] = {}
"""Word of the menu → what carries the answer out: a generator, or a function if it asks nothing. It gets the
whole value (`{do = word, …}`).
"""

HOOKS: dict[str, list[Callable[..., None]]] = {}
"""Moments → functions called with `(table, *facts)`. See `fire`."""

LIMITS: dict[str, Test] = {}
"""Limit key of a pool → whether its points may pay for this purchase."""

BARS: dict[str, Test] = {}
"""Mark of the round → whether it forbids paying for this purchase with Major Action points."""

MINOR_REMOVALS: dict[str, Test] = {}
"""Face-up Ministry card → whether it lets a Minor Action remove this opposing flag (exceptions to 5.3.2)."""

MINISTRY_CUTS: dict[str, Cut] = {}
"""Face-up Ministry card → by how much it lowers the cost of shifting: `(table, seat, space, removing)`."""

MARK_CUTS: dict[str, Cut] = {}
"""Mark of the round → by how much it lowers the cost of shifting."""

WAR: list[Callable[[Table], Play]] = []
"""The one generator that fights the war `state.war`, theater by theater from `state.theater` on (7.1 to 7.3)."""


def fire(moment: str, table: Table, *facts: Any) -> None:
    """Tell all who listen to `moment`."""
    for function in HOOKS[moment]:
        function(table, *facts)


def on(moment: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Decorator: listen to a moment."""

    def register(function: Callable[..., None]) -> Callable[..., None]:
        HOOKS.setdefault(moment, []).append(function)
        return function

    return register


def handles(word: str) -> Callable[[Handler], Handler]:
    """Decorator: this generator carries out what is written with `word`."""

    def register(function: Handler) -> Handler:
        HANDLERS[word] = function
        return function

    return register


def offers(function: Offer) -> Offer:
    """Decorator: this function adds words to the menu of an Action Round."""
    OFFERS.append(function)
    return function
