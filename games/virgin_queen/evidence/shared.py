"""What decisions of Virgin Queen are told in: notes, facts and meanings; places, powers, cards, people, dice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import comb, prod
from typing import Any

import msgspec

from games.virgin_queen import fleets, query
from games.virgin_queen.events import land
from games.virgin_queen.events.naval import SLIPS
from games.virgin_queen.formations import count
from games.virgin_queen.keys import vp
from games.virgin_queen.state import POWERS
from games.virgin_queen.table import HIT, Table
from pbem.kernel import evidence
from pbem.kernel.evidence import Builder, Fact, Meaning

Look = evidence.Look[Table]
Facts = Iterator[Fact]
Args = Callable[[Look], Mapping[str, object]]
Means = Callable[[Look, Any], Meaning | None]
Order = Mapping[str, Any]
"""An answer with parts, by their names."""
FACES = 6

# -- words: a fact, what an answer means, and builders of both


def note(key: str, spaces: Iterable[str] = (), /, *, main: object = True, **args: object) -> Fact:
    """Return a fact, with the spaces that the map shows next to it."""
    return Fact(key, args, tuple(spaces), bool(main))


def means(*notes: Fact, cost: int = 0, chance: int | None = None, rank: float = 0) -> Meaning:
    """Return what an answer costs, its chance, and what follows from it."""
    return Meaning(cost, chance, notes, rank)


def words(said: Mapping[str, Fact | Callable[[Look], Fact]], other: Means | None = None, rank: float = 0) -> Means:
    """Return the meaning of a choice: a note on each word; `other` tells of answers that are none of them."""

    def told(look: Look, answer: Any) -> Meaning | None:
        fact = said.get(answer) if isinstance(answer, str) else None
        if fact is None:
            return other(look, answer) if other else None
        return means(fact if isinstance(fact, Fact) else fact(look), rank=rank)

    return told


def first(most: int, *builders: Builder[Table]) -> Builder[Table]:
    """Return a builder of which no more than the first facts are in emails."""

    def build(look: Look) -> Facts:
        told = 0
        for fact in (fact for builder in builders for fact in builder(look)):
            told += fact.main
            yield fact if told <= most else msgspec.structs.replace(fact, main=False)

    return build


def about(*keys: str) -> Args:
    """Return a function that reads arguments from what the question is about."""
    return lambda look: {key: look.about[key] for key in keys}


def named(answer: object) -> str:
    """Return the single thing that an answer names: a word, the only one of a list, or what a word goes with."""
    if isinstance(answer, Mapping):
        answer = answer.get("with", next(iter(answer.values()), ""))
    if isinstance(answer, list):
        answer = answer[0] if len(answer) == 1 else ""
    return answer if isinstance(answer, str) else ""


@contextmanager
def supposing(look: Look, **changes: object) -> Iterator[None]:
    """Change the state of the world that is looked at for a while: what would be if a choice were made."""
    state = look.table.state
    before = {name: getattr(state, name) for name in changes}
    for name, value in changes.items():
        setattr(state, name, value)
    yield
    for name, value in before.items():
        setattr(state, name, value)


def by_space(key: str, found: Mapping[str, int], most: int | None = None, *, main: bool = True) -> Facts:
    """Tell a number for each space, if there are any; with `most` only those with the largest ones."""
    order = list(found) if most is None else sorted((at for at in found if found[at]), key=lambda at: -found[at])[:most]
    if order:
        yield note(key, order, spaces={at: found[at] for at in order}, main=main)


# -- powers


def owns(look: Look) -> list[str]:
    """Return the powers that the reader plays."""
    return [power for power in POWERS if query.seat_of(look.table.state, power) == look.seat]


def reader(look: Look, word: str = "power") -> str:
    """Return the power of the reader that decides: the one that is named, if it is theirs, else their first."""
    named, own = look.about.get(word, ""), owns(look)
    return str(named) if named in own else next(iter(own), look.seat)


def acting(look: Look) -> Facts:
    """Tell for which power the reader decides, if they play several."""
    if len(owns(look)) > 1:
        yield note("acting", power=reader(look))


def hands(look: Look, powers: Iterable[str] = POWERS) -> Facts:
    """Tell how many cards powers hold: that is public."""
    state = look.table.state
    told = {look.who(power): len(state.powers[power].hand) for power in powers if query.seat_of(state, power)}
    yield note("hands", cards=told)


def foes(look: Look, power: str) -> list[str]:
    """Return the sides at war with a power."""
    sides = dict.fromkeys(query.side_of(look.table.state, other) for other in (*POWERS, *look.table.state.minors))
    return [side for side in sides if query.at_war(look.table.state, power, side)]


def hostile(look: Look, power: str) -> bool:
    """Return whether a power is at war with the reader's."""
    return query.at_war(look.table.state, reader(look), power)


