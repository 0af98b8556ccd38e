"""What must always hold of a state, each with its rule: for fuzzing and for a moderator's changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from games.virgin_queen.forces import on_map
from games.virgin_queen.query import fortified, powers_in
from games.virgin_queen.state import GONE, LATER, ON_CARD, POWERS, TRACK
from pbem.kernel.problems import Problem
from pbem.kernel.table import Table


def invariants(table: Table) -> list[Problem]:
    """All that is wrong with the state; empty for a sound one."""
    return [
        *_cards(table),
        *_treasures(table),
        *_land(table),
        *_ships(table),
        *_sieges(table),
        *_people(table),
    ]


def _problem(text: str, rule: str) -> Problem:
    return Problem("rules.custom", {"text": text}, rule)


def _cards(table: Table) -> Iterator[Problem]:
    state = table.state
    held = Counter([*state.deck, *state.discards, *state.removed, *state.waiting, *state.lasting])
    for own in state.powers.values():
        held.update([*own.hand, *own.home, *own.home_dropped])
    impulse = state.impulse
    playing = impulse.card if impulse is not None else ""
    for key in table.c.cards:
        if held[key] != 1 and not (key == playing and held[key] == 0):
            yield _problem(f"{held[key]} copies of card {key}", "6.2")
    for power, own in state.powers.items():
        for card in own.hand:
            if table.c.cards[card].type == "home" and table.c.cards[card].owner != power:
                yield _problem(f"{power} holds the home card {card}", "6.1")


def _treasures(table: Table) -> Iterator[Problem]:
    state = table.state
    held = Counter([*state.treasure_pool, *state.treasure_used, *state.spain_row, *state.portugal_row])
    spent = sum(own.vp.get("treasure", 0) for own in state.powers.values())
    for own in state.powers.values():
        held.update(own.treasures)
    for captain in state.captains.values():
        held.update(captain.loot)
    if any(number > 1 for number in held.values()) or len(held) + spent != len(table.c.treasures):
        yield _problem(f"{len(held)} treasures and {spent} scored of {len(table.c.treasures)}", "6.3")


def _land(table: Table) -> Iterator[Problem]:
    state, c = table.state, table.c
    for owner, pool in c.land_pools.items():
        if on_map(state, owner) > pool.most:
            yield _problem(f"{owner}: {on_map(state, owner)} land units of {pool.most}", "17.1")
    for space, here in state.land.items():
        for owner, troops in here.items():
            if min(troops.regulars, troops.mercenaries, troops.cavalry) < 0 or not troops.total:
                yield _problem(f"{space}: impossible number of units of {owner}", "5.3")
            if troops.mercenaries and c.land_pools[owner].back != "mercenary":
                yield _problem(f"{space}: mercenaries of {owner}", "5.3")
            if troops.cavalry and c.land_pools[owner].back != "cavalry":
                yield _problem(f"{space}: cavalry of {owner}", "5.3")


def _ships(table: Table) -> Iterator[Problem]:
    state, c = table.state, table.c
    used: Counter[str] = Counter()
    for place, fleets in state.fleets.items():
        for fleet in fleets:
            used[fleet.owner] += fleet.total
            if place not in c.zones and not c.spaces[place].port:
                yield _problem(f"ships in {place}, which is no port", "16.1")
    used["spain"] += state.powers["spain"].stock.get("escort", 0)
    for owner, number in used.items():
        if number > c.naval_pools[owner].count:
            yield _problem(f"{owner}: {number} ships of {c.naval_pools[owner].count}", "17.1")


def _sieges(table: Table) -> Iterator[Problem]:
    state = table.state
    for space, siege in state.sieges.items():
        if not fortified(table, space) or not siege.by:
            yield _problem(f"a siege without besieger or fortification at {space}", "15")
        for power in siege.by:
            if power not in powers_in(state, space):
                yield _problem(f"{power} besieges {space} without units", "15.3")


def _people(table: Table) -> Iterator[Problem]:
    state, c = table.state, table.c
    for key, leader in state.leaders.items():
        known = leader.at in (ON_CARD, TRACK, LATER, GONE) or leader.at in c.spaces or leader.at in c.zones
        if leader.captor:
            known = leader.at == "" and leader.captor in POWERS
        if not known:
            yield _problem(f"{key} is nowhere: {leader.at or '-'} {leader.captor}", "5.1")
