"""The negotiation segment (9.1): 48 hours of private talk, then announcements and confirmation.

By email a deal is proposed and signed within the window; signing binds nobody. When the window closes, all signed deals
are announced, and in impulse order every seat confirms some of its deals. A deal that all parties have confirmed is
executed at once, as a whole; if it has become impossible it fails as a whole (9.1, the example of the two mercenaries).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from games.virgin_queen import refusals, responses
from games.virgin_queen.diplomacy import clauses, deal_text, execute, relations
from games.virgin_queen.query import seat_of
from games.virgin_queen.state import HRE, POWERS
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import WAIT, Choice, Domain, Form, Menu, Optional, Subset
from pbem.kernel.game import Play
from pbem.kernel.joint_questions import CollectedAnswers, ask_together
from pbem.kernel.questions import Ask, Negotiate, Proposal
from pbem.kernel.rejections import RejectionReason

KIT.chapter("9.1", "negotiations", "diplomacy/")
KIT.question("negotiation", "9.1", "negotiation")
_ask_confirm = KIT.question("confirm", "9.1", "ballot")
_ask_announce = KIT.question("announce", "9.1", "ballot")

HOURS = 48


@KIT.phase("negotiation")
def negotiation(table: Table) -> Play:
    """9.1 Resolve the first segment of the diplomacy phase."""
    state = table.state
    state.peaces = []
    for own in state.powers.values():
        own.used = {key: number for key, number in own.used.items() if "-to-" not in key}
    seats = tuple(seat for seat in table.seats if clauses.powers_of(state, seat))
    table.log("negotiation.opens", rule="9.1", turn=state.turn, hours=HOURS)
    deals = yield Negotiate(
        seats,
        terms=lambda seat: clauses.terms(table, seat),
        parties=lambda seat, value: clauses.parties(table, seat, value),
        conflict=lambda found: together(table, found),
        hours=HOURS,
        rule="9.1",
        about={"turn": state.turn},
    )
    yield from announce(table, [bound for deal in deals if (bound := clauses.binding(deal)) is not None])
    bachelors = [seat for seat in seats if clauses.bachelors(table, seat)]
    yield from responses.offer(table, "negotiation", {"turn": state.turn, "touches": bachelors})  # card 95
    state.powers[HRE].stock["hire"] = 0


def together(table: Table, deals: list[Proposal]) -> RejectionReason | None:
    """9.1 Return why the last deal can't be signed next to those of the same two powers; others don't matter."""
    last = deals[-1]
    for other in deals[:-1]:
        for leg in clauses.legs(table, other):
            for two in clauses.legs(table, last):
                same = {leg["power"], leg["partner"]} == {two["power"], two["partner"]}
                if same and (clash := _clash(leg, two)):
                    return RejectionReason("deal.clash", {"clause": clash, "deal": other.id}, "9.1")
    return None


def _clash(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return the clause of `other` that the two powers have settled by `one`, "" if there is none."""
    turned, status = one["power"] != other["power"], clauses.GROUPS[0][0]
    once = (clauses.RETURN, clauses.RECOVER, clauses.CEDE, clauses.RECEIVE)
    for clause in other["of"]:
        gift = clause.partition("-")[2]
        for before in one["of"]:
            word = _MIRROR.get(before, before) if turned else before
            weds = {clause, word} <= {clauses.WED, clauses.PEACE_WED}
            if (
                (clause in status and word in status)
                or (gift in clauses.GIFTS and gift == word.partition("-")[2])
                or (clause == word and clause in once)
                or (weds and (one["groom"] == other["groom"] or one["bride"] == other["bride"]))
            ):
                return str(clause)
    return ""


_MIRROR = {
    clauses.LEND: clauses.BORROW, clauses.RETURN: clauses.RECOVER, clauses.CEDE: clauses.RECEIVE,
    **{f"give-{gift}": f"take-{gift}" for gift in clauses.GIFTS},
}  # fmt: skip
_MIRROR |= {value: key for key, value in _MIRROR.items()}
"""Clause → the same as the partner would write it."""


def announce(table: Table, deals: list[Proposal]) -> Play:
    """9.1 Log all deals; then the seats confirm in impulse order and make their own announcements."""
    state = table.state
    for deal in sorted(deals, key=lambda deal: POWERS.index(clauses.legs(table, deal)[0]["power"])):
        deal_text.announce(table, deal)
    if deals:
        table.stop_advance_orders()
    confirmed: dict[str, set[str]] = {deal.id: set() for deal in deals}
    open_deals = {deal.id: deal for deal in deals}
    seats = [seat for seat in dict.fromkeys(seat_of(state, power) for power in POWERS) if seat]
    asks = {seat: ask for seat in seats if (ask := _confirming(table, seat, open_deals))}
    said = yield from ask_together(table, asks)
    own = yield from ask_together(table, {seat: ask for seat in seats if (ask := _announcing(table, seat))})
    for seat in seats:
        yield from _confirm(table, seat, open_deals, confirmed, said)
        yield from _own(table, seat, own)


def _confirming(table: Table, seat: str, deals: Mapping[str, Proposal]) -> Ask[list[str]] | None:
    """9.1 Return the question which of its deals a seat confirms, None if it has none."""
    mine = [key for key, deal in deals.items() if seat in deal.parties]
    if not mine:
        return None
    terms = {key: clauses.legs(table, deals[key]) for key in mine}
    return _ask_confirm(seat, Subset(mine, 0, len(mine), what="deals"), mine, deals=mine, terms=terms)


