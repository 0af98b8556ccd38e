"""British Ministry cards (3.5.2): M-5 to 8, 10, 15, 16, 18 to 22. M-17 is in `points`, M-19's shield in `board`."""

from __future__ import annotations

from typing import Any

from games.imperial_struggle import board, costs
from games.imperial_struggle.ministries.core import has_action, ready, untouched, use, word
from games.imperial_struggle.rules import (
    BARS,
    LIMITS,
    MARK_CUTS,
    MINISTRY_CUTS,
    MINOR_REMOVALS,
    Purchase,
    on,
)
from games.imperial_struggle.setup import option
from games.imperial_struggle.state import BRITAIN, DIPLOMATIC, FRANCE, MAJOR, SPAIN
from games.imperial_struggle.table import Table
from games.imperial_struggle.upkeep import draw_card
from pbem.kernel.answers import Choice, Domain
from pbem.kernel.game import Play
from pbem.kernel.questions import Ask

ISLES = ("ireland", "scotland")
DIVIDENDS = ("textiles", "silk", "fruit", "fur-trade", "rum")
DIVIDENDS_MOST = 3
INTRIGUE = ("prussia", "german-states", "russia")
LIBERTY = ("sons-of-liberty", "usa")
BURKE = "edmund-burke"


# -- M-5 Robert Walpole


@word(
    "walpole",
    "robert-walpole/1",
    when=lambda table, seat: bool(table.state.draw or table.state.discards),
    early=True,
)
def walpole(table: Table, seat: str, value: Any) -> Play:
    """M-5: draw an Event, then discard one, perhaps the same."""
    card = draw_card(table, seat)
    hand = table.state.sides[seat].hand
    if card:
        table.say("ministries.drawn", rule="M-5", seat=seat, private={seat: {"card": card}})
        table.surprise(seat)
    if not hand:
        return
    gone = hand[0]
    if len(hand) > 1:
        gone = yield from Ask(seat, "walpole", Choice(list(hand), "event"), rule="M-5", default=gone)
    _discard(table, seat, gone, "M-5")


def _discard(table: Table, seat: str, card: str, why: str) -> None:
    table.state.sides[seat].hand.remove(card)
    table.state.discards.append(card)
    table.say("ministries.discarded", rule=why, seat=seat, card=card)


# -- M-6 Jonathan Swift


def _swift(table: Table, seat: str, space: str, removing: bool) -> int:
    """M-6: placing a flag in the Isles costs 1 DP less."""
    return int(seat == BRITAIN and not removing and table.c.spaces[space].country in ISLES)


def _wit(table: Table, seat: str, purchase: Purchase) -> bool:
    """M-6: with a space of Ireland, Minor Diplomatic actions remove French flags in Europe."""
    return (
        seat == BRITAIN
        and purchase.type == DIPLOMATIC
        and purchase.kind == "shift"
        and table.c.region[purchase.space] == "europe"
        and table.state.flags[purchase.space] == FRANCE
        and board.flags_in(table.state, BRITAIN, table.c.of_country["ireland"]) > 0
    )


MINISTRY_CUTS["jonathan-swift"] = _swift
MINOR_REMOVALS["jonathan-swift"] = _wit


# -- M-7 East India Company


@on("scored")
def dividends(table: Table) -> None:
    """M-7: VP for unexhausted trading Advantages that no marker blocks."""
    state = table.state
    if not board.active(state, BRITAIN, "east-india-company"):
        return
    paying = [
        a
        for a in DIVIDENDS
        if state.advantages[a] == BRITAIN
        and a not in state.exhausted
        and not any(space in state.conflicts for space in table.c.advantages[a].spaces)
    ]
    vp = min(DIVIDENDS_MOST, len(paying))
    board.score(table, BRITAIN, vp, "ministries.vp", "M-7", card="east-india-company")


# -- M-8 Bank of England (its second ability is in `events.play`)


@word("bank", "bank-of-england/1", when=lambda table, seat: True, early=True)
def bank(table: Table, seat: str, value: Any) -> None:
    """M-8: the Debt Limit rises by 1 for good."""
    board.change_limit(table, seat, 1, "M-8")


