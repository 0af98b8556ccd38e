"""Constraints that every pack of 1630 Something must satisfy, by number (A01-A14, X13-X18).

Checked for moderators' corrections: what the rulebook fixes can't be corrected, while a number that was only
reconstructed may be anything that the rulebook allows. Takes tables of the right shape (checked by `merge_pack`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from pbem.kernel.pack import differences, problem
from pbem.kernel.rejections import RejectionReason

Tables: TypeAlias = Mapping[str, Mapping[str, Any]]

START = {
    "spain": (5, 2, 1), "england": (1, 1, 0), "france": (3, 2, 1), "denmark": (1, 1, 0), "netherlands": (2, 1, 1),
    "sweden": (2, 1, 1), "german_princes": (5, 1, 0), "hapsburg_empire": (5, 3, 1), "poland": (2, 1, 0),
}  # fmt: skip
"""The set-up table of the rulebook: status, army size, army ability."""

SPECIALS = ("vote", "improvement", "army", "status", "leader", "assassin", "unrest")
PHASES = ("remove", "draw", "exchange", "specials", "vote", "repeat", "end")
WATER_DEFENCE = ("england", "sweden")
STATUS = {"status_min": 0, "status_max": 7}
COUNTERS = 18
DRAW = {"3": 4, "4": 4, "5": 3, "6": 3}
HAND = {"deal": 13, "limit": 13, "draw": 4, "display": 3, "exchange": 3, "specials": 2}
TURNS = 10
PLAIN_TURNS = 5  # "the last few boxes" carry an end number: none in the first half of the game
DIE = 6

WAR = {
    "X16": {"dice": 2, "leader": 2, "no_army": -1, "unrest": -1, "water_defence": 1, "water_status": 1},
    "X17": {"winner_status": 1, "loser_status": -1, "loser_army": -1, "loser_ability": -1},
    "X18": {"tie_army": -1},
}


def check(tables: Tables) -> list[RejectionReason]:
    """Return a reason for each constraint that a pack's tables break, in the order of the numbers; [] if all hold."""
    return [problem(text, rule=rule) for rule, constraint in CONSTRAINTS for text in constraint(tables)]


def _countries(tables: Tables) -> dict[str, Mapping[str, Any]]:
    return {entry["id"]: entry for entry in tables["countries"]["countries"]}


def _setup_table(tables: Tables) -> Iterator[str]:
    """Check A01: the set-up table."""
    countries = _countries(tables)
    if set(countries) != set(START):
        yield "the nine countries of the set-up table are needed, no more and no fewer"
        return
    for country, numbers in START.items():
        expected = dict(zip(("status", "army_size", "army_ability"), numbers, strict=True))
        yield from differences(countries[country], expected, f"countries.{country}")


def _neutral(tables: Tables) -> Iterator[str]:
    """Check A02: all start neutral."""
    for country, entry in _countries(tables).items():
        yield from differences(entry, {"side": "neutral"}, f"countries.{country}")


def _water(tables: Tables) -> Iterator[str]:
    """Check A03: only England and Sweden have the water defence."""
    for country, entry in _countries(tables).items():
        yield from differences(entry, {"water_defence": country in WATER_DEFENCE}, f"countries.{country}")


def _adjacency(tables: Tables) -> Iterator[str]:
    """Check A04: adjacency is mutual, and the countries hang together."""
    countries = _countries(tables)
    for country, entry in countries.items():
        adjacent = entry["adjacent"]
        if country in adjacent or len(set(adjacent)) < len(adjacent):
            yield f"countries.{country}.adjacent names itself, or a neighbour twice"
        for other in adjacent:
            if other not in countries:
                yield f"countries.{country}.adjacent: there is no country {other}"
            elif country not in countries[other]["adjacent"]:
                yield f"countries.{country} is adjacent to {other}, but {other} is not adjacent to {country}"
    apart = [country for country in countries if country not in _connected(countries)]
    if apart:
        yield f"no chain of neighbours joins {next(iter(countries))} to {', '.join(apart)}"


def _connected(countries: Mapping[str, Mapping[str, Any]]) -> set[str]:
    todo = list(countries)[:1]
    seen = set(todo)
    while todo:
        new = {other for other in countries[todo.pop()]["adjacent"] if other in countries} - seen
        seen |= new
        todo.extend(new)
    return seen


def _counters(tables: Tables) -> Iterator[str]:
    """Check A06: 18 victory point counters, and one can hold two of a country."""
    counts = {entry["id"]: entry["count"] for entry in tables["counters"]["counters"]}
    yield from differences(tables["counters"]["draw"], {"total": COUNTERS}, "counters.draw")
    if set(counts) != set(START):
        yield "each of the nine countries needs an entry among the counters"
    if any(count < 0 for count in counts.values()):
        yield "a country can't have fewer than no counters"
    if sum(counts.values()) != COUNTERS:
        yield f"there are {COUNTERS} counters in the rulebook, not {sum(counts.values())}"
    if max(counts.values(), default=0) < 2:
        yield "one player can hold two counters of a country, so some country must have two"


