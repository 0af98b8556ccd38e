"""What lies face down is shuffled, and who hears of an offer hears no more than he may."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from games.sixteen_thirty import GAME
from games.sixteen_thirty.exchange import _delivery
from games.sixteen_thirty.scoring import result
from games.sixteen_thirty.sequence import draw
from pbem.dev.rule_test_files import Case
from pbem.dev.rule_test_runner import Script
from pbem.kernel.domains import Budget, domain_from
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee, components_of
from pbem.kernel.standing_orders import AdvanceOrder

LAST = {"deck": ["poland-1a", "poland-1b", "poland-1c", "poland-1d"]}
SEATS = ["tim", "martin", "simon"]


def at(kind, **more):
    """A referee whose open question is of `kind`, in Tim's turn."""
    players: dict[str, Any] = {seat: {"hand": []} for seat in SEATS}
    players["tim"] = {"hand": ["england-2a", "leader-a"], "piles": {"spain": {"cards": ["spain-1a"], "votes": 1}}}
    players["martin"]["hand"] = ["vote-a", "england-3a"]
    players["simon"]["hand"] = ["army-a"]
    players["tim"] |= more.pop("tim", {})
    state = {"phase": "player", "active": "tim", "first": "tim", "players": players}
    if "countries" in more:
        state["countries"] = more.pop("countries")
    supply = {"deck": ["players.*.hand", "players.*.piles", "discards"]}
    case = Case("x", "x", "x", "sixteen_thirty", seats=SEATS, supply=supply, state=state, **more)
    referee = Script(case, GAME).referee
    for _ in range(9):
        if referee.pending()[0].kind == kind:
            return referee
        referee.time_up()
    raise AssertionError(referee.pending())


def answer(referee, seat, text):
    referee.submit(seat, referee.domain(seat).parse(text, referee.names))


def new(seed):
    seats = GAME.seats_for(4)
    return Referee.new(GAME, Setup(GAME.slug, seats, seed * 32, "standard", GAME.with_defaults({})))


# -- shuffling -----------------------------------------------------------------------------------------------


def test_deck_and_counters_are_shuffled_at_the_start():
    one, other = new("11"), new("22")
    for state in (one.table.state, other.table.state):
        drawn = [country for player in state.players.values() for country in player.counters]
        assert sorted([*state.spare, *drawn]) == sorted(one.components.counters)
        printed = [key for key in one.components.deck if key in state.deck]
        assert state.deck not in (printed, printed[::-1])
        assert all(player.hand != sorted(player.hand) for player in state.players.values())
    # What one has drawn is told in the order of the names: it says nothing of the order of the draws.
    dealt = {line.args["seat"]: line for line in one.table.lines if line.key == "setup.dealt"}
    players = one.table.state.players
    assert any(player.counters != sorted(player.counters) for player in players.values())
    for seat, player in players.items():
        assert dealt[seat].private == {seat: {"hand": player.hand, "countries": sorted(player.counters)}}
    first, second = one.table.state, other.table.state
    assert first.deck != second.deck
    assert first.spare + first.players["amber"].counters != second.spare + second.players["amber"].counters


def test_the_discards_are_shuffled_before_they_are_drawn_from():
    table = new("11").table
    state = table.state
    state.discards, state.deck = state.deck, []
    before = list(state.discards)
    hand = list(state.players["amber"].hand)
    draw(table, "amber")
    drawn = state.players["amber"].hand[len(hand) :]
    assert sorted([*state.deck, *drawn]) == sorted(before)
    assert state.deck != before[:-4]
    assert sum(card == other for card, other in zip(state.deck, before, strict=False)) < 20


def test_nobody_has_won_before_the_end():
    assert result(new("11").table.state) is None


# -- offers --------------------------------------------------------------------------------------------------


def seen(referee, seat):
    return [(proposal.by, proposal.parties, proposal.terms) for proposal, _ in referee.talk.seen_by(seat)]


@pytest.mark.parametrize(
    ("votes", "heard"),
    [("", ["england", "leader"]), ("vague", ["england", "leader"]), ("told", ["england-2", "leader"])],
)
@pytest.mark.parametrize("first", [False, True])
def test_the_partner_hears_kinds_and_votes_only_if_told(votes, heard, first):
    referee = at("partner")
    offer = f"give=england-2a,leader-a want=vote{f' votes={votes}' if votes else ''}"
    for said in (f"martin {offer}",) if first else ("martin", f"propose {offer}"):
        answer(referee, "tim", said)
    ((by, parties, terms),) = seen(referee, "martin")
    assert (by, tuple(parties), terms["give"], terms["want"]) == ("tim", ("tim", "martin"), heard, ["vote"])
    assert seen(referee, "tim")[0][2]["give"] == ["england-2a", "leader-a"]
    assert seen(referee, "simon") == []
    assert seen(referee, "") == []


