"""Carrying out what was agreed (9.1): each deal as a whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.virgin_queen import cards, fleets, rules
from games.virgin_queen.diplomacy import clauses
from games.virgin_queen.displacing import displace
from games.virgin_queen.forces import add, pool_left
from games.virgin_queen.query import friendly, seat_of, set_allied, set_peace
from games.virgin_queen.state import HRE, ON_CARD, State, pair
from pbem.kernel.answers import Arrange
from pbem.kernel.game import Play
from pbem.kernel.problems import Problem, Refused, refuse
from pbem.kernel.questions import Ask, Proposal
from pbem.kernel.table import Table


def why_not(table: Table, deal: Proposal) -> Problem | None:
    """9.1 Why a deal cannot be carried out as a whole as things stand now, None if it can."""
    form = clauses.terms(table, deal.by)
    try:
        if form is None:
            raise refuse("deal.nothing", rule="9.1")
        form.check(deal.terms)
    except Refused as refused:
        return refused.problem.under("9.1")
    return None


def carry_out(table: Table, deal: Proposal) -> Play:
    """9.1 Change the state of the game as agreed; `why_not` has been asked before."""
    p, q = clauses.sides(table, deal)
    terms = deal.terms
    of = terms["of"]
    if clauses.PEACE in of or clauses.PEACE_WED in of:
        peace(table, p, q)
    if any(one in of for one in (clauses.ALLIANCE, clauses.LEND, clauses.BORROW)):
        ally(table, p, q)
    for giver, receiver, word in ((p, q, "give_mercenaries"), (q, p, "take_mercenaries")):
        if word in terms:
            yield from hand_over(table, giver, receiver, terms[word])
    for lender, borrower, word in ((p, q, "lend"), (q, p, "borrow")):
        if word in terms:
            yield from lend(table, lender, borrower, terms[word], terms.get("admirals", []))
    for captor, word in ((p, "return"), (q, "recover")):
        for leader in terms.get(word, ()):
            yield from homecoming(table, leader, captor, "9.1")
    for giver, receiver, word in ((p, q, "cede"), (q, p, "receive")):
        yield from cede(table, giver, receiver, terms.get(word, ()))
    for giver, receiver, way in ((p, q, "give"), (q, p, "take")):
        give_cards(table, giver, receiver, terms.get(f"{way}_cards", 0))
        give_treasures(table, giver, receiver, terms.get(f"{way}_treasures", 0))
    if "groom" in terms:
        yield from betroth(table, terms["groom"], terms["bride"])


def note(state: State, word: str, giver: str, receiver: str, number: int = 1) -> None:
    """Remember what one power gave another this turn: nothing of the kind may come back (9.1, 9.2)."""
    used = state.powers[giver].used
    key = f"{word}-to-{receiver}"
    used[key] = used.get(key, 0) + number


def peace(table: Table, a: str, b: str) -> None:
    """9.1 End a war; these two may neither ally (9.1) nor go to war (9.4) in this phase."""
    set_peace(table, a, b)
    table.state.peaces.append(pair(a, b))
    table.say("deal.peace", rule="9.1", a=a, b=b)


def ally(table: Table, a: str, b: str) -> None:
    """9.2 Ally two powers for the turn."""
    set_allied(table, a, b)
    table.say("deal.alliance", rule="9.2", a=a, b=b)


def lend(table: Table, lender: str, borrower: str, ships: Mapping[str, int], admirals: Sequence[str]) -> Play:
    """9.2 Lent ships go to the borrower's nearest port and are his for the turn, naval leaders with them."""
    state = table.state
    keyed = fleets.keyed(state, lender, lent=False)
    ports: dict[str, str] = {}
    for key, number in ships.items():
        place, fleet, kind = keyed[key]
        if place not in ports:
            near = fleets.nearest_ports(table, borrower, place)
            ports[place] = yield from fleets.choose(
                table, borrower, "berth", near, "9.2", lender=lender, place=place
            )
        fleets.take(state, place, fleet.owner, lender, {kind: number})
        fleets.put(state, ports[place], fleet.owner, borrower, {kind: number})
    for key in admirals:
        leader = fleets.commander(state, key)
        leader.power, leader.at = borrower, ports[leader.at]
    note(state, "lent", lender, borrower)
    table.say(
        "deal.lend", rule="9.2", power=lender, partner=borrower, count=sum(ships.values()), leaders=list(admirals),
        ports=list(dict.fromkeys(ports.values())),
    )  # fmt: skip


