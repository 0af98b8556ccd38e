"""The events of the cards (6.1), one module a family; each rule names the number of its card."""

from games.virgin_queen.events import (  # noqa: F401 - the events register with the kit
    card_events,
    combat,
    conversions,
    courts,
    faith,
    france,
    home,
    land,
    mandatory_events,
    naval,
    ocean,
    response_cards,
    special,
    status,
    unrest,
)
