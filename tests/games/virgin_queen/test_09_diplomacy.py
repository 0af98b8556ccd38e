"""Diplomacy (9): what may be declared and agreed on, and that agreed deals can be carried out."""

from functools import partial
from random import Random
from typing import Any

import pytest

from games.virgin_queen import GAME, fleets
from games.virgin_queen.diplomacy import clauses, declarations, execute, gifts, negotiation, relations
from games.virgin_queen.gate import may_stand
from games.virgin_queen.state import ALLIED, WAR, Betrothal, pair
from pbem.kernel.dice import Dice
from pbem.kernel.domains import Optional, Series
from pbem.kernel.negotiation import OpenNegotiation
from pbem.kernel.questions import Negotiate
from pbem.kernel.referee import components_of
from pbem.kernel.table import Table

COMPONENTS = components_of(GAME, {})[1]


def a_table(players=6, scenario="campaign"):
    table = Table(COMPONENTS, GAME.seats_for(players, scenario), {}, scenario, Dice(b"\1" * 32))
    GAME.setup(table)
    for power in table.state.powers:
        for _ in range(3):
            table.state.powers[power].hand.append(table.state.deck.pop())
        table.state.powers[power].treasures.append(table.state.treasure_pool.pop())
    return table


def test_9_4_payments_need_each_of_their_cards():
    assert declarations.payments({"a": 1, "b": 2, "c": 3}, 3) == ["c", "a+b"]
    assert declarations.payments({"a": 1}, 2) == []


@pytest.mark.parametrize(
    ("excommunicated", "mary", "cost"),
    [(False, "free", 5), (True, "free", 3), (False, "captive", 3), (True, "captive", 1), (True, "executed", 1)],
)
def test_9_5_cost_of_war_between_england_and_spain(excommunicated, mary, cost):
    table = a_table()
    table.state.excommunicated, table.state.mary = excommunicated, mary
    assert relations.cost(table, "england", "spain") == cost
    assert relations.cost(table, "spain", "england") == cost


def test_9_5_spain_enters_ireland_when_war_costs_three():
    table = a_table()
    assert not may_stand(table, "spain", "dublin")
    table.state.excommunicated = True
    assert may_stand(table, "spain", "dublin")
    assert may_stand(table, "france", "dublin")


def test_9_2_france_allies_with_spain_or_the_protestants():
    table = a_table()
    assert relations.may_ally(table, "france", "spain")
    table.state.diplomacy[pair("france", "protestant")] = ALLIED
    assert not relations.may_ally(table, "france", "spain")
    assert not relations.may_ally(table, "spain", "protestant")


def test_9_1_war_cancels_a_betrothal():
    table = a_table()
    table.state.betrothed = [Betrothal("philip_ii", "elisabeth_of_valois")]
    relations.cancel_betrothals(table, "spain", "france")
    assert table.state.betrothed == []
    assert table.state.royals["philip_ii"].state == "free"


def test_20_10_after_the_league_spain_agrees_on_nothing_with_its_new_enemies():
    table = a_table()
    table.state.league, table.state.turn = 3, 4
    table.state.diplomacy[pair("spain", "france")] = WAR
    assert [*clauses.kinds(table, "spain", "france")] == [clauses.SHOW]  # they may talk
    table.state.turn = 5
    assert clauses.PEACE in clauses.kinds(table, "spain", "france")


def test_29_tournament_war_of_ottomans_and_spain_stays_for_a_turn():
    table = a_table(scenario="tournament")
    assert not relations.may_make_peace(table, "ottoman", "spain")
    assert relations.may_make_peace(table, "france", "protestant")
    table.state.turn += 1
    assert relations.may_make_peace(table, "ottoman", "spain")


def test_27_no_gifts_between_powers_of_one_player():
    table = a_table(players=3)
    assert gifts.limit(table, "england", "protestant", "cards") == 0
    assert gifts.limit(table, "england", "france", "cards") == 2
    assert ("england", "protestant") in negotiation.own_allies(table, clauses.powers_of(table.state, "england"))


def test_9_2_a_loan_takes_the_ships_to_the_nearest_port():
    table = a_table()
    table.state.fleets = {}
    fleets.put(table, "naples", "spain", "spain", {"galley": 2})
    assert fleets.nearest_ports(table, "spain", "naples") == ["naples"]
    steps = dict(fleets.reach(COMPONENTS, "naples"))
    ports = fleets.nearest_ports(table, "france", "naples")
    assert ports
    assert all(table.state.control[port] == "france" for port in ports)
    assert len({steps[port] for port in ports}) == 1


def _answer(random, request):
    domain = request.domain() if callable(request.domain) else request.domain
    return domain.sample(lambda n: random.randrange(n))


@pytest.mark.parametrize("players", [3, 6])
def test_9_1_whatever_is_proposed_can_be_carried_out(players):
    """Proposals sampled from the form stand alone; carrying one out breaks nothing."""
    seen, longest = set(), 0
    for number in range(120):
        random = Random(number)
        table = a_table(players, ("campaign", "tournament")[number % 2])
        seat = table.seats[number % len(table.seats)]
        request = Negotiate(
            table.seats,
            terms=partial(clauses.terms, table),
            parties=partial(clauses.parties, table),
            conflict=partial(negotiation.together, table),
        )
        talk = OpenNegotiation(request)
        form = clauses.terms(table, seat)
        terms = form.sample(random.randrange)
        first = {name: value for name, value in terms.items() if name != "also"}
        if number % 3 == 0 and (also := form.field("also", first)):  # a deal of several parts
            assert isinstance(also, Optional)
            more: Any = also.domain
            terms = {**first, "also": Series.sample(more, random.randrange)}
            form.check(terms)
        talk.act(seat, {"do": "propose", **terms})
        (proposal,) = talk.open.values()
        for party in proposal.parties[1:]:
            talk.act(party, {"do": "accept", "id": proposal.id})
        deal = clauses.binding(talk.deals[0])
        if deal is None:
            continue
        assert execute.why_not(table, deal) is None
        play = execute.carry_out(table, deal)
        asked = next(play, None)
        while asked is not None:
            try:
                asked = play.send(_answer(random, asked))
            except StopIteration:
                asked = None
        seen.update(clause for part in clauses.legs(table, deal) for clause in part["of"])
        longest = max(longest, len(clauses.legs(table, deal)))
        assert [str(problem) for problem in GAME.invariants(table)] == []
    assert {clauses.PEACE, clauses.ALLIANCE, clauses.LEND, "give-cards", "take-treasures", "give-mercenaries"} <= seen
    assert longest > 3


def test_9_1_shown_cards_are_seen_by_the_partner_alone():
    table = a_table()
    table.state.powers["spain"].hand = ["army-mutiny"]
    talk = OpenNegotiation(
        Negotiate(
            table.seats,
            terms=lambda who: clauses.terms(table, who),
            parties=lambda who, terms: clauses.parties(table, who, terms),
        )
    )
    form = clauses.terms(table, "spain")
    form.check({"partner": "france", "of": ["show"], "show": ["army-mutiny"]})
    assert not form.accepts({"partner": "france", "of": ["show"], "show": ["scurvy"]})  # not in hand
    talk.act("spain", {"do": "propose", "partner": "france", "of": ["show"], "show": ["army-mutiny"]})
    assert [terms["show"] for _, terms in talk.seen_by("france")] == [["army-mutiny"]]
    assert not talk.seen_by("england")
    talk.act("france", {"do": "accept", "id": "spain-france-1"})
    assert clauses.binding(talk.deals[0]) is None  # nothing is announced, nothing confirmed
