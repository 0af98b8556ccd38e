"""The map drawing: five panels of the globe, the position of each space on them, and the colours of the powers.

Positions are geographical, not those of the printed board; boxes of the board without a place are at sea. The Carnatic
coast is drawn larger, next to India.
"""

from __future__ import annotations

import msgspec

from pbem.data_cache import tables_of
from pbem.kernel.geography import Conic, MapNotes, MapPanel, Panels

CHART = Panels({
    "north-america": MapPanel(Conic(38, 55, 47, -77), (-98, 35.7, -56, 59), 24, 18, 1.6),
    "europe": MapPanel(Conic(38, 58, 48, 12), (-12, 33.5, 38, 62.5), 72, 18, 1.25),
    "caribbean": MapPanel(Conic(15, 31, 23, -76), (-95, 10.5, -56, 35.5), 24, 57, 1.5),
    "india": MapPanel(Conic(10, 24, 17, 82.5), (71, 7, 94, 26.5), 68, 57, 1.6),
    "carnatic": MapPanel(Conic(10, 15, 12.6, 79.4), (77.5, 9.7, 81.3, 15.2), 95, 57, 3.6),
})  # fmt: skip
"""Parts of the globe side by side, in degrees; see `pbem/kernel/geography.py`."""

COLOURS = {"britain": "#d9434e", "france": "#4a8fe7", "usa": "#e8e4d8", "spain": "#e3ae0c"}
"""By id, so that colour-blind readers tell the powers apart."""

PLACES = msgspec.convert(
    tables_of("games.imperial_struggle", "tables")["map"]["places"], dict[str, dict[str, tuple[float, float]]]
)
"""Latitude and longitude of each space, by panel."""

_BLOCKS = {1: ((0.0, 0.0),), 2: ((-1.3, 0.0), (1.3, 0.0)), 4: ((-1.4, -1.1), (1.4, -1.1), (-1.4, 1.1), (1.4, 1.1))}
"""Offsets of the spaces that share one place."""


def _at() -> dict[str, tuple[float, float]]:
    position: dict[str, tuple[float, float]] = {}
    for name, places in PLACES.items():
        for place in dict.fromkeys(places.values()):
            here = [space for space, where in places.items() if where == place]
            x, y = CHART.parts[name].at(place[1], place[0])
            for space, (right, down) in zip(here, _BLOCKS[len(here)], strict=True):
                position[space] = (round(x + right, 3), round(y + down, 3))
    return position


AT = _at()
"""Position of each space on the map."""

NOTES = MapNotes.read(CHART, "games.imperial_struggle")