# -- M-10 Edmond Halley, and Squadrons for 2 MP with M-15


def _yards(table: Table, seat: str) -> Any:
    """M-10, M-15: a Squadron for 2 MP."""
    return [(card, 2) for card in _YARDS if seat == BRITAIN and ready(table, seat, _YARDS[card])]


_YARDS = {"edmond-halley": "edmond-halley/1", "pitt-the-elder": "pitt-the-elder/2"}
costs.SQUADRONS.append(_yards)


@on("squadron_built")
def built(table: Table, seat: str, by: str) -> None:
    """The ability that built a Squadron is Exhausted."""
    if by in _YARDS:
        use(table, seat, _YARDS[by])


def _sails(table: Table, seat: str) -> bool:
    return bool(table.state.sides[seat].hand) and bool(
        board.squadrons(table.state, table.c, BRITAIN, ("europe",))
    )


def _hand(table: Table, seat: str) -> Domain:
    return Choice(list(table.state.sides[seat].hand), "event")


@word("halley", "edmond-halley/2", when=_sails, domain=_hand, early=True)
def halley(table: Table, seat: str, value: Any) -> None:
    """M-10: with a Squadron in Europe, an Event for 1 TRP."""
    _discard(table, seat, value["with"], "M-10")
    board.gain_trp(table, seat, 1, "ministries.treaty", "M-10", card="edmond-halley")


# -- M-15 Pitt the Elder, M-20 Papacy-Hanover Negotiations: points tied to a Diplomatic action


@word("pitt", "pitt-the-elder/1", when=lambda table, seat: has_action(table, DIPLOMATIC))
def pitt(table: Table, seat: str, value: Any) -> None:
    """M-15: 1 DP more for Political spaces without Prestige."""
    board.grant(table, seat, DIPLOMATIC, 1, "pitt", source="pitt-the-elder", opens=False, rule="M-15")


@word("envoys", "papacy-hanover-negotiations/2", when=lambda table, seat: has_action(table, DIPLOMATIC))
def envoys(table: Table, seat: str, value: Any) -> None:
    """M-20: 2 DP more for the Isles."""
    source = "papacy-hanover-negotiations"
    board.grant(table, seat, DIPLOMATIC, 2, "envoys", source=source, opens=False, rule="M-20")


LIMITS["pitt"] = lambda table, seat, purchase: (
    purchase.kind == "shift" and not table.c.spaces[purchase.space].prestige
)
LIMITS["envoys"] = lambda table, seat, purchase: (
    purchase.kind == "shift" and table.c.spaces[purchase.space].country in ISLES
)


# -- M-16 Charles Hanbury Williams


@word(
    "hanbury",
    "charles-hanbury-williams/1",
    when=lambda table, seat: "hanbury" not in table.state.now.marks,
    early=True,
)
def hanbury(table: Table, seat: str, value: Any) -> None:
    """M-16: for the round, French flags in Prussia, the German States and Russia go for 1 DP less."""
    table.state.now.marks.append("hanbury")


def _intrigue(table: Table, seat: str, space: str, removing: bool) -> int:
    return int(
        seat == BRITAIN
        and removing
        and table.state.flags[space] in (FRANCE, SPAIN)
        and table.c.spaces[space].country in INTRIGUE
    )


MARK_CUTS["hanbury"] = _intrigue


# -- M-18 Samuel Johnson


@on("award")
def johnson(table: Table, region: str, winner: str) -> None:
    """M-18: the Europe Award is worth 1 VP more to Britain and 1 less to France, not below 0."""
    state = table.state
    if region != "europe" or not board.active(state, BRITAIN, "samuel-johnson"):
        return
    if winner == BRITAIN or (winner == FRANCE and table.c.awards[state.awards["europe"]].vp > 0):
        board.score(table, BRITAIN, 1, "ministries.vp", "M-18", card="samuel-johnson")


# -- M-19 James Watt


@on("advantage_exhausted")
def watt(table: Table, seat: str, advantage: str) -> None:
    """M-19: 1 TRP for the first Advantage that France uses in a round."""
    state, card = table.state, "james-watt"
    if seat != FRANCE or not board.active(state, BRITAIN, card) or state.round is None:
        return
    if card not in state.round.marks:
        state.round.marks.append(card)
        board.gain_trp(table, BRITAIN, 1, "ministries.treaty", "M-19", card=card)