def _confirm(
    table: Table, seat: str, deals: dict[str, Proposal], confirmed: dict[str, set[str]],
    before: CollectedAnswers[list[str]],
) -> Play:  # fmt: skip
    """9.1 Confirm or refuse a seat's deals that are open, by its advance answer; execute what is then complete."""
    ask = _confirming(table, seat, deals)
    if ask is not None:
        mine = [key for key, deal in deals.items() if seat in deal.parties]
        said = before.of(seat)
        if said == WAIT:
            said = yield from before.answer(seat, ask)
        said = [key for key in said if key in mine]
        for key in mine:
            if key in said:
                confirmed[key].add(seat)
            else:
                table.log("deal.refused", rule="9.1", deal=key, seat=seat)
                del deals[key]
        for key in said:
            if confirmed[key] >= set(deals[key].parties):
                yield from _complete(table, deals.pop(key))


def _complete(table: Table, deal: Proposal) -> Play:
    if execute.why_not(table, deal) is not None:
        table.log("deal.fails", rule="9.1", deal=deal.id, clause=deal_text.obstacle(table, deal))
        return
    table.log("deal.confirmed", rule="9.1", deal=deal.id)
    yield from execute.carry_out(table, deal)


def own_menu(table: Table, seat: str) -> Menu | None:
    """Return what a seat may announce without a partner, None if nothing.

    `wed`: a couple of one power (9.1), or one of the Empire's royals for a point of influence while it is
    inactive (27.1); `ally`: an alliance, perhaps with a loan, between two powers of one player (27).
    """
    entries: dict[str, Domain | None] = {}
    mine = clauses.powers_of(table.state, seat)
    pairs = own_couples(table, mine)
    if pairs:
        grooms = list(dict.fromkeys(man for man, _ in pairs))
        powers = (*mine, HRE) if buyers(table, mine) else tuple(mine)
        why = partial(refusals.royal, table, powers)
        entries["wed"] = Form(
            groom=Choice(grooms, "royal", why),
            bride=lambda v: Choice([woman for man, woman in pairs if man == v.groom], "royal", why),
        )
    if allies := own_allies(table, mine):
        entries["ally"] = _own_alliance(table, allies)
    if not entries:
        return None
    return Menu({"pass": None, **entries}, bag=["pass", "pass", *entries], why=refusals.announcing)


def own_couples(table: Table, mine: Sequence[str]) -> list[tuple[str, str]]:
    """9.1, 27.1 Return the couples that the player of these powers may announce alone."""
    found = [pair for power in mine for pair in clauses.couples(table, power, power)]
    for i, part in enumerate(mine):
        for other in mine[i + 1 :]:
            found += clauses.couples(table, part, other)
    for power in buyers(table, mine):
        found += clauses.couples(table, power, HRE)
    return found


def buyers(table: Table, mine: Sequence[str]) -> list[str]:
    """27.1 Return a player's powers that may bargain for royals of the inactive Empire, by influence on it."""
    state = table.state
    empire = state.minors.get(HRE)
    if empire is None or empire.ally:
        return []
    return [power for power in mine if empire.influence.get(power, 0) > 0]


def own_allies(table: Table, mine: Sequence[str]) -> list[tuple[str, str]]:
    """27 Return the pairs of powers of one player that may ally."""
    return [(a, b) for i, a in enumerate(mine) for b in mine[i + 1 :] if relations.may_ally(table, a, b)]


def _own_alliance(table: Table, allies: list[tuple[str, str]]) -> Form:
    words = {f"{a}-{b}": (a, b) for a, b in allies}

    def ships(values: Any, turned: bool) -> Domain | None:
        a, b = words[values.pair][::-1] if turned else words[values.pair]
        found = clauses.lendable(table, a, b)
        return Optional(clauses.some_ships(found)) if found else None

    return Form(
        pair=Choice(list(words), "powers"),
        lend=lambda v: ships(v, False),
        borrow=lambda v: None if v.lend else ships(v, True),
    )


def _announcing(table: Table, seat: str) -> Ask[Any] | None:
    """9.1, 27 Return the question what a seat announces for itself, None if there is nothing."""
    menu = own_menu(table, seat)
    return None if menu is None else _ask_announce(seat, menu, "pass", turn=table.state.turn)


def _own(table: Table, seat: str, before: CollectedAnswers[Any]) -> Play:
    """9.1, 27 Make a seat's own announcements, one after another; the first may be an advance answer."""
    first = True
    while (ask := _announcing(table, seat)) is not None:
        said = (yield from before.answer(seat, ask)) if first else (yield from ask)
        first = False
        if said == "pass":
            return
        before.record_action(seat)
        if said["do"] == "wed":
            _pay_influence(table, seat, said)
            yield from execute.betroth(table, said["groom"], said["bride"])
        else:
            a, b = said["pair"].split("-")
            execute.ally(table, a, b)
            for lender, borrower, word in ((a, b, "lend"), (b, a, "borrow")):
                if word in said:
                    yield from execute.lend(table, lender, borrower, said[word], [])


def _pay_influence(table: Table, seat: str, said: Mapping[str, Any]) -> None:
    """27.1 Pay a point of influence on the inactive Empire for one of its royals."""
    state = table.state
    owners = {state.royals[said[word]].power for word in ("groom", "bride")}
    mine = clauses.powers_of(state, seat)
    if HRE in owners and (paying := [power for power in buyers(table, mine) if power in owners]):
        state.minors[HRE].influence[paying[0]] -= 1
        table.log("deal.empire", rule="27.1", power=paying[0])
