"""The events of the cards (6.1), a module for each family; each rule names the number of its card.

Effects of single powers (23) are the
moderator's: `common.by_moderator` for a part of a card, no entry for a whole one.
"""

from games.virgin_queen.events import (
    answers,
    armada,
    combat,
    conversions,
    courts,
    faith,
    foreign,
    france,
    hands,
    home,
    land,
    naval,
    ocean,
    patronage,
    reckonings,
    status,
    unrest,
)

__all__ = [
    "answers", "armada", "combat", "conversions", "courts", "faith", "foreign", "france", "hands", "home", "land",
    "naval", "ocean", "patronage", "reckonings", "status", "unrest",
]  # fmt: skip
