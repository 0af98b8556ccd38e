"""The components of Virgin Queen, typed, built from a pack: no state, no rule; frequent look-ups, computed once."""

from collections import deque
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import msgspec

from games.virgin_queen.state import MINORS, POWERS
from pbem.kernel.pack import BilingualText, NamedEntry, Pack, by_id

if TYPE_CHECKING:
    from games.virgin_queen.scenario_data import PlayersRow, ScenarioRow

INLAND_ZONE = "north_sea"
"""The sea zone of the inland ports (16.7)."""


class QueenSpace(NamedEntry, frozen=True):
    """A space of the Europe map (2.1). `connections` are clear, `passes` dotted, `waterways` inland (2.5)."""

    home: str
    type: str
    religion: str
    lat: float
    lon: float
    port: tuple[str, ...] = ()
    connections: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()
    waterways: tuple[str, ...] = ()
    control: str = ""
    area: str = ""
    home_upper: str = ""
    capital: bool = False


class Zone(NamedEntry, frozen=True):
    """A sea zone (`group` mediterranean or atlantic) or an ocean zone (`group` "")."""

    adjacent: tuple[str, ...]
    group: str = ""


class Settlement(NamedEntry, frozen=True):
    """A settlement of the World map: `kind` spanish, portuguese or colony_site."""

    kind: str
    owner: str
    zones: tuple[str, ...]
    lat: float
    lon: float


class QueenCard(msgspec.Struct, frozen=True):
    """A card (6.1). `turn` is when it enters: a turn number or `league`; `powers` may play its event (none: all).

    `effect` is the card whose effect it has (a pack's correction; "": its own). `owner` is the power of a home
    card; `resolver` the power that executes the event, regardless of who plays it.
    """

    id: str
    number: int
    name: str
    ja: str
    type: str
    cp: int
    turn: str
    text: BilingualText
    owner: str = ""
    powers: tuple[str, ...] = ()
    resolver: str = ""
    remove: str = "never"
    players: tuple[int, ...] = ()
    effect: str = ""
    manual: bool = False


class Ruler(msgspec.Struct, frozen=True):
    """A ruler (3.3): `admin` cards kept, `bonus` cards; both change when the ruler dies (23)."""

    id: str
    power: str
    name: str
    ja: str
    admin: int
    bonus: int
    replaced_by_card: str = ""
    dead_admin: int = 0
    dead_bonus: int = 0


class MajorPower(NamedEntry, frozen=True):
    """A power card (4)."""

    capitals: tuple[str, ...]
    home_cards: tuple[str, ...]
    first_ruler: str
    land_types: tuple[str, ...]
    naval_types: tuple[str, ...]
    key_track_cards: tuple[int, ...] = ()
    key_track_vp: tuple[int, ...] = ()
    auto_win_keys: int = 99
    netherlands_keys: tuple[str, ...] = ()
    vp_per_netherlands_key: int = 0
    other_keys_vp: tuple[int, ...] = ()
    cards_by_min_of_rows: tuple[int, ...] = ()
    auto_win_other_keys: int = 99


class ActionCost(NamedEntry, frozen=True):
    """A line of the action list (4, 11.1); `category` is its colour.

    For religious actions `areas` maps a power → areas, `converts_to` a power → religion (18.2, 18.3).
    """

    category: str
    cost: int
    most: int
    powers: tuple[str, ...]
    first_turn: int = 1
    areas: Mapping[str, tuple[str, ...]] = {}
    converts_to: Mapping[str, str] = {}


class MinorCard(msgspec.Struct, frozen=True):
    """Which powers may activate a minor or an activated major power, and which may break its alliance (24)."""

    id: str
    activators: tuple[str, ...]
    deactivator: str
    spaces: tuple[str, ...] = ()
    locked_until_card: str = ""
    start_ally: str = ""
    status_card: str = ""


class LandPool(msgspec.Struct, frozen=True):
    """Round counters of an owner: how many of each value; both sides of the counters together (5.3)."""

    id: str
    power: str
    front: str
    back: str
    ones: int
    twos: int
    fours: int
    sixes: int

    @property
    def most(self) -> int:
        return self.ones + 2 * self.twos + 4 * self.fours + 6 * self.sixes


