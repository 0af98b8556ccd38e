"""Typed components of Crown of Roses, as the rules use them.

Built from a pack (`data/*.toml`, perhaps with a moderator's corrections); independent of state and rules. Frequent
look-ups (neighbours, coasts, estates of a block) are computed once. Movement is counted in halves of a point (R-04).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from pbem.kernel.pack import BilingualText, NamedEntry, Pack, by_id

HOUSES = ("york", "lancaster", "buckingham", "warwick")
"""5.0 The houses, clockwise; a game for n players is played by the first n."""


class Shire(NamedEntry, frozen=True):
    """A shire (7.2). `sv` its value (7.2.1), `loyalty` a house or "", `estates` families, `office_estates` offices.

    Anglesey and Wight are none (7.5, 7.5.1).
    """

    sv: int
    loyalty: str
    region: str
    seas: tuple[str, ...]
    estates: tuple[str, ...]
    office_estates: tuple[str, ...]
    royal: bool
    lat: float
    lon: float


class Exile(NamedEntry, frozen=True):
    """An exile box (7.3.1). Blocks led by `spared_office` keep their strength on entering it (10.5.6 to 10.5.8)."""

    land_from: tuple[str, ...]
    sea_from: tuple[str, ...]
    spared_office: str
    lat: float
    lon: float


class MapArea(NamedEntry, frozen=True):
    """A region (7.3) or a sea (7.4); seas have neighbours."""

    adjacent: tuple[str, ...] = ()


class BlockCard(NamedEntry, frozen=True):
    """A block as printed (8). `steps` strongest first (8.3); `base` 0 means no box on the Roll of Parliament (7.1.5).

    `kind` is `heir` for a noble with the crown (8.3.2): they are an heir only once their card was played (14.2.3).
    """

    label: str
    kind: str
    house: str
    family: str
    title: int
    command: int
    steps: tuple[str, ...]
    base: int
    roses: tuple[str, ...]
    heir_order: int = 0

    @property
    def noble(self) -> bool:
        """Whether it is a noble, future heirs included (8.1)."""
        return self.kind in ("noble", "heir")


class ParliamentCard(NamedEntry, frozen=True):
    """A parliament card (10.5); `rank` 1 is the highest."""

    rank: int
    ip: int
    votes: int
    votes_without_king: int
    support: int
    great: bool
    block: str
    text: BilingualText


class CardTerms(msgspec.Struct, frozen=True):
    """The numbers and names in the text of a card, or of one option of an ally: each has those that it needs."""

    kind: str = ""
    # where
    raid: str = ""
    sea: str = ""
    region: str = ""
    exclude: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    shires: tuple[str, ...] = ()
    die: tuple[str, ...] = ()
    # blocks and steps
    block: str = ""
    office: str = ""
    steps: int = 0
    table: tuple[int, ...] = ()
    with_any: tuple[str, ...] = ()
    with_house_heir: str = ""
    requires_in_england: tuple[str, ...] = ()
    requires_not_king: str = ""
    leader_any: tuple[str, ...] = ()
    colour: str = ""
    # influence
    ip: int = 0
    split: tuple[str, ...] = ()
    die_plus: int = 0
    ip_per_step: int = 1
    markers: int = 0
    value: int = 0
    points: int = 0
    plus_if_ally_16_in_play: int = 0
    plus_if_ally_18_in_play: int = 0
    plus_if_noble_lovell_controlled: int = 0
    may_split: bool = False
    amount: int = 0
    # dice and OPS
    count: int = 0
    hits_on: int = 0
    modifier: int = 0
    extra_in_region: str = ""
    extra_if_enemy_block: str = ""
    extra_count: int = 0
    ops_after: int = 0


class RosesCard(NamedEntry, frozen=True):
    """An operations card or a house card (10). `number` as printed, `ops` 0 if none is printed, `plague` a shire.

    `effect` is the card whose event it has (a pack's correction; "": its own), `params` belong to that, `options` to
    what an ally is discarded for.
    """

    number: str
    type: str
    ops: int
    duration: str
    text: BilingualText
    plague: str = ""
    house: str = ""
    block: str = ""
    earliest_turn: int = 0
    carry: int = 0
    starts: bool = False
    reshuffle: bool = False
    on_play_ops: int = 0
    requires: tuple[str, ...] = ()
    options: tuple[CardTerms, ...] = ()
    params: CardTerms = CardTerms()
    effect: str = ""
    manual: bool = False


class SupportLevel(msgspec.Struct, frozen=True):
    """A level of popular support (7.1.2): influence, votes and cards it gives."""

    id: str
    ip: int
    votes: int
    cards: int


class Marker(NamedEntry, frozen=True):
    """A kind of influence marker (9.1): its value and how many a house has."""

    value: int
    count: int


class HouseStart(msgspec.Struct, frozen=True):
    """How a house begins a scenario; pairs are (block, shire), (block, host), (office, noble)."""

    id: str
    heirs: tuple[str, ...]
    support: int
    ip: int
    start: tuple[tuple[str, str], ...]
    attached: tuple[tuple[str, str], ...]
    offices: tuple[tuple[str, str], ...]
    cards_in_play: tuple[str, ...]
    cards_in_hand: tuple[str, ...]


class RosesScenario(NamedEntry, frozen=True):
    """A scenario for one number of players."""

    scenario: str
    players: int
    first_turn: int
    last_turn: int
    political_turns: int
    king: str
    king_house: str
    garrison: str
    out: tuple[str, ...]
    captured: tuple[str, ...]
    inactive: tuple[str, ...]
    removed_cards: tuple[str, ...]
    houses: tuple[HouseStart, ...]


class HandRules(msgspec.Struct, frozen=True):
    """12.1, 12.3 The size of hands, and what the bonus cards come from."""

    base: int
    maximum: int
    max_bonus: int
    london: int
    calais: int
    king: int
    warwick: int


class Prices(msgspec.Struct, frozen=True):
    """15.0 What the actions cost in OPS."""

    land_move: int
    sea_move: int
    admiral_sea_move: int
    muster: int
    influence: int
    return_heir: int


class Movement(msgspec.Struct, frozen=True):
    """16.1, 16.2 The halves of MP of a stack, and what borders cost; `fens_special` and `wash` by boat.

    Nothing else of the land counts: marshes, rivers and towns are pictures (7.5.2).
    """

    halves: int
    clear: int
    rough: int
    fens: int
    fens_special: int
    wash: int
    exile: int

    def road(self, border: str) -> int:
        """Return what a border costs by road (16.2)."""
        return self.clear if border == "clear" else self.rough if border == "rough" else self.fens


class Attrition(msgspec.Struct, frozen=True):
    """22.0 Steps lost by die, and the modifiers."""

    steps: tuple[int, ...]
    leader: int
    fens: int


class Elimination(msgspec.Struct, frozen=True):
    """20.6.1 The elimination table and its modifiers."""

    killed_max: int
    wounded_max: int
    attrition: int
    enemy_retreated: int
    heir: int
    charge: int


class RaidRules(msgspec.Struct, frozen=True):
    """14.2.1 The dice of raiders, fewer against the office that watches for them, and the support for answering."""

    french: str
    scots: str
    pirate: str
    french_vs_calais: str
    scots_vs_warden: str
    pirate_vs_admiral: str
    support_gain: int

    def dice(self, raiders: str) -> str:
        """Return number and colour, as printed."""
        return {"french": self.french, "scots": self.scots, "pirate": self.pirate}[raiders]

    def fewer(self, raiders: str) -> str:
        spared = {"french": self.french_vs_calais, "scots": self.scots_vs_warden, "pirate": self.pirate_vs_admiral}
        return spared[raiders]


class BattleNumbers(msgspec.Struct, frozen=True):
    """20.5 Numbers of battles, and the OPS of a card that pays for a writ (10.5.1)."""

    rounds_before_retreat: int
    pursuit_ops: int
    writ_ops: int
    charge: int


class HitNumbers(msgspec.Struct, frozen=True):
    """8.3 The lowest roll that hits, by colour."""

    red: int
    blue: int
    green: int

    def need(self, sign: str) -> int:
        """Return the lowest roll that hits, for the sign of a colour: R, B, G."""
        return self.red if sign == "R" else self.blue if sign == "B" else self.green


class Charts(msgspec.Struct, frozen=True):
    """The constants of `tables.toml`: the charts on the map (7.1.6) and on the player aids (10.6)."""

    dice: HitNumbers
    hand: HandRules
    actions: Prices
    movement: Movement
    attrition: Attrition
    elimination: Elimination
    raid: RaidRules
    battle: BattleNumbers


class TrackEnds(msgspec.Struct, frozen=True):
    """7.1.2, 9.3, 28.4 The ends of tracks, and the number of depleted counters."""

    support_min: int
    support_max: int
    turns: int
    impulses: int
    depleted: int


class Attachment(msgspec.Struct, frozen=True):
    """8.3.3, 10.3.3 Conditions for hosts of attached blocks."""

    max_mercenaries: int
    host_command: int
    royal_host_command: int


class RosesComponents(msgspec.Struct, frozen=True, eq=False):
    """All components. `borders` maps shire → neighbour → type (7.2.7: clear, rough, fens, wash).

    `family_estates` and `office_estates` map family or office → shires; `roll` are the blocks with a box on the Roll
    of Parliament; `support[n]` the level n of popular support (0 unused).
    """

    shires: Mapping[str, Shire]
    exiles: Mapping[str, Exile]
    regions: Mapping[str, MapArea]
    seas: Mapping[str, MapArea]
    borders: Mapping[str, Mapping[str, str]]
    blocks: Mapping[str, BlockCard]
    offices: Mapping[str, ParliamentCard]
    cards: Mapping[str, RosesCard]
    operations: tuple[str, ...]
    markers: Mapping[str, Marker]
    support: tuple[SupportLevel, ...]
    limits: TrackEnds
    numbers: Charts
    garrison: tuple[str, ...]
    attachment: Attachment
    beginnings: Mapping[str, RosesScenario]
    family_estates: Mapping[str, tuple[str, ...]]
    office_estates: Mapping[str, tuple[str, ...]]
    royal_estates: tuple[str, ...]
    coasts: Mapping[str, tuple[str, ...]]
    roll: tuple[str, ...]
    heir_card: Mapping[str, str]

    def is_place(self, key: str) -> bool:
        """Return whether a block can be there: a shire or an exile box."""
        return key in self.shires or key in self.exiles

    def beginning(self, scenario: str, players: int) -> RosesScenario:
        fitting = [b for b in self.beginnings.values() if b.players == players]
        return next((b for b in fitting if b.scenario == scenario), fitting[0])


def components(pack: Pack) -> RosesComponents:
    """Return the typed view of a pack of this game. The pack keeps the constraints (checked by `merge_pack`)."""
    tables = pack.tables
    land, blocks = tables["map"], by_id(tables["blocks"]["blocks"], BlockCard)
    shires = by_id(land["shires"], Shire)
    operations = by_id(tables["cards"]["operations"], RosesCard)
    house = by_id(tables["cards"]["house"], RosesCard)
    exiles = by_id(land["exiles"], Exile)
    offices = by_id(tables["offices"]["offices"], ParliamentCard)
    top = SupportLevel("", 0, 0, 0)
    return RosesComponents(
        shires=shires,
        exiles=exiles,
        regions=by_id(land["regions"], MapArea),
        seas=by_id(land["seas"], MapArea),
        borders=_borders(shires, land["borders"]),
        blocks=blocks,
        offices=offices,
        cards={**operations, **house},
        operations=tuple(operations),
        markers=by_id(tables["tracks"]["markers"], Marker),
        support=(top, *by_id(tables["tracks"]["popular_support"], SupportLevel).values()),
        limits=msgspec.convert(tables["tracks"]["limits"], TrackEnds),
        numbers=msgspec.convert(tables["tables"], Charts),
        garrison=tuple(tables["blocks"]["garrison"]["steps"]),
        attachment=msgspec.convert(tables["blocks"]["attachment"], Attachment),
        beginnings=by_id(tables["scenarios"]["scenarios"], RosesScenario),
        family_estates=_estates(shires, lambda shire: shire.estates),
        office_estates=_estates(shires, lambda shire: shire.office_estates),
        royal_estates=tuple(key for key, shire in shires.items() if shire.royal),
        coasts={
            sea["id"]: (  # 7.4, 16.2.4
                *(key for key, shire in shires.items() if sea["id"] in shire.seas),
                *(key for key, box in exiles.items() if sea["id"] in box.sea_from),
            )
            for sea in land["seas"]
        },
        roll=tuple(key for key, block in blocks.items() if block.base),
        heir_card={card.block: key for key, card in house.items() if card.type == "heir"},
    )


def _borders(shires: Mapping[str, Shire], entries: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {key: {} for key in shires}
    for entry in entries:
        found[entry["a"]][entry["b"]] = entry["type"]
        found[entry["b"]][entry["a"]] = entry["type"]
    return found


def _estates(shires: Mapping[str, Shire], of: Callable[[Shire], tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for key, shire in shires.items():
        for shield in of(shire):
            found.setdefault(shield, []).append(key)
    return {shield: tuple(places) for shield, places in found.items()}
