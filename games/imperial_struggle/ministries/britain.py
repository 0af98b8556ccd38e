"""British Ministry cards (3.5.2): M-5 to 8, 10, 15, 16, 18 to 22.

M-17 is in `action_points`, M-19's shield in `board`.
"""

from __future__ import annotations

from functools import partial

from games.imperial_struggle import board
from games.imperial_struggle.action_points import BARS, LIMITS, MINOR_REMOVALS, Purchase
from games.imperial_struggle.costs import MARK_CUTS, MINISTRY_CUTS
from games.imperial_struggle.ministries import core
from games.imperial_struggle.refusals import BUILDERS, not_in_hand
from games.imperial_struggle.setup import option
from games.imperial_struggle.state import BRITAIN, DIPLOMATIC, FRANCE, MAJOR, MINOR, SPAIN
from games.imperial_struggle.table import KIT, Table
from games.imperial_struggle.upkeep import draw_card
from pbem.kernel.domains import Choice
from pbem.kernel.game import Play
from pbem.kernel.rejections import RejectionReason, because

_walpole = KIT.question("walpole", "M-5")
ISLES = ("ireland", "scotland")
DIVIDENDS = ("textiles", "silk", "fruit", "fur-trade", "rum")
DIVIDENDS_MOST = 3
INTRIGUE = ("prussia", "german-states", "russia")
LIBERTY = ("sons-of-liberty", "usa")
PAPACY = "papacy-hanover-negotiations"
BURKE = "edmund-burke"
ENVOYS = 2


# -- M-5 Robert Walpole


@core.ability(
    "walpole", "robert-walpole/1", lambda table, seat: bool(table.state.draw or table.state.discards),
    lambda table, seat: because("deck", "M-5"), early=True,
)  # fmt: skip
def walpole(table: Table, seat: str, word: str) -> Play:
    """Draw an Event, then discard one, perhaps the same (M-5)."""
    card = draw_card(table, seat)
    hand = table.state.sides[seat].hand
    if card:
        table.log("ministries.drawn", rule="M-5", seat=seat, private={seat: {"card": card}})
        table.stop_advance_orders(seat)
    if not hand:
        return
    gone = hand[0]
    if len(hand) > 1:
        kept = Choice(list(hand), "event", partial(not_in_hand, table, seat))
        gone = yield from _walpole(seat, kept, gone)
    _discard(table, seat, gone, "M-5")


def _discard(table: Table, seat: str, card: str, why: str) -> None:
    table.state.sides[seat].hand.remove(card)
    table.state.discards.append(card)
    table.log("ministries.discarded", rule=why, seat=seat, card=card)


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


@KIT.on("scored")
def dividends(table: Table) -> None:
    """M-7: VP for unexhausted trading Advantages that no marker blocks."""
    state = table.state
    if not board.active(state, BRITAIN, "east-india-company"):
        return
    fresh = [key for key in DIVIDENDS if state.advantages[key] == BRITAIN and key not in state.exhausted]
    vp = min(DIVIDENDS_MOST, len([key for key in fresh if not board.blocked(table, key)]))
    board.score(table, BRITAIN, vp, "ministries.vp", "M-7", card="east-india-company")


# -- M-8 Bank of England (its second ability is in `events.play`)


@core.ability("bank", "bank-of-england/1", lambda table, seat: True, lambda table, seat: None, early=True)
def bank(table: Table, seat: str, word: str) -> None:
    """M-8: the Debt Limit rises by 1 for good."""
    board.change_limit(table, seat, 1, "M-8")


# -- M-10 Edmond Halley, and Squadrons for 2 MP with M-15


@KIT.entry("squadron", "edmond-halley", lambda table, seat, card: core.ready(table, seat, "edmond-halley/1"))
def halley_builds(table: Table, seat: str, card: str) -> None:
    """M-10: a Squadron for 2 MP."""
    core.use(table, seat, "edmond-halley/1")


@KIT.entry("squadron", "pitt-the-elder", lambda table, seat, card: core.ready(table, seat, "pitt-the-elder/2"))
def pitt_builds(table: Table, seat: str, card: str) -> None:
    """M-15: a Squadron for 2 MP."""
    core.use(table, seat, "pitt-the-elder/2")


