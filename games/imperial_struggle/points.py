"""Action Points: which may pay for what, Debt and Treaty Points added to them (5.2, 5.3.2, 6.1, 9.1).

An action is `major:<type>` (the tile's Major Action with Event points of its type, or Event points alone) or
`minor`. One is finished before the next is begun, so beginning another closes it and what is left of it is
lost. A Minor Action is one expenditure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from games.imperial_struggle.board import active, available_debt
from games.imperial_struggle.rules import BARS, LIMITS, MINOR_REMOVALS, Purchase, fire
from games.imperial_struggle.state import BRITAIN, ECONOMIC, FRANCE, MAJOR, MINOR, TYPES, Pool, Round, State
from pbem.kernel.answers import Amount, Choice, Domain, Optional, Values
from games.imperial_struggle.table import Table

FREE_DEBT = 2
"""Debt per turn that Merchant Banks (M-17) leave unrecorded."""


MAJORS = {ap: f"{MAJOR}:{ap}" for ap in TYPES}
"""The Major Action of each type, as written in `Round.action` and `Round.closed`."""


def action_key(action: str, ap: str) -> str:
    """The name of an action in `Round.action` and `Round.closed`."""
    return MINOR if action == MINOR else MAJORS[ap]


def borrowable(state: State, seat: str, ap: str) -> int:
    """How many points of type `ap` Debt can still bring (6.1, 6.3), with Merchant Banks (M-17) and Turgot (M-23)."""
    room = available_debt(state, seat)
    extra = 0
    if seat == BRITAIN and ap == ECONOMIC:
        extra = free_debt(state)
    elif seat == FRANCE and room > 0 and turgot(state):
        extra = 1
    return max(0, room) + extra


def free_debt(state: State) -> int:
    """What is left this turn of the Debt that Merchant Banks (M-17) do not record."""
    if not active(state, BRITAIN, "merchant-banks"):
        return 0
    return FREE_DEBT - state.counts.get("merchant-banks", 0)


def turgot(state: State) -> bool:
    """Whether the next Debt yields two points (M-23): the first of the round, compared after recording it."""
    now = state.round
    return (
        active(state, FRANCE, "turgot")
        and now is not None
        and now.borrowed == 0
        and available_debt(state, FRANCE) - 1 > available_debt(state, BRITAIN)
    )


def _limited(pool: Pool) -> bool:
    return bool(pool.limit) or not pool.opens


def usable(table: Table, seat: str, purchase: Purchase, action: str) -> list[Pool] | None:
    """The pools that may pay for this as part of `action`, in the order they are used up; None if it is not open.

    Debt and Treaty Points may be added to an open action; a limit on Event points binds them too (5.2).
    """
    now = table.state.now
    ap = purchase.type
    if now.closed and action_key(action, ap) in now.closed:
        return None
    found: list[Pool] = []
    is_open = False
    for pool in now.pools:
        if pool.type != ap or (pool.action != action and pool.action != "any"):
            continue
        if pool.limit and not LIMITS[pool.limit](table, seat, purchase):
            continue
        found.append(pool)
        if pool.opens and (action == MAJOR or pool.action == MINOR):
            is_open = True
    if not is_open or not _allowed(table, seat, purchase, action):
        return None
    if len(found) > 1:
        if action == MAJOR:
            found.sort(key=lambda pool: (not _limited(pool), pool.action == MAJOR))
        else:
            found.sort(key=lambda pool: (pool.action != MINOR, not _limited(pool)))
    return found


def _allowed(table: Table, seat: str, purchase: Purchase, action: str) -> bool:
    if action == MINOR:
        return _minor_may(table, seat, purchase)
    marks = table.state.now.marks
    return not marks or not any(mark in BARS and BARS[mark](table, seat, purchase) for mark in marks)


def _minor_may(table: Table, seat: str, purchase: Purchase) -> bool:
    """5.3.2: a Minor Action removes no opposing flag or Squadron, unless a Conflict marker is there. Cards may
    except it.
    """
    if not purchase.removes or purchase.space in table.state.conflicts:
        return True
    return any(
        card in MINOR_REMOVALS and MINOR_REMOVALS[card](table, seat, purchase)
        for card in table.state.sides[seat].revealed
    )


def ways(table: Table, seat: str, purchase: Purchase) -> list[str]:
    """The actions that can pay for this: `major`, `minor`, both or none."""
    return [action for action in (MAJOR, MINOR) if _pools(table, seat, purchase, action) is not None]


def _pools(table: Table, seat: str, purchase: Purchase, action: str) -> list[Pool] | None:
    """As `usable`, but None too if Debt and Treaty Points cannot make up the price."""
    pools = usable(table, seat, purchase, action)
    if pools is None:
        return None
    short = purchase.cost
    for pool in pools:
        short -= pool.points
    return pools if short <= 0 or short <= wild(table.state, seat, purchase.type) else None


class Purse:
    """What `seat` can spend of one type right now, worked out once for many questions.

    `most` bounds every price that can be paid; `major` and `minor` are what the two actions can pay without any
    limit (-1: not open). Only in between must a purchase be looked at closely. `credit` is what Debt can bring, `held`
    the unlimited points of the Major Action without Debt and Treaty Points. `loose`: there are points with a limit, so
    that these sums do not tell all; `excepted`: a card may let a Minor Action remove a flag.
    """

    __slots__ = ("credit", "excepted", "held", "loose", "major", "minor", "most", "seat", "table")

    def __init__(self, table: Table, seat: str, ap: str) -> None:
        self.table, self.seat = table, seat
        state = table.state
        now = state.now
        self.major = self.minor = self.most = -1
        self.loose = self.excepted = False
        total = free = major = minor = 0
        some = major_open = minor_open = False
        for pool in now.pools:
            if pool.type != ap:
                continue
            some = True
            total += pool.points
            if pool.limit or not pool.opens or pool.action == "any":
                self.loose = True
                if not pool.limit and pool.opens:
                    major_open = True
                    free += pool.points
            elif pool.action == MAJOR:
                major_open = True
                major += pool.points
            else:
                minor_open = True
                minor += pool.points
        self.held = major + free
        if not some:
            return
        self.credit = borrowable(state, seat, ap)
        extra = self.credit + state.sides[seat].trp
        self.most = total + extra
        closed = now.closed
        if now.marks and any(mark in BARS for mark in now.marks):
            self.loose = True
        elif major_open and MAJORS[ap] not in closed:
            self.major = major + free + extra
        if minor_open and MINOR not in closed:
            self.minor = minor + extra
            self.excepted = any(card in MINOR_REMOVALS for card in state.sides[seat].revealed)

    def pays(self, purchase: Purchase) -> bool:
        """Whether the purchase can be paid for."""
        sure = self.surely(purchase.cost, (purchase.space or "?") if purchase.removes else "")
        return payable(self.table, self.seat, purchase) if sure is None else sure

    def surely(self, cost: int, removed: str) -> bool | None:
        """Whether a price can be paid, None if it takes a closer look; `removed` loses an opposing flag (5.3.2)."""
        if cost > self.most:
            return False
        if cost <= self.major or (
            cost <= self.minor and (not removed or removed in self.table.state.conflicts)
        ):
            return True
        return None if self.loose or (cost <= self.minor and self.excepted) else False

    def ways(self, purchase: Purchase) -> list[str]:
        """The actions that can pay for this: `major`, `minor`, both or none."""
        if self.loose or self.excepted:
            return ways(self.table, self.seat, purchase)
        cost = purchase.cost
        found = [MAJOR] if cost <= self.major else []
        if cost <= self.minor and (not purchase.removes or purchase.space in self.table.state.conflicts):
            found.append(MINOR)
        return found

    def debt_range(self, purchase: Purchase, action: str = "") -> tuple[int, int]:
        """Least and most points that may be borrowed for this, as part of `action` ("": the first that can pay)."""
        cost = purchase.cost
        if self.loose or action == MINOR or cost > self.major:
            return debt_range(self.table, self.seat, purchase, action)
        short = cost - self.held
        if short <= 0:
            return 0, 0
        return max(0, short - self.table.state.sides[self.seat].trp), min(short, self.credit)


class Purses(dict[str, Purse]):
    """The purses of `seat` by type of points, each worked out when it is first looked into."""

    __slots__ = ("seat", "table")

    def __init__(self, table: Table, seat: str) -> None:
        super().__init__()
        self.table, self.seat = table, seat

    def __missing__(self, ap: str) -> Purse:
        purse = self[ap] = Purse(self.table, self.seat, ap)
        return purse


def wild(state: State, seat: str, ap: str) -> int:
    """Points of type `ap` that Debt and Treaty Points together can bring."""
    return borrowable(state, seat, ap) + state.sides[seat].trp


def payable(table: Table, seat: str, purchase: Purchase) -> bool:
    """Whether `seat` can pay for this now."""
    return (
        _pools(table, seat, purchase, MAJOR) is not None or _pools(table, seat, purchase, MINOR) is not None
    )


Buying = Callable[[Values], Purchase]


def payment_fields(
    table: Table, seat: str, purses: Purses, purchase_of: Buying
) -> dict[str, Callable[[Values], Domain | None]]:
    """The fields of a form that say how a purchase is paid; both may be left out.

    `action`: `major` or `minor` (default: major if it can pay). `debt`: how many of the missing points are borrowed
    (default: as many as possible; the rest are Treaty Points).
    """

    def action(values: Values) -> Domain | None:
        purchase = purchase_of(values)  # at once: a description must see what it depends on
        return Optional(Choice(purses[purchase.type].ways(purchase), "action"))

    def debt(values: Values) -> Domain | None:
        purchase = purchase_of(values)
        low, high = purses[purchase.type].debt_range(purchase, values.action or "")
        return Optional(Amount(low, high, what="Debt")) if high else None

    return {"action": action, "debt": debt}


def debt_range(table: Table, seat: str, purchase: Purchase, action: str = "") -> tuple[int, int]:
    """Least and most points that may be borrowed for this, as part of `action` ("": the first that can pay)."""
    pools = None if action == MINOR else _pools(table, seat, purchase, MAJOR)
    if pools is None:
        pools = usable(table, seat, purchase, MINOR) or []
    short = purchase.cost
    for pool in pools:
        short -= pool.points
    if short <= 0:
        return 0, 0
    least = short - table.state.sides[seat].trp
    return max(0, least), min(short, borrowable(table.state, seat, purchase.type))


def pay(table: Table, seat: str, purchase: Purchase, value: Mapping[str, Any] | str) -> str:
    """Pay: points (the most limited first), then Debt and Treaty Points. Returns the action that paid."""
    state = table.state
    now = state.now
    chosen = value if isinstance(value, dict) else {}
    action = chosen.get("action", "")
    pools = None if action == MINOR else _pools(table, seat, purchase, MAJOR)
    if pools is None:
        action, pools = MINOR, usable(table, seat, purchase, MINOR) or []
    else:
        action = MAJOR
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
        borrowed = chosen.get("debt", min(short, borrowable(state, seat, purchase.type)))
    begin(table, MAJORS[purchase.type] if action == MAJOR else MINOR)
    if borrowed and _borrow(table, seat, purchase.type, borrowed) and action == MAJOR:
        pools[0].points += 1
    if short > borrowed:
        side = table.state.sides[seat]
        side.trp -= short - borrowed
        table.say("points.trp", rule="9.1", seat=seat, points=short - borrowed, total=side.trp)
    if purchase.region:
        regions = now.regions.setdefault(purchase.type, [])
        if purchase.region not in regions:
            regions.append(purchase.region)
    fire("paid", table, seat, purchase, action)
    if action == MINOR:
        close(table, MINOR)
    return str(action)


def _borrow(table: Table, seat: str, ap: str, points: int) -> int:
    """Take Debt for `points` points (6.1). Returns a point left over when Turgot's Debt yields two and one was
    needed.
    """
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
    table.say("points.debt", rule="6.1", seat=seat, points=points, debt=recorded, total=side.debt)
    return extra


def begin(table: Table, key: str) -> None:
    """Begin an action, or go on with it; any other one is finished by this (5.2, 5.3)."""
    now = table.state.now
    now.begun = now.event_over = True
    if now.action and now.action != key:
        close(table, now.action)
    now.action = key


def close(table: Table, key: str) -> None:
    """Finish an action: what is left of its points is lost."""
    now = table.state.now
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
        table.say("points.lost", rule="5.3.2", seat=now.seat, points=lost, action=key)