class NavalPool(msgspec.Struct, frozen=True):
    """Ship counters of an owner (5.4)."""

    id: str
    power: str
    count: int
    front: str
    back: str


class General(msgspec.Struct, frozen=True):
    """An army or naval leader (5.1). `turn` is a turn number (0 = set-up), `league` or `card`."""

    id: str
    power: str
    name: str
    ja: str
    battle: int
    turn: str = "card"
    command: int = 0
    piracy: int = 0
    naval: bool = False
    also_naval: bool = False
    naval_battle: int = 0
    faction: str = ""
    replaces: str = ""
    default: bool = False

    @property
    def owner(self) -> str:
        """The pool that the leader belongs to (Huguenot and Dutch leaders have pools of their own, 5.1)."""
        return self.faction or self.power


class CaptainCard(NamedEntry, frozen=True):
    """A sea captain (5.2)."""

    powers: tuple[str, ...]
    battle: int
    piracy: int
    navigation: int
    turn: str


class RoyalCard(NamedEntry, frozen=True):
    """A royal (21). `dynasty`: V or H (9.1)."""

    power: str
    sex: str
    dynasty: str
    eligibility: int
    turn: str
    leader: str = ""
    ruler: bool = False


class Person(NamedEntry, frozen=True):
    """An artist or a scientist (22)."""

    owner: str
    rating: int
    turn: str
    type: str = ""


class VpMarker(msgspec.Struct, frozen=True):
    """A VP marker of patronage (22.1): for an `artist` of a `type` (`any` for all), or for a `scientist`."""

    id: str
    kind: str
    type: str
    vp: int
    count: int


class Treasure(msgspec.Struct, frozen=True):
    """A treasure counter (6.3): `cp` with a value, `draw`, `science` or `vp`."""

    id: str
    kind: str
    value: int


class QueenComponents(msgspec.Struct, frozen=True, eq=False):
    """All components, and what follows from them."""

    spaces: Mapping[str, QueenSpace]
    zones: Mapping[str, Zone]
    oceans: Mapping[str, Zone]
    settlements: Mapping[str, Settlement]
    cards: Mapping[str, QueenCard]
    rulers: Mapping[str, Ruler]
    powers: Mapping[str, MajorPower]
    actions: Mapping[str, ActionCost]
    minors: Mapping[str, MinorCard]
    land_pools: Mapping[str, LandPool]
    naval_pools: Mapping[str, NavalPool]
    generals: Mapping[str, General]
    captains: Mapping[str, CaptainCard]
    royals: Mapping[str, RoyalCard]
    artists: Mapping[str, Person]
    scientists: Mapping[str, Person]
    science: Mapping[str, Mapping[str, Any]]
    treasures: Mapping[str, Treasure]
    vp_markers: Mapping[str, VpMarker]
    markers: Mapping[str, Mapping[str, int]]
    """Colony, Jesuit, piracy and capital markers: kind → power → how many."""
    influence: Mapping[str, Mapping[str, int]]
    """Minor or activated power → power → starting and reset influence (20.9)."""
    declarations: Mapping[str, Mapping[str, int]]
    """By → on → CP; -1 not allowed, -2 possible ally, 99 the moving cost between England and Spain (9.4, 9.5)."""
    scenarios: "Mapping[str, ScenarioRow]"
    players: "Mapping[int, PlayersRow]"
    tables: Mapping[str, Any]
    special: Mapping[str, Any]
    """The single tables of `powers.toml`: suez, hire_track, armada, victory, bonus_vp …"""
    map: Mapping[str, Any]
    """The rest of `map.toml`: winds, hazards, gates, waterways, entries, treasure_rows."""
    power_of_owner: Mapping[str, str]
    clear: Mapping[str, tuple[str, ...]]
    """Space → neighbours over clear connections."""
    land: Mapping[str, tuple[str, ...]]
    """Space → neighbours over clear connections and passes; not waterways, which depend on the power (2.5)."""
    gates: Mapping[str, tuple[str, str]]
    """Either end of a waterway → (other end, the port that opens it)."""
    locks: tuple[str, ...]
    """The ports that open a waterway, in the order of their ids."""
    inland: tuple[str, ...]
    """The inland ports, Antwerp and Rotterdam: on a waterway, without a sea zone of their own (16.7)."""
    ports: Mapping[str, tuple[str, ...]]
    """Sea zone → its ports."""
    homes: Mapping[str, tuple[str, ...]]
    """Power, minor, `huguenot`, `dutch` or `independent` → home spaces; the Protestants have the split ones (2.5)."""
    keys: tuple[str, ...]
    areas: Mapping[str, tuple[str, ...]]
    near: Mapping[str, tuple[str, ...]]
    """Space or sea zone → spaces and zones next to it: connections, passes, port and sea; waterways are left out."""
    beside: Mapping[str, tuple[str, ...]]
    """Space → others next to it for religion: over passes and waterways, or in one sea zone (2.5, 16.7, 18.5)."""
    hops: Mapping[tuple[str, ...], Mapping[str, Mapping[str, int]]]
    """Ports that open their waterways → space → space → distance, a sea zone counting as one space (2.5, 12.5)."""


