"""Frequent queries of a state: where blocks are, who controls what, who ranks above whom."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import ClassVar

from games.crown_of_roses.components import RosesComponents
from games.crown_of_roses.state import MADE, MOVED, UNDECLARED, ActionStep, Block, RosesState
from games.crown_of_roses.table import KIT, Table

KIT.chapter("7.2.2", "loyalty", "query.py")
KIT.chapter("7.2.3", "estates", "query.py", "realm/lodging.py")
KIT.chapter("7.2.4", "royal estates", "query.py", "realm/lodging.py")
KIT.chapter("7.2.5", "office estates", "query.py", "realm/lodging.py")
KIT.chapter("7.2.8", "control", "query.py")
KIT.chapter("8.3", "combat strength, hits", "query.py", "components.py", "blocks.py")
KIT.chapter("8.3.1", "rank, command", "query.py", "stacks.py")

CONTESTED = "contested"
ROYALS = ("henry_vi", "margaret")
"""10.3.3, 10.3.4, 8.3.3 Henry VI and the Queen: they count neither against command in battle nor for stacking."""


@cache
def faces(step: str) -> Mapping[str, int]:
    """Return the dice of a step as printed (8.3): colour → number."""
    return {step[i + 1]: int(step[i]) for i in range(0, len(step), 2)}


def strength(c: RosesComponents, key: str, steps: int) -> int:
    """Return combat strength: the dice of a block with the given steps left, of any colour (8.3, 20.5.3)."""
    return sum(faces(c.blocks[key].steps[-steps]).values()) if steps else 0


def in_play(table: Table, key: str) -> bool:
    """Return whether a block is in a shire or an exile box (8.2)."""
    return table.c.is_place(table.state.blocks[key].at)


class Census:
    """Where the blocks of a state are, counted once and kept as they move; in the order of the blocks.

    `by_place` maps places and pools to their blocks, `by_host` hosts to what is attached to them (8.3.3); `owners`
    maps places to the houses there in the order of the seats (block order would reveal who is there).
    """

    __slots__ = ("by_host", "by_place", "keys", "made", "order", "owners", "state", "stood")

    last: ClassVar[Census | None] = None

    def __init__(self, state: RosesState) -> None:
        self.state = state
        self.made = MADE[0]
        self.by_place: dict[str, list[str]] = defaultdict(list)
        self.by_host: dict[str, list[str]] = defaultdict(list)
        self.owners: dict[str, list[str]] = {}
        self.stood: dict[str, tuple[str, str]] = {}
        for key, block in state.blocks.items():
            self._enter(key, block)
        self.keys = {id(block): key for key, block in state.blocks.items()}
        self.order = {key: number for number, key in enumerate(state.blocks)}.__getitem__
        MOVED.clear()

    def _enter(self, key: str, block: Block) -> None:
        self.by_place[block.at].append(key)
        if block.host:
            self.by_host[block.host].append(key)
        self.stood[key] = (block.at, block.host)

    def follow(self) -> None:
        """Apply the moves since the last call: blocks leave the lists that they were in and join others."""
        for block in MOVED:
            key = self.keys.get(id(block))
            if key is None:
                continue  # of another game
            place, host = self.stood[key]
            self.owners.pop(place, None)
            if block.at != place:
                self.owners.pop(block.at, None)
                self.by_place[place].remove(key)
                insort(self.by_place[block.at], key, key=self.order)
            if block.host != host:
                if host:
                    self.by_host[host].remove(key)
                if block.host:
                    insort(self.by_host[block.host], key, key=self.order)
            self.stood[key] = (block.at, block.host)
        MOVED.clear()


def census(state: RosesState) -> Census:
    """Return the census of a state as it is now. Don't change it, nor keep it across a change."""
    known = Census.last
    if known is None or known.state is not state or known.made != MADE[0]:
        known = Census.last = Census(state)
    elif MOVED:
        known.follow()
    return known


def blocks_in(state: RosesState, place: str, house: str = "") -> list[str]:
    """Return blocks in a place, of one house or of all."""
    known = Census.last  # asked too often for a call of `census`
    if known is None or MOVED or known.state is not state or known.made != MADE[0]:
        known = census(state)
    if not (here := known.by_place.get(place)):
        return []
    if not house:
        return [*here]
    blocks = state.blocks
    return [key for key in here if blocks[key].owner == house]


def owners(state: RosesState, place: str) -> list[str]:
    """Return houses with blocks in a place, in the order of the seats. Don't change the list."""
    known = Census.last
    if known is None or MOVED or known.state is not state or known.made != MADE[0]:
        known = census(state)
    found = known.owners.get(place)
    if found is None:
        blocks = known.by_place.get(place)
        here = {state.blocks[key].owner for key in blocks} if blocks else ()
        found = known.owners[place] = [house for house in state.houses if house in here] if here else []
    return found


def contested(table: Table) -> list[str]:
    """Return the shires in which several houses are, in map order (16.4)."""
    state, by_place = table.state, census(table.state).by_place
    several = [shire for shire in table.c.shires if len(by_place.get(shire, ())) > 1]
    return [shire for shire in several if len(owners(state, shire)) > 1]


def crowded(table: Table) -> list[str]:
    """Return the shires with more blocks than the stacking limit, of any house, in map order (7.2.9)."""
    by_place = census(table.state).by_place
    return [shire for shire, card in table.c.shires.items() if len(by_place.get(shire, ())) > card.sv + 1]


def enemies(state: RosesState, place: str, house: str) -> list[str]:
    """Return blocks of other houses in a place."""
    blocks = state.blocks
    return [key for key in census(state).by_place.get(place, ()) if blocks[key].owner != house]