BUILDERS["edmond-halley"] = lambda table, seat: core.unusable(table, seat, "edmond-halley/1")
BUILDERS["pitt-the-elder"] = lambda table, seat: core.unusable(table, seat, "pitt-the-elder/2")


def _treaties(table: Table, seat: str) -> list[str]:
    """Return the Events in hand, with a Squadron in Europe."""
    return list(table.state.sides[seat].hand) if _fleet(table) else []


def _fleet(table: Table) -> list[str]:
    return board.squadrons(table.state, table.c, BRITAIN, ("europe",))


def _no_treaty(table: Table, seat: str) -> RejectionReason:
    """Return why there is no Event to give for a Treaty Point (M-10)."""
    return because("hand_empty" if _fleet(table) else "europe_fleet", "M-10")


@core.choosing("halley", "edmond-halley/2", _treaties, "event", _no_treaty, not_in_hand)
def halley(table: Table, seat: str, card: str) -> None:
    """M-10: with a Squadron in Europe, an Event for 1 TRP."""
    _discard(table, seat, card, "M-10")
    board.gain_trp(table, seat, 1, "ministries.treaty", "M-10", card="edmond-halley")


# -- M-15 Pitt the Elder, M-20 Papacy-Hanover Negotiations: points tied to a Diplomatic action


@core.ability("pitt", "pitt-the-elder/1", core.has_action(DIPLOMATIC), core.no_action("pitt-the-elder", DIPLOMATIC))
def pitt(table: Table, seat: str, word: str) -> None:
    """M-15: 1 DP more for Political spaces without Prestige."""
    board.grant(table, seat, DIPLOMATIC, 1, "pitt", source="pitt-the-elder", opens=False, rule="M-15")


@core.ability("envoys", f"{PAPACY}/2", core.has_action(DIPLOMATIC), core.no_action(PAPACY, DIPLOMATIC))
def envoys(table: Table, seat: str, word: str) -> None:
    """M-20: 2 DP more for the Isles."""
    board.grant(table, seat, DIPLOMATIC, ENVOYS, "envoys", source=PAPACY, opens=False, rule="M-20")


LIMITS["pitt"] = lambda table, seat, purchase: purchase.kind == "shift" and not table.c.spaces[purchase.space].prestige
LIMITS["envoys"] = lambda table, seat, purchase: (
    purchase.kind == "shift" and table.c.spaces[purchase.space].country in ISLES
)


# -- M-16 Charles Hanbury Williams


HANBURY = "hanbury"


@core.ability(
    HANBURY,
    "charles-hanbury-williams/1",
    lambda table, seat: HANBURY not in table.state.now.marks,
    lambda table, seat: because("ability_used", "M-16", card="charles-hanbury-williams"),
    early=True,
)
def hanbury(table: Table, seat: str, word: str) -> None:
    """M-16: for the round, French flags in Prussia, the German States and Russia go for 1 DP less."""
    table.state.now.marks.append(HANBURY)


def _intrigue(table: Table, seat: str, space: str, removing: bool) -> int:
    return int(
        seat == BRITAIN
        and removing
        and table.state.flags[space] in (FRANCE, SPAIN)
        and table.c.spaces[space].country in INTRIGUE
    )


MARK_CUTS[HANBURY] = _intrigue


# -- M-18 Samuel Johnson


@KIT.on("award")
def johnson(table: Table, region: str, winner: str) -> None:
    """M-18: the Europe Award is worth 1 VP more to Britain and 1 less to France, not below 0."""
    if region != "europe" or not board.active(table.state, BRITAIN, "samuel-johnson"):
        return
    if winner == BRITAIN or (winner == FRANCE and table.c.awards[table.state.awards["europe"]].vp > 0):
        board.score(table, BRITAIN, 1, "ministries.vp", "M-18", card="samuel-johnson")


# -- M-19 James Watt


@KIT.on("advantage_exhausted")
def watt(table: Table, seat: str, advantage: str) -> None:
    """M-19: 1 TRP for the first Advantage that France uses in a round."""
    state, card = table.state, "james-watt"
    if seat != FRANCE or not board.active(state, BRITAIN, card) or state.round is None:
        return
    if card not in state.round.marks:
        state.round.marks.append(card)
        board.gain_trp(table, BRITAIN, 1, "ministries.treaty", "M-19", card=card)


