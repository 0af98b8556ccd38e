"""What the toy keeps: its state, and what each of its scenarios is played with."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from pbem.kernel.table import Table
from tests.toy.places import CARDS, PLACES

SEATS = ("amber", "blue", "coral")
POWERS = ("england", "france", "spain")
SIDES = ("red", "blue", "white")
OVER = "over"


class Course(msgspec.Struct, frozen=True):
    """A scenario.

    - `phases` of a turn, in order; `last`: what comes after the last turn; `stops`: the phases that open with a
      checkpoint; `talks`: a negotiation every so many turns;
    - `regions` of the map, `homes` of the seats, `garrison`: the force in all other places;
    - `orders`: the words of the menu; `movers`: so many seats have orders in a turn; `begins`: where a march does, with
      the leader, in a place of one's own, or anywhere;
    - `cards`: the question in which cards are used; `deck` and `hand`: how many there are.
    """

    name: dict[str, str]
    seats: dict[int, tuple[str, ...]]
    phases: tuple[str, ...]
    stops: tuple[str, ...]
    regions: tuple[str, ...]
    homes: tuple[str, ...]
    orders: tuple[str, ...]
    begins: Literal["leader", "own", "anywhere"]
    cards: str
    deck: int
    hand: int
    last: str = OVER
    talks: int = 1
    garrison: int = 0
    movers: int | None = None


TABLE = (*SEATS, "denim")
COURSES = {
    "standard": Course(
        name={"en": "Standard", "ja": "標準"},
        seats={count: TABLE[:count] for count in (2, 3, 4)},
        phases=("bid", "talk", "act"),
        stops=("bid", "talk", "act"),
        regions=("river",),
        homes=("hill",) * 4,
        orders=("hold", "tax", "march", "route", "plot", "draw"),
        begins="leader",
        cards="intercept",
        deck=12,
        hand=2,
    ),
    "campaign": Course(
        name={"en": "Campaign", "ja": "戦役"},
        seats={3: POWERS},
        phases=("talk", "act", "ballot"),
        stops=("talk",),
        regions=("alps",),
        homes=("pressburg",) * 3,
        orders=("march", "hold"),
        begins="anywhere",
        cards="",
        deck=18,
        hand=2,
        last="speech",
        talks=2,
        garrison=4,
    ),
    "town": Course(
        name={"en": "Town", "ja": "町"},
        seats={3: SIDES},
        phases=("act", "ballot", "march", "talk"),
        stops=("act", "ballot", "march", "talk"),
        regions=("north", "south"),
        homes=("riga", "ghent", "bari"),
        orders=("hold", "march", "muster", "raid", "speech"),
        begins="own",
        cards="ballot",
        deck=18,
        hand=4,
        movers=1,
    ),
}


class Unit(msgspec.Struct):
    kind: Literal["horse", "foot"]
    at: str
    strength: int = 1
    leader: str | None = None


class Power(msgspec.Struct):
    """What a seat has done: `chart` holds the strength of its marches, `last` is the last of them."""

    marches: int = 0
    friends: list[str] = []
    units: list[Unit] = []
    chart: dict[str, dict[str, int]] = {}
    last: tuple[str, str] | None = None


class State(msgspec.Struct):
    """`hands` and `deck` are secret. `to_act` lists the seats that have still to act, `columns` their late marches.

    `at` is where the leader of a seat stands. Ballots are read in the order of the keys of `order`, which turns every
    turn. `odd` is hard to write, and `patron` may be nobody.
    """

    powers: dict[str, Power]
    phase: str
    gold: dict[str, int]
    at: dict[str, str]
    hands: dict[str, list[str]]
    deck: list[str]
    sides: dict[str, str]
    force: dict[str, int]
    turn: int = 1
    discard: list[str] = []
    to_act: list[str] = []
    columns: dict[str, dict[str, Any]] = {}
    order: dict[str, int] = {}
    odd: dict[str, Any] = {}
    motto: str = ""
    patron: str | None = None


def course_of(table: Table) -> Course:
    return COURSES[table.scenario]


def places_of(course: Course) -> list[str]:
    """The places that are played in."""
    return [key for key, place in PLACES.items() if place.region in course.regions]


def set_up(table: Table) -> State:
    course = course_of(table)
    deck = list(CARDS[: course.deck])
    table.shuffle(deck)
    hands = {seat: sorted(deck.pop() for _ in range(course.hand)) for seat in table.seats}
    table.log("dealt", private={seat: {"cards": list(hand)} for seat, hand in hands.items()})
    homes = dict(zip(table.seats, course.homes, strict=False))
    places = places_of(course)
    state = State(
        powers={seat: Power(units=[Unit("foot", home)]) for seat, home in homes.items()},
        phase=course.phases[0],
        gold=dict.fromkeys(table.seats, 6),
        at=homes,
        hands=hands,
        deck=deck,
        sides=dict.fromkeys(places, ""),
        force=dict.fromkeys(places, course.garrison),
    )
    if not course.garrison:
        state.force |= dict.fromkeys(homes.values(), 4)
    if len(set(homes.values())) > 1:
        state.sides |= {home: seat for seat, home in homes.items()}
    state.order = {seat: 9 - at for at, seat in enumerate(reversed(table.seats))}
    # A list of tables stands before a number.
    state.odd = {"z": [{"b": 1, "a": 2}], "y": 5, "x": {"q": 1, "p": {"deep": []}}, "A b": "è\n\t\"'\\"}
    return state