def wars(look: Look) -> Facts:
    """Tell with whom the reader's powers are at war, the one that decides first."""
    for power in sorted(owns(look), key=lambda power: power != reader(look)):
        if enemies := foes(look, power):
            yield note("wars", power=look.who(power), foes=enemies)


def standing(look: Look) -> Facts:
    """Tell the public VP of all powers, the most first."""
    points = {power: vp(look.table, power) for power in POWERS}
    order = sorted(points, key=lambda power: -points[power])
    yield note("standing", vp={look.who(power): points[power] for power in order})


def beside(*builders: Builder[Table]) -> Builder[Table]:
    """Return a builder of facts that an email tells only if all answers fit too."""

    def build(look: Look) -> Facts:
        for fact in (fact for builder in builders for fact in builder(look)):
            yield msgspec.structs.replace(fact, main=False, spare=True)

    return build


WARS, STANDING, BESIDE = beside(wars), beside(standing), beside(wars, standing)
"""What is told next to a question, where there is room."""


def bond(look: Look, power: str) -> tuple[Fact, ...]:
    """Tell whether a power is at war with the reader's, or its ally."""
    state, mine = look.table.state, reader(look)
    if query.at_war(state, mine, power):
        return (note("rival_war"),)
    return (note("rival_ally"),) if power in POWERS and power != mine and query.allied(state, mine, power) else ()


def rival(look: Look, power: str) -> tuple[Fact, ...]:
    """Tell of a power: cards and treasures in hand, VP, war or alliance with the reader."""
    state = look.table.state
    if power not in state.powers:
        return ()
    hand = state.powers[power]
    told = note("rival", cards=len(hand.hand), treasures=len(hand.treasures), vp=vp(look.table, power))
    return told, *bond(look, power)


# -- places


def units_there(look: Look, space: str) -> dict[str, int]:
    """Return who has how many land units in a space."""
    state = look.table.state
    return {look.who(power): query.strength(state, power, space) for power in query.powers_in(state, space)}


def others_there(look: Look, power: str, space: str) -> tuple[Fact, ...]:
    """Tell which units of others are in a space, if there are any."""
    there = {who: number for who, number in units_there(look, space).items() if who != look.who(power)}
    return (note("meets", units=there),) if there else ()


def ships_there(look: Look, place: str) -> dict[str, dict[str, int]]:
    """Return who has which ships at a place."""
    state = look.table.state
    sides = dict.fromkeys(query.side_of(state, fleet.power) for fleet in state.fleets.get(place, ()))
    return {look.who(side): fleets.counts(state, side, place) for side in sides}


def ships_at(look: Look, place: str) -> Facts:
    """Tell the ships at a place."""
    if ships := ships_there(look, place):
        yield note("ships_there", [place], place=place, ships=ships)


def space(look: Look, at: str, *, units: bool = True) -> Fact:
    """Return what a space is: whose, of which kind, who is there, in unrest or under siege."""
    state, there = look.table.state, units_there(look, at) if units else {}
    marks = [word for word, there in (("unrest", state.unrest), ("siege", state.sieges)) if at in there]
    marks += ["empty"] if units and not there else []
    holder = look.who(state.control[at])
    return note("space", [at], space=at, holder=holder, kind=kind_of(look, at), marks=marks, units=there)


def kind_of(look: Look, at: str) -> str:
    """Return the kind of a space; a fortress that was built counts."""
    kind = look.table.c.spaces[at].type
    return "fortress" if kind == "unfortified" and query.fortified(look.table, at) else kind


def goal(look: Look) -> Facts:
    """Tell about the space that the question names."""
    if look.about.get("space") in look.table.c.spaces:
        yield space(look, look.word("space"))


def own_there(look: Look, power: str, at: str) -> Facts:
    """Tell which units and leaders a power has in a space."""
    state = look.table.state
    if units := count(state, power, at):
        leaders = query.leaders_at(state, power, at)
        yield note("own_there", [at], space=at, power=look.who(power), units=units, leaders=leaders)


