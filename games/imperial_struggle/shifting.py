"""Economic and Diplomatic Actions: shifting Markets and Political spaces, drawing an Event (5.4, 5.5; costs 5.5.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.imperial_struggle import costs
from games.imperial_struggle.board import advantage_usable, exhaust_advantage, in_play, shift
from games.imperial_struggle.connection import connected
from games.imperial_struggle.points import Purses, pay, payable, payment_fields
from games.imperial_struggle.rules import Purchase, Words, handles, offers
from games.imperial_struggle.state import DIPLOMATIC, ECONOMIC, FRANCE, NOBODY
from games.imperial_struggle.table import Table
from games.imperial_struggle.upkeep import draw_card
from pbem.kernel.answers import Choice, Domain, Form, Optional, Values, tried
from pbem.kernel.problems import Problem

RULE = {"market": "5.4.1", "political": "5.5.1"}


def purchase(table: Table, seat: str, space: str, using: str = "", huguenots: str = "") -> Purchase:
    """One shift as a purchase, with an Advantage (`using`) and a Huguenots marker (M-9) to make it cheaper."""
    place = table.c.spaces[space]
    to_one, minus = (costs.ADVANTAGES[using][0], costs.ADVANTAGES[using][1]) if using else (False, 0)
    if huguenots:
        minus += 1
    price = costs.shift_cost(table, seat, space, to_one=to_one, minus=minus)
    removes = table.state.flags[space] != NOBODY
    return Purchase(costs.TYPE_OF[place.type], price, "shift", space, place.region, removes)


def discounts(table: Table, seat: str, space: str) -> list[str]:
    """The Advantages of `seat` that would make this removal cheaper (8.2)."""
    state = table.state
    if state.flags[space] in (NOBODY, seat):
        return []
    held = state.advantages
    return [
        key for key in costs.cheapening(table.c).get(space, ())
        if held[key] == seat and advantage_usable(table, seat, key)
    ]  # fmt: skip


def fresh_huguenots(table: Table, seat: str, space: str) -> list[str]:
    """The unflipped Huguenots markers of the Market's Region (M-9)."""
    state, c = table.state, table.c
    if seat != FRANCE or not state.huguenots or c.spaces[space].type != "market":
        return []
    return [key for key, fresh in state.huguenots.items() if fresh and c.region[key] == c.region[space]]


def _aids(table: Table, seat: str, space: str) -> list[tuple[str, str]]:
    """Every way to make the shift cheaper: (Advantage, Huguenots marker), the plain one first."""
    using = ["", *discounts(table, seat, space)]
    markers = ["", *fresh_huguenots(table, seat, space)]
    return [(one, two) for one in using for two in markers]


class _Reach:
    """What `seat` can shift with now: both purses, and whether anything could make a shift cheaper."""

    __slots__ = ("aided", "diplomatic", "economic", "seat", "table")

    def __init__(self, table: Table, seat: str, purses: Purses) -> None:
        self.table, self.seat = table, seat
        self.economic = purses[ECONOMIC]
        self.diplomatic = purses[DIPLOMATIC]
        state = table.state
        self.aided = bool(state.huguenots and seat == FRANCE)
        if not self.aided:
            held = state.advantages
            for key in costs.ADVANTAGES:
                if held[key] == seat and advantage_usable(table, seat, key):
                    self.aided = True
                    break

    def pool(self) -> Sequence[str]:
        """The spaces for which there are points of their kind."""
        of_type = self.table.c.of_type
        if self.economic.most < 1:
            return of_type["political"] if self.diplomatic.most > 0 else ()
        return of_type["market"] if self.diplomatic.most < 1 else self.table.c.shiftable

    def fits(self, space: str) -> bool:
        """Whether `seat` can shift this Market or Political space and pay for it now: in play, not his own, Markets
        connected.
        """
        table, seat = self.table, self.seat
        if table.state.flags[space] == seat:
            return False
        place = table.c.spaces[space]
        if place.type == "market":
            if not connected(table, seat, space):
                return False
            purse = self.economic
        else:
            if place.available != "always" and not in_play(table, space):
                return False
            purse = self.diplomatic
        if purse.pays(purchase(table, seat, space)):
            return True
        return self.aided and any(
            purse.pays(purchase(table, seat, space, *aid)) for aid in _aids(table, seat, space)[1:]
        )


