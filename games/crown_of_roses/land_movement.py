"""Land movement (16.1 to 16.4): a stack marches border by border, leaving blocks and picking them up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, NotRequired, TypedDict

import msgspec

from games.crown_of_roses import march_paths
from games.crown_of_roses.blocks import attach, attrition, can_host, occupy_tower, post_garrison, transfer
from games.crown_of_roses.exile import go_into_exile
from games.crown_of_roses.interception import enter_shire
from games.crown_of_roses.march_paths import March, cost
from games.crown_of_roses.query import ROYALS, enemies, party, pay, rank
from games.crown_of_roses.response_points import MARCH, offer
from games.crown_of_roses.stacks import (
    PossibleStacks,
    StackOrder,
    bar_stacks,
    blocks_of_stack,
    fits,
    movable,
    stack_form,
    stacks,
    standing,
)
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Domain, Form, Menu, Optional, Series, Subset
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason

KIT.chapter("16.2", "movement points", "land_movement.py", "march_paths.py")
KIT.chapter("16.2.1", "safe roads", "march_paths.py")
KIT.chapter("16.2.2", "fens", "land_movement.py", "march_paths.py")
KIT.chapter("16.2.3", "the Wash", "land_movement.py", "march_paths.py")
KIT.chapter("16.3", "forced march", "land_movement.py", "march_paths.py")
KIT.chapter("16.4", "pinning", "land_movement.py", "stacks.py")

_march = KIT.question("march", "16.1")
STOP: Final = "stop"
MOST_STEPS = 8
"""More borders than 4 MP can pay for: half a point each on the best of roads."""


class DropBlocks(TypedDict):
    """Blocks that are left behind."""

    blocks: list[str]


class PickUpBlock(TypedDict):
    """A block that is picked up."""

    block: str


class MarchTarget(TypedDict):
    """Where the stack goes, and where `on` from there, as long as nobody intercepts or evades it."""

    to: str
    on: NotRequired[list[str]]


class ForcedMarch(TypedDict):
    """The leader's next destination, and the blocks that go along."""

    to: str
    blocks: list[str]


def _find(table: Table, house: str) -> PossibleStacks | None:
    return stacks(table, house, {place: movable(table, house, place) for place in standing(table, house)})


def _form(table: Table, house: str, found: PossibleStacks) -> Form[StackOrder]:
    return stack_form(table, found)


@KIT.reason("move")
def _why(table: Table, house: str) -> RejectionReason | None:
    """Return why no stack can march (16.1)."""
    return bar_stacks(table, house, {place: movable(table, house, place) for place in standing(table, house)})


@KIT.action("move", "16", _find, _form)
def _move(table: Table, house: str, order: StackOrder) -> Play:
    """March with a stack up to 4 MP for one OPS, one order a border (16.1)."""
    pay(table, table.c.numbers.actions.land_move)
    march = March(house, order["leader"], list(order["blocks"]), order["origin"], table.c.numbers.movement.halves)
    stack = blocks_of_stack(table, march.leader, march.others)
    table.log(
        "move.starts", rule="16.1", house=march.house, place=march.place, count=len(stack),
        private={march.house: {"blocks": stack}},
    )  # fmt: skip
    yield from offer(table, MARCH, {"house": house, "place": march.place, "count": len(stack)})
    for key in blocks_of_stack(table, march.leader, march.others):
        table.state.blocks[key].moved = True
    # Where it starts among enemies the stack already left enough blocks behind (16.4).
    march.dropped = len(enemies(table.state, march.place, house))
    while not march.stopped:
        answer = _ordered(table, march)
        if answer is None:
            answer = yield from _march(
                house, partial(_menu, table, march), STOP, place=march.place, halves=march.halves,
                **march_paths.road_prices(table), secret={"leader": march.leader, "blocks": list(march.others)},
            )  # fmt: skip
        if answer == STOP:
            break
        yield from _STEPS[answer["do"]](table, march, answer)
    # Pin everything of the mover among enemies, wherever the stack left it (16.4).
    state = table.state
    for block in state.blocks.values():
        if block.owner == march.house and block.moved and table.c.is_place(block.at):
            block.pinned = bool(enemies(state, block.at, march.house))


