"""The events of the cards (10, 14): a module for each family, each card a function that reads like its text.

Importing the package fills `rules.EVENTS`, `surprises.SURPRISES` and `surprises.DISCARDS`.
"""

from games.crown_of_roses.events import (  # noqa: F401
    affairs,
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
