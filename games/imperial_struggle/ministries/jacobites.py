"""M-4 Jacobite Uprisings, and what ends them: M-20 Papacy-Hanover Negotiations, or a defeat in war (3.5.2, 7.3)."""

from __future__ import annotations

from typing import Any

from games.imperial_struggle import board, costs, points
from games.imperial_struggle.ministries.core import ready, rule, use
from games.imperial_struggle.rules import Purchase, Words, handles, offers, on
from games.imperial_struggle.state import FRANCE, MILITARY
from games.imperial_struggle.table import Table
from pbem.kernel.answers import Choice, Form, Values

CARD = "jacobite-uprisings"
RISE, PRETENDER = f"{CARD}/1", f"{CARD}/2"
MOST_VP, PRICE = 4, 3
ISLES = ("ireland", "scotland")


def isles(table: Table) -> list[str]:
    """The Political spaces of Ireland and Scotland."""
    return [space for country in ISLES for space in table.c.of_country[country]]


@offers
def offer(table: Table, seat: str, words: Words, types: set[str]) -> None:
    """`rise <space>`: MP as DP in the Isles, as often as wanted in one round; `rising`: 3 MP for VP in another."""
    state = table.state
    if seat != FRANCE or MILITARY not in types or CARD not in state.sides[FRANCE].ministries:
        return
    marks = state.now.marks
    if PRETENDER not in marks and (RISE in marks or ready(table, seat, RISE)):
        words["rise"] = _rise_form
    if RISE not in marks and ready(table, seat, PRETENDER):
        words["rising"] = _bid_form


def _bid_form(table: Table, seat: str, purses: points.Purses) -> Form | None:
    if not (_vp(table) and purses[MILITARY].pays(_BID)):
        return None
    return Form(points.payment_fields(table, seat, purses, lambda values: _BID))


def _rise_form(table: Table, seat: str, purses: points.Purses) -> Form | None:
    flags, purse = table.state.flags, purses[MILITARY]
    spaces = [s for s in isles(table) if flags[s] != seat and purse.pays(_shift(table, s))]
    if not spaces:
        return None
    fields: dict[str, Any] = {"space": Choice(spaces, "space")}
    return Form(fields | points.payment_fields(table, seat, purses, _bought(table)))


_BID = Purchase(MILITARY, PRICE, "rising")


def _shift(table: Table, space: str) -> Purchase:
    """A shift in the Isles paid with MP, for the space's political cost; MP pay no surcharge (5.3.4)."""
    cost = costs.shift_cost(table, FRANCE, space, ap=MILITARY)
    return Purchase(MILITARY, cost, "shift", space, "", bool(table.state.flags[space]))


def _bought(table: Table) -> Any:
    def purchase(values: Values) -> Purchase:
        return _shift(table, values.space)

    return purchase


@handles("rise")
def rise(table: Table, seat: str, value: Any) -> None:
    """M-4: one such shift. The ability is Exhausted, but holds for the rest of the round."""
    now = table.state.now
    if RISE not in now.marks:
        use(table, seat, RISE)
        now.marks.append(RISE)
    points.pay(table, seat, _shift(table, value["space"]), value)
    board.shift(table, seat, value["space"], rule(table, CARD))


@handles("rising")
def pretender(table: Table, seat: str, value: Any) -> None:
    """M-4: 3 MP for VP."""
    use(table, seat, PRETENDER)
    table.state.now.marks.append(PRETENDER)
    points.pay(table, seat, _BID, value)
    board.score(table, seat, _vp(table), "ministries.vp", rule(table, CARD), card=CARD)


def _vp(table: Table) -> int:
    """1 per French flag in the Isles and per Jacobite Victory marker, at most 4."""
    state = table.state
    return min(MOST_VP, board.flags_in(state, FRANCE, isles(table)) + state.jacobite_victories)


def defeat(table: Table, why: str) -> None:
    """7.3 Jacobite Defeat: the marker is placed and Jacobite Uprisings leaves the game, from wherever it is."""
    state = table.state
    if state.jacobite_defeat:
        return
    state.jacobite_defeat = True
    state.jacobite_card = False
    side = state.sides[FRANCE]
    if CARD in side.ministries and CARD not in side.revealed:
        table.say("ministries.revealed", rule=why, learns=True, seat=FRANCE, card=CARD)
    for pile in (side.ministries, side.revealed):
        if CARD in pile:
            pile.remove(CARD)
    state.removed.append(CARD)
    table.say("ministries.jacobite_defeat", rule=why)


@on("revealed")
def accord(table: Table, seat: str, card: str) -> None:
    """M-20 ends the Jacobites the moment it is turned up."""
    if card == "papacy-hanover-negotiations":
        defeat(table, rule(table, card))
