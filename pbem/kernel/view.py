"""What a seat may see: plain tables, tracks, hands and notices. Reports and the terminal draw only views.

Strings in cells are ids if the column has `kind = "name"`; they are translated when drawn.
"""

from __future__ import annotations

from typing import Any

import msgspec

Cell = str | int | bool | None | list[str]


class Column(msgspec.Struct):
    """A column: `key` is its message key (`col.<key>`); `kind` is `name` (ids), `text`, `number` or `flag`.

    `printed`: it is printed on the board and never changes. Emails leave it out.
    """

    key: str
    kind: str = "text"
    printed: bool = False


class TableView(msgspec.Struct):
    """A table. `group` files it under a heading (map, powers, diplomacy …); `space` names the column of map spaces.

    `rows` are lists of cells in column order. A region of the map is a table with `group = "map"`.
    """

    id: str
    columns: list[Column]
    rows: list[list[Any]]
    group: str = ""
    title: dict[str, Any] = {}


class TrackMarker(msgspec.Struct):
    """A marker on a track."""

    name: str
    at: int


class Track(msgspec.Struct):
    """A track from `low` to `high` with markers."""

    id: str
    low: int
    high: int
    marks: list[TrackMarker]


class CardView(msgspec.Struct):
    """A card as its owner sees it. `uses` are the question kinds in which it can be used now."""

    id: str
    uses: list[str] = []
    note: str = ""


class Hand(msgspec.Struct):
    """Cards that this viewer may see; `seat` owns them. `count` is public, `cards` None if they are hidden."""

    seat: str
    id: str
    count: int
    cards: list[CardView] | None = None


class Notice(msgspec.Struct):
    """A sentence for the viewer: message key and arguments."""

    key: str
    args: dict[str, Any] = {}


class MapSpace(msgspec.Struct):
    """A space of the map: coordinates (x right, y down, any unit), who controls it (`side`), a short mark."""

    id: str
    x: float
    y: float
    side: str = ""
    mark: str = ""
    links: list[str] = []
    region: str = ""


class View(msgspec.Struct):
    """All that one seat may see (`seat` "" for the public).

    `clock` are the public facts of time (turn, phase, active).
    """

    game: str
    seat: str
    clock: dict[str, Any] = {}
    tables: list[TableView] = []
    tracks: list[Track] = []
    hands: list[Hand] = []
    notices: list[Notice] = []
    map: list[MapSpace] = []
    scores: dict[str, int] = {}