def test_a_view_file_takes_a_partner_with_and_without_a_first_offer():
    referee = at("partner")
    asked = referee.domain("tim")
    again = domain_from(asked.describe(Budget()))
    for said in (
        "nobody",
        "martin",
        "martin give=england-2a",
        "martin give=england-2a,leader-a want=vote,open votes=told",
    ):
        value = again.parse(said, referee.names)
        assert value == asked.parse(said, referee.names)
        assert asked.text(value) == said
        asked.check(value)


def test_a_first_offer_that_is_drawn_is_legal():
    """A bot draws from the form behind a partner's word."""
    asked, random = at("partner").domain("tim"), Random(5)
    form = asked.entry("martin")
    drawn = [asked.outer("martin", form, form.sample(random.randrange)) for _ in range(40)]
    assert all(map(asked.accepts, drawn))
    assert len({str(value) for value in drawn}) > 5
    assert not asked.accepts({"do": "martin", "want": ["vote"]})


def test_an_open_offer_is_heard_by_all_but_its_cards_by_nobody():
    referee = at("exchange", options={"exchange": "open"})
    answer(referee, "tim", "propose to=martin give=england-2a want=england")
    answer(referee, "martin", "propose give=england-3a want=leader")
    for seat in ("simon", ""):
        assert [terms["give"] for _, _, terms in seen(referee, seat)] == [["england"], ["england"]]
    assert [tuple(parties) for _, parties, _ in seen(referee, "simon")] == [("tim", "martin"), ("martin", "tim")]


@pytest.mark.parametrize(
    ("want", "given"),
    [
        (["england", "england-1"], ["england-2a,england-1a", "england-2b,england-1a"]),
        (["england-1", "england"], ["england-1a,england-2a", "england-1a,england-2b"]),
        (["army"], ["army-b"]),
        (["england", "army", "england-1"], ["england-2a,army-b,england-1a", "england-2b,army-b,england-1a"]),
    ],
)  # fmt: skip
def test_a_signer_can_deliver_in_these_ways_and_no_other(want, given):
    referee = at("partner", tim={"hand": ["england-2a", "england-2b", "england-1a", "army-b"]}, last=LAST)
    answer(referee, "tim", "martin")
    answer(referee, "martin", f"propose give=vote-a want={','.join(want)}")
    delivery = _delivery(referee.table, "tim", referee.talk.seen_by("tim")[0][0])
    assert sorted(",".join(cards) for cards in delivery.options()) == given
    chance = Random(1)
    assert {",".join(delivery.sample(chance.randrange)) for _ in range(60)} == set(given)


def test_who_was_left_without_cards_makes_no_offer():
    referee = at("partner")
    answer(referee, "tim", "martin")
    assert referee.domain("martin").syntax().startswith("propose ")
    hand = list(referee.table.state.players["martin"].hand)
    referee.fiat([{"path": "players.martin.hand", "value": []}, {"path": "discards", "value": hand}])
    assert referee.domain("martin").syntax() == "done"


# -- special cards that find nothing to act on --------------------------------------------------------------


def test_a_card_that_finds_no_country_is_not_offered():
    countries = {country: {"army": 0, "leader": True} for country in components_of(GAME, {})[1].countries}
    referee = at("special", tim={"hand": ["army-b", "leader-a", "status-a"]}, last=LAST, countries=countries)
    assert referee.domain("tim").syntax() == "status <country> | pass"


def test_an_assassin_who_finds_no_card_on_the_table_is_not_offered():
    referee = at("special", tim={"hand": ["assassin-a", "army-b"], "piles": {}}, last=LAST)
    assert referee.domain("tim").syntax() == "army <country> | pass"


# -- lines written in advance --------------------------------------------------------------------------------


def test_lines_do_not_wait_after_an_assassin_at_a_card_of_ones_own():
    referee = at("special", tim={"hand": ["assassin-a", "army-b"]})
    referee.queue = [AdvanceOrder("tim", "army spain", kind="special"), AdvanceOrder("simon", "nobody", kind="partner")]
    answer(referee, "tim", "assassin tim spain-1")
    assert referee.table.state.countries["spain"].army == 3
    assert [entry.held for entry in referee.queue] == [False]


def test_lines_do_not_wait_after_an_unrest_that_struck_nobody():
    referee = at("special", tim={"hand": ["unrest-a", "army-b"]})
    referee.queue = [AdvanceOrder("tim", "army spain", kind="special"), AdvanceOrder("simon", "nobody", kind="partner")]
    answer(referee, "tim", "unrest poland")
    assert referee.table.state.countries["spain"].army == 3
    assert [entry.held for entry in referee.queue] == [False]