def steps_of_first(table: Table, house: str) -> Menu | None:
    """Return the steps of a march, as the first stack that can march may take them (16.1)."""
    found = _find(table, house)
    if found is None:
        return None
    order = _form(table, house, found).sample(lambda n: 0)
    halves = table.c.numbers.movement.halves
    return _menu(table, March(house, order["leader"], list(order["blocks"]), order["origin"], halves))


def _ordered(table: Table, march: March) -> Any:
    """Return what has been ordered for the next step, None if nothing or if it is no longer possible."""
    if not march.on:
        return None
    to = march.on.pop(0)
    if to == STOP:
        return STOP
    free = march.dropped >= len(enemies(table.state, march.place, march.house))
    there = free and to in march_paths.neighbours(table, march.place) and march_paths.by_road(table, march, to)
    return {"do": "go", "to": to} if there else None


def _menu(table: Table, march: March) -> Menu:
    """Return the menu of the march; it goes on only once enough blocks are left against enemies (16.4)."""
    entries: dict[str, Domain | None] = {}
    free = march.dropped >= len(enemies(table.state, march.place, march.house))
    roads = march_paths.open_roads(table, march) if free else {}
    if paid := march_paths.paid_roads(march, roads):
        entries["go"] = Form(
            to=Choice(paid, "place", partial(march_paths.bar_road, table, march)), on=partial(_onward, table, march)
        )
    waters = march_paths.boat_trips(table, march) if free else None
    if waters:
        entries["boat"] = Form(to=Choice(list(waters), "place", partial(march_paths.bar_boat, table, march)))
    if forced := march_paths.forced_roads(march, roads):
        entries["force"] = Form(
            to=Choice(forced, "place", partial(march_paths.bar_force, table, march)),
            blocks=Subset(list(march.others), 0, len(march.others), why=partial(march_paths.bar_member, table, march)),
        )
    if parting := [*march.others, *march_paths.guests(table, march)]:
        why = partial(march_paths.bar_member, table, march)
        entries["drop"] = Form(blocks=Subset(parting, 1, len(parting), why=why))
    more = [key for key in march_paths.takeable(table, march) if fits(table, march.leader, [*march.others, key])]
    if more:
        entries["take"] = Form(block=Choice(more, "block", partial(march_paths.bar_take, table, march)))
    entries[STOP] = None
    bag = [*entries, *["go"] * 3] if paid else None
    return Menu(entries, bag, partial(march_paths.bar_step, table, march))


def _onward(table: Table, march: March, v: Any) -> Domain | None:
    """Return where the stack may go on to after the next place: through places without enemies; then `stop`.

    Nobody goes on from an exile box, nor from among enemies without leaving blocks there (16.2.4, 16.4).
    """

    def following(so_far: Sequence[str]) -> Choice[str] | None:
        ahead = msgspec.structs.replace(march, dropped=0)
        for to in (v["to"], *so_far):
            if to == STOP or to in table.c.exiles or enemies(table.state, to, march.house):
                return None
            ahead.halves -= cost(table, march.house, ahead.place, to)
            ahead.place = to
        why = partial(march_paths.bar_road, table, ahead)
        return Choice([*march_paths.paid_roads(ahead, march_paths.open_roads(table, ahead)), STOP], "place", why)

    return Optional(Series(following, 1, MOST_STEPS, "places")) if following([]) else None


def _go(table: Table, march: March, order: MarchTarget) -> Play:
    """Cross a border by road (16.2)."""
    if "on" in order:
        march.on = list(order["on"])
    march.halves -= cost(table, march.house, march.place, order["to"])
    yield from _cross(table, march, order["to"])


def _boat(table: Table, march: March, order: MarchTarget) -> Play:
    """Cross fens or the Wash by boat (16.2.2, 16.2.3): every block rolls for attrition."""
    to = order["to"]
    march.halves -= march_paths.boat_trips(table, march)[to]
    stack = blocks_of_stack(table, march.leader, march.others)
    rule = "16.2.3" if table.c.borders[march.place][to] == "wash" else "16.2.2"
    attrition(table, stack, rule, leader=march.leader)
    _survivors(table, march)
    yield from _cross(table, march, to)


