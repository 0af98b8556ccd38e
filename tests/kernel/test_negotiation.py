"""Negotiations: proposals of several parties, what may be signed, what is shown, when they close."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pbem.kernel.domains import Amount, Choice, Form, FreeText, Menu
from pbem.kernel.negotiation import OpenNegotiation
from pbem.kernel.questions import Negotiate
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from tests.toy import playing as toy
from tests.toy.playing import SEATS, new, to_talk


def talk_of(referee: Referee) -> OpenNegotiation:
    assert referee.talk is not None
    return referee.talk


def propose(referee: Referee, seat: str, *to: str, price: int = 1) -> str:
    referee.submit(seat, {"do": "propose", "to": list(to), "price": price})
    return list(talk_of(referee).open)[-1]


def accept(referee: Referee, seat: str, key: str, give: int = 0) -> None:
    referee.submit(seat, {"do": "accept", "id": key, "give": give})


def words(referee: Referee, seat: str) -> list[str]:
    menu = referee.domain(seat)
    assert isinstance(menu, Menu)
    return list(menu.entries)


def test_a_deal_counts_when_all_parties_have_signed() -> None:
    referee = to_talk(new())
    key = propose(referee, "amber", "blue", "coral")
    accept(referee, "blue", key, give=2)
    assert talk_of(referee).deals == []
    accept(referee, "coral", key, give=3)
    (deal,) = talk_of(referee).deals
    assert deal.signed == {"amber": True, "blue": 2, "coral": 3}
    for seat in SEATS:
        referee.submit(seat, "done")
    assert referee.table.state.gold == {"amber": 11, "blue": 4, "coral": 3}
    (move,) = [move for move in referee.moves if move.kind == "negotiation"]
    assert [act["do"] for act in move.answer["acts"]] == ["propose", "accept", "accept", "done", "done", "done"]
    assert move.seat == ""
    assert Referee.resume(toy.GAME, toy.setup(), referee.moves).digest() == referee.digest()


def test_who_may_do_what() -> None:
    referee = to_talk(new())
    assert words(referee, "blue") == ["propose", "done"]
    key = propose(referee, "amber", "blue")
    assert words(referee, "blue") == ["propose", "accept", "done"]
    assert words(referee, "amber") == ["propose", "withdraw", "done"]
    assert words(referee, "coral") == ["propose", "done"]
    with pytest.raises(Rejection):
        accept(referee, "coral", key)
    with pytest.raises(Rejection):
        accept(referee, "blue", key, give=7)
    with pytest.raises(Rejection):
        referee.submit("blue", {"do": "withdraw", "id": key})


def test_a_signature_can_be_withdrawn_and_a_proposal_too() -> None:
    referee = to_talk(new())
    key = propose(referee, "amber", "blue", "coral")
    accept(referee, "blue", key)
    referee.submit("blue", {"do": "withdraw", "id": key})
    assert set(talk_of(referee).open[key].signed) == {"amber"}
    accept(referee, "blue", key, give=1)
    referee.submit("amber", {"do": "withdraw", "id": key})
    assert talk_of(referee).open == {}
    assert words(referee, "blue") == ["propose", "done"]


def test_a_proposal_calls_its_parties_back() -> None:
    referee = to_talk(new())
    referee.submit("blue", "done")
    referee.submit("coral", "done")
    propose(referee, "amber", "blue")
    assert referee.waiting() == ("amber", "blue")
    referee.submit("amber", "done")
    assert isinstance(referee.now, Negotiate)
    referee.submit("blue", "done")
    assert not isinstance(referee.now, Negotiate)


def test_who_acts_again_is_not_done_any_more() -> None:
    referee = to_talk(new())
    referee.submit("amber", "done")
    propose(referee, "amber", "blue")
    assert "amber" in referee.waiting()


def test_deals_that_cannot_stand_together() -> None:
    referee = to_talk(new())
    first = propose(referee, "amber", "blue")
    second = propose(referee, "coral", "blue")
    accept(referee, "blue", first)
    with pytest.raises(Rejection) as caught:
        accept(referee, "blue", second)
    assert str(caught.value).startswith(("'accept'", "one league each"))
    assert len(talk_of(referee).deals) == 1
    third = propose(referee, "coral", "amber", "blue")
    accept(referee, "amber", third)  # not the last signature: nothing stands yet
    with pytest.raises(Rejection):
        accept(referee, "blue", third)


def test_a_seat_that_the_rule_bars_cannot_sign() -> None:
    referee = to_talk(new(), 0, 6, 0)
    key = propose(referee, "amber", "blue")
    assert words(referee, "blue") == ["propose", "done"]
    with pytest.raises(Rejection, match="a beggar signs nothing"):
        referee.domain("blue").parse(f"accept {key}")
    with pytest.raises(Rejection, match="a beggar signs nothing"):
        accept(referee, "blue", key)
    with pytest.raises(Rejection, match="you have signed no open proposal"):  # they have made none
        referee.domain("blue").parse(f"withdraw {key}")


def test_a_seat_that_the_rule_bars_cannot_propose() -> None:
    referee = to_talk(new(stake=1), 0, 6, 0)
    assert words(referee, "blue") == ["done"]
    assert words(referee, "amber") == ["propose", "done"]


def test_the_negotiation_closes_with_the_last_deal_allowed() -> None:
    referee = to_talk(new(limit=1))
    accept(referee, "blue", propose(referee, "amber", "blue"), give=2)
    assert not isinstance(referee.now, Negotiate)
    assert referee.table.state.gold == {"amber": 8, "blue": 4, "coral": 6}


def test_time_closes_it_with_the_deals_that_are_signed() -> None:
    referee = to_talk(new())
    accept(referee, "blue", propose(referee, "amber", "blue"), give=2)
    propose(referee, "coral", "amber")
    assert referee.time_up() == ()
    assert referee.table.state.gold == {"amber": 8, "blue": 4, "coral": 6}


def test_a_seat_may_make_so_many_proposals() -> None:
    referee = to_talk(new())
    assert isinstance(referee.now, Negotiate)
    for _ in range(referee.now.proposals):
        propose(referee, "amber", "blue")
    assert "propose" not in words(referee, "amber")
    assert "propose" in words(referee, "blue")


# -- what is shown -----------------------------------------------------------------------------------------------------


def test_others_see_neither_secret_proposals_nor_secret_terms() -> None:
    referee = to_talk(new())
    key = propose(referee, "amber", "blue", "coral", price=7)
    propose(referee, "blue", "coral", price=3)
    accept(referee, "coral", key, give=5)
    talk = talk_of(referee)
    mine = {seat: {p.id: (p.terms, terms) for p, terms in talk.seen_by(seat)} for seat in (*SEATS, None)}
    assert mine["amber"] == {key: ({"to": ["blue", "coral"], "price": 7},) * 2}
    assert mine["blue"][key] == ({"to": ["blue", "coral"]},) * 2
    assert set(mine["coral"]) == {key, "blue-coral-1"}
    assert mine[None] == {}
    signed = {seat: next(p.signed for p, _ in talk.seen_by(seat) if p.id == key) for seat in SEATS}
    assert signed == {
        "amber": {"amber": True, "coral": True},
        "blue": {"amber": True, "coral": True},
        "coral": {"amber": True, "coral": 5},
    }
    assert talk.open[key].terms["price"] == 7
    assert talk.open[key].signed["coral"] == 5


def test_public_negotiations_show_proposals_to_all() -> None:
    referee = to_talk(new(public=True))
    propose(referee, "amber", "blue", price=7)
    assert [terms for _, terms in talk_of(referee).seen_by("coral")] == [{"to": ["blue"]}]
    assert [terms for _, terms in talk_of(referee).seen_by(None)] == [{"to": ["blue"]}]


def test_a_signed_deal_stays_visible_to_its_parties() -> None:
    referee = to_talk(new())
    accept(referee, "blue", propose(referee, "amber", "blue", price=7), give=2)
    seen = {seat: [(deal.terms, deal.signed) for deal in talk_of(referee).deals_of(seat)] for seat in SEATS}
    assert seen == {
        "amber": [({"to": ["blue"], "price": 7}, {"amber": True, "blue": True})],
        "blue": [({"to": ["blue"]}, {"amber": True, "blue": 2})],
        "coral": [],
    }


def test_numbers_tell_nothing_of_proposals_to_others() -> None:
    """Coral's world is the same whether amber and blue have talked or not."""
    worlds = []
    for talked in (False, True):
        referee = to_talk(new())
        if talked:
            key = propose(referee, "amber", "blue")
            accept(referee, "blue", propose(referee, "amber", "blue", "coral", price=4), give=1)
            referee.submit("amber", {"do": "withdraw", "id": "amber-blue-coral-1"})
            propose(referee, "blue", "amber")
            referee.submit("blue", {"do": "withdraw", "id": "blue-amber-1"})
            assert key == "amber-blue-1"
        propose(referee, "amber", "coral")
        worlds.append(
            (
                [p.id for p, _ in talk_of(referee).seen_by("coral")],
                [p for p in referee.pending() if p.seat == "coral"],
                words(referee, "coral"),
                referee.q,
                referee.n,
                referee.asked(),
            )
        )
    assert worlds[0] == worlds[1]


