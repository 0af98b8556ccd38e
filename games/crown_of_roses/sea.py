"""Sea movement (17)."""

from __future__ import annotations

from functools import partial

from games.crown_of_roses.blocks import attrition, occupy_tower, post_garrison, transfer
from games.crown_of_roses.exile import bar_entry, go_into_exile, open_to
from games.crown_of_roses.interception import enter_shire
from games.crown_of_roses.query import enemies, held, pay, step_of
from games.crown_of_roses.response_points import SAIL, offer
from games.crown_of_roses.stacks import (
    PossibleStacks,
    StackOrder,
    bar_stacks,
    blocks_of_stack,
    movable,
    stack_fields,
    stacks,
    standing,
)
from games.crown_of_roses.state import RosesState
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.domains import Choice, Form, Values
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("10.5.5", "the Lord Admiral at sea", "sea.py")
KIT.chapter("17", "sea movement", "sea.py")


class Voyage(StackOrder):
    """A stack, and its destination."""

    to: str


def seas_of(table: Table, place: str) -> tuple[str, ...]:
    """Return seas that a place is on."""
    c = table.c
    return c.exiles[place].sea_from if place in c.exiles else c.shires[place].seas


def landings(table: Table, house: str, origin: str) -> dict[str, bool]:
    """Return where a stack can land, and whether it crosses from one sea to another, with attrition (17.0)."""
    c = table.c
    found: dict[str, bool] = {}
    own = seas_of(table, origin)
    for sea in own:
        for place in c.coasts[sea]:
            if place != origin and open_to(table, house, place):
                found[place] = False
    for sea in own:
        for other in c.seas[sea].adjacent:
            for place in c.coasts[other]:
                if place != origin and open_to(table, house, place):
                    found.setdefault(place, True)
    return found


def _captain(state: RosesState, leader: str) -> str:
    """Return the office by which a leader sails for less, once a turn: Admiral or King (10.5.5, 10.5.1); "" if none."""
    for key in held(state, leader):
        able = key == "admiral" or (key == "king" and leader != "henry_vi")
        if able and not state.offices[key].used:
            return key
    return ""


def _price(table: Table, leader: str) -> int:
    """Return three OPS (17.0, 10.5.5); two once a turn if the Lord Admiral leads, or the King instead."""
    prices = table.c.numbers.actions
    return prices.admiral_sea_move if _captain(table.state, leader) else prices.sea_move


def _find(table: Table, house: str) -> PossibleStacks | None:
    """Return stacks on a coast that the OPS left can pay for (17.0)."""
    state = table.state
    if "stormy_seas" in state.lasting:  # card 68
        return None
    left = step_of(table).left
    only: list[str] = []
    if left < table.c.numbers.actions.sea_move:
        # Only the Admiral or the King can pay (10.5.5, 10.5.1): where they can't lead, nobody sails.
        for office in ("admiral", "king"):
            holder = state.offices[office].holder
            if holder and state.blocks[holder].owner == house and _price(table, holder) <= left:
                only.append(holder)
        if not only:
            return None
    coasts = [place for place in standing(table, house) if landings(table, house, place)]
    return stacks(table, house, {place: movable(table, house, place) for place in coasts}, only)


def _form(table: Table, house: str, found: PossibleStacks) -> Form[Voyage]:
    def to(v: Values) -> Choice[str]:
        return Choice(list(landings(table, house, v.origin)), "place", partial(_no_landing, table, house, v.origin))

    return Form({**stack_fields(table, found, partial(_bar_sailor, table)), "to": to})


@KIT.reason("sail")
def _why(table: Table, house: str) -> RejectionReason | None:
    """Return why no stack can sail (17.0)."""
    if "stormy_seas" in table.state.lasting:
        return because("stormy", "17.0", card="stormy_seas")
    coasts = [place for place in standing(table, house) if landings(table, house, place)]
    if not coasts:
        return because("no_coast", "17.0")
    usable = {place: movable(table, house, place) for place in coasts}
    return bar_stacks(table, house, usable) or (None if _find(table, house) else _too_dear(table))


def _too_dear(table: Table) -> RejectionReason | None:
    """Return why the OPS left don't pay a sea move without the Admiral (17.0)."""
    left, price = step_of(table).left, table.c.numbers.actions.sea_move
    return because("sea_points", "17.0", cost=price, left=left) if left < price else None


def _bar_sailor(table: Table, key: str) -> RejectionReason | None:
    """Return why a stack can't sail from a place, or a noble can't lead it, if nothing else bars it (17.0, 10.5.5)."""
    if table.c.is_place(key) and not seas_of(table, key):
        return because("inland", "17.0", place=key)
    return _too_dear(table)


def _no_landing(table: Table, house: str, origin: str, to: str) -> RejectionReason | None:
    """Return why a stack can't land in a place (17.0); None if it isn't a place."""
    if not table.c.is_place(to):
        return None
    if to == origin:
        return because("here", "17.0", place=to)
    if not (seas := seas_of(table, to)):
        return because("inland", "17.0", place=to)
    own = seas_of(table, origin)
    if not any(sea == other or other in table.c.seas[sea].adjacent for sea in own for other in seas):
        return because("far_sea", "17.0", place=to, origin=origin)
    return bar_entry(table, house, to)


@KIT.action("sail", "17", _find, _form)
def _sail(table: Table, house: str, order: Voyage) -> Play:
    """Sail to a coast of the same or the next sea, with no march (17.0). Card 68 cancels it before anything is paid."""
    state = table.state
    leader, origin, to = order["leader"], order["origin"], order["to"]
    price = _price(table, leader)
    stack = blocks_of_stack(table, leader, order["blocks"])
    facts = {"house": house, "origin": origin, "place": to, "count": len(stack)}
    if (yield from offer(table, SAIL, facts)).over:
        return
    # Use up the office by which the leader sails for less for this turn (10.5.5, 10.5.1).
    if office := _captain(table.state, leader):
        table.state.offices[office].used = True
        table.log("ability.used", rule="10.5.5", house=house, office="admiral", card=office)
    pay(table, price)
    crossing = landings(table, house, origin)[to]
    hosts = [leader, *order["blocks"]]
    stack = blocks_of_stack(table, leader, order["blocks"])
    for key in stack:
        state.blocks[key].moved = True
    table.log(
        "sail.starts", rule="17.0", house=house, origin=origin, place=to, count=len(stack), ops=price,
        private={house: {"blocks": stack}},
    )  # fmt: skip
    if crossing:
        attrition(table, stack, "17.0", leader=leader)
        hosts = [key for key in hosts if state.blocks[key].at == origin and not state.blocks[key].host]
        stack = [block for key in hosts for block in blocks_of_stack(table, key, ())]
        if not any(table.c.blocks[key].command for key in hosts):
            return
    transfer(table, hosts, origin, to)
    if to in table.c.exiles:
        go_into_exile(table, house, stack, to)
    else:
        yield from _ashore(table, house, stack, origin, to)


def _ashore(table: Table, house: str, stack: list[str], origin: str, to: str) -> Play:
    """Land the stack in a shire (17.0); in London it may go into the Tower (9.6)."""
    state = table.state
    yield from enter_shire(table, house, to, "", stack, port=origin)
    if to == "london" and not enemies(state, to, house) and occupy_tower(table, house):
        yield from post_garrison(table, house)
    for key in stack:
        block = state.blocks[key]
        block.pinned = table.c.is_place(block.at) and bool(enemies(state, block.at, house))
