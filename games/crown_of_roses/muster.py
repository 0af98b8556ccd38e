"""Muster (18), and the marks of shires (9.3): there are ten counters for depleted and plundered ones (14.2.1, 18.0)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NotRequired, TypedDict

from games.crown_of_roses.query import blocks_in, control, full, king_house, loyalty, pay, step_of
from games.crown_of_roses.refusals import block_meant, place_meant
from games.crown_of_roses.stacks import bar_block
from games.crown_of_roses.state import ActionStep, RosesState
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Form, Values
from pbem.kernel.game import Play, Rule
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("9.3", "marks of shires", "muster.py")

_counter = KIT.question("counter", "18.0")


def mark(table: Table, house: str, shire: str, kind: str, rule: str) -> Play:
    """Mark a shire depleted or plundered for `house`, unless it is devastated, or plundered already.

    With all counters on the map the house takes one off a depleted shire of least value, if possible one without
    blocks of its own.
    """
    state = table.state
    before = state.marks.get(shire, "")
    if before == "devastated" or before in ("plundered", kind):
        return
    laid = [key for key, what in state.marks.items() if what in ("depleted", "plundered")]
    if not before and len(laid) >= table.c.limits.depleted:
        freed = yield from _free(table, house, rule)
        if not freed:
            return
        del state.marks[freed]
        table.log("mark.freed", rule=rule, house=house, place=freed)
    state.marks[shire] = kind
    table.log(f"mark.{kind}", rule=rule, house=house, shire=shire)


def _free(table: Table, house: str, rule: str) -> Rule[str]:
    """Return the depleted shire that gives its counter, "" if there is none."""
    state = table.state
    depleted = [key for key, what in state.marks.items() if what == "depleted"]
    away = [key for key in depleted if not blocks_in(state, key, house)] or depleted
    least = min((table.c.shires[key].sv for key in away), default=0)
    able = [key for key in away if table.c.shires[key].sv == least]
    if len(able) < 2:
        return able[0] if able else ""
    choice = Choice(able, "shire", partial(_no_counter, table, house, able))
    return (yield from _counter(house, choice, able[0], rule=rule))


def _no_counter(table: Table, house: str, able: Sequence[str], word: str) -> RejectionReason | None:
    """Return why a shire does not give its counter, in the order of `_free` (18.0); None if it isn't a shire."""
    if not (shire := place_meant(table, word)):
        return None
    if table.state.marks.get(shire) != "depleted":
        return because("not_depleted", "18.0", shire=shire)
    if blocks_in(table.state, shire, house) and not blocks_in(table.state, able[0], house):
        return because("counter_here", "18.0", shire=shire)
    least = table.c.shires[able[0]].sv
    return because("counter_value", "18.0", shire=shire, value=table.c.shires[shire].sv, least=least)


KIT.chapter("18", "muster", "muster.py")


class Muster(TypedDict):
    """The shire, the block that gets the step, and the noble who musters, if there are several."""

    shire: str
    block: str
    by: NotRequired[str]


def limit(table: Table, house: str, shire: str) -> int:
    """Return steps to muster in a shire in one action step: its value, one more if loyal (18.0)."""
    return table.c.shires[shire].sv + (loyalty(table, shire) == house)


def _short(state: RosesState) -> str:
    """Return which of cards 34, 35 is on the table, "" if none. Nobody musters then."""
    return next((card for card in state.lasting if card.startswith("manpower_shortage")), "")


def _find(table: Table, house: str) -> list[str] | None:
    """Return shires where a house may muster a step now (18.0)."""
    state, c = table.state, table.c
    if _short(state):
        return None
    mine: set[str] = set()  # where a noble of the house is
    weak: set[str] = set()  # where a block of the house can have a step
    for key, block in state.blocks.items():
        if block.owner == house:
            card = c.blocks[key]
            if card.noble:
                mine.add(block.at)
            if block.steps < len(card.steps) and block.at in c.shires:
                weak.add(block.at)
    if not weak:
        return None
    mustered, crowned = step_of(table).mustered, king_house(state) == house
    found = [
        shire
        for shire in c.shires
        if shire in mine
        # Somebody there can have the step, for the King's house somebody anywhere (10.5.1) …
        and (crowned or shire in weak)
        # … the shire is neither depleted, plundered nor devastated …
        and shire not in state.marks
        # … the house controls it …
        and control(table, shire) == house
        # … and its value is not used up.
        and mustered.get(shire, 0) < limit(table, house, shire)
    ]
    return found or None


def takers(table: Table, house: str, shire: str) -> list[str]:
    """Return blocks below full strength in the shire (18.0); for the King's house any in England (10.5.1)."""
    state, c = table.state, table.c
    blocks = state.blocks
    if king_house(state) != house:
        return [key for key in blocks_in(state, shire, house) if blocks[key].steps < full(c, key)]
    return [
        key
        for key, block in blocks.items()
        if block.owner == house and block.at in c.shires and block.steps < full(c, key)
    ]