def _counter_draw(tables: Tables) -> Iterator[str]:
    """Check A07: how many counters each draws."""
    yield from differences(tables["counters"]["draw"]["players"], DRAW, "counters.draw.players")
    yield from differences(tables["constants"]["players"], {"least": 3, "most": 6}, "constants.players")


def _influence(tables: Tables) -> Iterator[str]:
    """Check A08: influence cards of every country, an England 1 among them."""
    copies = {entry["id"]: entry["copies"] for entry in tables["cards"]["influence"]}
    if set(copies) != set(START):
        yield "each of the nine countries needs influence cards"
    for name, counts in (*copies.items(), ("open", tables["cards"]["open"]["copies"])):
        if not counts or min(counts) < 0 or not sum(counts):
            yield f"cards.{name}.copies must count cards with 1, 2, 3… votes, at least one in all"
    if copies.get("england", [0])[:1] in ([], [0]):
        yield "the examples play an England 1, so cards.england.copies must begin with 1 or more"


def _specials(tables: Tables) -> Iterator[str]:
    """Check A09: seven kinds of special card."""
    counts = {entry["id"]: entry["count"] for entry in tables["cards"]["special"]}
    if set(counts) != set(SPECIALS):
        yield f"the special cards are {', '.join(SPECIALS)}"
    for special, count in counts.items():
        if count < 1:
            yield f"cards.{special}.count is {count}, but the rulebook has that card"


def _sizes(tables: Tables) -> tuple[int, int, int]:
    """Return the numbers of country, Open and special cards."""
    cards = tables["cards"]
    influence = sum(sum(entry["copies"]) for entry in cards["influence"])
    return influence, sum(cards["open"]["copies"]), sum(entry["count"] for entry in cards["special"])


def _deck_mix(tables: Tables) -> Iterator[str]:
    """Check A10: most cards belong to a country, a few are Open (read as at most one for four of those)."""
    influence, opens, specials = _sizes(tables)
    if influence <= opens + specials:
        total = influence + opens + specials
        yield f"most cards are influence cards of a country, but here {influence} of {total}"
    if opens * 4 > influence:
        yield f"only a small number of cards are Open, but here {opens} next to {influence} of a country"


def _deck_size(tables: Tables) -> Iterator[str]:
    """Check A11: six players can be dealt their hands."""
    need = HAND["deal"] * max(map(int, DRAW))
    if sum(_sizes(tables)) < need:
        yield f"six players are dealt {need} cards, but the deck has {sum(_sizes(tables))}"


def _turns(tables: Tables) -> Iterator[str]:
    """Check A13: ten turns; only the last few may end the game by a roll; the tenth always does."""
    turns = {entry["turn"]: entry["ends_on"] for entry in tables["turns"]["turns"]}
    if list(turns) != list(range(1, TURNS + 1)) or len(tables["turns"]["turns"]) != TURNS:
        yield f"there are {TURNS} turns, in order"
        return
    for turn, ends_on in turns.items():
        where = f"turns.turn-{turn}.ends_on is {ends_on}"
        if turn == TURNS and ends_on != DIE:
            yield f"{where}, but turn {TURNS} always ends the game ({DIE})"
        elif turn <= PLAIN_TURNS and ends_on != 0:
            yield f"{where}, but only the last few turns have an end number"
        elif turn < TURNS and not 0 <= ends_on < DIE:
            yield f"{where}, but before turn {TURNS} it must be 0 to {DIE - 1}"


def _phases(tables: Tables) -> Iterator[str]:
    """Check A14: seven phases, in this order."""
    if tuple(entry["id"] for entry in tables["turns"]["phases"]) != PHASES:
        yield f"the phases of a turn are {', '.join(PHASES)}"


def _neighbours_only(tables: Tables) -> Iterator[str]:
    """Check X13: the rule says status 2 or less, a note to it 1; a table may take either."""
    status = tables["constants"]["limits"]["neighbours_only"]
    if status not in (1, 2):
        yield f"constants.limits.neighbours_only is 2 in the rulebook (1 in a note), not {status}"


def _war(rule: str) -> Callable[[Tables], Iterator[str]]:
    """Return the check of the numbers of a war (X16-X18)."""
    return lambda tables: differences(tables["constants"]["war"], WAR[rule], "constants.war")


CONSTRAINTS: tuple[tuple[str, Callable[[Tables], Iterator[str]]], ...] = (
    ("A01", _setup_table), ("A02", _neutral), ("A03", _water), ("A04", _adjacency),
    ("A05", lambda tables: differences(tables["constants"]["limits"], STATUS, "constants.limits")),
    ("A06", _counters), ("A07", _counter_draw), ("A08", _influence), ("A09", _specials), ("A10", _deck_mix),
    ("A11", _deck_size), ("A12", lambda tables: differences(tables["constants"]["hand"], HAND, "constants.hand")),
    ("A13", _turns), ("A14", _phases), ("X13", _neighbours_only),
    ("X16", _war("X16")), ("X17", _war("X17")), ("X18", _war("X18")),
)  # fmt: skip
"""Constraint numbers with the functions that yield what breaks them."""