# -- M-21 Townshend Acts


def _demand(table: Table, seat: str) -> list[str]:
    """Return the commodities in demand (a house rule: any), at the start of the round."""
    if not core.untouched(table):
        return []
    return list(table.c.commodities if option(table, "townshend") == "any" else table.state.demand)


def _not_in_demand(table: Table, seat: str, commodity: str) -> RejectionReason | None:
    """Return why a commodity can't be named (M-21)."""
    return because("demand", "M-21", commodity=commodity) if commodity in table.c.commodities else None


@core.choosing("townshend", "townshend-acts/1", _demand, "commodity", core.not_fresh, _not_in_demand)
def townshend(table: Table, seat: str, commodity: str) -> None:
    """M-21: for the turn, Minor Economic actions remove French flags from Markets of a commodity in demand."""
    table.state.townshend = commodity
    table.log("ministries.townshend", rule="M-21", commodity=commodity)


MINOR_REMOVALS["townshend-acts"] = lambda table, seat, purchase: (
    seat == BRITAIN
    and purchase.kind == "shift"
    and bool(table.state.townshend)
    and table.state.flags[purchase.space] == FRANCE
    and table.c.spaces[purchase.space].commodity == table.state.townshend
)


@KIT.on("turn_ends")
def repeal(table: Table) -> None:
    """M-21: the marker comes off at the end of the turn."""
    table.state.townshend = ""


# -- M-22 Edmund Burke


@KIT.on("revealed")
def speech_revealed(table: Table, seat: str, card: str) -> None:
    """M-22, turned up during the round."""
    if card == BURKE and table.state.round is not None:
        _speak(table, seat)


@KIT.on("flag_set")
def speech_for_ireland(table: Table, space: str, owner: str) -> None:
    """M-22: a space of Ireland taken in the round raises the bonus at once."""
    if owner == BRITAIN and table.c.spaces[space].country == "ireland" and table.state.round is not None:
        _speak(table, table.state.round.seat)


@KIT.on("tile_taken")
@KIT.on("event_played")  # DP of an Event are a Major Action too
def _speak(table: Table, seat: str) -> None:
    """M-22: a Major Diplomatic action spent wholly in Europe grows by the spaces of Ireland that Britain holds."""
    state = table.state
    if seat != BRITAIN or not board.active(state, BRITAIN, BURKE):
        return
    now = state.now
    if BURKE + ":abroad" in now.marks:
        return
    if not any(pool.type == DIPLOMATIC and pool.opens and pool.action != MINOR for pool in now.pools):
        return
    due = board.flags_in(state, BRITAIN, table.c.of_country["ireland"]) - now.marks.count(BURKE)
    if due > 0:
        now.marks.extend([BURKE] * due)
        board.grant(table, seat, DIPLOMATIC, due, BURKE, source=BURKE, action=MAJOR, opens=False, rule="M-22")


@KIT.on("paid")
def spent(table: Table, seat: str, purchase: Purchase, action: str) -> None:
    """Note Major DP spent outside Europe (the bonus is lost) and inside (the rest must stay there) (M-22)."""
    if purchase.type != DIPLOMATIC or action != MAJOR or not board.active(table.state, BRITAIN, BURKE):
        return
    now = table.state.now
    if not _in_europe(table, purchase):
        now.marks.append(BURKE + ":abroad")
    elif BURKE in now.marks:
        now.marks.append(BURKE + ":spent")


def _in_europe(table: Table, purchase: Purchase) -> bool:
    return bool(purchase.space) and table.c.region[purchase.space] == "europe"


LIMITS[BURKE] = lambda table, seat, purchase: (
    _in_europe(table, purchase) and BURKE + ":abroad" not in table.state.now.marks
)
BARS[BURKE + ":spent"] = lambda table, seat, purchase: purchase.type == DIPLOMATIC and not _in_europe(table, purchase)


def _liberty(table: Table, seat: str, space: str, removing: bool) -> int:
    """M-22: Sons of Liberty and the United States cost Britain 1 DP less."""
    return int(seat == BRITAIN and table.c.spaces[space].country in LIBERTY)


MINISTRY_CUTS[BURKE] = _liberty
