"""A map's geography: longitude and latitude on a flat conformal map (Lambert)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

import msgspec

from pbem.data_cache import tables_of


class Conic(msgspec.Struct, frozen=True):
    """Lambert's conformal conic projection (Snyder, Map Projections, USGS 1395, p. 107), on a sphere, in degrees.

    `south` and `north` are the standard parallels; (`lon`, `lat`) is the origin.
    """

    south: float
    north: float
    lat: float
    lon: float

    def at(self, lon: float, lat: float) -> tuple[float, float]:
        """Project a place to `(x, y)`, x to the right and y down, in degrees of the sphere."""
        cone, scale, middle = _cone(self)
        radius = scale / _half(math.radians(lat)) ** cone
        turned = cone * math.radians(lon - self.lon)
        x, y = radius * math.sin(turned), middle - radius * math.cos(turned)
        return round(math.degrees(x), 3), round(-math.degrees(y), 3)


@lru_cache(8)
def _cone(conic: Conic) -> tuple[float, float, float]:
    """Return the constants of a projection: of the cone, the scale, and the radius at the origin."""
    south, north = math.radians(conic.south), math.radians(conic.north)
    cone = math.log(math.cos(south) / math.cos(north)) / math.log(_half(north) / _half(south))
    scale = math.cos(south) * _half(south) ** cone / cone
    return cone, scale, scale / _half(math.radians(conic.lat)) ** cone


def _half(lat: float) -> float:
    return math.tan(math.pi / 4 + lat / 2)


class MapPanel(msgspec.Struct, frozen=True):
    """A part of the globe on a composite map.

    What is in `box` (west, south, east, north) is drawn by `conic`, `scale` times as large, with its origin `right`
    and `down` of the map's.
    """

    conic: Conic
    box: tuple[float, float, float, float]
    right: float = 0.0
    down: float = 0.0
    scale: float = 1.0

    def at(self, lon: float, lat: float) -> tuple[float, float]:
        """Project a place to `(x, y)` on the whole map."""
        x, y = self.conic.at(lon, lat)
        return round(self.right + x * self.scale, 3), round(self.down + y * self.scale, 3)


class Panels(msgspec.Struct, frozen=True):
    """A map of several parts of the globe side by side, by name."""

    parts: dict[str, MapPanel]


Chart = Conic | Panels
"""How a map is projected."""


Point = tuple[float, float]


class Inset(msgspec.Struct, frozen=True):
    """A dense part of a map, drawn larger next to it: its name, English and Japanese, and its spaces."""

    names: tuple[str, str]
    spaces: tuple[str, ...]


class MapNotes(msgspec.Struct, frozen=True):
    """What a map shows besides its spaces. Points have the units of `MapSpace`.

    - `seas`: where the name of a sea is written;
    - `lands`: further points of the land of a space or of a side, "" for land that is nobody's;
    - `short`: abbreviations of names, English and Japanese; `weights`: what is named first (0 if absent);
    - `insets`: crowded parts that are drawn larger.
    """

    seas: Mapping[str, Point] = {}
    lands: Mapping[str, Sequence[Point]] = {}
    short: Mapping[str, tuple[str, str]] = {}
    weights: Mapping[str, int] = {}
    insets: tuple[Inset, ...] = ()

    @classmethod
    def read(cls, chart: Chart, package: str) -> MapNotes:
        """Return the notes in `tables/map.toml` of a game's package, where places are latitude and longitude."""
        notes = msgspec.convert(tables_of(package, "tables")["map"], cls)
        seas = {key: map_points(chart, *place)[0] for key, place in notes.seas.items()}
        lands = {
            key: [spot for place in places for spot in map_points(chart, *place)] for key, places in notes.lands.items()
        }
        return msgspec.structs.replace(notes, seas=seas, lands=lands)


def map_points(chart: Chart, lat: float, lon: float) -> list[Point]:
    """Return the points of a place on the map: one for each panel that shows it."""
    if isinstance(chart, Conic):
        return [chart.at(lon, lat)]
    return [
        panel.at(lon, lat)
        for panel in chart.parts.values()
        if panel.box[0] <= lon <= panel.box[2] and panel.box[1] <= lat <= panel.box[3]
    ]
