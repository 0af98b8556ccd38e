"""Paths of a marching stack by road and by boat (16.2, 16.3), blocks to leave or pick up, and reasons why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from games.crown_of_roses.exile import bar_entry, open_to
from games.crown_of_roses.query import ROYALS, blocks_in, control, enemies, party
from games.crown_of_roses.refusals import block_meant, meant
from games.crown_of_roses.stacks import bar_follower, blocks_of_stack, led_by, movable
from games.crown_of_roses.table import Table
from pbem.kernel.rejections import RejectionReason, because


class March(msgspec.Struct):
    """A stack under way. `others` are the unattached blocks that the leader leads, `halves` the rest of 4 MP.

    `dropped` counts the blocks left at its present place, `met` whether it entered a shire with enemies (16.3). `on`
    is where it is to go on to.
    """

    house: str
    leader: str
    others: list[str]
    place: str
    halves: int
    dropped: int = 0
    met: bool = False
    stopped: bool = False
    on: list[str] = []


def cost(table: Table, house: str, origin: str, to: str) -> int:
    """Return halves of MP for a border by road; 0 for the Wash (16.2). Bad Roads are added (card 63, R-06)."""
    c = table.c
    if origin in c.exiles or to in c.exiles:
        return c.numbers.movement.exile + mud(table)
    border = c.borders[origin][to]
    if border == "wash":
        return 0
    # 16.2.1 A safe road: both shires are the mover's, the one being left unless an enemy is in it.
    safe = not enemies(table.state, origin, house) and control(table, to) == house
    return _road(table, border, safe=safe)


def _road(table: Table, border: str, *, safe: bool) -> int:
    return table.c.numbers.movement.road(border) // (2 if safe else 1) + mud(table)


def road_prices(table: Table) -> dict[str, Any]:
    """Return what clear and rough borders cost now, in halves of MP, and what they cost on a safe road (16.2)."""
    return {
        f"safe_{border}" if safe else border: _road(table, border, safe=safe)
        for border in ("clear", "rough")
        for safe in (False, True)
    }


def mud(table: Table) -> int:
    """Return halves that every border by land costs more (card 63)."""
    return 2 if "bad_roads" in table.state.lasting else 0


def neighbours(table: Table, place: str) -> list[str]:
    """Return where a stack can march from a place: shires across a border, exile boxes and back."""
    c = table.c
    if place in c.exiles:
        return list(c.exiles[place].land_from)
    return [*c.borders[place], *(key for key, box in c.exiles.items() if place in box.land_from)]


def open_roads(table: Table, march: March) -> dict[str, int]:
    """Return costs of the roads that are open to the stack, with any MP left (16.2): destination → halves."""
    places = neighbours(table, march.place)
    return {to: cost(table, march.house, march.place, to) for to in places if open_to(table, march.house, to)}


def paid_roads(march: March, roads: Mapping[str, int]) -> list[str]:
    """Return where the MP left suffice by road (16.2); the Wash, which costs 0, isn't a road."""
    return [to for to, halves in roads.items() if 0 < halves <= march.halves]


def by_road(table: Table, march: March, to: str) -> int:
    """Return what it costs the stack to go on to a place by road, 0 if it can't with the MP left (16.2)."""
    halves = cost(table, march.house, march.place, to)
    return halves if halves <= march.halves and open_to(table, march.house, to) else 0


def boat_trips(table: Table, march: March) -> dict[str, int]:
    """Return where it can go by boat, over fens and the Wash (16.2.2, 16.2.3): destination → halves, never halved."""
    prices = _boats(table)
    found = {}
    for to, kind in table.c.borders.get(march.place, {}).items():
        if kind in prices and open_to(table, march.house, to):
            halves = prices[kind] + mud(table)
            if halves <= march.halves:
                found[to] = halves
    return found


def _boats(table: Table) -> dict[str, int]:
    moves = table.c.numbers.movement
    return {"fens": moves.fens_special, "wash": moves.wash}


def boat_price(table: Table, origin: str, to: str) -> int:
    """Return halves of MP by boat from a place to its neighbour; 0 if no boat goes there (16.2.2, 16.2.3)."""
    prices, kind = _boats(table), table.c.borders.get(origin, {}).get(to, "")
    return prices[kind] + mud(table) if kind in prices else 0


def forced_roads(march: March, roads: Mapping[str, int]) -> list[str]:
    """Return where the stack can go by a forced march (16.3)."""
    # Not after it entered a shire with enemies, even if these evaded.
    if march.met:
        return []
    # Only over a border that the MP left do not pay, never over the Wash, which costs 0 by road.
    return [to for to, halves in roads.items() if halves > march.halves]


def guests(table: Table, march: March) -> list[str]:
    """Return who may be left behind though attached: only Henry VI and the Queen (8.3.3, 10.3.3, 10.3.4)."""
    state = table.state
    return [
        key for key in blocks_of_stack(table, march.leader, march.others) if key in ROYALS and state.blocks[key].host
    ]


def takeable(table: Table, march: March) -> list[str]:
    """Return blocks to pick up: unmoved, no higher rank; among enemies only the excess (16.1, 16.4).

    As many as the enemies there are pinned besides those that the stack leaves.
    """
    state = table.state
    able = led_by(table, march.leader, movable(table, march.house, march.place))
    foes = enemies(state, march.place, march.house)
    if not foes or not able:
        return able
    stack = blocks_of_stack(table, march.leader, march.others)
    spare = len(blocks_in(state, march.place, march.house)) - len(stack) - march.dropped - len(foes)
    return [key for key in able if len(party(state, key)) <= spare]