def musterers(table: Table, house: str, shire: str) -> list[str]:
    """Return nobles who may conduct a muster in a shire (18.0): a guest's host does it instead (8.3.3)."""
    state, c = table.state, table.c
    return [key for key in blocks_in(state, shire, house) if c.blocks[key].noble and not state.blocks[key].host]


def _form(table: Table, house: str, shires: list[str]) -> Form[Muster]:
    def by(v: Values) -> Choice[str] | None:
        nobles = musterers(table, house, v.shire)
        return Choice(nobles, "noble", partial(_no_musterer, table, house, v.shire)) if len(nobles) > 1 else None

    def block(v: Values) -> Choice[str]:
        return Choice(takers(table, house, v.shire), "block", partial(_no_taker, table, house, v.shire))

    return Form(shire=Choice(shires, "shire", partial(bar_shire, table, house)), block=block, by=by)


@KIT.action("muster", "18", _find, _form)
def _muster(table: Table, house: str, order: Muster) -> None:
    """Muster one step for one OPS; the noble who conducted it can't move afterwards in this step (18.0)."""
    state = table.state
    pay(table, table.c.numbers.actions.muster)
    shire, key = order["shire"], order["block"]
    mustered = step_of(table).mustered
    mustered[shire] = mustered.get(shire, 0) + 1
    state.blocks[key].steps += 1
    noble = order.get("by") or musterers(table, house, shire)[0]
    state.blocks[noble].mustered = True
    table.log(
        "muster.step", rule="18.0", house=house, shire=shire, place=state.blocks[key].at,
        private={house: {"block": key, "noble": noble}},
    )  # fmt: skip


@KIT.reason("muster")
def _why(table: Table, house: str) -> RejectionReason | None:
    """Return why no shire can muster: what bars the one that comes nearest to it (18.0)."""
    blocks, c = table.state.blocks, table.c
    mine = {block.at for key, block in blocks.items() if block.owner == house and c.blocks[key].noble}
    shires = [shire for shire in c.shires if shire in mine]
    problems = [bar_shire(table, house, shire) for shire in shires]
    if None in problems:
        return None
    if not problems:
        return because("no_noble_out", "18.0")
    found = {problem.key: problem for problem in problems if problem is not None}
    return next((found[key] for key in _LAST_FIRST if key in found), because("no_weak", "18.0"))


_LAST_FIRST = ("no.value", "no.contested", "no.marked", "no.manpower")
"""What may bar a shire with a noble and a weak block, what comes last in `bar_shire` first."""


def bar_shire(table: Table, house: str, shire: str) -> RejectionReason | None:
    """Return why a house can't muster a step in a shire, in the order of `_find` (18.0); None if it isn't a shire."""
    state = table.state
    if shire not in table.c.shires:
        return because("no_shire", "18.0", place=shire) if shire in table.c.exiles else None
    if card := _short(state):
        return because("manpower", "14.2", card=card)
    if not any(table.c.blocks[key].noble for key in blocks_in(state, shire, house)):
        return because("no_noble", "18.0", shire=shire)
    if not takers(table, house, shire):
        return because("all_full", "18.0" if king_house(state) != house else "10.5.1", shire=shire)
    if shire in state.marks:
        return because("marked", "18.0", shire=shire, mark=state.marks[shire])
    if control(table, shire) != house:
        return because("contested", "18.0", shire=shire)
    most = limit(table, house, shire)
    return because("value", "18.0", shire=shire, most=most) if step_of(table).mustered.get(shire, 0) >= most else None


def _no_taker(table: Table, house: str, shire: str, key: str) -> RejectionReason | None:
    """Return why a block can't have the step (18.0)."""
    if not (key := block_meant(table, key)):
        return None
    block = table.state.blocks[key]
    if block.owner != house or block.at not in table.c.shires:
        return because("not_yours", "18.0", block=key, place=shire)
    if block.at != shire and king_house(table.state) != house:
        return because("elsewhere", "18.0", block=key, shire=shire)
    return because("full", "18.0", block=key) if block.steps >= full(table.c, key) else None


def _no_musterer(table: Table, house: str, shire: str, key: str) -> RejectionReason | None:
    """Return why a block can't conduct a muster in a shire (18.0)."""
    if not (key := block_meant(table, key)):
        return None
    block = table.state.blocks[key]
    if block.owner != house or block.at != shire or block.host:
        return bar_block(table, house, shire, key)
    return because("not_noble", "18.0", block=key)


def deplete(table: Table, step: ActionStep) -> Play:
    """Deplete a shire from which two or more steps were mustered in this action step (18.0)."""
    for shire, steps in step.mustered.items():
        if steps >= 2:
            yield from mark(table, step.house, shire, "depleted", "18.0")
