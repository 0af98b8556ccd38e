"""Events of rulers, courts, patrons and weddings: 5, 6, 36, 37, 48, 84 to 87, 95 (texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from games.virgin_queen import cards, impulse, minors, refusals
from games.virgin_queen.courts import weddings
from games.virgin_queen.courts.deaths import ELIZABETH, SECTIONS, royal_dies
from games.virgin_queen.diplomacy import clauses, declarations, execute, relations
from games.virgin_queen.events.common import ask, ask_consent, choose, end_war, event, option, others, played
from games.virgin_queen.events.conversions import ALL, DICE, open_areas
from games.virgin_queen.gate import arrive, england_spain_cost
from games.virgin_queen.learning.patronage import ITALY, KINDS, drawable, patronize
from games.virgin_queen.query import seat_of, set_war
from games.virgin_queen.religion.conversion import ConversionAttempts, convert
from games.virgin_queen.responses import response
from games.virgin_queen.special import foreign_war
from games.virgin_queen.state import (
    CATHOLIC,
    ENGLAND,
    FRANCE,
    GONE,
    HRE,
    LATER,
    ON_CARD,
    OTTOMAN,
    POLAND,
    POWERS,
    VENICE,
)
from games.virgin_queen.table import KIT, Table
from games.virgin_queen.victory import award
from pbem.kernel.domains import Choice, Domain, Form, Menu
from pbem.kernel.game import Play, Rule
from pbem.kernel.questions import AskAll

KIT.question("event_patronage", "6.1")
BULL_CP, PATRON_CP, COMMISSION_CP = 4, 4, 3
RUDOLF = "rudolf_ii"


def italians(table: Table) -> list[str]:
    """22.1, 22.2 Return the kinds of which an Italian may be drawn."""
    return [kind for kind in KINDS if drawable(table, kind, ITALY)]


def patronize_italian(table: Table, power: str, card: str, cp: int) -> Rule[None]:
    """#5, #48 Patronise a random Italian artist or scientist, as if with the given CP, outside the limit of one."""
    kind = yield from option(table, power, card, italians(table))
    patronize(table, power, kind, ITALY, cp, limited=False, rule="6.1")


def patrons(table: Table) -> dict[str, list[str]]:
    """#36 Return kind → people the Empire may draw: its own or Italians. None after Rudolf's wedding (21.1)."""
    if table.state.royals[RUDOLF].state == "wed":
        return {}
    found = {kind: [owner for owner in (HRE, ITALY) if drawable(table, kind, owner)] for kind in KINDS}
    return {kind: owners for kind, owners in found.items() if owners}