# -- terms and corrections ---------------------------------------------------------------------------------------------


def negotiate(clauses: Any) -> OpenNegotiation:
    return OpenNegotiation(Negotiate(("a", "b"), lambda _: clauses, lambda _seat, _terms: ("b",)))


@pytest.mark.parametrize(
    ("clauses", "act", "terms"),
    [
        (Form(n=Amount(0, 3)), {"n": 2}, {"n": 2}),
        (Form(), {}, {}),
        (Amount(0, 3), {"terms": 2}, 2),
        (FreeText(), {"terms": "peace"}, "peace"),
        (Form(seat=Choice(["a", "b"])), {"terms": {"seat": "b"}}, {"seat": "b"}),
        (Form(do=Choice(["war"])), {"terms": {"do": "war"}}, {"do": "war"}),
        (Form(terms=Amount(0, 3)), {"terms": {"terms": 1}}, {"terms": 1}),
    ],
)
def test_terms_of_any_kind(clauses: Any, act: dict[str, Any], terms: Any) -> None:
    """A field of the terms that is called like a part of the act must not be taken for it."""
    talk = negotiate(clauses)
    value = {"do": "propose", **act}
    talk.domain("a").check(value)
    talk.act("a", value)
    (proposal,) = talk.open.values()
    assert (proposal.by, proposal.terms) == ("a", terms)
    talk.act("b", {"do": "accept", "id": proposal.id})
    (deal,) = OpenNegotiation.replayed(talk.request, talk.acts)
    assert (deal.by, deal.terms) == ("a", terms)


