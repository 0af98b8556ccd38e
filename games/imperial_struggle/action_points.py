"""Action Points: which may pay for what, Debt and Treaty Points added to them (5.2, 5.3.2, 6.1, 9.1).

An action is `major:<type>` (the tile's Major Action with Event points of its type, or Event points alone, 3.4.5) or
`minor`. One is finished before the next is begun, so beginning another closes it and what is left of it is
lost. A Minor Action is one expenditure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

import msgspec

from games.imperial_struggle.board import active, available_debt
from games.imperial_struggle.state import BRITAIN, ECONOMIC, FRANCE, MAJOR, MINOR, TYPES, Pool, StruggleState
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.rejections import RejectionReason, because

KIT.chapter("5.3", "order of actions", "action_points.py")
KIT.chapter("5.3.2", "Major and Minor Actions", "action_points.py")
KIT.chapter("6.1", "taking Debt", "action_points.py")
KIT.chapter("6.3", "Debt Limit", "board.py", "action_points.py")
KIT.chapter("9.1", "Treaty Points", "action_points.py", "scoring.py")

FREE_DEBT = 2
"""Debt per turn that Merchant Banks (M-17) leave unrecorded."""

MAJORS = {ap: f"{MAJOR}:{ap}" for ap in TYPES}
"""The Major Action of each type, as written in `Round.action` and `Round.closed`."""


class Purchase(msgspec.Struct, frozen=True):
    """A purchase with Action Points.

    `type` of points; `cost` in all, surcharge included; `kind`: `shift`, `card`, `tile`, `clear`, `build`, `repair`,
    `seize`, `squadron`, `deploy`, `convert`, or a card's own; `space` and `region` (surcharge 5.3.4) where it happens;
    `removes`: takes an opposing flag or Squadron away (5.3.2).
    """

    type: str
    cost: int
    kind: str
    space: str = ""
    region: str = ""
    removes: bool = False


class Payment(TypedDict, total=False):
    """How a purchase is paid: as part of which action, and how much of it is borrowed."""

    action: str
    debt: int


class SpacePurchase(Payment):
    """A purchase in a space."""

    space: str


Test = Callable[[Table, str, Purchase], bool]

LIMITS: dict[str, Test] = {}
"""Limit key of a pool → whether its points may pay for this purchase."""

BARS: dict[str, Test] = {}
"""Mark of the round → whether it forbids paying for this purchase with Major Action points."""

MINOR_REMOVALS: dict[str, Test] = {}
"""Face-up Ministry card → whether it lets a Minor Action remove this opposing flag (exceptions to 5.3.2)."""


# -- Debt --------------------------------------------------------------------------------------------------------


def borrowable(state: StruggleState, seat: str, ap: str) -> int:
    """Return how many points of `ap` Debt can still bring (6.1, 6.3), with Merchant Banks (M-17) and Turgot (M-23)."""
    room = available_debt(state, seat)
    extra = 0
    if seat == BRITAIN and ap == ECONOMIC:
        extra = free_debt(state)
    elif seat == FRANCE and room > 0 and turgot(state):
        extra = 1
    return max(0, room) + extra


def free_debt(state: StruggleState) -> int:
    """Return the rest of the Debt that Merchant Banks (M-17) do not record this turn."""
    if not active(state, BRITAIN, "merchant-banks"):
        return 0
    return FREE_DEBT - state.counts.get("merchant-banks", 0)


def turgot(state: StruggleState) -> bool:
    """Return whether the next Debt yields two points (M-23): the first of the round, compared after recording it."""
    now = state.round
    return (
        active(state, FRANCE, "turgot")
        and now is not None
        and now.borrowed == 0
        and available_debt(state, FRANCE) - 1 > available_debt(state, BRITAIN)
    )


# -- what can be paid --------------------------------------------------------------------------------------------


class PointPool:
    """The points that `seat` can spend of one type now, computed once for many purchases (5.2, 5.3.2).

    `points` are in the pools. Debt (`credit`) and Treaty Points may be added to an open action; a limit on Event
    points binds them too.
    """

    __slots__ = ("_extra", "ap", "limited", "major", "minor", "now", "points", "seat", "table")

    def __init__(self, table: Table, seat: str, ap: str) -> None:
        self.table, self.seat, self.ap = table, seat, ap
        now = table.state.round  # not `now`: a property costs as much as all the rest here
        assert now is not None
        self.now = now
        self._extra: int | None = None
        self.limited, self.points = False, 0
        major: list[Pool] = []
        minor: list[Pool] = []
        for pool in now.pools:
            if pool.type == ap:
                self.points += pool.points
                if pool.limit:
                    self.limited = True
                if pool.action != MINOR:
                    major.append(pool)
                if pool.action != MAJOR:
                    minor.append(pool)
        self.major = self._open(major, MAJOR, MAJORS[ap]) if major else None
        self.minor = self._open(minor, MINOR, MINOR) if minor else None

    def _open(self, pools: list[Pool], action: str, key: str) -> list[Pool] | None:
        """Return the pools that pay for an action, in the order they are used up; None if it is not open."""
        if key in self.now.closed or not _opened(pools, action):
            return None
        if len(pools) > 1:
            pools.sort(key=_USED_UP[action])
        return pools

    @property
    def credit(self) -> int:
        """The number of points that Debt can bring."""
        return borrowable(self.table.state, self.seat, self.ap)

    @property
    def extra(self) -> int:
        """The number of points that Debt and Treaty Points can bring."""
        if self._extra is None:
            self._extra = self.credit + self.table.state.sides[self.seat].trp
        return self._extra

    @property
    def most(self) -> int:
        """An upper bound of every price that can be paid."""
        return self.points + self.extra if self.major or self.minor else 0

    def pays(self, purchase: Purchase) -> bool:
        if self.major is not None and self.pools(purchase, MAJOR) is not None:
            return True
        return self.minor is not None and self.pools(purchase, MINOR) is not None

    def ways(self, purchase: Purchase) -> list[str]:
        """Return the actions that can pay for this: `major`, `minor`, both or none."""
        found = [] if self.major is None or self.pools(purchase, MAJOR) is None else [MAJOR]
        return found if self.minor is None or self.pools(purchase, MINOR) is None else [*found, MINOR]

    def choose(self, purchase: Purchase, action: str = "") -> tuple[str, list[Pool]]:
        """Return the action that pays (`action`, or else the first that can) and its pools."""
        pools = None if action == MINOR else self.pools(purchase, MAJOR)
        return (MAJOR, pools) if pools is not None else (MINOR, self.pools(purchase, MINOR) or [])

    def debt_range(self, purchase: Purchase, action: str = "") -> tuple[int, int]:
        """Return the least and most points to borrow for this, as part of `action` ("": the first that can pay)."""
        _, pools = self.choose(purchase, action)
        short = purchase.cost
        for pool in pools:
            short -= pool.points
        if short <= 0:
            return 0, 0
        credit = self.credit
        return max(0, short - (self.extra - credit)), min(short, credit)

    def pools(self, purchase: Purchase, action: str) -> list[Pool] | None:
        """Return the pools that pay for this as part of `action`; None if it is not open or the price is too high."""
        pools = self.major if action == MAJOR else self.minor
        if pools is None:
            return None
        if self.limited:
            pools = self._fitting(pools, purchase)
            if not _opened(pools, action):
                return None
        if action == MAJOR:
            # A card may forbid it (M-22).
            if self.now.marks and self._barred(purchase):
                return None
        # 5.3.2 point 2.
        elif purchase.removes and not self._removable(purchase):
            return None
        short = purchase.cost
        for pool in pools:
            short -= pool.points
        if short > 0:
            extra = self._extra
            if short > (self.extra if extra is None else extra):
                return None
        return pools

    def bar(self, purchase: Purchase, action: str) -> RejectionReason | None:
        """Return what keeps an action from paying for this: the tests of `pools` one by one. None if it can."""
        pools = self.major if action == MAJOR else self.minor
        if pools is None:
            return why_no_points(self.table, self.ap)
        fitting = self._fitting(pools, purchase)
        if not _opened(fitting, action):
            return because("limit", "5.2", sources=[p.source for p in pools if p.limit and p.opens])
        if action == MAJOR and self._barred(purchase):
            return because("stay", "M-22")
        if action == MINOR and purchase.removes and not self._removable(purchase):
            return because("minor_removal", "5.3.2", space=purchase.space)
        if self.pools(purchase, action) is not None:
            return None
        left = sum(pool.points for pool in fitting)
        return because(
            "price", "5.3.2", space=purchase.space, type=self.ap, cost=purchase.cost, action=action, points=left,
            extra=self.extra,
        )  # fmt: skip

    def why_not(self, purchase: Purchase) -> RejectionReason | None:
        """Return what keeps the purchase from being paid for, None if it can be; of two actions the price first."""
        opened = [action for action, pools in ((MAJOR, self.major), (MINOR, self.minor)) if pools is not None]
        bars = [self.bar(purchase, action) for action in opened or (MAJOR,)]
        if None in bars:
            return None
        return next((bar for bar in bars if bar is not None and bar.key == "no.price"), bars[0])

    def _fitting(self, pools: list[Pool], purchase: Purchase) -> list[Pool]:
        """Return the pools whose points may be spent on this (5.2 point 4)."""
        return [p for p in pools if not p.limit or LIMITS[p.limit](self.table, self.seat, purchase)]

    def _barred(self, purchase: Purchase) -> bool:
        marks = self.now.marks
        return any(mark in BARS and BARS[mark](self.table, self.seat, purchase) for mark in marks)

    def _removable(self, purchase: Purchase) -> bool:
        """Return whether a Minor Action can remove the flag (5.3.2 point 2): by Conflict marker or by a card."""
        state = self.table.state
        return purchase.space in state.conflicts or any(
            card in MINOR_REMOVALS and MINOR_REMOVALS[card](self.table, self.seat, purchase)
            for card in state.sides[self.seat].revealed
        )


def _opened(pools: list[Pool], action: str) -> bool:
    """Return whether some of these points are an action of their own; those of a Minor Action must be the tile's."""
    for pool in pools:  # noqa: SIM110 - at every price
        if pool.opens and (action == MAJOR or pool.action == MINOR):
            return True
    return False


