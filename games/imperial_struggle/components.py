"""Typed components of Imperial Struggle, as the rules use them.

Built from a pack (`data/*.toml`, perhaps with a moderator's corrections); independent of state and rules. Ids are the
slugs of the data files. Frequent look-ups (neighbours by kind, spaces by Region) are computed once.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from pbem.kernel.pack import BilingualText, NamedEntry, Pack, by_id


class StruggleSpace(NamedEntry, frozen=True):
    """A space of the map.

    `links` are black lines, `lines` dashed conquest lines, `dots` the wars it gives strength in.

    `type` is political (3.2.1), market (3.2.2), territory (3.2.3), naval (3.2.4) or fort (3.2.5).
    """

    region: str
    type: str
    cost: int
    available: str
    setup: str
    x: float
    y: float
    dots: tuple[int, ...] = ()
    links: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    subregion: str = ""
    country: str = ""
    commodity: str = ""
    prestige: bool = False
    alliance: bool = False
    local_alliance: bool = False
    crest: bool = False


class Investment(NamedEntry, frozen=True):
    """An Investment tile: major and minor action, Event symbol, Military Upgrade symbol."""

    major: str
    major_points: int
    minor: str
    minor_points: int
    event: bool
    upgrade: bool


class Award(NamedEntry, frozen=True):
    """An Award tile: its reward, and the margin it requires."""

    vp: int
    trp: int
    margin: int


class Reward(msgspec.Struct, frozen=True):
    """The reward for a commodity in an era; `debt` above 0 is forced on the winner, below 0 lowers their Debt."""

    vp: int
    trp: int
    debt: int


class Commodity(NamedEntry, frozen=True):
    """A commodity; `order` is its row in the Global Demand table."""

    order: int
    succession: Reward
    empire: Reward
    revolution: Reward

    def reward(self, era: str) -> Reward:
        return {"succession": self.succession, "empire": self.empire, "revolution": self.revolution}[era]


class PeaceTurn(NamedEntry, frozen=True):
    """A Peace Turn; `first` of its era or not; `war` follows it ("" = none)."""

    turn: int
    era: str
    first: bool
    war: str
    years: str


class BonusCondition(msgspec.Struct, frozen=True):
    """The condition of an Event's bonus."""

    kind: str
    keyword: str = ""
    by: int = 0
    advantage: str = ""


class ActionPointGrant(msgspec.Struct, frozen=True):
    """Action Points of an Event."""

    when: str
    type: str
    points: int
    limit: str = ""
    side: str = ""
    choice: bool = False
    per: str = ""


class EventCard(msgspec.Struct, frozen=True):
    """An Event card. `action` is the Major Action it needs ("any"); `manual`: the moderator executes it."""

    id: str
    number: int
    name: str
    ja: str
    era: str
    action: str
    versions: str
    condition: BonusCondition
    text: BilingualText
    grants: tuple[ActionPointGrant, ...] = ()
    manual: bool = False


class MinistryAbility(msgspec.Struct, frozen=True):
    """One ability of a Ministry card; `exhaust`: once per turn (or round), then Exhausted."""

    id: str
    limit: str
    exhaust: bool


class Ministry(msgspec.Struct, frozen=True):
    """A Ministry card."""

    id: str
    number: int
    name: str
    ja: str
    side: str
    eras: tuple[str, ...]
    keywords: tuple[str, ...]
    text: BilingualText
    abilities: tuple[MinistryAbility, ...] = ()
    manual: bool = False


class AdvantageTarget(msgspec.Struct, frozen=True):
    """Where an Advantage may be used; fields left empty do not restrict."""

    amount: int = 0
    discount: int = 0
    space_type: str = ""
    region: str = ""
    subregion: str = ""
    commodity: str = ""
    countries: tuple[str, ...] = ()
    spaces: tuple[str, ...] = ()
    alliance_only: bool = False
    unprotected: bool = False


class Advantage(NamedEntry, frozen=True):
    """An Advantage tile, held by the side that has flagged all of `spaces`."""

    region: str
    spaces: tuple[str, ...]
    kind: str
    type: str
    points: int
    needs_major: bool
    target: AdvantageTarget
    setup: str
    x: float
    y: float
    text: BilingualText
    letter: str = ""
    manual: bool = False


