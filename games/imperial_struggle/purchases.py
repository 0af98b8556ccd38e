"""Purchases with Action Points: what is possible, why not, and form fields for the payment (5.2, 5.3.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Generic, NamedTuple, TypeVar

from games.imperial_struggle.action_points import Payment, PointPool, PointPools, Purchase, SpacePurchase
from games.imperial_struggle.refusals import Bar, Reason
from games.imperial_struggle.state import MAJOR, MILITARY, MINOR
from games.imperial_struggle.table import Table
from pbem.kernel.domains import Amount, Choice, Domain, Form, Optional
from pbem.kernel.rejections import RejectionReason

P = TypeVar("P", bound=Payment)
T = TypeVar("T")


class Affordable(NamedTuple, Generic[T]):
    """What can be paid for (a purchase, spaces, Advantages), and what pays."""

    purses: PointPools
    what: T


Spaces = Affordable[list[str]]


def priced(table: Table, seat: str, purchase: Purchase) -> Affordable[Purchase] | None:
    """Return the purchase, if `seat` can pay for it now."""
    purses = PointPools(table, seat)
    return Affordable(purses, purchase) if purses.pay(purchase) else None


def unpaid(table: Table, seat: str, purchase: Purchase) -> RejectionReason | None:
    """Return why `seat` can't pay for something now; None if it can (5.2, 5.3.2)."""
    return PointPools(table, seat).why_not(purchase)


def payment_form(table: Table, seat: str, found: Affordable[Purchase]) -> Form[Payment]:
    """Return the form for the payment."""
    return Form(payment_fields(found.purses, lambda v: found.what))


Places = Callable[[Table, str], Iterable[str]]
"""Where `seat` could purchase something, at any price."""
Price = Callable[[Table, str], Purchase]
"""The purchase in a space."""


def sites(
    places: Places, price: Price, bar: Bar
) -> tuple[Callable[[Table, str], Spaces | None], Callable[[Table, str, Spaces], Form[SpacePurchase]]]:
    """Return `find` and `form` of a Military purchase in some spaces. `bar` says why a space is not in `places`."""

    def find(table: Table, seat: str) -> Spaces | None:
        purses = PointPools(table, seat)
        purse = purses[MILITARY]
        spaces = [space for space in places(table, seat) if purse.pays(price(table, space))]
        return Affordable(purses, spaces) if spaces else None

    def form(table: Table, seat: str, found: Spaces) -> Form[SpacePurchase]:
        def bought(v: SpacePurchase) -> Purchase:
            return price(table, v["space"])

        def why(space: str) -> RejectionReason | None:
            if space not in table.c.spaces:
                return None
            return bar(table, seat, space) or found.purses.why_not(price(table, space))

        spaces = Choice(found.what, "space", why, lambda space: price(table, space).cost)
        return Form({"space": spaces, **payment_fields(found.purses, bought)})

    return find, form


def nowhere(places: Places, price: Price, none: Reason) -> Reason:
    """Return the reason of a purchase of `sites`: no place for it (`none`), or the cheapest is too expensive."""

    def why(table: Table, seat: str) -> RejectionReason | None:
        if not (prices := [price(table, space) for space in places(table, seat)]):
            return none(table, seat)
        return unpaid(table, seat, min(prices, key=lambda purchase: purchase.cost))

    return why


def payment_fields(purses: PointPools, price: Callable[[P], Purchase]) -> dict[str, Callable[[P], Domain | None]]:
    """Return the form fields for the payment of a purchase; both may be left out.

    `action`: `major` or `minor` (default: major if it can pay). `debt`: how many of the missing points are borrowed
    (default: as many as possible; the rest are Treaty Points).
    """

    def action(v: P) -> Domain[str] | None:
        purchase = price(v)  # at once: a description must see what it depends on
        purse = purses[purchase.type]
        return Optional(Choice(purse.ways(purchase), "action", partial(_barring, purse, purchase)))

    def debt(v: P) -> Domain[int] | None:
        purchase = price(v)
        paid: Payment = v
        low, high = purses[purchase.type].debt_range(purchase, paid.get("action") or "")
        return Optional(Amount(low, high, what="Debt")) if high else None

    return {"action": action, "debt": debt}


def _barring(purse: PointPool, purchase: Purchase, action: str) -> RejectionReason | None:
    """Return why the action that an order names can't pay."""
    return purse.bar(purchase, action) if action in (MAJOR, MINOR) else None
