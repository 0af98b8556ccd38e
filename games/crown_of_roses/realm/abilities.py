"""Abilities of offices, once a turn (10.5): the King with any of them (10.5.1), Chancellor, Exchequer.

The Earl Marshal's re-roll is in the battle, the Admiral's voyage in the sea move; both check here whether they may.
"""

from __future__ import annotations

from functools import partial
from typing import Literal, TypedDict

from games.crown_of_roses.influence import targets
from games.crown_of_roses.money import shift
from games.crown_of_roses.query import king
from games.crown_of_roses.refusals import bar_house, block_meant
from games.crown_of_roses.state import ActionStep, RosesState
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import PASS, Choice, Form, Menu
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("10.5.2", "Chancellor", "realm/abilities.py", "realm/election.py")
KIT.chapter("10.5.3", "Exchequer", "realm/abilities.py", "action.py")

_ask_swap = KIT.question("swap", "10.5.2")


def source(table: Table, house: str, office: str) -> str:
    """Return the parliament card by which a house may use an office's ability now, "" if none (10.5, 10.5.1).

    That of the office itself, else the King's, unless Henry VI is King (10.3.3); each once a turn.
    """
    state = table.state
    for key in (office, "king"):
        card = state.offices[key]
        if not card.holder or card.used or state.blocks[card.holder].owner != house:
            continue
        if key == "king" and (office == "king" or king(state) == "henry_vi"):
            continue
        return key
    return ""


def use(table: Table, house: str, office: str) -> None:
    """Turn the card face down (10.5): the ability was used for this turn."""
    card = source(table, house, office)
    table.state.offices[card].used = True
    table.log("ability.used", rule="10.5", house=house, office=office, card=card)


# -- 10.5.2 Chancellor -------------------------------------------------------------------------------------------------


def _boxes(state: RosesState) -> list[str]:
    laid = {key for house in state.houses.values() for key in house.roll}
    return [key for key in state.blocks if key in laid]


def _at(table: Table, noble: str) -> Choice[str]:
    why = partial(bar_house, table, "no_stack_of", "10.5.2", block=noble)
    return Choice([key for key, house in table.state.houses.items() if noble in house.roll], "house", why)


class StackSwap(TypedDict):
    """Two stacks: the noble and the house of each."""

    noble: str
    house: str
    other: str
    whose: str


def _find(table: Table, house: str) -> list[str] | None:
    """Return the boxes among which a house may swap stacks (10.5.2)."""
    boxes = _boxes(table.state) if source(table, house, "chancellor") else []
    return boxes if len(boxes) > 1 else None


def _form(table: Table, house: str, boxes: list[str]) -> Form[StackSwap]:
    return Form(
        noble=Choice(boxes, "noble", partial(_no_box, table, boxes)),
        house=lambda v: _at(table, v.noble),
        other=lambda v: Choice([key for key in boxes if key != v.noble], "noble", partial(_no_box, table, boxes)),
        whose=lambda v: _at(table, v.other),
    )


@KIT.reason("swap")
def _why(table: Table, house: str) -> RejectionReason | None:
    """Return why a house can't swap stacks (10.5.2)."""
    if not source(table, house, "chancellor"):
        return bar_office(table, house, "chancellor", "10.5.2")
    return because("two_boxes", "10.5.2") if len(_boxes(table.state)) < 2 else None


def bar_office(table: Table, house: str, office: str, rule: str) -> RejectionReason:
    """Return why a house can't use the ability of an office (10.5): not its own, or used this turn."""
    state = table.state
    mine = [key for key in (office, "king") if _holds(state, house, key)]
    return because("office_used" if mine else "no_office", rule, office=office)


def _holds(state: RosesState, house: str, key: str) -> bool:
    """Return whether a house holds a parliament card with abilities: not Henry VI's as King (10.3.3)."""
    holder = state.offices[key].holder
    return bool(holder) and state.blocks[holder].owner == house and (key, holder) != ("king", "henry_vi")


def _no_box(table: Table, boxes: list[str], noble: str) -> RejectionReason | None:
    """Return why a noble's box can't be swapped: no stack in it, or named before (10.5.2)."""
    if not (noble := block_meant(table, noble)):
        return None
    return because("same_box" if noble in boxes else "no_stack", "10.5.2", block=noble)


@KIT.action("swap", "10.5.2", _find, _form, free=True)
def _swap(table: Table, house: str, order: StackSwap) -> None:
    """Swap two stacks of markers, unseen, of any size and house (10.5.2)."""
    state = table.state
    use(table, house, "chancellor")
    moved = []
    for noble, whose, to in (
        (order["noble"], order["house"], order["other"]),
        (order["other"], order["whose"], order["noble"]),
    ):
        moved.append((whose, to, state.houses[whose].roll.pop(noble)))
    counts = []
    for whose, to, stack in moved:
        counts.append(sum(stack.values()))
        shift(dict(stack), state.houses[whose].roll.setdefault(to, {}), stack)
    table.log(
        "ability.swapped", rule="10.5.2", house=house, block=order["noble"], owner=order["house"], count=counts[0],
        other=order["other"], whose=order["whose"], back=counts[1],
    )  # fmt: skip


def after_event(table: Table, house: str) -> Play:
    """Let the Chancellor's house swap after a card played as an event, which leaves no action step (10.5.2)."""
    boxes = _find(table, house)
    if boxes is None or table.state.step is not None:
        return
    menu: Menu[Literal["pass"] | StackSwap] = Menu({PASS: None, "swap": _form(table, house, boxes)})
    answer = yield from _ask_swap(house, menu, PASS, house=house)
    if answer != PASS:
        yield from _swap.run(table, house, answer)


# -- 10.5.3 Exchequer --------------------------------------------------------------------------------------------------


def one_more(table: Table, step: ActionStep) -> bool:
    """Return whether all OPS of the card went to influence (10.5.3): one noble more, once a turn."""
    if not (step.done and step.only_influence and source(table, step.house, "exchequer")):
        return False
    return bool(table.state.houses[step.house].stock and targets(table))


def take_one_more(table: Table, step: ActionStep) -> None:
    """Take one noble more for free (10.5.3)."""
    use(table, step.house, "exchequer")
    step.left += table.c.numbers.actions.influence
