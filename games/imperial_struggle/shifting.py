"""Economic and Diplomatic Actions: shifting Markets and Political spaces, drawing an Event (5.4, 5.5; costs 5.5.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, NotRequired

from games.imperial_struggle import action_points, costs, purchases
from games.imperial_struggle.advantages import unusable
from games.imperial_struggle.board import advantage_usable, exhaust_advantage, in_play, shift
from games.imperial_struggle.connection import connected
from games.imperial_struggle.refusals import reason
from games.imperial_struggle.state import DIPLOMATIC, ECONOMIC, FRANCE, NOBODY, ActionRound
from games.imperial_struggle.table import KIT, Table
from games.imperial_struggle.upkeep import draw_card
from pbem.kernel.domains import Choice, Domain, Form, LazyChoice, Optional, lazy_choice
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("5.4", "Economic Actions", "shifting.py")
KIT.chapter("5.4.1", "shifting Markets, connection, isolation", "shifting.py", "connection.py")
KIT.chapter("5.5.3", "drawing an Event", "shifting.py")
RULE = {"market": "5.4.1", "political": "5.5.1"}  # 3.2.3: a Territory changes hands in wars only


class Shift(action_points.SpacePurchase):
    """A shift, with an Advantage and a Huguenots marker (M-9) to make it cheaper."""

    using: NotRequired[str]
    huguenots: NotRequired[str]


def purchase(table: Table, seat: str, space: str, using: str = "", huguenots: str = "") -> action_points.Purchase:
    """Return one shift as a purchase, with an Advantage (`using`) and a Huguenots marker (M-9) to reduce its cost."""
    place = table.c.spaces[space]
    to_one, minus = (costs.ADVANTAGES[using][0], costs.ADVANTAGES[using][1]) if using else (False, 0)
    if huguenots:
        minus += 1
    price = costs.shift_cost(table, seat, space, to_one=to_one, minus=minus)
    removes = table.state.flags[space] != NOBODY
    return action_points.Purchase(costs.TYPE_OF[place.type], price, "shift", space, place.region, removes)


def discounts(table: Table, seat: str, space: str) -> list[str]:
    """Return the Advantages of `seat` that would make this removal cheaper (8.2)."""
    if table.state.flags[space] in (NOBODY, seat):
        return []
    held = table.state.advantages
    return [
        key for key in costs.cheapening(table.c).get(space, ())
        if held[key] == seat and advantage_usable(table, seat, key)
    ]  # fmt: skip


def fresh_huguenots(table: Table, seat: str, space: str) -> list[str]:
    """Return the unflipped Huguenots markers of the Market's Region (M-9)."""
    state, c = table.state, table.c
    if seat != FRANCE or not state.huguenots or c.spaces[space].type != "market":
        return []
    return [key for key, fresh in state.huguenots.items() if fresh and c.region[key] == c.region[space]]


def _aids(table: Table, seat: str, space: str) -> list[tuple[str, str]]:
    advantages = ["", *discounts(table, seat, space)]
    markers = ["", *fresh_huguenots(table, seat, space)]
    return [(using, marker) for using in advantages for marker in markers]


class _Reach:
    """What `seat` can shift with now: the points of both types, and whether anything could make a shift cheaper."""

    __slots__ = ("aided", "diplomatic", "economic", "purses", "seat", "table")

    def __init__(self, table: Table, seat: str) -> None:
        self.table, self.seat = table, seat
        self.purses = purses = action_points.PointPools(table, seat)
        self.economic = purses[ECONOMIC]
        self.diplomatic = purses[DIPLOMATIC]
        self.aided = bool(table.state.huguenots and seat == FRANCE)
        if not self.aided:
            held = table.state.advantages
            for key in costs.ADVANTAGES:
                if held[key] == seat and advantage_usable(table, seat, key):
                    self.aided = True
                    break

    def pool(self) -> Sequence[str]:
        """Return the spaces for which there are points of their kind."""
        of_type = self.table.c.of_type
        if self.economic.most < 1:
            return of_type["political"] if self.diplomatic.most > 0 else ()
        return of_type["market"] if self.diplomatic.most < 1 else self.table.c.shiftable

    def fits(self, space: str) -> bool:
        """Return whether `seat` can shift this Market or Political space and pay for it now."""
        table, seat = self.table, self.seat
        # 3.2.8: not their own.
        if table.state.flags[space] == seat:
            return False
        place = table.c.spaces[space]
        if place.type == "market":
            # 5.4.1: connected.
            if not connected(table, seat, space):
                return False
            purse = self.economic
        else:
            # 3.2.1: in play.
            if place.available != "always" and not in_play(table, space):
                return False
            purse = self.diplomatic
        if purse.pays(purchase(table, seat, space)):
            return True
        return self.aided and any(
            purse.pays(purchase(table, seat, space, *aid)) for aid in _aids(table, seat, space)[1:]
        )