class Spoils(msgspec.Struct, frozen=True):
    """A row of a theater's spoils."""

    winner: str
    min: int
    max: int
    vp: int = 0
    cp: int = 0
    unflag: int = 0
    unflag_type: str = ""
    unflag_region: str = ""
    loser_trp: int = 0
    loser_squadrons_to_unbuilt: int = 0
    special: tuple[str, ...] = ()


class Theater(NamedEntry, frozen=True):
    """A theater of a war, its bonus strength list and its spoils."""

    order: int
    regions: tuple[str, ...]
    countries: tuple[str, ...]
    keyword: str
    squadrons: tuple[str, ...]
    forts: bool
    conflicts: bool
    additional: tuple[str, ...]
    naval: bool
    spoils: tuple[Spoils, ...]


class War(NamedEntry, frozen=True):
    """A war; `theaters` in the order in which they are resolved."""

    order: int
    dots: int
    after: int
    era: str
    theaters: tuple[Theater, ...]


class WarTile(NamedEntry, frozen=True):
    """A War tile; `war` is "" for a basic one. `symbol`: "", `debt`, `fort-fleet` or `unflag`."""

    side: str
    value: int
    symbol: str
    war: str = ""


class SetupNumbers(msgspec.Struct, frozen=True):
    """The start of a game: the VP marker, Debt Limits, Squadrons, and where France has a Bonus War tile."""

    vp: int
    debt_limit: int
    britain_box: int
    britain_unbuilt: int
    france_box: int
    france_unbuilt: int
    france_bonus_theater: str


class Special(msgspec.Struct, frozen=True):
    """Worth of special results of theaters (7.3) and markers, and where they work."""

    most_squadrons_lost: int
    usa_territories: tuple[str, ...]
    usa_fort_subregion: str
    canada_territories: tuple[str, ...]
    marker_strength: int


class StruggleComponents(msgspec.Struct, frozen=True, eq=False):
    """All components, and what follows from them.

    `anchors` maps a Market → the Territories, Forts and Naval spaces it is connected to, `neighbours` → the Markets;
    `guards` maps any space → the Forts and Naval spaces that could protect it. `of_type`, `of_region` and `of_country`
    list spaces; `fed` maps a space → the Advantages it feeds.
    """

    spaces: Mapping[str, StruggleSpace]
    regions: Mapping[str, NamedEntry]
    investments: Mapping[str, Investment]
    awards: Mapping[str, Award]
    commodities: Mapping[str, Commodity]
    turns: tuple[PeaceTurn, ...]
    events: Mapping[str, EventCard]
    ministries: Mapping[str, Ministry]
    advantages: Mapping[str, Advantage]
    wars: Mapping[str, War]
    war_tiles: Mapping[str, WarTile]
    start: SetupNumbers
    costs: Mapping[str, int]
    limits: Mapping[str, int]
    scoring: Mapping[str, int]
    conquest: Mapping[str, int]
    """Type of space → Conquest Points; `huguenots`: how many more for a marker (M-9)."""
    refusals: tuple[int, ...]
    """What each refusal of a Territory costs in VP (7.2.2)."""
    special: Special
    of_type: Mapping[str, tuple[str, ...]]
    of_region: Mapping[str, tuple[str, ...]]
    of_country: Mapping[str, tuple[str, ...]]
    anchors: Mapping[str, tuple[str, ...]]
    neighbours: Mapping[str, tuple[str, ...]]
    guards: Mapping[str, tuple[str, ...]]
    markets: tuple[tuple[str, tuple[str, ...]], ...]
    """Markets with their anchors."""
    fed: Mapping[str, tuple[str, ...]]
    region: Mapping[str, str]
    """Space → Region."""
    setup_flags: Mapping[str, str]
    """Space → its flag at the start."""
    of_commodity: Mapping[str, tuple[str, ...]]
    prestige: tuple[str, ...]
    tiles_of: Mapping[tuple[str, str], tuple[str, ...]]
    """(side, war) → War tiles in printing order; "" for basic ones."""
    shiftable: tuple[str, ...]
    """Political spaces and Markets."""
    basic: frozenset[str]
    """The basic War tiles of both sides."""
    by_hand: frozenset[str]
    """Ministry cards that the pack sets to manual."""
    linked: Mapping[str, frozenset[str]]
    """Market, Fort → what it is connected to; Forts do not carry Forts (5.6.3)."""

    def turn(self, number: int) -> PeaceTurn:
        return self.turns[number - 1]

    def basic_tiles(self, seat: str) -> list[str]:
        """Return the 16 basic War tiles of a side, in printing order."""
        return list(self.tiles_of[seat, ""])

    def bonus_tiles(self, seat: str, war: str) -> list[str]:
        """Return the 12 Bonus War tiles of a side for a war, in printing order."""
        return list(self.tiles_of[seat, war])


