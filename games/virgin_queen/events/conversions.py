"""Events that are attempts at conversion and rebellions (18.5): 35, 45, 46, 55, 56, 70, 75, 77, 92, 93."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from games.virgin_queen.events.common import ask, choose, event, several, targeted
from games.virgin_queen.learning.patronage import release
from games.virgin_queen.religion.conversion import EACH, ConversionAttempts, convert, may_convert
from games.virgin_queen.religion.rebellion import AREAS, NETHERLANDS, rebellion, targets
from games.virgin_queen.state import CATHOLIC, ENGLAND, FRANCE, PROTESTANT, SCOTLAND, SPAIN, TRACK
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play

KIT.question("event_area", "6.1")
KIT.question("event_person", "6.1")
ALL = (ENGLAND, FRANCE, NETHERLANDS, SCOTLAND)
CONTINENT = (FRANCE, NETHERLANDS, SCOTLAND)
DICE = {"ministers-of-geneva": 7, "index-of-prohibited-books": 6, "spanish-inquisition": 5, "papal-bull": 4}
"""The dice of conversions in an area that somebody chooses, by card."""
MINISTERS_CP = 2
"""#35 The CP that the rebellion counts as."""


def open_areas(table: Table, religion: str, areas: Sequence[str]) -> list[str]:
    """18.1 Return the areas in which the core presence still allows conversions."""
    return [area for area in areas if may_convert(table, ConversionAttempts(religion, area, 0, "6.1"))]


def _in_areas(religion: str, areas: Sequence[str]) -> Callable[[Table, str], list[str]]:
    return lambda table, power: open_areas(table, religion, areas)


def preaching(card: str, resolver: str, religion: str, areas: Sequence[str], dice: int, **special: Any) -> None:
    """Register a card of only conversion attempts in one of some areas; `resolver` ("": its player) makes them."""
    DICE[card] = dice

    @targeted(card, "area", _in_areas(religion, areas), resolver)
    def run(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
        yield from convert(table, resolver or power, ConversionAttempts(religion, aim["area"], dice, "6.1", **special))


preaching("belgic-confession", PROTESTANT, PROTESTANT, (NETHERLANDS,), 6, six=True, changed={3: 4})
preaching("calvinist-zeal", PROTESTANT, PROTESTANT, CONTINENT, 7, six=True)
preaching("huguenot-lent", PROTESTANT, PROTESTANT, (FRANCE,), 8, six=True)
preaching("tridentine-catechism", "", CATHOLIC, ALL, 7, six=True)
preaching("iconoclastic-fury", PROTESTANT, PROTESTANT, (NETHERLANDS, FRANCE), 7, changed={5: 6}, unrest=EACH)
preaching("english-recusants", SPAIN, CATHOLIC, (ENGLAND,), 6, six=True)


@targeted("ministers-of-geneva", "area", _in_areas(PROTESTANT, CONTINENT))
def ministers_of_geneva(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #35: seven attempts, then a rebellion in the same area as if with 2 CP, if the Protestants wish."""
    card, area = "ministers-of-geneva", aim["area"]
    yield from convert(table, power, ConversionAttempts(PROTESTANT, area, DICE[card], "6.1"))
    if found := targets(table, area) if area in AREAS else []:
        space = yield from ask(table, power, card, "space", Choice(["none", *found], "space"), "none")
        if space != "none":
            yield from rebellion(table, space, MINISTERS_CP, "6.1")


@targeted("index-of-prohibited-books", "area", _in_areas(CATHOLIC, ALL))
def index_of_prohibited_books(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #56: six attempts, the first die a 6; an artist or scientist of another power leaves for a turn."""
    card = "index-of-prohibited-books"
    yield from convert(table, power, ConversionAttempts(CATHOLIC, aim["area"], DICE[card], "6.1", six=True))
    works = {work.person: work for work in table.state.patronage if work.power != power}
    if person := (yield from choose(table, power, card, "person", list(works))):
        # 22.1, 22.2: the patron's limit of one of a kind stays used this turn.
        release(table, works[person], TRACK)
        table.log("event.censored", rule="6.1", power=works[person].power, person=person)


@event("council-of-troubles", lambda table, power: bool(open_areas(table, CATHOLIC, (NETHERLANDS,))))
def council_of_troubles(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #75: seven attempts in the Netherlands, the first die a 6; no unrest with Spanish regulars."""
    spanish = {at: here[SPAIN] for at, here in table.state.land.items() if SPAIN in here}
    held = tuple(at for at in table.c.areas[NETHERLANDS] if at in spanish and spanish[at].regulars)
    yield from convert(table, SPAIN, ConversionAttempts(CATHOLIC, NETHERLANDS, 7, "6.1", six=True, spared=held))


@event("gods-secret-agents", lambda table, power: bool(open_areas(table, CATHOLIC, (ENGLAND,))))
def gods_secret_agents(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #93: Spain moves its Jesuits and gets one from its pool; three attempts, only next to Jesuits."""
    card, state = "gods-secret-agents", table.state
    area = table.c.areas[ENGLAND]
    for origin in (yield from several(table, SPAIN, card, list(state.jesuits), len(state.jesuits))):
        to = yield from choose(table, SPAIN, card, "space", [at for at in area if at not in state.jesuits])
        state.jesuits[state.jesuits.index(origin)] = to
        table.log("event.jesuit_moves", rule="19.2", power=SPAIN, space=origin, to=to)
    stock = state.powers[SPAIN].stock
    if stock.get("jesuit", 0):
        to = yield from choose(table, SPAIN, card, "space", [at for at in area if at not in state.jesuits])
        if to:
            stock["jesuit"] -= 1
            state.jesuits.append(to)
            table.log("event.jesuit", rule="19.2", power=SPAIN, space=to)
    near = {at for space in state.jesuits for at in table.c.land[space]}
    only = tuple(at for at in area if at in near)
    yield from convert(table, SPAIN, ConversionAttempts(CATHOLIC, ENGLAND, 3, "6.1", only=only))