def _limited(pool: Pool) -> bool:
    return bool(pool.limit) or not pool.opens


_USED_UP: dict[str, Callable[[Pool], tuple[bool, bool]]] = {
    MAJOR: lambda pool: (not _limited(pool), pool.action == MAJOR),
    MINOR: lambda pool: (pool.action != MINOR, not _limited(pool)),
}


def why_no_points(table: Table, *types: str) -> RejectionReason:
    """Return why there are no points of these types: none in the round, or their action is finished (5.3.1, 5.3.2)."""
    now = table.state.now
    tile = table.c.investments[now.tile]
    if tile.minor in types and MINOR in now.closed:
        return because("minor_used", "5.3.2", type=tile.minor)
    finished = [ap for ap in types if MAJORS[ap] in now.closed]
    if finished:
        return because("finished", "5.3", type=finished[0])
    return because("type", "5.3.1", types=list(types), major=tile.major, minor=tile.minor)


class PointPools(dict[str, PointPool]):
    """The points of `seat` by type, each computed when it is first needed."""

    __slots__ = ("seat", "table")

    def __init__(self, table: Table, seat: str) -> None:
        super().__init__()
        self.table, self.seat = table, seat

    def __missing__(self, ap: str) -> PointPool:
        purse = self[ap] = PointPool(self.table, self.seat, ap)
        return purse

    def pay(self, purchase: Purchase) -> bool:
        return self[purchase.type].pays(purchase)

    def why_not(self, purchase: Purchase) -> RejectionReason | None:
        return self[purchase.type].why_not(purchase)


