"""Events of the cards (10, 10.4.1, 14): a module for each family, a function for each card, close to its text.

Mandatory ones (14.1) leave OPS for actions: `embassy.py`, `affairs.py`, and `plague.py` next to this package.
`all_cards` imports them all.
"""

from games.crown_of_roses.events import (
    aftermath_cards,
    allies,
    embassy,
    mercenaries,
    money,
    plots,
    queen,
    raids,
    steps,
    surprise_cards,
)

__all__ = [
    "aftermath_cards", "allies", "embassy", "mercenaries", "money", "plots", "queen", "raids", "steps",
    "surprise_cards",
]  # fmt: skip
