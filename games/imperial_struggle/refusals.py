"""Reasons why a word of an Action Round can't be used now: the registry, filled by the chapter of each word.

A reason is worked out when a word, a space or a card is rejected, never when a menu is built. A side may know its own
hand and its own face-down cards; of the other side a reason names public facts only.
"""

from __future__ import annotations

from collections.abc import Callable

from games.imperial_struggle.names import names
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.rejections import RejectionReason, because

Reason = Callable[[Table, str], RejectionReason | None]
"""Why `seat` can't use a word; None if nothing particular bars it."""
Bar = Callable[[Table, str, str], RejectionReason | None]
"""Why `seat` can't choose something; None if nothing bars it."""

BUILDERS: dict[str, Reason] = {}
"""Card or Advantage that builds a Squadron for less → why it can't be used (5.6.5)."""
TAKEN: set[str] = set()
"""Words that need the Investment tile of the round (5.1)."""


def reason(word: str, *, early: bool = False) -> Callable[[Reason], Reason]:
    """Register the reason why a word can't be used. `early`: it may be used before the tile is taken too."""
    if not early:
        TAKEN.add(word)
    return KIT.reason(word)


def why_not_action(table: Table, seat: str, word: str) -> RejectionReason | None:
    """Return why a word can't be used now (5.1, 5.3); None if it is neither a word of the round nor an alias."""
    if word not in KIT.reasons:
        word = names(table.c).meant(word) or word
    if word not in KIT.reasons:
        return None
    if word in TAKEN and not table.state.now.tile:
        return because("take_first", "5.1")
    return KIT.reasons[word](table, seat) or because("nothing", KIT.actions[word].rule, word=word)


def not_in_hand(table: Table, seat: str, card: str) -> RejectionReason | None:
    """Return why `seat` can't name an Event: it is not in hand (5.2). None if it is, or if it is no Event."""
    if card not in table.c.events or card in table.state.sides[seat].hand:
        return None
    return because("not_in_hand", "5.2", card=card)
