"""The state of a game of 1630 Something: plain values only."""

import msgspec

NEUTRAL, RED, BLUE = "neutral", "red", "blue"


class Pile(msgspec.Struct):
    """One player's influence in one country. A pile is superior or `inferior` as a whole."""

    cards: list[str]
    votes: int = 0
    inferior: bool = False


class Country(msgspec.Struct):
    """A country on the map. `army` is the army size, `ability` the army ability; `side` neutral, red or blue."""

    status: int
    army: int
    ability: int
    side: str = NEUTRAL
    leader: bool = False
    unrest: bool = False


class Player(msgspec.Struct):
    """One player. `counters` (the countries they score) and `hand` are secret; `piles` maps country → pile.

    `dropped` are the cards that they discarded at the hand limit and that weren't shuffled back since. Nobody else
    knows them.
    """

    hand: list[str]
    counters: list[str]
    piles: dict[str, Pile] = {}
    score: int = 0
    dropped: list[str] = []
    history: list[int] = []


class ThirtyState(msgspec.Struct):
    """The whole game. `phase` is `display`, `player`, `end` or `over`; `active` and `first` are seats.

    `deck` is face down, its last card is drawn next; `spare` are the victory point counters nobody drew.
    """

    players: dict[str, Player]
    countries: dict[str, Country]
    deck: list[str]
    discards: list[str]
    spare: list[str]
    first: str
    active: str
    turn: int = 1
    phase: str = "display"