def _force(table: Table, march: March, order: ForcedMarch) -> Play:
    """Force a march (16.3): the leader and the chosen blocks go on to one place, each rolling for attrition."""
    march.others = [key for key in march.others if key in order["blocks"]]
    attrition(table, blocks_of_stack(table, march.leader, march.others), "16.3", leader=march.leader)
    _survivors(table, march)
    table.log("move.forced", rule="16.3", house=march.house, place=order["to"])
    yield from _cross(table, march, order["to"])
    march.stopped = True


def _survivors(table: Table, march: March) -> None:
    """Remove blocks lost to attrition or rebels; the highest noble left leads on, if possible, else all stop."""
    state = table.state
    here = [
        key
        for key in (march.leader, *march.others)
        if state.blocks[key].at == march.place and not state.blocks[key].host
    ]
    if march.leader not in here:
        nobles = [key for key in here if table.c.blocks[key].command]
        if not nobles:
            march.others, march.stopped = [], True
            return
        march.leader = max(nobles, key=lambda key: rank(table, key))
    march.others = [key for key in here if key != march.leader]
    while not fits(table, march.leader, march.others):
        march.others.pop()


def _cross(table: Table, march: March, to: str) -> Play:
    """Enter a place: exile (16.2.4), or a shire with interception and evasion (16.5, 16.6)."""
    if march.stopped:
        return
    state = table.state
    origin, march.place, march.dropped = march.place, to, 0
    stack = blocks_of_stack(table, march.leader, march.others)
    transfer(table, (march.leader, *march.others), origin, to)
    # Remove the entry of a stack that went on and left nobody: its border bars no retreat (20.1, 20.5.4).
    state.entries = [
        entry
        for entry in state.entries
        if (entry.place, entry.house) != (origin, march.house)
        or any(state.blocks[key].at == origin for key in entry.blocks)
    ]
    table.log(
        "move.goes", rule="16.2", house=march.house, origin=origin, place=to, count=len(stack),
        private={march.house: {"blocks": stack}},
    )  # fmt: skip
    if to in table.c.exiles:
        go_into_exile(table, march.house, stack, to)
        march.stopped = True
        return
    outcome = yield from enter_shire(table, march.house, to, origin, stack)
    if outcome.away or outcome.stopped:
        march.on = []
    march.met = march.met or outcome.met
    march.stopped = march.stopped or outcome.stopped
    if not march.stopped:
        _survivors(table, march)
    if to == "london" and not enemies(state, to, march.house) and occupy_tower(table, march.house):
        yield from post_garrison(table, march.house)


def _drop(table: Table, march: March, order: DropBlocks) -> Play:
    """Leave blocks here; they have moved for this impulse. Henry VI and the Queen stay without a host (16.1)."""
    for key in order["blocks"]:
        if key in ROYALS:
            table.state.blocks[key].host = ""
    march.others = [key for key in march.others if key not in order["blocks"]]
    blocks = [block for key in order["blocks"] for block in party(table.state, key)]
    march.dropped += len(blocks)
    _tell(table, march, "move.drops", blocks)
    yield from ()


def _take(table: Table, march: March, order: PickUpBlock) -> Play:
    """Pick up a block; it has moved (16.1). Henry VI and the Queen join the leader if they can be hosted."""
    key = order["block"]
    blocks = party(table.state, key)
    if key in ROYALS and can_host(table, key, march.leader):
        attach(table, key, march.leader)
    else:
        march.others.append(key)
    for block in blocks:
        table.state.blocks[block].moved = True
    _tell(table, march, "move.takes", blocks)
    yield from ()


def _tell(table: Table, march: March, key: str, blocks: list[str]) -> None:
    """Log how many blocks a marching stack leaves or takes up; only its house sees which."""
    table.log(
        key, rule="16.1", house=march.house, place=march.place, count=len(blocks),
        private={march.house: {"blocks": blocks}},
    )  # fmt: skip


_STEPS: dict[str, Callable[[Table, March, Any], Play]] = {
    "go": _go, "boat": _boat, "force": _force, "drop": _drop, "take": _take,
}  # fmt: skip