def foes_near(look: Look, power: str, at: str) -> dict[str, int]:
    """Return how many units each enemy of a power has next to a space."""
    state, near = look.table.state, query.neighbours(look.table, power, at)
    found = {foe: sum(query.strength(state, foe, other) for other in near) for foe in foes(look, power)}
    return {foe: number for foe, number in found.items() if number}


def menace(look: Look, power: str, spaces: Iterable[str]) -> dict[str, int]:
    """Return how many enemy units are next to each of these spaces."""
    return {at: sum(foes_near(look, power, at).values()) for at in spaces}


def held_by(look: Look, power: str) -> list[str]:
    """Return the spaces that a power controls."""
    return [at for at, holder in look.table.state.control.items() if holder == power]


def front(look: Look, power: str) -> Facts:
    """Tell which spaces of a power have most enemy units next to them."""
    yield from by_space("front", menace(look, power, held_by(look, power)), 5)


def threats(look: Look) -> Facts:
    """Tell which enemies are next to the power's spaces: keys first, then the most of them."""
    near = {at: foes_near(look, reader(look), at) for at in held_by(look, reader(look))}
    most = sorted((at for at in near if near[at]), key=lambda at: (not is_key(look, at), -sum(near[at].values())))
    if most:
        yield note("threats", most, spaces={at: near[at] for at in most[:3]})


def is_key(look: Look, at: str) -> bool:
    """Return whether a space is a key."""
    return look.table.c.spaces[at].type == "key"


def keys_of(look: Look, spaces: Iterable[str]) -> list[str]:
    """Return the keys among spaces."""
    return [at for at in spaces if is_key(look, at)]


def keys_first(look: Look, spaces: Iterable[str]) -> list[str]:
    """Return spaces with keys first, then fortified ones."""
    return sorted(spaces, key=lambda at: (not is_key(look, at), not query.fortified(look.table, at)))


def marks(look: Look, at: str) -> list[str]:
    """Return what makes a space special: key, fortress, capital, unrest, siege."""
    state, kind = look.table.state, look.table.c.spaces[at].type
    found = {
        "key": kind == "key", "fortress": kind == "fortress" or at in state.fortresses,
        "capital": at in state.capitals, "unrest": at in state.unrest, "siege": at in state.sieges,
    }  # fmt: skip
    return [word for word, there in found.items() if there]


def brief(look: Look, at: str) -> tuple[Fact, ...]:
    """Tell only what makes a space special, and who is there."""
    found = marks(look, at)
    return (*([note("spot_marks", [at], marks=found)] if found else []), *_garrison(look, at))


def _garrison(look: Look, at: str) -> tuple[Fact, ...]:
    units = units_there(look, at)
    return (note("spot_units", units=units),) if units else ()


def unruly(look: Look, spaces: Sequence[str]) -> Fact:
    """Return whose the spaces are that could get unrest, the keys among them, and the units there."""
    units: Counter[str] = Counter()
    for at in spaces:
        units.update(units_there(look, at))
    holder = look.who(look.table.state.control[spaces[0]])
    return note("unruly", holder=holder, keys=keys_of(look, spaces), units=dict(units))


def spot(look: Look, at: str) -> tuple[Fact, ...]:
    """Tell of a place: whose and who is there; key, fortress, unrest, siege; the reader's enemies next to it."""
    afloat = {side: sum(kinds.values()) for side, kinds in ships_there(look, at).items()}
    ships = [note("spot_ships", ships=afloat)] if afloat else []
    if at not in look.table.c.spaces:
        return tuple(ships)
    whose = note("spot", [at], holder=look.who(look.table.state.control[at]), marks=marks(look, at))
    near = foes_near(look, reader(look), at)
    return (whose, *_garrison(look, at), *([note("spot_near", units=near)] if near else []), *ships)


def spots(**said: str) -> Means:
    """Return the meaning of answers that name a place; `said` are the notes on those that name none."""

    def told(look: Look, answer: Any) -> Meaning | None:
        at = answer["to"] if isinstance(answer, Mapping) and "to" in answer else named(answer)
        if at in look.table.c.spaces or at in look.table.c.zones:
            return means(*spot(look, at), rank=at in look.table.c.spaces and is_key(look, at))
        return means(note(said[at]), rank=-1) if at in said else None

    return told


