"""Typed components of 1630 Something, as the rules use them.

Built from a pack (`data/*.toml`, perhaps with a moderator's corrections); independent of state and rules. Ids are the
slugs of the data files. Every physical card has an id of its own, with a letter to tell copies apart: ``england-2a``
is the first English card with two votes, ``open-1c`` the third Open card with one, ``vote-b`` the second Vote.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from string import ascii_lowercase
from typing import Any, Literal

import msgspec

from pbem.kernel.pack import BilingualText, NamedEntry, Pack

CardKind = Literal["influence", "open", "special"]
Side = Literal["neutral", "red", "blue"]


class CountryData(NamedEntry, frozen=True):
    """A country at the start of the game; `adjacent` holds country ids."""

    aliases: tuple[str, ...]
    status: int
    army_size: int
    army_ability: int
    side: Side
    water_defence: bool
    adjacent: tuple[str, ...]
    capital: BilingualText
    lat: float
    lon: float


class ThirtyCard(msgspec.Struct, frozen=True):
    """One physical card.

    An influence card has a `country` and `votes`, an Open card only `votes`; a special card only its kind in `special`
    ("vote", "improvement", "army", "status", "leader", "assassin", "unrest"). `manual`: the moderator executes it.
    """

    id: str
    kind: CardKind
    name: str
    ja: str
    text: BilingualText
    country: str | None = None
    votes: int = 0
    special: str | None = None
    manual: bool = False


class CardCounts(msgspec.Struct, frozen=True):
    """Numbers of cards dealt, kept, drawn, displayed at the start and exchanged a side, and of specials played."""

    deal: int
    limit: int
    draw: int
    display: int
    exchange: int
    specials: int


class StatusLimits(msgspec.Struct, frozen=True):
    """Ends of the status track, and the status at or below which only neighbours may attack."""

    status_min: int
    status_max: int
    neighbours_only: int


class WarModifiers(msgspec.Struct, frozen=True):
    """Modifiers of a war's totals, and what its end adds to status, army size and ability (or takes: < 0)."""

    dice: int
    leader: int
    no_army: int
    unrest: int
    water_defence: int
    water_status: int
    winner_status: int
    loser_status: int
    loser_army: int
    loser_ability: int
    tie_army: int


class Players(msgspec.Struct, frozen=True):
    """The minimum and the maximum number of players."""

    least: int
    most: int


class Phase(NamedEntry, frozen=True):
    """A phase of the turn, for headings."""


class ThirtyComponents(msgspec.Struct, frozen=True, eq=False):
    """All components of the game.

    `deck` holds the card ids in printing order, unshuffled; `counters` the country of each victory point counter;
    `draw` how many of them each player takes, by number of players. `ends_on` is the highest roll that ends the game,
    by turn (0: none, the last turn: 6). `naming` maps a country to the cards that name it, `fits` to those that may
    join its pile, all Open cards among them. `named` maps a card to the country it names, `special` to what it does,
    if any; `manual` holds the part of that which the moderator executes. `meant` maps a card to what it may be called
    in an exchange: its kind (country, `open`, or the special), about which nobody may lie, and its face.
    """

    countries: Mapping[str, CountryData]
    cards: Mapping[str, ThirtyCard]
    naming: Mapping[str, frozenset[str]]
    fits: Mapping[str, frozenset[str]]
    named: Mapping[str, str]
    special: Mapping[str, str]
    manual: frozenset[str]
    meant: Mapping[str, tuple[str, str]]
    deck: tuple[str, ...]
    counters: tuple[str, ...]
    draw: Mapping[int, int]
    ends_on: Mapping[int, int]
    phases: tuple[Phase, ...]
    players: Players
    hand: CardCounts
    limits: StatusLimits
    war: WarModifiers

    @property
    def last_turn(self) -> int:
        """The turn that ends the game without a roll."""
        return max(self.ends_on)


def components(pack: Pack) -> ThirtyComponents:
    """Return the typed view of a pack of this game. The pack keeps the constraints (checked by `merge_pack`)."""
    tables, constants = pack.tables, pack.tables["constants"]
    countries = msgspec.convert(tables["countries"]["countries"], tuple[CountryData, ...])
    cards = tuple(_cards(tables["cards"]))
    opened = frozenset(card.id for card in cards if card.kind == "open")
    naming = {country.id: frozenset(card.id for card in cards if card.country == country.id) for country in countries}
    return ThirtyComponents(
        countries={country.id: country for country in countries},
        cards={card.id: card for card in cards},
        naming=naming,
        fits={country: keys | opened for country, keys in naming.items()},
        named={card.id: card.country for card in cards if card.country is not None},
        special={card.id: card.special for card in cards if card.special is not None},
        manual=frozenset(card.special for card in cards if card.special is not None and card.manual),
        meant={card.id: (card.country or card.special or "open", face_of(card.id)) for card in cards},
        deck=tuple(card.id for card in cards),
        counters=tuple(entry["id"] for entry in tables["counters"]["counters"] for _ in range(entry["count"])),
        draw={int(players): count for players, count in tables["counters"]["draw"]["players"].items()},
        ends_on={entry["turn"]: entry["ends_on"] for entry in tables["turns"]["turns"]},
        phases=msgspec.convert(tables["turns"]["phases"], tuple[Phase, ...]),
        players=msgspec.convert(constants["players"], Players),
        hand=msgspec.convert(constants["hand"], CardCounts),
        limits=msgspec.convert(constants["limits"], StatusLimits),
        war=msgspec.convert(constants["war"], WarModifiers),
    )


def _cards(table: Mapping[str, Any]) -> Iterator[ThirtyCard]:
    """Yield every physical card: influence cards by country, Open cards, specials."""
    for entry in table["influence"]:
        yield from _influence(entry, entry["id"], "influence", entry["id"])
    yield from _influence(table["open"], "open", "open", None)
    for entry in table["special"]:
        for copy in range(entry["count"]):
            yield ThirtyCard(
                id=f"{entry['id']}-{_letter(copy)}",
                kind="special",
                name=entry["name"],
                ja=entry["ja"],
                text=msgspec.convert(entry["text"], BilingualText),
                special=entry["id"],
                manual=entry.get("manual", False),
            )


def _influence(entry: Mapping[str, Any], slug: str, kind: CardKind, country: str | None) -> Iterator[ThirtyCard]:
    """Yield the cards of one country, or the Open cards. `copies` counts those with 1, 2, 3… votes."""
    text = msgspec.convert(entry["text"], BilingualText)
    for votes, copies in enumerate(entry["copies"], start=1):
        for copy in range(copies):
            yield ThirtyCard(
                id=f"{slug}-{votes}{_letter(copy)}",
                kind=kind,
                name=f"{entry['name']} {votes}",
                ja=f"{entry['ja']} {votes}",
                text=text,
                country=country,
                votes=votes,
                manual=entry.get("manual", False),
            )


def _letter(copy: int) -> str:
    """Return the letters of a copy of a card: a to z, then aa to az, ba and so on."""
    high, low = divmod(copy, len(ascii_lowercase))
    return (_letter(high - 1) if high else "") + ascii_lowercase[low]


@cache
def face_of(key: str) -> str:
    """Return a card's kind and votes: its id without the letters that tell copies apart."""
    kind, _, copy = key.rpartition("-")
    votes = copy.rstrip(ascii_lowercase)
    return f"{kind}-{votes}" if votes else kind
