"""Economic and Diplomatic Actions: shifting Markets and Political spaces, drawing an Event (5.4, 5.5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from games.imperial_struggle import costs
from games.imperial_struggle.board import advantage_usable, connected, exhaust_advantage, in_play, shift
from games.imperial_struggle.points import Purse, pay, payable, payment_fields
from games.imperial_struggle.rules import Purchase, Words, handles, offers
from games.imperial_struggle.state import DIPLOMATIC, ECONOMIC, FRANCE, NOBODY
from games.imperial_struggle.upkeep import draw_card
from pbem.kernel.answers import Choice, Domain, Form, Optional, Values
from pbem.kernel.problems import Problem
from pbem.kernel.table import Table

_DEAREST = 2
"""What Protection and the surcharge can add to a printed price."""
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
    held = table.state.advantages
    if table.state.flags[space] == NOBODY:
        return []
    return [
        key for key, (_, _, fits) in costs.ADVANTAGES.items()
        if held[key] == seat and fits(table, seat, space) and advantage_usable(table, seat, key)
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

    __slots__ = ("aided", "cut", "diplomatic", "economic", "seat", "table")

    def __init__(self, table: Table, seat: str) -> None:
        self.table, self.seat = table, seat
        self.economic = Purse(table, seat, ECONOMIC)
        self.diplomatic = Purse(table, seat, DIPLOMATIC)
        state = table.state
        self.aided = bool(table.state.huguenots and seat == FRANCE) or any(
            state.advantages[key] == seat and advantage_usable(table, seat, key) for key in costs.ADVANTAGES
        )
        self.cut = costs.is_cut(table, seat)

    def spaces(self) -> Iterator[str]:
        """The spaces that `seat` can shift and pay for now: in play, not his own or the USA's, Markets connected."""
        table, seat = self.table, self.seat
        c, flags, purse = table.c, table.state.flags, self.diplomatic
        rich = purse.major - _DEAREST
        for space, cost, always in c.politicals if purse.most > 0 else ():
            if (
                flags[space] != seat
                # What even the dearest shift would leave paid for needs no sum.
                and (cost <= rich or self._affordable(space, purse))
                and (always or in_play(table, space))
            ):
                yield space
        purse = self.economic
        if purse.most < 1:
            return
        rich = purse.major - _DEAREST
        serving = self._serving()
        for space, cost, linked in c.markets:
            if (
                flags[space] != seat
                and not serving.isdisjoint(linked)
                and (cost <= rich or self._affordable(space, purse))
            ):
                yield space

    def _serving(self) -> set[str]:
        """What connects Markets for `seat` (5.4.1; `board.connected` asks the same of one Market)."""
        state, c, seat = self.table.state, self.table.c, self.seat
        flags, conflicts, now = state.flags, state.conflicts, state.round
        serving = {space for space in c.bases if flags[space] == seat}
        for market in c.of_type["market"]:
            if flags[market] == seat and not (
                market in conflicts or market in now.isolated or market in now.changed
            ):
                serving.add(market)
        return serving

    def _affordable(self, space: str, purse: Purse) -> bool:
        table, seat = self.table, self.seat
        cost = (costs.shift_cost if self.cut else costs.plain_cost)(table, seat, space)
        sure = purse.surely(cost, space if table.state.flags[space] else "")
        if sure or (sure is None and payable(table, seat, purchase(table, seat, space))):
            return True
        if not self.aided:
            return False
        aids = _aids(table, seat, space)
        return len(aids) > 1 and any(purse.pays(purchase(table, seat, space, *aid)) for aid in aids[1:])


@offers
def shifting(table: Table, seat: str) -> Words:
    """5.4.1, 5.5.1 Shift a Market or a Political space; 5.5.3 draw an Event for 3 DP (no Region, no surcharge)."""
    state = table.state
    if not state.round.tile:
        return
    reach = _Reach(table, seat)
    if next(reach.spaces(), None) is not None:
        yield "shift", lambda: _shift_form(table, seat, reach)
    if (state.draw or state.discards) and reach.diplomatic.pays(_drawing(table)):
        yield "draw", lambda: Form(payment_fields(table, seat, lambda v: _drawing(table)))


def _shift_form(table: Table, seat: str, reach: _Reach) -> Form:
    def using(values: Values) -> Domain | None:
        found = dict.fromkeys(
            one
            for one, two in _aids(table, seat, values.space)
            if payable(table, seat, purchase(table, seat, values.space, one, two))
        )
        named = [one for one in found if one]
        if not named:
            return None
        return Optional(Choice(named, "advantage")) if "" in found else Choice(named, "advantage")

    def huguenots(values: Values) -> Domain | None:
        if seat != FRANCE:
            return None
        used = values.using or ""
        found = [
            two for one, two in _aids(table, seat, values.space)
            if one == used and payable(table, seat, purchase(table, seat, values.space, one, two))
        ]  # fmt: skip
        named = [two for two in found if two]
        if not named:
            return None
        return Optional(Choice(named, "marker")) if "" in found else Choice(named, "marker")

    fields: dict[str, Any] = {
        "space": Choice(reach.spaces, "space", lambda space: why_not(table, seat, space)),
    }
    if reach.aided:
        fields |= {"using": using, "huguenots": huguenots}
    paid = payment_fields(
        table, seat, lambda v: purchase(table, seat, v.space, v.using or "", v.huguenots or "")
    )
    return Form({**fields, **paid})


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