def loyalty(table: Table, shire: str) -> str:
    """Return the house a shire is loyal to, "" if none that plays (7.2.2, R-02); Calais may follow an ally (card 12).

    Shires of a house that has left the game are loyal to it until the turn ends (R-26).
    """
    state = table.state
    if shire == "calais":
        for key, house in state.houses.items():
            if "merchants_of_the_staple" in house.cards:
                return key
    loyal: str = table.c.shires[shire].loyalty
    if loyal not in state.houses:
        return ""
    house = state.houses[loyal]
    return "" if house.out and house.fell < state.turn else loyal


def control(table: Table, shire: str) -> str:
    """Return the controlling house, `contested`, or "" for a neutral shire (7.2.8)."""
    here = owners(table.state, shire)
    if len(here) > 1:
        return CONTESTED
    if here:
        return here[0]
    return table.state.rebels.get(shire) or loyalty(table, shire)


def is_closed_by_embassy(state: RosesState, place: str, house: str) -> bool:
    """Return whether an embassy keeps a house out of a place (14.1.1)."""
    embassy = state.embassy
    return embassy is not None and embassy.place == place and embassy.house != house


def is_bound_by_embassy(state: RosesState, key: str) -> bool:
    """Return whether a block receives an embassy and may not leave (14.1.1)."""
    embassy = state.embassy
    return embassy is not None and key in embassy.blocks and state.blocks[key].at == embassy.place


def attached(state: RosesState, host: str) -> list[str]:
    """Return blocks attached to a host (8.3.3)."""
    return [*census(state).by_host.get(host, ())]


def party(state: RosesState, key: str) -> list[str]:
    """Return a block and what is attached to it."""
    return [key, *attached(state, key)]


def king(state: RosesState) -> str:
    """Return the block that is King, "" if there is none (R-23)."""
    return state.offices["king"].holder


def king_house(state: RosesState) -> str:
    """Return the house of the King, "" if there is none."""
    holder = king(state)
    return state.blocks[holder].owner if holder else ""


def held(state: RosesState, noble: str) -> list[str]:
    """Return offices of a noble, highest first."""
    return [key for key, office in state.offices.items() if office.holder == noble]


def heirs_in_order(c: RosesComponents, heirs: Iterable[str]) -> list[str]:
    """Return heirs, senior first (10.3.2)."""
    return sorted(heirs, key=lambda key: c.blocks[key].heir_order)


def is_heir(state: RosesState, key: str) -> bool:
    """Return whether a block is an active heir of the house that controls it (R-21)."""
    owner = state.blocks[key].owner
    return owner in state.houses and key in state.houses[owner].heirs


def rank(table: Table, key: str) -> tuple[int, int, int]:
    """Return the precedence of a noble: the King, heirs by order, titles; more is higher (8.3.1)."""
    card = table.c.blocks[key]
    if king(table.state) == key:
        return (2, 0, 0)
    if is_heir(table.state, key):
        return (1, -card.heir_order, 0)
    return (0, 0, card.title)


def command(table: Table, key: str) -> int:
    """Return the command rating (8.3.1); the King's block adds 1 for the King (10.5.1, R-22), and so may cards."""
    state = table.state
    printed: int = table.c.blocks[key].command
    king_block = state.blocks["office_king"]
    bonus = state.boosts.get(key, 0) if printed else 0
    return printed + bonus + (1 if king_block.host == key and king(state) == key else 0)


def estates(table: Table, key: str) -> list[str]:
    """Return shires that a noble, with guests, may use as estates, in map order (7.2.3, 7.2.4, 7.2.5, 7.2.6).

    None that an embassy closes to their house (14.1.1).
    """
    state, c = table.state, table.c
    found: set[str] = set()
    for member in party(state, key):
        # 7.2.3 The shields of their family, 7.2.5 of their offices.
        found.update(c.family_estates.get(c.blocks[member].family, ()))
        for office in held(state, member):
            found.update(c.office_estates.get(office, ()))
        # 7.2.4 Royal estates are for the heirs of the King's house.
        if king(state) and is_heir(state, member) and state.blocks[member].owner == king_house(state):
            found.update(c.royal_estates)
    house = state.blocks[key].owner
    return [shire for shire in c.shires if shire in found and not is_closed_by_embassy(state, shire, house)]


def heirs_in_play(table: Table, house: str) -> list[str]:
    """Return active heirs of a house in a shire or an exile box (7.3.1) that serve it (R-21)."""
    blocks = table.state.blocks
    return [key for key in table.state.houses[house].heirs if blocks[key].owner == house and in_play(table, key)]


def undeclared_heirs(state: RosesState, house: str) -> list[str]:
    """Return active heirs of a house in its undeclared pool."""
    blocks = state.blocks
    return [key for key in state.houses[house].heirs if blocks[key].at == UNDECLARED and blocks[key].owner == house]


def total(c: RosesComponents, markers: Mapping[str, int]) -> int:
    """Return the points of markers."""
    return sum(c.markers[key].value * count for key, count in markers.items())


def full(c: RosesComponents, key: str) -> int:
    """Return the steps of a block at full strength."""
    return len(c.blocks[key].steps)


def operations(c: RosesComponents, hand: Sequence[str]) -> list[str]:
    """Return those cards of a hand that aren't house cards (12.4)."""
    return [key for key in hand if not c.cards[key].house]


def step_of(table: Table) -> ActionStep:
    """Return the action step under way. The menu of actions belongs to one."""
    step = table.state.step
    assert step is not None
    return step


def pay(table: Table, ops: int, *, influence: bool = False) -> None:
    """Spend OPS (15.0): only now the action counts as one of the step (13.3, 10.5.3).

    What a card cancelled before its OPS were spent (68) was none.
    """
    step = step_of(table)
    step.left -= ops
    step.done += 1
    if not influence:
        step.only_influence = False