def test_a_signer_s_form_may_look_at_those_who_signed_before() -> None:
    talk = OpenNegotiation(
        Negotiate(
            ("a", "b", "c"),
            lambda _: Form(),
            lambda _seat, _terms: ("b", "c"),
            signing_domain=lambda _seat, proposal: Amount(
                0, 9 - sum(v for v in proposal.signed.values() if v is not True)
            ),
        )
    )
    talk.act("a", {"do": "propose"})
    (key,) = talk.open
    talk.domain("c").check({"do": "accept", "id": key, "give": 9})
    talk.act("b", {"do": "accept", "id": key, "give": 6})
    with pytest.raises(Rejection):
        talk.domain("c").check({"do": "accept", "id": key, "give": 9})
    talk.domain("c").check({"do": "accept", "id": key, "give": 3})


def test_a_correction_withdraws_what_can_no_longer_be_proposed() -> None:
    referee = to_talk(new(stake=4))
    key = propose(referee, "amber", "blue")
    other = propose(referee, "coral", "blue")
    referee.fiat([{"path": "gold.amber", "value": 3}])
    assert list(talk_of(referee).open) == [other]
    assert [(note.seat, note.key, note.text) for note in referee.notes] == [("amber", "proposal.dropped", key)]
    assert words(referee, "amber") == ["done"]
    again = OpenNegotiation(talk_of(referee).request)
    for act in talk_of(referee).acts:
        again.act(act["seat"], {k: v for k, v in act.items() if k != "seat"})
    assert list(again.open) == [other]


@pytest.mark.parametrize("seed", range(20))
def test_every_act_that_is_offered_can_be_carried_out(seed: int) -> None:
    below = random.Random(seed).randrange
    referee = to_talk(new(public=seed % 2))
    while referee.talk is not None:
        seat = SEATS[below(3)]
        value = referee.domain(seat).sample(below)
        assert referee.domain(seat).parse(referee.domain(seat).text(value)) == value
        referee.submit(seat, value)
    assert Referee.resume(toy.GAME, toy.setup(), referee.moves).digest() == referee.digest()