def haven(look: Look, power: str, at: str) -> tuple[Fact, ...]:
    """Return what a space that units may go to is: the power's units there, and the enemies next to it."""
    found, near = query.strength(look.table.state, power, at), foes_near(look, power, at)
    told = note("haven", [at], kind=kind_of(look, at), units=found)
    return (told, note("foes_near", foes=near)) if near else (told,)


# -- cards


def effect(look: Look, card: str, moment: str = "") -> Fact:
    """Return what a card does as an event, in battle, or at a moment (`event`, `entered` …), in a few words."""
    key = look.table.c.cards[card].effect or card
    args: dict[str, object] = {"count": SLIPS} if key == "master-shipwrights" else {}
    if key == "city-state-rebels":
        spaces = land.city_states(look.table, "") or land.CITY_STATES
        args = {"spaces": spaces, "yours": [at for at in spaces if look.table.state.control[at] in owns(look)]}
    return note(f"effect.{key}", moment=moment, **args)


def card_does(look: Look) -> Facts:
    """Tell what the card that asks does, in a few words: if it asks several questions, what this one decides."""
    yield effect(look, look.word("card"), look.kind)


def worth(look: Look, key: str) -> tuple[Fact, ...]:
    """Tell in a few words what a card does, and what kind it is if it is no event; of a treasure its name says all."""
    card = look.table.c.cards.get(key)
    if card is None:
        return ()
    return (effect(look, key), *([] if card.type == "event" else [note("card_type", type=card.type)]))


def by_card(look: Look, answer: object) -> Meaning | None:
    """Tell of the card that an answer names, its CP as its price; the dearest first."""
    key = named(answer)
    if key not in look.table.c.cards:
        return None
    cp = look.table.c.cards[key].cp
    return means(*worth(look, key), cost=cp, rank=cp)


# -- people


def rated(card: object, *what: str) -> dict[str, object]:
    """Return some ratings of a leader or captain."""
    return {name: getattr(card, name) for name in what}


def leaders(look: Look, keys: Sequence[str]) -> Facts:
    """Tell the ratings of army leaders."""
    for key in keys:
        card = look.table.c.generals.get(key)
        if card is not None and not card.naval:
            yield note("general", leader=key, **rated(card, "battle", "command"))


def general(look: Look, key: str) -> Fact:
    """Tell of an army leader: whose, ratings, with how many units."""
    entry = look.table.state.leaders[key]
    units = units_there(look, entry.at).get(look.who(entry.power), 0)
    ratings = rated(look.table.c.generals[key], "battle", "command")
    return note("leads", power=look.who(entry.power), **ratings, units=units)


def captain(look: Look, key: str) -> tuple[Fact, ...]:
    """Tell of a captain: whose, where, ratings, booty, damage."""
    card, entry = look.table.c.captains[key], look.table.state.captains[key]
    sails = note("sails", power=look.who(entry.power), zone=entry.at, count=len(entry.loot))
    rating = note("captain_ratings", **rated(card, "piracy", "navigation"))
    return (sails, rating, note("damaged")) if entry.damaged else (sails, rating)


# -- dice


def _exactly(dice: int, hits: int) -> float:
    share = (FACES + 1 - HIT) / FACES
    return float(comb(dice, hits) * share**hits * (1 - share) ** (dice - hits))


def at_least(dice: int, hits: int) -> float:
    """Return the chance that dice show at least so many hits (5 or 6)."""
    return sum(_exactly(dice, n) for n in range(max(hits, 0), dice + 1))


def more_hits(attack: int, defence: int, by: int = 1) -> int:
    """Return the chance in percent that the attack shows at least `by` hits more than the defence."""
    return round(100 * sum(_exactly(defence, n) * at_least(attack, n + by) for n in range(defence + 1)))


def any_of(chances: Iterable[float]) -> int:
    """Return the chance in percent that one of several attempts works, each with a chance in percent."""
    return round(100 * (1 - prod(1 - chance / 100 for chance in chances)))


def span(sizes: Sequence[int], *, all_in: bool) -> str:
    """Return how many may come of several attempts, each with so many: of one of them, or of all together."""
    most = sum(sizes) if all_in else max(sizes)
    return str(most) if most == min(sizes) else f"{min(sizes)}–{most}"


def percent(faces: int) -> int:
    """Return so many faces of a die as a chance in percent."""
    return round(100 * faces / FACES)