@offers
def shifting(table: Table, seat: str, words: Words, types: set[str]) -> None:
    """5.4.1, 5.5.1 Shift a Market or a Political space; 5.5.3 draw an Event for 3 DP (no Region, no surcharge)."""
    if DIPLOMATIC in types:
        words["shift"] = _shift_form
        if table.state.draw or table.state.discards:
            words["draw"] = _draw_form
    elif ECONOMIC in types:
        words["shift"] = _shift_form


def _shift_form(table: Table, seat: str, purses: Purses) -> Form | None:
    reach = _Reach(table, seat, purses)
    spaces = tried(reach.pool(), reach.fits, "space", why=lambda space: why_not(table, seat, space))
    if not spaces.any():
        return None
    prices: dict[Any, Purchase] = {}

    def bought(space: str, using: str, marker: str) -> Purchase:
        """Each is asked for several times in a row."""
        known = prices.get((space, using, marker))
        if known is None:
            known = prices[space, using, marker] = purchase(table, seat, space, using, marker)
        return known

    def using(values: Values) -> Domain | None:
        aids = _aids(table, seat, values.space)
        if len(aids) == 1:  # the plain one: it can be paid for, else the space would not be offered
            return None
        found = [one for one, two in aids if payable(table, seat, bought(values.space, one, two))]
        return _one_of(list(dict.fromkeys(found)), "advantage")

    def huguenots(values: Values) -> Domain | None:
        if seat != FRANCE or not fresh_huguenots(table, seat, values.space):
            return None
        used = values.using or ""
        found = [
            two for one, two in _aids(table, seat, values.space)
            if one == used and payable(table, seat, bought(values.space, one, two))
        ]  # fmt: skip
        return _one_of(found, "marker")

    if not reach.aided:
        paid = payment_fields(table, seat, purses, lambda v: bought(v.space, "", ""))
        return Form({"space": spaces, **paid})
    paid = payment_fields(table, seat, purses, lambda v: bought(v.space, v.using or "", v.huguenots or ""))
    return Form({"space": spaces, "using": using, "huguenots": huguenots, **paid})


def _one_of(found: Sequence[str], what: str) -> Domain | None:
    """A choice of what is found; it may be left out if "" is found too."""
    named = [one for one in found if one]
    if not named:
        return None
    return Optional(Choice(named, what)) if "" in found else Choice(named, what)


def why_not(table: Table, seat: str, space: str) -> Problem | None:
    """The rule by which a known space cannot be shifted now."""
    found = table.c.spaces.get(space)
    if found is None:
        return None
    if found.type not in RULE:
        return Problem("shift.kind", {"space": space, "type": found.type}, "3.2.8")
    if table.state.flags[space] == seat:
        return Problem("shift.own", {"space": space}, "3.2.8")
    if not in_play(table, space):
        return Problem("shift.later", {"space": space}, "3.2.1")
    if found.type == "market" and not connected(table, seat, space):
        return Problem("shift.connection", {"space": space}, "5.4.1")
    plain = purchase(table, seat, space)
    return Problem("shift.price", {"space": space, "cost": plain.cost, "type": plain.type}, "5.3.2")


@handles("shift")
def carry_out(table: Table, seat: str, value: dict[str, Any]) -> None:
    """5.4.1, 5.5.1 Pay and shift."""
    space, using, marker = value["space"], value.get("using", ""), value.get("huguenots", "")
    bought = purchase(table, seat, space, using, marker)
    if using:
        exhaust_advantage(table, seat, using)
    if marker:
        table.state.huguenots[marker] = False
        table.say("huguenots.flipped", rule="M-9", seat=seat, space=marker)
    pay(table, seat, bought, value)
    table.say(
        "shift.paid",
        rule=RULE[table.c.spaces[space].type],
        seat=seat,
        space=space,
        cost=bought.cost,
        type=bought.type,
    )
    shift(table, seat, space, RULE[table.c.spaces[space].type])


# -- drawing an Event --------------------------------------------------------------------------------------------


def _drawing(table: Table) -> Purchase:
    return Purchase(DIPLOMATIC, table.c.costs["card"], "card")


def _draw_form(table: Table, seat: str, purses: Purses) -> Form | None:
    price = _drawing(table)
    return (
        Form(payment_fields(table, seat, purses, lambda v: price)) if purses[DIPLOMATIC].pays(price) else None
    )


@handles("draw")
def draw(table: Table, seat: str, value: dict[str, Any]) -> None:
    """5.5.3 The card joins the hand."""
    pay(table, seat, _drawing(table), value)
    key = draw_card(table, seat)
    table.say(
        "card.drawn",
        rule="5.5.3",
        seat=seat,
        count=int(bool(key)),
        private={seat: {"cards": [key] if key else []}},
    )