def offer(table: Table, now: ActionRound, words: list[str], types: set[str]) -> None:
    """Offer to shift a Market or a Political space (5.4.1, 5.5.1); to draw an Event, if one is left (5.5.3)."""
    if DIPLOMATIC in types or ECONOMIC in types:
        words.append("shift")
    if DIPLOMATIC in types and (table.state.draw or table.state.discards):
        words.append("draw")


class Shiftable(NamedTuple):
    """What can be shifted, and with what."""

    reach: _Reach
    spaces: LazyChoice


def _shiftable(table: Table, seat: str) -> Shiftable | None:
    reach = _Reach(table, seat)
    spaces = lazy_choice(
        reach.pool(),
        reach.fits,
        "space",
        why=lambda space: why_not(table, seat, space),
        cost=lambda space: purchase(table, seat, space).cost,
    )
    return Shiftable(reach, spaces) if spaces.any() else None


def _shift_form(table: Table, seat: str, found: Shiftable) -> Form[Shift]:
    purses = found.reach.purses
    prices: dict[tuple[str, str, str], action_points.Purchase] = {}

    def bought(space: str, using: str, marker: str) -> action_points.Purchase:
        """Return its price, cached because each field of the form asks for it."""
        known = prices.get((space, using, marker))
        if known is None:
            known = prices[space, using, marker] = purchase(table, seat, space, using, marker)
        return known

    def payable(space: str) -> list[tuple[str, str]]:
        return [aid for aid in _aids(table, seat, space) if purses.pay(bought(space, *aid))]

    def using(v: Shift) -> Domain[str] | None:
        # Without any aid the plain shift can be paid for, else the space would not be offered.
        if len(_aids(table, seat, v["space"])) == 1:
            return None
        payers = list(dict.fromkeys(advantage for advantage, _ in payable(v["space"])))
        return _one_of(payers, "advantage", partial(_no_discount, table, seat, v["space"]))

    def huguenots(v: Shift) -> Domain[str] | None:
        if not fresh_huguenots(table, seat, v["space"]):
            return None
        used = v.get("using") or ""
        why = partial(_no_marker, table, seat, v["space"])
        return _one_of([marker for advantage, marker in payable(v["space"]) if advantage == used], "marker", why)

    def price(v: Shift) -> action_points.Purchase:
        return bought(v["space"], v.get("using") or "", v.get("huguenots") or "")

    aids: dict[str, Callable[[Shift], Domain[str] | None]] = {"using": using} if found.reach.aided else {}
    if table.state.huguenots and seat == FRANCE:  # M-9: only her ministers
        aids["huguenots"] = huguenots
    return Form({"space": found.spaces, **aids, **purchases.payment_fields(purses, price)})


def _one_of(
    found: Sequence[str], what: str, why: Callable[[str], RejectionReason | None] | None = None
) -> Domain[str] | None:
    """Return a choice of what is found; it may be left out if "" is found too."""
    named = [option for option in found if option]
    if not named:
        return None
    return Optional(Choice(named, what, why)) if "" in found else Choice(named, what, why)


def _no_marker(table: Table, seat: str, space: str, key: str) -> RejectionReason | None:
    """Return why a Huguenots marker does not make a shift cheaper (M-9)."""
    state, region = table.state, table.c.region
    if key not in state.huguenots:
        return because("no_huguenots", "M-9", space=key) if key in table.c.spaces else None
    if not state.huguenots[key]:
        return because("huguenots_used", "M-9", space=key)
    if region[key] != region[space]:
        return because("huguenots_region", "M-9", space=space, region=region[key])
    return purchases.unpaid(table, seat, purchase(table, seat, space, "", key))


