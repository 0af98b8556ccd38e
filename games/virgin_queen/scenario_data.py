"""The rows of `data/scenarios.toml` as types."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class UnitsRow(TypedDict):
    """Land units at the start: regulars, mercenaries, cavalry."""

    space: str
    owner: str
    r: NotRequired[int]
    m: NotRequired[int]
    c: NotRequired[int]


class ShipsRow(TypedDict):
    """Ships of one kind at the start."""

    space: str
    owner: str
    kind: str
    n: int


class SebastianRow(TypedDict):
    """The units in a space of Portugal after the death of King Sebastian (#82)."""

    space: str
    owner: str
    r: int
    galleons: int


class BonusRow(TypedDict):
    """Victory points at the start."""

    power: str
    kind: str
    vp: int


class PatrolRow(TypedDict):
    """Spanish patrols at the start."""

    zone: str
    n: int


class WarRow(TypedDict):
    """A war at the start; until `locked_turn` it can't be ended."""

    a: str
    b: str
    locked_turn: NotRequired[int]


class ScenarioRow(TypedDict):
    """A scenario: all data of the set-up."""

    id: str
    first_turn: int
    last_turn: int
    first_block: list[int]
    hire: int
    suez: int
    mary: str
    excommunicated: bool
    inactive_minors: list[str]
    rulers: list[str]
    independent_start: list[str]
    removed_cards: list[str]
    spain_settlements_lost: list[str]
    captains_available: list[str]
    leaders_removed: NotRequired[list[str]]
    royals_removed: NotRequired[list[str]]
    religion: list[dict[str, str]]
    capitals_placed: list[dict[str, str]]
    leaders: list[dict[str, str]]
    leaders_on_card: list[dict[str, str]]
    minor_alliances: list[dict[str, str]]
    betrothed: list[dict[str, str]]
    control: list[dict[str, str]]
    bonus_vp: list[BonusRow]
    patrols: list[PatrolRow]
    wars: list[WarRow]
    units: list[UnitsRow]
    ships: list[ShipsRow]
    on_sebastian: list[SebastianRow]


class PlayersRow(TypedDict):
    """A number of players: which seat plays which powers (27)."""

    count: int
    seats: list[list[str]]
    activated: list[str]
    remove_cards: list[str]