def components(pack: Pack) -> QueenComponents:
    """Return the typed view of a pack of this game."""
    t = pack.tables
    spaces = by_id(t["map"]["spaces"], QueenSpace)
    zones = by_id(t["map"]["zones"], Zone)
    return QueenComponents(
        spaces=spaces,
        zones=zones,
        oceans=by_id(t["map"]["oceans"], Zone),
        settlements=by_id(t["map"]["settlements"], Settlement),
        cards=by_id(t["cards"]["cards"], QueenCard),
        rulers=by_id(t["powers"]["rulers"], Ruler),
        powers=by_id(t["powers"]["powers"], MajorPower),
        actions=by_id(t["powers"]["actions"], ActionCost),
        minors=by_id([*t["powers"]["minors"], *t["powers"]["activated"]], MinorCard),
        scenarios={entry["id"]: entry for entry in t["scenarios"]["scenarios"]},
        players={entry["count"]: entry for entry in t["scenarios"]["players"]},
        tables=t["tables"],
        special={key: value for key, value in t["powers"].items() if isinstance(value, dict)},
        map={key: value for key, value in t["map"].items() if key not in ("spaces", "zones", "oceans", "settlements")},
        influence=_matrix(t["powers"]["influence"], "on", "power", "default"),
        declarations=_matrix(t["powers"]["declarations"], "by", "on", "cost"),
        **_people(t["units"]),
        **_map(spaces, zones, t["map"]),
    )


def _people(units: Mapping[str, Any]) -> dict[str, Any]:
    naval = [{**entry, "naval": True} for entry in units["naval_leaders"]]
    pools = by_id(units["land_pools"], LandPool)
    stand_ins = [
        {**entry, "name": entry["id"], "ja": entry["id"], "default": True, "power": pools[entry["owner"]].power,
         "faction": entry["owner"] if entry["owner"] in ("huguenot", "dutch") else ""}
        for entry in units["default_leaders"]
    ]  # fmt: skip
    treasures = [
        Treasure(f"{entry['id']}-{n}", entry["kind"], entry["value"])
        for entry in units["treasures"]
        for n in range(1, entry["count"] + 1)
    ]
    return {
        "land_pools": pools,
        "naval_pools": by_id(units["naval_pools"], NavalPool),
        "generals": by_id([*units["army_leaders"], *naval, *stand_ins], General),
        "captains": by_id(units["captains"], CaptainCard),
        "royals": by_id(units["royals"], RoyalCard),
        "artists": by_id(units["artists"], Person),
        "scientists": by_id(units["scientists"], Person),
        "science": {entry["id"]: entry for entry in units["science_bonus"]},
        "treasures": {treasure.id: treasure for treasure in treasures},
        "vp_markers": by_id(units["vp_markers"], VpMarker),
        "markers": {entry["id"]: entry["counts"] for entry in units["marker_pools"]},
        "power_of_owner": {key: pool.power for key, pool in pools.items()},
    }


