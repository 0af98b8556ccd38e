"""Execution of deals (9.1): each as a whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.virgin_queen import cards, fleets
from games.virgin_queen.courts.deaths import MARY
from games.virgin_queen.courts.weddings import wed
from games.virgin_queen.diplomacy import clauses, deal_text, gifts
from games.virgin_queen.displacement import displace
from games.virgin_queen.formations import add, muster, pool_left, settle
from games.virgin_queen.gate import may_stand, station
from games.virgin_queen.query import commander, friendly, other_sides, pool_of, seat_of, set_allied, set_peace
from games.virgin_queen.state import HRE, ON_CARD, Betrothal, QueenState, pair
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Distribution
from pbem.kernel.game import Play
from pbem.kernel.questions import Proposal
from pbem.kernel.rejections import Rejection, RejectionReason, rejection

KIT.chapter("9.2", "alliances and loans", "diplomacy/execute.py")
KIT.question("homecoming", "9.1")
KIT.question("berth", "9.2")
_ask_quarter = KIT.question("quarter", "9.1")


def why_not(table: Table, deal: Proposal) -> RejectionReason | None:
    """9.1 Return why a deal can't be executed as a whole now, None if it can."""
    form = clauses.terms(table, deal.by)
    try:
        if form is None:
            raise rejection("deal.nothing", rule="9.1")
        form.check(deal.terms)
    except Rejection as refused:
        return refused.problem.under("9.1")
    return None


def carry_out(table: Table, deal: Proposal) -> Play:
    """9.1 Execute a deal that passed `why_not`, all parts together: none can use what another one brings."""
    parts = [(part["power"], part["partner"], part) for part in clauses.legs(table, deal)]
    _treaties(table, parts)
    soldiers = _both_ways(parts, "give_mercenaries", "take_mercenaries")
    for giver, receiver, units in soldiers:
        yield from hand_over(table, giver, receiver, units)
    for giver, _, units in soldiers:
        settle(table, giver, *gifts.places(units))
    for p, q, part in parts:
        for lender, borrower, word in ((p, q, "lend"), (q, p, "borrow")):
            if word in part:
                yield from lend(table, lender, borrower, part[word], part.get("admirals", []))
    for captor, _, leaders in _both_ways(parts, "return", "recover"):
        for leader in leaders:
            yield from homecoming(table, leader, captor, "9.1")
    for giver, receiver, spaces in _both_ways(parts, "cede", "receive"):
        yield from cede(table, giver, receiver, spaces)
    for gift in ("cards", "treasures"):
        give(table, gift, _both_ways(parts, f"give_{gift}", f"take_{gift}"))
    for _, _, part in parts:
        if "groom" in part:
            yield from betroth(table, part["groom"], part["bride"])


def _treaties(table: Table, parts: Sequence[tuple[str, str, Mapping[str, Any]]]) -> None:
    """9.1, 9.2 Execute peace first, then alliances."""
    for p, q, part in parts:
        if clauses.PEACE in part["of"] or clauses.PEACE_WED in part["of"]:
            peace(table, p, q)
    for p, q, part in parts:
        if any(clause in part["of"] for clause in (clauses.ALLIANCE, clauses.LEND, clauses.BORROW)):
            ally(table, p, q)


def _both_ways(parts: Sequence[tuple[str, str, Mapping[str, Any]]], give: str, take: str) -> list[tuple[str, str, Any]]:
    """Return giver, receiver and what is given, of every part in which one gives or takes."""
    return [
        (giver, receiver, part[word])
        for p, q, part in parts
        for giver, receiver, word in ((p, q, give), (q, p, take))
        if word in part
    ]


def note(state: QueenState, word: str, giver: str, receiver: str, number: int = 1) -> None:
    """Note what one power gave another this turn: nothing of the kind may come back (9.1, 9.2)."""
    used = state.powers[giver].used
    key = f"{word}-to-{receiver}"
    used[key] = used.get(key, 0) + number


def peace(table: Table, a: str, b: str) -> None:
    """9.1 End a war; these two may neither ally (9.1) nor go to war (9.4) in this phase."""
    set_peace(table, a, b)
    table.state.peaces.append(pair(a, b))
    table.log("deal.peace", rule="9.1", a=a, b=b)


def ally(table: Table, a: str, b: str) -> None:
    """9.2 Ally two powers for the turn."""
    set_allied(table, a, b)
    table.log("deal.alliance", rule="9.2", a=a, b=b)