# -- M-21 Townshend Acts


def _demand(table: Table, seat: str) -> Domain:
    anything = option(table, "townshend") == "any"
    return Choice(list(table.c.commodities if anything else table.state.demand), "commodity")


@word("townshend", "townshend-acts/1", when=untouched, domain=_demand, early=True)
def townshend(table: Table, seat: str, value: Any) -> None:
    """M-21: for the turn, Minor Economic actions remove French flags from Markets of a commodity in demand."""
    table.state.townshend = value["with"]
    table.say("ministries.townshend", rule="M-21", commodity=value["with"])


MINOR_REMOVALS["townshend-acts"] = lambda table, seat, purchase: (
    seat == BRITAIN
    and purchase.kind == "shift"
    and bool(table.state.townshend)
    and table.state.flags[purchase.space] == FRANCE
    and table.c.spaces[purchase.space].commodity == table.state.townshend
)


@on("turn_ends")
def repeal(table: Table) -> None:
    """M-21: the marker comes off at the end of the turn."""
    table.state.townshend = ""


# -- M-22 Edmund Burke


@on("tile_taken")
def speech(table: Table, seat: str) -> None:
    """M-22: a Major Diplomatic action spent wholly in Europe grows by the spaces of Ireland that Britain holds."""
    _speak(table, seat)


@on("event_played")
def speech_after_event(table: Table, seat: str) -> None:
    """M-22: DP of an Event are a Major Action too."""
    _speak(table, seat)


@on("revealed")
def speech_revealed(table: Table, seat: str, card: str) -> None:
    """M-22 turned up during the round."""
    if card == BURKE and table.state.round is not None:
        _speak(table, seat)


@on("flag_set")
def speech_for_ireland(table: Table, space: str, owner: str) -> None:
    """M-22: a space of Ireland taken in the round raises the bonus at once."""
    if owner == BRITAIN and table.c.spaces[space].country == "ireland" and table.state.round is not None:
        _speak(table, table.state.round.seat)


def _speak(table: Table, seat: str) -> None:
    state = table.state
    now = state.now
    if seat != BRITAIN or not board.active(state, BRITAIN, BURKE) or BURKE + ":abroad" in now.marks:
        return
    if not any(p.type == DIPLOMATIC and p.opens and p.action != "minor" for p in now.pools):
        return
    due = board.flags_in(state, BRITAIN, table.c.of_country["ireland"]) - now.marks.count(BURKE)
    if due > 0:
        now.marks.extend([BURKE] * due)
        board.grant(table, seat, DIPLOMATIC, due, BURKE, source=BURKE, action=MAJOR, opens=False, rule="M-22")


@on("paid")
def spent(table: Table, seat: str, purchase: Purchase, action: str) -> None:
    """M-22: note Major DP spent outside Europe (the bonus is lost) and inside (the rest must stay there)."""
    now = table.state.now
    if purchase.type != DIPLOMATIC or action != MAJOR or not board.active(table.state, BRITAIN, BURKE):
        return
    if not _in_europe(table, purchase):
        now.marks.append(BURKE + ":abroad")
    elif BURKE in now.marks:
        now.marks.append(BURKE + ":spent")


def _in_europe(table: Table, purchase: Purchase) -> bool:
    return bool(purchase.space) and table.c.region[purchase.space] == "europe"


LIMITS[BURKE] = lambda table, seat, purchase: (
    _in_europe(table, purchase) and BURKE + ":abroad" not in table.state.now.marks
)
BARS[BURKE + ":spent"] = lambda table, seat, purchase: (
    purchase.type == DIPLOMATIC and not _in_europe(table, purchase)
)


def _liberty(table: Table, seat: str, space: str, removing: bool) -> int:
    """M-22: Sons of Liberty and the United States cost Britain 1 DP less."""
    return int(seat == BRITAIN and table.c.spaces[space].country in LIBERTY)


MINISTRY_CUTS[BURKE] = _liberty
