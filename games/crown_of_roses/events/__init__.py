"""The events of the cards (10, 10.4.1, 14): a module for each family, each card a function that reads like its text.

Mandatory ones (14.1) leave OPS for actions behind: `embassy.py`, and `plague.py` beside this folder.
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
    uprisings,
)

__all__ = [
    "aftermath_cards",
    "allies",
    "embassy",
    "mercenaries",
    "money",
    "plots",
    "queen",
    "raids",
    "steps",
    "surprise_cards",
    "uprisings",
]