def lend(table: Table, lender: str, borrower: str, ships: Mapping[str, int], admirals: Sequence[str]) -> Play:
    """9.2 Lend ships and naval leaders to the borrower's nearest port, for the turn."""
    state = table.state
    keyed = fleets.keyed(state, lender, lent=False)
    ports: dict[str, str] = {}
    for key, number in ships.items():
        place, fleet, kind = keyed[key]
        if place not in ports:
            near = clauses.harbours(table, borrower, place)
            if len(near) > 1:
                table.log("deal.lends", rule="9.2", power=lender, partner=borrower, space=place)
            ports[place] = yield from fleets.choose(table, borrower, "berth", near, "9.2", lender=lender, place=place)
        fleets.take(state, place, fleet.owner, lender, {kind: number})
        fleets.put(table, ports[place], fleet.owner, borrower, {kind: number})
    for key in admirals:
        leader = commander(state, key)
        leader.power = borrower
        station(table, key, ports[leader.at])
    note(state, "lent", lender, borrower)
    table.log(
        "deal.lend", rule="9.2", power=lender, partner=borrower, count=sum(ships.values()),
        ships=deal_text.ships(ships), leaders=list(admirals), ports=list(dict.fromkeys(ports.values())),
    )  # fmt: skip


def homecoming(table: Table, leader: str, captor: str, rule: str) -> Play:
    """9.1, 9.3 Return a captive leader to a capital, else a friendly home key, else the power card until spring."""
    state, c = table.state, table.c
    entry = state.leaders[leader]
    power = entry.power
    keys = [space for space in c.homes[power] if c.spaces[space].type == "key" and friendly(state, power, space)]
    places = gifts.capitals_free(table, power) or keys
    places = [space for space in places if may_stand(table, leader, space)]
    to = yield from fleets.choose(table, power, "homecoming", places, rule, leader=leader)
    entry.captor = ""
    station(table, leader, to or ON_CARD)
    table.log("leader.released", rule=rule, leader=leader, power=power, captor=captor, space=to)


def cede(table: Table, giver: str, receiver: str, spaces: Sequence[str]) -> Play:
    """9.1 Pass political control; units in the spaces are displaced (12.5). The religion stays."""
    state = table.state
    for space in spaces:
        state.control[space] = receiver
        table.log("deal.cede", rule="9.1", power=giver, partner=receiver, space=space)
    for space in spaces:
        if others := other_sides(table.state, space, receiver):
            yield from displace(table, space, others)


def give(table: Table, gift: str, gifts: Sequence[tuple[str, str, int]]) -> None:
    """9.1 Draw random cards or treasures, all before any is handed over; only the two powers see which."""
    state = table.state
    drawn = []
    for giver, receiver, number in gifts:
        own, given = state.powers[giver], list[str]()
        for _ in range(number):
            loose = cards.loose(table, giver) if gift == "cards" else own.treasures
            given.append(loose[table.dice.below(len(loose))])
            (own.hand if gift == "cards" else own.treasures).remove(given[-1])
        drawn.append((giver, receiver, given))
    for giver, receiver, given in drawn:
        own = state.powers[receiver]
        (own.hand if gift == "cards" else own.treasures).extend(given)
        note(state, gift, giver, receiver, len(given))
        private = {seat_of(state, power): {gift: given} for power in (giver, receiver)}
        table.log(f"deal.{gift}", rule="9.1", power=giver, partner=receiver, count=len(given), private=private)


def hand_over(table: Table, giver: str, receiver: str, units: Mapping[str, int]) -> Play:
    """9.1 Hand over mercenaries from spaces or the Hire Track; the receiver puts as many in its capitals."""
    state = table.state
    for key, number in units.items():
        if key == gifts.HIRE_TRACK:
            state.powers[HRE].stock["hire"] -= number
        else:
            space, slash, owner = key.partition("/")
            add(table, space, owner if slash else giver, "mercenaries", -number)
    total = sum(units.values())
    left = {at: pool_left(table, pool_of(table.c, receiver, at)) for at in gifts.capitals(table, receiver)}
    places = {space: min(total, most) for space, most in left.items() if most}
    chosen: Any = {next(iter(places)): total}
    if len(places) > 1:
        seat, domain = seat_of(state, receiver), Distribution(places, total, what="mercenaries")
        chosen = yield from _ask_quarter(seat, domain, lambda: next(domain.options()), power=receiver, count=total)
    for space, number in chosen.items():
        muster(table, space, pool_of(table.c, receiver, space), "mercenaries", number)
    note(state, "mercenaries", giver, receiver, total)
    told = deal_text.mercenaries(units)
    table.log(
        "deal.mercenaries", rule="9.1", power=giver, partner=receiver, count=total, units=told, spaces=dict(chosen)
    )


def betroth(table: Table, man: str, woman: str) -> Play:
    """9.1 Betroth two royals until the weddings; Mary's is held at once (21.1, of II)."""
    state = table.state
    couple = Betrothal(man, woman)
    state.betrothed.append(couple)
    for royal in (man, woman):
        state.royals[royal].state = "betrothed"
    table.log("deal.betrothed", rule="9.1", man=man, woman=woman)
    if woman == MARY:
        yield from wed(table, couple)