def components(pack: Pack) -> StruggleComponents:
    """Return the typed view of a pack of this game. The pack keeps the constraints (checked by `merge_pack`)."""
    tables = pack.tables
    spaces = by_id(tables["map"]["spaces"], StruggleSpace)
    advantages = by_id(tables["advantages"]["advantages"], Advantage)
    ministries = by_id(tables["ministries"]["ministries"], Ministry)
    wars = tables["wars"]
    setup = tables["setup"]
    war_tiles = by_id([*wars["basic"], *wars["bonus"]], WarTile)
    tiles_of: dict[tuple[str, str], tuple[str, ...]] = {}
    for tile in war_tiles.values():
        tiles_of[tile.side, tile.war] = (*tiles_of.get((tile.side, tile.war), ()), tile.id)
    return StruggleComponents(
        spaces=spaces,
        regions=by_id(tables["map"]["regions"], NamedEntry),
        investments=by_id(tables["tiles"]["investments"], Investment),
        awards=by_id(tables["tiles"]["awards"], Award),
        commodities=by_id(sorted(tables["tiles"]["commodities"], key=lambda e: e["order"]), Commodity),
        turns=msgspec.convert(setup["turns"], tuple[PeaceTurn, ...]),
        events=by_id(tables["events"]["events"], EventCard),
        ministries=ministries,
        basic=frozenset(key for key, tile in war_tiles.items() if not tile.war),
        by_hand=frozenset(key for key, card in ministries.items() if card.manual),
        advantages=advantages,
        wars=by_id(wars["wars"], War),
        war_tiles=war_tiles,
        tiles_of=tiles_of,
        start=msgspec.convert(setup["start"], SetupNumbers),
        costs=setup["costs"],
        limits=setup["limits"],
        scoring=setup["scoring"],
        conquest={key: wars["conquest"][key] for key in (*_CONQUERED, "huguenots")},
        refusals=tuple(wars["conquest"]["refusal_vp"]),
        special=msgspec.convert(wars["special"], Special),
        **_worked_out(spaces, advantages),
    )


def _worked_out(spaces: Mapping[str, StruggleSpace], advantages: Mapping[str, Advantage]) -> dict[str, Any]:
    def group(key: str) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for space in spaces.values():
            found.setdefault(getattr(space, key), []).append(space.id)
        return {name: tuple(ids) for name, ids in found.items() if name}

    def linked(key: str, kinds: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(other for other in spaces[key].links if spaces[other].type in kinds)

    fed: dict[str, list[str]] = {}
    for advantage in advantages.values():
        for key in advantage.spaces:
            fed.setdefault(key, []).append(advantage.id)
    return {
        "of_type": group("type"),
        "of_region": group("region"),
        "of_country": group("country"),
        "of_commodity": group("commodity"),
        "anchors": {key: linked(key, _BASES) for key in spaces},
        "neighbours": {key: linked(key, ("market",)) for key in spaces},
        "guards": {key: linked(key, ("fort", "naval")) for key in spaces},
        "fed": {key: tuple(ids) for key, ids in fed.items()},
        "region": {key: space.region for key, space in spaces.items()},
        "setup_flags": {key: space.setup for key, space in spaces.items()},
        "prestige": tuple(key for key, space in spaces.items() if space.prestige),
        **_rows(spaces),
    }


_CONQUERED = ("fort", "market", "naval", "territory")
_BASES = ("territory", "fort", "naval")


def _rows(spaces: Mapping[str, StruggleSpace]) -> dict[str, Any]:
    of: dict[str, list[StruggleSpace]] = {}
    for space in spaces.values():
        of.setdefault(space.type, []).append(space)
    carried = {space.id: frozenset(k for k in space.links if spaces[k].type != "fort") for space in of["fort"]}
    linked = {space.id: frozenset(space.links) for space in of["market"]}
    return {
        "linked": {**linked, **carried},
        "markets": tuple(
            (space.id, tuple(k for k in space.links if spaces[k].type in _BASES)) for space in of["market"]
        ),
        "shiftable": tuple(space.id for space in (*of["political"], *of["market"])),
    }
