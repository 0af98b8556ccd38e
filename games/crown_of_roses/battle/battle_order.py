"""Which battles are fought, in which order, and who fights whom first (7.5.4, 9.6, 20.0 to 20.2)."""

from __future__ import annotations

from functools import partial

from games.crown_of_roses.blocks import occupy_tower, post_garrison
from games.crown_of_roses.query import blocks_in, contested, owners
from games.crown_of_roses.refusals import place_meant
from games.crown_of_roses.state import EnteredStack, RosesState
from games.crown_of_roses.table import KIT, Table
from games.crown_of_roses.tie_breaks import order
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play, Rule
from pbem.kernel.questions import REACTION
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("7.5.4", "battle boxes: order of entry", "battle/battle_order.py")
KIT.chapter("20.1", "attacker and defender", "battle/battle_order.py")


_which = KIT.question("battle", "20.0", REACTION)


def last_entry(state: RosesState, place: str, house: str) -> int:
    """Return the index of the last entry of a house into a place from which something is still there, else -1 (20.1).

    A stack that only passed through did not enter; attached blocks go by their host.
    """
    here = [key for key in blocks_in(state, place, house) if not state.blocks[key].host]
    for index in range(len(state.entries) - 1, -1, -1):
        entry = state.entries[index]
        if (entry.place, entry.house) == (place, house) and any(key in here for key in entry.blocks):
            return index
    return -1


def entry_of(state: RosesState, place: str, house: str) -> EnteredStack | None:
    """Return the entry that gives a house its turn in a battle, None if it was there from the beginning."""
    index = last_entry(state, place, house)
    return state.entries[index] if index >= 0 else None


def line_up(table: Table) -> Play:
    """Set `state.fights`: all contested shires with their houses, the last to enter first (20.0, 20.1).

    Where several houses are that did not enter (after winter), the tie-breaker names attacker and defender. No battle
    is fought where an embassy is received (14.1.1).
    """
    state = table.state
    fights: dict[str, list[str]] = {}
    for place in contested(table):
        if state.embassy is not None and state.embassy.place == place:
            continue
        houses = owners(state, place)
        entered = {house: last_entry(state, place, house) for house in houses}
        latest = sorted((h for h in houses if entered[h] >= 0), key=lambda h: -entered[h])
        resident = [house for house in houses if entered[house] < 0]
        if len(resident) > 1:
            with table.within("battle", place=place):
                resident = yield from order(table, resident, "attack", "20.1")
        fights[place] = [*latest, *resident]
        table.log("battle.lined_up", rule="20.1", place=place, order=list(fights[place]), reveals=True)
    if _leave_the_tower(table, fights.get("london", [])):
        yield from post_garrison(table, fights["london"][-1])
    state.fights = fights


def _leave_the_tower(table: Table, houses: list[str]) -> bool:
    """Move the garrison if its house intercepted into London against two enemies or more (20.2, example 2).

    The last defender then has the garrison; with one enemy only the interceptor stays the defender (example 3).
    Returns whether the last defender got it.
    """
    state = table.state
    host = state.garrison.host
    if len(houses) < 3 or not host:
        return False
    holder = state.blocks[host].owner
    entry = entry_of(state, "london", holder)
    if entry is None or not entry.intercepted or houses[-1] == holder:
        return False
    state.garrison.host = ""
    return occupy_tower(table, houses[-1])


def next_battle(table: Table) -> Rule[str]:
    """Return the shire of the next battle: the first house in order chooses among its attacks (20.0).

    Houses that did not act in this impulse come after the others, in seat order. "" if no battle is left.
    """
    state = table.state
    fights = state.fights or {}
    for place in list(fights):
        present = owners(state, place)
        fights[place] = [house for house in fights[place] if house in present]
        if len(fights[place]) < 2:
            del fights[place]
    for house in dict.fromkeys((*state.order, *state.houses)):
        places = [place for place, houses in fights.items() if houses[0] == house]
        if len(places) > 1:
            choice = Choice(places, "shire", partial(_no_battle, table))
            return (yield from _which(house, choice, places[0], places=places))
        if places:
            return places[0]
    return ""


def _no_battle(table: Table, word: str) -> RejectionReason | None:
    """Return why a battle can't be fought in a place now (20.0); None if it isn't a place."""
    if not (place := place_meant(table, word)):
        return None
    fights = table.state.fights or {}
    if place in fights:
        return because("attacks_first", "20.0", place=place, house=fights[place][0])
    return because("no_battle", "20.0", place=place)
