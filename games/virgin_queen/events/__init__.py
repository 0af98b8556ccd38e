"""The events of the cards (6.1), a module for each family; each rule names the number of its card."""

from games.virgin_queen.events import (
    answers,
    armada,
    combat,
    conversions,
    courts,
    faith,
    fleet,
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
    "answers", "armada", "combat", "conversions", "courts", "faith", "fleet", "foreign", "france", "hands", "home",
    "land", "naval", "ocean", "patronage", "reckonings", "status", "unrest",
]  # fmt: skip
