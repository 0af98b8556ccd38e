"""M-4 Jacobite Uprisings, and what ends them: M-20 Papacy-Hanover Negotiations, or a defeat in war (3.5.2, 7.3)."""

from __future__ import annotations

from games.imperial_struggle import action_points, board, costs, purchases
from games.imperial_struggle.ministries.core import ready, rule, unusable, use
from games.imperial_struggle.refusals import reason
from games.imperial_struggle.state import FRANCE, MILITARY, ActionRound
from games.imperial_struggle.table import KIT, Table
from pbem.kernel.rejections import RejectionReason, because

CARD = "jacobite-uprisings"
RISE, PRETENDER = f"{CARD}/1", f"{CARD}/2"
MOST_VP, PRICE = 4, 3
ISLES = ("ireland", "scotland")


def isles(table: Table) -> list[str]:
    """Return the Political spaces of Ireland and Scotland."""
    return [space for country in ISLES for space in table.c.of_country[country]]


def offer(table: Table, now: ActionRound, words: list[str], types: set[str]) -> None:
    """Offer `rise <space>`: MP as DP in the Isles, any number in one round; `rising`: 3 MP for VP in another."""
    if now.seat != FRANCE or MILITARY not in types or CARD not in table.state.sides[FRANCE].ministries:
        return
    marks = now.marks
    if PRETENDER not in marks and (RISE in marks or ready(table, FRANCE, RISE)):
        words.append("rise")
    if RISE not in marks and ready(table, FRANCE, PRETENDER):
        words.append("rising")


_BID = action_points.Purchase(MILITARY, PRICE, "rising")


def _shift(table: Table, space: str) -> action_points.Purchase:
    """Return a shift in the Isles paid with MP, for the space's political cost, without surcharge (5.3.4)."""
    cost = costs.shift_cost(table, FRANCE, space, ap=MILITARY)
    return action_points.Purchase(MILITARY, cost, "shift", space, "", bool(table.state.flags[space]))


def _others(table: Table, seat: str) -> list[str]:
    return [space for space in isles(table) if table.state.flags[space] != seat]


def _barred(table: Table, seat: str, ability: str, other: str) -> RejectionReason | None:
    """Return what bars one of the two abilities (M-4): the card, the tile, the other ability in the same round."""
    now = table.state.now
    problem = None if ability == RISE and RISE in now.marks else unusable(table, seat, ability)
    if problem is not None:
        return problem
    if not now.tile:
        return because("take_first", "5.1")
    return because("jacobites", "M-4") if other in now.marks else None


_no_isles = purchases.nowhere(_others, _shift, lambda table, seat: because("isles_held", "M-4"))


@reason("rise", early=True)
def _no_rise(table: Table, seat: str) -> RejectionReason | None:
    """Return why Military points shift nothing in the Isles (M-4)."""
    return _barred(table, seat, RISE, PRETENDER) or _no_isles(table, seat)


def _not_risen(table: Table, seat: str, space: str) -> RejectionReason | None:
    """Return why a space can't be shifted with Military points (M-4)."""
    if space not in isles(table):
        return because("isles", "M-4", space=space)
    return because("own", "3.2.8", space=space) if table.state.flags[space] == seat else None


@KIT.action("rise", "M-4", *purchases.sites(_others, _shift, _not_risen))
def rise(table: Table, seat: str, order: action_points.SpacePurchase) -> None:
    """Shift a space with Military points (M-4). The ability is Exhausted, but holds for the rest of the round."""
    now = table.state.now
    if RISE not in now.marks:
        use(table, seat, RISE)
        now.marks.append(RISE)
    action_points.pay(table, seat, _shift(table, order["space"]), order)
    board.shift(table, seat, order["space"], rule(table, CARD))


def _find_bid(table: Table, seat: str) -> purchases.Affordable[action_points.Purchase] | None:
    return purchases.priced(table, seat, _BID) if vp(table) else None


@reason("rising", early=True)
def _no_rising(table: Table, seat: str) -> RejectionReason | None:
    """Return why Military points bring no VP (M-4)."""
    problem = _barred(table, seat, PRETENDER, RISE)
    return problem or (purchases.unpaid(table, seat, _BID) if vp(table) else because("isles_empty", "M-4"))


@KIT.action("rising", "M-4", _find_bid, purchases.payment_form)
def pretender(table: Table, seat: str, order: action_points.Payment) -> None:
    """Score VP for 3 MP (M-4)."""
    use(table, seat, PRETENDER)
    table.state.now.marks.append(PRETENDER)
    action_points.pay(table, seat, _BID, order)
    board.score(table, seat, vp(table), "ministries.vp", rule(table, CARD), card=CARD)


def vp(table: Table) -> int:
    """Return 1 per French flag in the Isles and per Jacobite Victory marker, at most 4."""
    return min(MOST_VP, board.flags_in(table.state, FRANCE, isles(table)) + table.state.jacobite_victories)


def defeat(table: Table, why: str) -> None:
    """Place the Jacobite Defeat marker and remove Jacobite Uprisings from the game, from anywhere (7.3)."""
    state = table.state
    if state.jacobite_defeat:
        return
    state.jacobite_defeat = True
    state.jacobite_card = False
    side = state.sides[FRANCE]
    if CARD in side.ministries and CARD not in side.revealed:
        table.log("ministries.revealed", rule=why, reveals=True, seat=FRANCE, card=CARD)
    for pile in (side.ministries, side.revealed):
        if CARD in pile:
            pile.remove(CARD)
    state.removed.append(CARD)
    table.log("ministries.jacobite_defeat", rule=why)


@KIT.on("revealed")
def accord(table: Table, seat: str, card: str) -> None:
    """M-20 ends the Jacobites the moment it is turned up."""
    if card == "papacy-hanover-negotiations":
        defeat(table, rule(table, card))