# -- why not -----------------------------------------------------------------------------------------------------------


def _held(table: Table, march: March) -> RejectionReason | None:
    """Return why the stack can't go on: as many blocks as there are enemies must stay (16.4)."""
    missing = len(enemies(table.state, march.place, march.house)) - march.dropped
    return because("pinning", "16.4", place=march.place, count=missing) if missing > 0 else None


def _beyond(table: Table, march: March, to: str) -> RejectionReason | None:
    """Return why a stack can't reach a place by road or boat, with any MP."""
    if to == march.place:
        return because("here", "16.1", place=to)
    if to not in neighbours(table, march.place):
        return because("no_border", "16.2", place=to, origin=march.place)
    return bar_entry(table, march.house, to)


def bar_road(table: Table, march: March, to: str) -> RejectionReason | None:
    """Return why a stack can't go on to a place by road (16.2); None if it can, or if it isn't a place."""
    if not table.c.is_place(to):
        return None
    if problem := _held(table, march) or _beyond(table, march, to):
        return problem
    if not (halves := cost(table, march.house, march.place, to)):
        return because("wash", "16.2.3", place=to)
    return because("road", "16.2", place=to, cost=halves, left=march.halves) if halves > march.halves else None


def bar_boat(table: Table, march: March, to: str) -> RejectionReason | None:
    """Return why a stack can't go to a place by boat (16.2.2, 16.2.3); None if it can, or if it isn't a place."""
    if not table.c.is_place(to):
        return None
    if problem := _held(table, march) or _beyond(table, march, to):
        return problem
    if not (halves := boat_price(table, march.place, to)):
        return because("no_water", "16.2.2", place=to, origin=march.place)
    return because("boat", "16.2.2", place=to, cost=halves, left=march.halves) if halves > march.halves else None


def bar_force(table: Table, march: March, to: str) -> RejectionReason | None:
    """Return why a stack can't go to a place by a forced march (16.3); None if it can, or if it isn't a place."""
    if not table.c.is_place(to):
        return None
    if problem := _held(table, march):
        return problem
    if march.met:
        return because("met", "16.3")
    if problem := _beyond(table, march, to):
        return problem
    if not (halves := cost(table, march.house, march.place, to)):
        return because("wash", "16.2.3", place=to)
    return because("force", "16.3", place=to, cost=halves, left=march.halves) if halves <= march.halves else None


def bar_member(table: Table, march: March, key: str) -> RejectionReason | None:
    """Return why a block can't be left behind, or taken along on a forced march (16.1); None if it isn't a block."""
    if not (key := block_meant(table, key)):
        return None
    if key == march.leader:
        return because("leader", "16.1", block=key)
    if key not in blocks_of_stack(table, march.leader, march.others):
        return because("not_in_stack", "16.1", block=key)
    return because("attached", "8.3.3", block=key, host=table.state.blocks[key].host)


def bar_take(table: Table, march: March, key: str) -> RejectionReason | None:
    """Return why a stack can't pick a block up (16.1); None if it isn't a block."""
    key = block_meant(table, key)
    if key in blocks_of_stack(table, march.leader, march.others):
        return because("in_stack", "16.1", block=key)
    usable = movable(table, march.house, march.place)
    if key in led_by(table, march.leader, usable) and key not in takeable(table, march):
        count = len(enemies(table.state, march.place, march.house))
        return because("stay", "16.4", place=march.place, block=key, count=count)
    return bar_follower(table, march.leader, usable, 99, march.others, key)


def bar_step(table: Table, march: March, word: str) -> RejectionReason | None:
    """Return why a word is no step of the march now (16.1): what bars it where it comes nearest to being one."""
    word = meant(table, word)
    places = _nearest_first(table, march)
    if word == "go":
        return _all_barred(bar_road, table, march, places)
    if word == "boat":
        wet = [to for to in places if boat_price(table, march.place, to)]
        dry = because("dry", "16.2.2", place=march.place)
        return _held(table, march) or (_all_barred(bar_boat, table, march, wet) if wet else dry)
    if word == "force":
        return _all_barred(bar_force, table, march, places)
    if word == "drop":
        alone = not march.others and not guests(table, march)
        return because("alone", "16.1", block=march.leader) if alone else None
    if word == "take":
        stack = blocks_of_stack(table, march.leader, march.others)
        left = [key for key in blocks_in(table.state, march.place, march.house) if key not in stack]
        return _all_barred(bar_take, table, march, left) if left else because("nobody_here", "16.1", place=march.place)
    return None


def _all_barred(
    bar: Callable[[Table, March, str], RejectionReason | None], table: Table, march: March, things: list[str]
) -> RejectionReason | None:
    """Return what bars the first of the things; None if nothing bars one of them."""
    if not things:
        return because("island", "16.2", place=march.place)
    problems = [bar(table, march, thing) for thing in things]
    return None if None in problems else problems[0]


def _nearest_first(table: Table, march: March) -> list[str]:
    """Return neighbours, those open to the stack first, of these the cheapest by road."""
    prices = {to: cost(table, march.house, march.place, to) for to in neighbours(table, march.place)}
    return sorted(prices, key=lambda to: (not open_to(table, march.house, to), not prices[to], prices[to]))