# -- paying ------------------------------------------------------------------------------------------------------


def pay(table: Table, seat: str, purchase: Purchase, order: Payment) -> None:
    """Pay with points (the most limited first), then with Debt and Treaty Points."""
    state = table.state
    now = state.round
    assert now is not None
    action, pools = PointPool(table, seat, purchase.type).choose(purchase, order.get("action", ""))
    short = purchase.cost
    for pool in pools:
        if pool.points >= short:
            pool.points -= short
            short = 0
            break
        short -= pool.points
        pool.points = 0
    borrowed = 0
    if short:
        borrowed = order.get("debt", min(short, borrowable(state, seat, purchase.type)))
    begin(table, MINOR if action == MINOR else MAJORS[purchase.type])
    if borrowed and _borrow(table, seat, purchase.type, borrowed) and action == MAJOR:
        pools[0].points += 1
    if short > borrowed:
        side = state.sides[seat]
        side.trp -= short - borrowed
        table.log("points.trp", rule="9.1", seat=seat, points=short - borrowed, total=side.trp)
    if purchase.region:
        regions = now.regions.setdefault(purchase.type, [])
        if purchase.region not in regions:
            regions.append(purchase.region)
    KIT.fire("paid", table, seat, purchase, action)
    if action == MINOR:
        close(table, MINOR)


def _borrow(table: Table, seat: str, ap: str, points: int) -> int:
    """Take Debt for `points` points (6.1). Returns the point left over if Turgot's (M-23) yields two for one."""
    state = table.state
    side, now = state.sides[seat], state.now
    recorded, extra = points, 0
    if seat == BRITAIN and ap == ECONOMIC and free_debt(state):
        free = min(points, free_debt(state))
        recorded -= free
        state.counts["merchant-banks"] = state.counts.get("merchant-banks", 0) + free
    elif seat == FRANCE and turgot(state):
        recorded = max(1, points - 1)
        extra = 1 if points == 1 else 0
    side.debt += recorded
    now.borrowed += points
    table.log("points.debt", rule="6.1", seat=seat, points=points, debt=recorded, total=side.debt)
    return extra


def begin(table: Table, key: str) -> None:
    """Begin an action, or go on with it; this finishes any other one (5.2, 5.3)."""
    now = table.state.round
    assert now is not None
    now.begun = now.event_over = True
    if now.action and now.action != key:
        close(table, now.action)
    now.action = key


def close(table: Table, key: str) -> None:
    """Finish an action. The rest of its points is lost."""
    now = table.state.round
    assert now is not None
    if key in now.closed:
        return
    now.closed.append(key)
    if now.action == key:
        now.action = ""
    lost, kept = 0, []
    for pool in now.pools:
        if pool.action == MINOR if key == MINOR else pool.action != MINOR and key == MAJORS[pool.type]:
            lost += pool.points
        else:
            kept.append(pool)
    now.pools = kept
    if lost:
        table.log("points.lost", rule="5.3.2", seat=now.seat, points=lost, action=key)
