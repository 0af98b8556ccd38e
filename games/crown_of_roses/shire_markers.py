"""Depleted and plundered shires (9.3): there are ten counters for both (14.2.1, 18.0)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from games.crown_of_roses.query import blocks_in
from games.crown_of_roses.refusals import place_meant
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play, Rule
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("9.3", "marks of shires", "shire_markers.py")

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