@event("patron-of-arts-sciences", lambda table, power: bool(patrons(table)))
def patron_of_arts_sciences(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[None]:
    """Resolve #36: an artist and a scientist, imperial or Italian, as if with 4 CP each, outside the limit."""
    found = patrons(table)
    fields = {kind: Choice(owners, "power") for kind, owners in found.items() if len(owners) > 1}
    order = {kind: owners[0] for kind, owners in found.items()}
    if fields:
        default = {kind: order[kind] for kind in fields}
        order |= yield from ask(table, power, "patron-of-arts-sciences", "patronage", Form(fields), default)
    for kind, owner in order.items():
        patronize(table, power, kind, owner, PATRON_CP, limited=False, rule="6.1")


@event("commissioned-from-italy", lambda table, power: bool(italians(table)))
def commissioned_from_italy(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[None]:
    """Resolve #48: a random Italian artist or scientist, as if with 3 CP."""
    yield from patronize_italian(table, power, "commissioned-from-italy", COMMISSION_CP)


_ask_event_vote = KIT.question("event_vote", "6.1", "ballot")


def new_ruler(table: Table, power: str, ruler: str) -> None:
    """3.3 Put another ruler on the power card."""
    state, own = table.state, table.state.powers[power]
    royal, leader = state.royals.get(ruler), state.leaders.get(ruler)
    own.ruler = ruler
    # 21.1, 23.4, 23.5: who died before they came to rule, as a royal or as a leader, is a dead ruler.
    own.ruler_dead = (royal is not None and royal.state == "dead") or (leader is not None and leader.at == GONE)
    table.log("event.ruler", rule="3.3", power=power, ruler=ruler)
    if own.ruler_dead:
        table.log("courts.ruler_dies", rule=SECTIONS[power], power=power, ruler=ruler)


@event("papal-bull", lambda t, p: not t.state.minors["papacy"].resolved)
def papal_bull(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #5: the status of the Papacy; its ally then chooses one thing."""
    state = table.state
    yield from minors.resolve(table, "papacy")
    ally = state.minors["papacy"].ally
    if not ally:
        return
    uses = []
    if not state.excommunicated and not state.powers[ENGLAND].ruler_dead:
        uses.append("excommunicate")
    if "holy-league" in state.discards and "holy-league" not in state.powers[ally].events:
        uses.append("holy-league")
    areas = open_areas(table, CATHOLIC, ALL)
    if italians(table):
        uses.append("patronize")
    if areas:
        uses.append("convert")
    if not uses:
        return
    use = yield from option(table, ally, "papal-bull", uses)
    if use == "excommunicate":
        state.excommunicated = True
        cost = england_spain_cost(table)
        table.log("event.excommunicated", rule="9.5", power=ally, cost=cost)
    elif use == "holy-league":
        fetch(table, ally, "holy-league")
    elif use == "convert":
        area = yield from choose(table, ally, "papal-bull", "area", areas)
        yield from convert(table, ally, ConversionAttempts(CATHOLIC, area, DICE["papal-bull"], "6.1"))
    else:
        yield from patronize_italian(table, ally, "papal-bull", BULL_CP)


def fetch(table: Table, power: str, card: str, *, waits: bool = False) -> None:
    """6.2 Move a card from the discards into a hand, in public; it may have to wait for the next impulse."""
    table.state.discards.remove(card)
    own = table.state.powers[power]
    own.hand.append(card)
    own.fresh += [card] if waits else []
    table.log("event.fetched", rule="6.2", power=power, what=card)


@event("selim-ii", lambda t, p: t.state.powers[OTTOMAN].ruler == "suleiman")
def selim(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #6: Selim II rules; the Ottomans may declare a free war on inactive Venice (24.6 applies)."""
    new_ruler(table, OTTOMAN, "selim_ii")
    yield from venetian_war(table, "selim-ii")


def venetian_war(table: Table, card: str) -> Play:
    """9.4 Start a free war on Venice, with intervention as after any declaration."""
    if not played(table, OTTOMAN) or not relations.allowed(table, OTTOMAN, VENICE):
        return
    if (yield from ask_consent(table, OTTOMAN, card, "war", other=VENICE)):
        table.log("war.declared", rule="9.4", power=OTTOMAN, on=VENICE, cost=0)
        set_war(table, OTTOMAN, VENICE)
        declarations.bar(table, OTTOMAN, VENICE)
        yield from declarations.intervention(table, OTTOMAN, VENICE)


@event("murad-iii", lambda t, p: t.state.powers[OTTOMAN].ruler in ("suleiman", "selim_ii"))
def murad(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #85: Murad III rules, also if Selim II never did; the Ottomans may make peace with one who agrees."""
    state = table.state
    if state.powers[OTTOMAN].ruler == "suleiman":
        yield from venetian_war(table, "murad-iii")
    new_ruler(table, OTTOMAN, "murad_iii")
    foes = [
        other for other in others(OTTOMAN) if relations.may_make_peace(table, OTTOMAN, other) and played(table, other)
    ]
    if not foes or not played(table, OTTOMAN):
        return
    foe = yield from choose(table, OTTOMAN, "murad-iii", "power", ["none", *foes])
    if foe != "none" and (yield from ask_consent(table, foe, "murad-iii", "peace", other=OTTOMAN)):
        yield from end_war(table, OTTOMAN, foe)


@event("henry-iii", lambda t, p: t.state.powers[FRANCE].ruler == "charles_ix")
def henry(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #84: Charles IX dies; Henry III rules, and comes to Paris if not in play yet."""
    state = table.state
    royal_dies(table, "charles_ix")
    new_ruler(table, FRANCE, "henry_iii")
    if state.royals["henry_iii"].state == "later":
        state.royals["henry_iii"].state = "free"
        table.log("royal.enters", rule="8.1", royal="henry_iii", power=FRANCE)
    leader = state.leaders["henry_iii"]
    if leader.at == LATER:
        arrive(table, "henry_iii", "paris" if state.control["paris"] == FRANCE else ON_CARD)


@event("rudolf-ii", lambda t, p: t.state.powers[HRE].ruler == "maximilian_ii")
def rudolf(table: Table, power: str, aim: Mapping[str, Any]) -> None:
    """Resolve #87: Rudolf II rules; the capital moves to Prague (23.5), the centre of culture (22)."""
    state = table.state
    new_ruler(table, HRE, "rudolf_ii")
    state.capitals = {space: holder for space, holder in state.capitals.items() if holder != HRE}
    state.capitals["prague"] = HRE
    state.powers[HRE].stock["prague"] = 1
    table.log("event.capital", rule="23.5", power=HRE, space="prague")


def votes(table: Table, power: str) -> Menu:
    """#86 Return `pass`, or a card for `france` or the `hre`: home cards too, never mandatory ones."""
    hand = [card for card in table.state.powers[power].hand if table.c.cards[card].type != "mandatory"]
    entries: dict[str, Domain | None] = {"pass": None}
    if hand:
        card = Choice(hand, "card", partial(refusals.laid, table, power))
        entries |= {FRANCE: card, HRE: card}
    return Menu(entries, why=refusals.voting)


@event("polish-royal-election")
def polish_royal_election(table: Table, power: str, aim: Mapping[str, Any]) -> Play:
    """Resolve #86: sealed cards, revealed together; more CP are 2 VP, a tie France's. A war in Poland ends (23.7)."""
    state = table.state
    said: dict[str, Any] = {}
    for turn in range(len(POWERS)):
        asks = {}
        for seat in table.seats:
            mine = [other for other in POWERS if seat_of(state, other) == seat and state.powers[other].hand]
            if turn < len(mine):
                about: dict[str, Any] = {"power": mine[turn], "card": "polish-royal-election"}
                asks[seat] = _ask_event_vote(seat, partial(votes, table, mine[turn]), "pass", **about)
        if not asks:
            break
        answers = yield AskAll(asks)
        said |= {asks[seat].about["power"]: answer for seat, answer in answers.items()}
    totals = {FRANCE: 0, HRE: 0}
    for voter in [other for other in POWERS if said.get(other, "pass") != "pass"]:
        candidate, card = said[voter]["do"], said[voter]["with"]
        totals[candidate] += table.c.cards[card].cp
        state.powers[voter].hand.remove(card)
        cards.discard(table, card)
        table.log("event.vote", rule="6.1", power=voter, what=card, candidate=candidate, reveals=True)
    winner = HRE if totals[HRE] > totals[FRANCE] else FRANCE
    award(table, winner, "polish_election", table.c.special["bonus_vp"]["polish_election"])
    if POLAND in state.foreign_wars:
        yield from foreign_war.end(table, POLAND)
    table.stop_advance_orders()


KIT.question("event_royal", "6.1")
POINTS = 2
LOUISE = "louise_of_lorraine"


def royal_wedding(table: Table, power: str, card: str) -> Rule[None]:
    """#33, #80 Put the wedding marker on a betrothed French royal: +2 on the roll, 1 VP if they wed; then 2 CP."""
    state = table.state
    found = [key for betrothal in state.betrothed for key in betrothal.couple if state.royals[key].power == FRANCE]
    state.wedding_marker = yield from choose(table, power, card, "royal", found)
    table.log("wedding.marker", rule="21.1", power=power, royal=state.wedding_marker)
    yield from impulse.spend(table, power, POINTS, "event")


@response("wedding", "the-virgin-queen", lambda t, p, a: p == ENGLAND and ELIZABETH in a["couple"], sheet=False)
def jilting(table: Table, power: str, about: Mapping[str, Any]) -> Rule[bool]:
    """Resolve #37: Elizabeth breaks off her betrothal before the wedding. The groom's power is compensated (23.3)."""
    couple = next(betrothal for betrothal in table.state.betrothed if ELIZABETH in betrothal.couple)
    yield from weddings.jilt(table, couple)
    return True


@response("negotiation", "louise-of-lorraine", lambda t, p, a: bool(clauses.bachelors(t, seat_of(t.state, p))))
def louise(table: Table, power: str, about: Mapping[str, Any]) -> Play:
    """Resolve #95: betroth Louise to a man of the player (FAQ 28); she counts by the higher rating alone."""
    grooms = clauses.bachelors(table, seat_of(table.state, power))
    man = yield from choose(table, power, "louise-of-lorraine", "royal", grooms)
    bride = table.state.royals[LOUISE]
    bride.power = table.state.royals[man].power
    yield from execute.betroth(table, man, LOUISE)