def homecoming(table: Table, leader: str, captor: str, rule: str) -> Play:
    """9.1, 9.3 A captive leader goes to a capital, else to a friendly home key, else onto the power card until
    spring.
    """
    state, c = table.state, table.c
    entry = state.leaders[leader]
    power = entry.power
    places = clauses.capitals_free(table, power) or [
        space for space in c.homes[power] if c.spaces[space].type == "key" and friendly(state, power, space)
    ]
    to = yield from fleets.choose(table, power, "homecoming", places, rule, leader=leader)
    entry.captor, entry.at = "", to or ON_CARD
    table.say("leader.released", rule=rule, leader=leader, power=power, captor=captor, space=to)


def cede(table: Table, giver: str, receiver: str, spaces: Sequence[str]) -> Play:
    """9.1 Political control passes; whoever stands there is displaced (12.5). The religion stays."""
    state = table.state
    for space in spaces:
        state.control[space] = receiver
        table.say("deal.cede", rule="9.1", power=giver, partner=receiver, space=space)
    for space in spaces:
        if others := fleets.strangers(table, space, receiver):
            yield from displace(table, space, others)


def give_cards(table: Table, giver: str, receiver: str, number: int) -> None:
    """9.1 Random cards, never home cards; the two powers alone learn which."""
    state = table.state
    given = []
    for _ in range(number):
        loose = cards.loose(table, giver)
        card = loose[table.dice.below(len(loose))]
        state.powers[giver].hand.remove(card)
        state.powers[receiver].hand.append(card)
        given.append(card)
    if given:
        note(state, "cards", giver, receiver, number)
        private = {seat_of(state, power): {"cards": given} for power in (giver, receiver)}
        table.say("deal.cards", rule="9.1", power=giver, partner=receiver, count=number, private=private)


def give_treasures(table: Table, giver: str, receiver: str, number: int) -> None:
    """9.1 Random treasures; the two powers alone learn which."""
    state = table.state
    given = []
    for _ in range(number):
        own = state.powers[giver].treasures
        treasure = own.pop(table.dice.below(len(own)))
        state.powers[receiver].treasures.append(treasure)
        given.append(treasure)
    if given:
        note(state, "treasures", giver, receiver, number)
        private = {seat_of(state, power): {"treasures": given} for power in (giver, receiver)}
        table.say("deal.treasures", rule="9.1", power=giver, partner=receiver, count=number, private=private)


def hand_over(table: Table, giver: str, receiver: str, units: Mapping[str, int]) -> Play:
    """9.1 Mercenaries leave the giver's spaces or the Hire Track; the receiver takes as many of his own to his
    capitals.
    """
    state = table.state
    for key, number in units.items():
        if key == clauses.HIRE_TRACK:
            state.powers[HRE].stock["hire"] -= number
        else:
            space, slash, owner = key.partition("/")
            add(state, space, owner if slash else giver, "mercenaries", -number)
    total = sum(units.values())
    places = {
        space: min(total, pool_left(table, clauses.pool_of(table, receiver, space)))
        for space in clauses.capitals(table, receiver)
    }
    places = {space: most for space, most in places.items() if most}
    chosen: Any = {next(iter(places)): total}
    if len(places) > 1:
        domain = Arrange(places, total, what="mercenaries")
        chosen = yield Ask(
            seat_of(state, receiver), "quarter", domain, rule="9.1", default=lambda: next(domain.options()),
            about={"power": receiver, "count": total},
        )  # fmt: skip
    for space, number in chosen.items():
        add(state, space, clauses.pool_of(table, receiver, space), "mercenaries", number)
    note(state, "mercenaries", giver, receiver, total)
    table.say(
        "deal.mercenaries", rule="9.1", power=giver, partner=receiver, units=dict(units), spaces=dict(chosen)
    )


def betroth(table: Table, man: str, woman: str) -> Play:
    """9.1 Two royals are betrothed until the weddings; Mary's is held at once (21.1, of II)."""
    state = table.state
    state.betrothed.append([man, woman])
    for royal in (man, woman):
        state.royals[royal].state = "betrothed"
    table.say("deal.betrothed", rule="9.1", man=man, woman=woman)
    if woman == "mary_queen_of_scots":
        yield from rules.run_steps(table, "mary", ("21.1",))