def _matrix(entries: Iterable[Mapping[str, Any]], row: str, column: str, value: str) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for entry in entries:
        found.setdefault(entry[row], {})[entry[column]] = entry[value]
    return found


_NO_POWERS = ("independent", "huguenot", "dutch")


def _map(spaces: Mapping[str, QueenSpace], zones: Mapping[str, Zone], table: Mapping[str, Any]) -> dict[str, Any]:
    gates: dict[str, tuple[str, str]] = {}
    for entry in table["waterways"]:
        gates[entry["a"]] = (entry["b"], entry["gate"])
        gates[entry["b"]] = (entry["a"], entry["gate"])
    homes: dict[str, list[str]] = {owner: [] for owner in (*POWERS, *MINORS, *_NO_POWERS)}
    areas: dict[str, list[str]] = {}
    for space in spaces.values():
        homes[space.home].append(space.id)
        if space.home_upper:
            homes[space.home_upper].append(space.id)
            homes["protestant"].append(space.id)
        if space.area:
            areas.setdefault(space.area, []).append(space.id)
    ports = {zone: tuple(s.id for s in spaces.values() if zone in s.port) for zone in zones}
    locks = tuple(sorted({gate for _, gate in gates.values()}))
    inland = tuple(key for key in gates if not spaces[key].port)
    land = {key: (*space.connections, *space.passes) for key, space in spaces.items()}
    near = {key: (*land[key], *space.port) for key, space in spaces.items()}
    near |= {key: (*ports[key], *zone.adjacent) for key, zone in zones.items()}
    return {
        "clear": {key: space.connections for key, space in spaces.items()},
        "land": land,
        "gates": gates,
        "locks": locks,
        "inland": inland,
        "ports": ports,
        "homes": {key: tuple(value) for key, value in homes.items()},
        "keys": tuple(key for key, space in spaces.items() if space.type == "key"),
        "areas": {key: tuple(value) for key, value in areas.items()},
        "near": near,
        "beside": _beside(spaces, land, ports, gates, inland),
        "hops": {
            opened: _Hops(spaces, near, {a: b for a, (b, gate) in gates.items() if gate in opened})
            for size in range(len(locks) + 1)
            for opened in combinations(locks, size)
        },
    }


def _beside(
    spaces: Mapping[str, QueenSpace],
    land: Mapping[str, tuple[str, ...]],
    ports: Mapping[str, tuple[str, ...]],
    gates: Mapping[str, tuple[str, str]],
    inland: tuple[str, ...],
) -> dict[str, tuple[str, ...]]:
    """2.5, 16.7 Return neighbours for religion, over waterways and the inland ports' way, regardless of the gate."""
    shores = {**ports, INLAND_ZONE: (*ports[INLAND_ZONE], *inland)} if inland else ports
    found = {}
    for key, space in spaces.items():
        zones = (INLAND_ZONE,) if key in inland else space.port
        over_sea = [port for zone in zones for port in shores[zone] if port != key]
        found[key] = tuple(dict.fromkeys([*land[key], *gates.get(key, ())[:1], *over_sea]))
    return found


class _Hops(dict[str, dict[str, int]]):
    """Distances from a space (12.5) over open waterways (2.5), a sea zone counting as one; computed on first use."""

    def __init__(
        self, spaces: Mapping[str, QueenSpace], near: Mapping[str, tuple[str, ...]], waterways: Mapping[str, str]
    ) -> None:
        self._spaces = spaces
        self._near = {**near, **{a: (*near[a], b) for a, b in waterways.items()}}

    def __missing__(self, start: str) -> dict[str, int]:
        if start not in self._spaces:
            raise KeyError(start)
        seen = {start: 0}
        queue = deque([start])
        while queue:
            at = queue.popleft()
            for other in self._near[at]:
                if other not in seen:
                    seen[other] = seen[at] + 1
                    queue.append(other)
        found = self[start] = {key: n for key, n in seen.items() if key in self._spaces}
        return found
