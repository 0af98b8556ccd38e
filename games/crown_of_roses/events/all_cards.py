"""Import this module to register all cards."""

from games.crown_of_roses.events import (  # noqa: F401
    affairs,
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