def _no_discount(table: Table, seat: str, space: str, key: str) -> RejectionReason | None:
    """Return why an Advantage does not make this removal cheaper (8.2)."""
    if key not in table.c.advantages:
        return None
    if key not in costs.cheapening(table.c).get(space, ()):
        return because("elsewhere", "8.2", advantage=key, space=space)
    return unusable(table, seat, key) or purchases.unpaid(table, seat, purchase(table, seat, space, key))


def why_not(table: Table, seat: str, space: str) -> RejectionReason | None:
    """Return the rule by which a known space can't be shifted now."""
    if space not in table.c.spaces:
        return None
    return _placed(table, seat, space) or purchases.unpaid(table, seat, purchase(table, seat, space))


def _placed(table: Table, seat: str, space: str) -> RejectionReason | None:
    """Return the rule by which a space can't be shifted at any price."""
    found = table.c.spaces[space]
    if found.type not in RULE:
        return because("kind", "3.2.8", space=space)
    if table.state.flags[space] == seat:
        return because("own", "3.2.8", space=space)
    if not in_play(table, space):
        return because("later", "3.2.1", space=space)
    if found.type == "market" and not connected(table, seat, space):
        return because("connection", "5.4.1", space=space)
    return None


@reason("shift")
def _no_shift(table: Table, seat: str) -> RejectionReason | None:
    """Return why nothing can be shifted: no points of a kind, or every space is too expensive (5.4, 5.5)."""
    reach = _Reach(table, seat)
    purses = [purse for purse in (reach.economic, reach.diplomatic) if purse.major or purse.minor]
    if not purses:
        return action_points.why_no_points(table, ECONOMIC, DIPLOMATIC)
    types = [purse.ap for purse in purses]
    open_to = [space for space in table.c.shiftable if _placed(table, seat, space) is None]
    prices = [purchase(table, seat, space) for space in open_to]
    prices = [price for price in prices if price.type in types]
    if not prices:
        return because("no_shift", "5.4.1", types=types)
    return reach.purses.why_not(min(prices, key=lambda price: price.cost))


@KIT.action("shift", "5.4.1", _shiftable, _shift_form)
def carry_out(table: Table, seat: str, order: Shift) -> None:
    """Pay and shift (5.4.1, 5.5.1)."""
    space, using, marker = order["space"], order.get("using", ""), order.get("huguenots", "")
    bought = purchase(table, seat, space, using, marker)
    if using:
        exhaust_advantage(table, seat, using)
    if marker:
        table.state.huguenots[marker] = False
        table.log("huguenots.flipped", rule="M-9", seat=seat, space=marker)
    action_points.pay(table, seat, bought, order)
    rule = RULE[table.c.spaces[space].type]
    table.log("shift.paid", rule=rule, seat=seat, space=space, cost=bought.cost, type=bought.type)
    shift(table, seat, space, rule)


# -- drawing an Event --------------------------------------------------------------------------------------------


def _drawing(table: Table) -> action_points.Purchase:
    """Return the price of an Event: 3 DP, in no Region, so that there is no surcharge (5.5.3)."""
    return action_points.Purchase(DIPLOMATIC, table.c.costs["card"], "card")


@reason("draw")
def _no_draw(table: Table, seat: str) -> RejectionReason | None:
    """Return why no Event can be drawn (5.5.3)."""
    left = table.state.draw or table.state.discards
    return purchases.unpaid(table, seat, _drawing(table)) if left else because("deck", "5.5.3")


@KIT.action("draw", "5.5.3", lambda table, seat: purchases.priced(table, seat, _drawing(table)), purchases.payment_form)
def draw(table: Table, seat: str, order: action_points.Payment) -> None:
    """Draw a card into the hand (5.5.3)."""
    action_points.pay(table, seat, _drawing(table), order)
    key = draw_card(table, seat)
    drawn = [key] if key else []
    table.log("card.drawn", rule="5.5.3", seat=seat, count=len(drawn), private={seat: {"cards": drawn}})
