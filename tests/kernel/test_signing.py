"""What a negotiation lets its seats sign, and what it keeps from those who are no party."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pbem.kernel.domains import Amount, Choice, Form, Subset
from pbem.kernel.negotiation import OpenNegotiation
from pbem.kernel.order_words import Names
from pbem.kernel.questions import Negotiate, Proposal
from pbem.kernel.rejections import Rejection, RejectionReason
from tests.toy.playing import new, to_talk

SEATS = ("a", "b", "c")


def talks(**keywords: Any) -> OpenNegotiation:
    """Deals between any of three; the terms name those who are meant."""
    return OpenNegotiation(
        Negotiate(SEATS, lambda seat: Form(to=Subset([s for s in SEATS if s != seat], 1, 2)), parties_of, **keywords)
    )


def parties_of(seat: str, terms: Any) -> Sequence[str]:
    return [seat, *terms["to"]]


def do(talk: OpenNegotiation, seat: str, value: Any) -> None:
    talk.domain(seat).check(value)
    talk.act(seat, value)


def propose(talk: OpenNegotiation, seat: str, *to: str) -> str:
    do(talk, seat, {"do": "propose", "to": list(to)})
    return [*talk.open][-1]


def test_a_seat_that_may_propose_once_may_do_so() -> None:
    talk = talks(proposals=1)
    propose(talk, "a", "b")
    with pytest.raises(Rejection):
        propose(talk, "a", "c")
    propose(talk, "b", "a")


def test_proposals_are_counted_over_all_whom_they_went_to() -> None:
    talk = talks(proposals=2)
    propose(talk, "a", "b")
    do(talk, "a", {"do": "withdraw", "id": "a-b-1"})
    propose(talk, "a", "c")
    with pytest.raises(Rejection):
        propose(talk, "a", "b")


def test_nobody_signs_twice_or_what_is_no_longer_there() -> None:
    talk = talks()
    key = propose(talk, "a", "b", "c")
    do(talk, "b", {"do": "accept", "id": key})
    for seat in ("a", "b"):
        with pytest.raises(Rejection):
            do(talk, seat, {"do": "accept", "id": key})
    do(talk, "a", {"do": "withdraw", "id": key})
    for seat, act in (("c", "accept"), ("b", "withdraw"), ("a", "withdraw")):
        with pytest.raises(Rejection):
            do(talk, seat, {"do": act, "id": key})
    assert (talk.open, talk.deals) == ({}, [])


def test_a_signer_who_takes_his_name_back_does_not_take_the_deal_down() -> None:
    talk = talks()
    key = propose(talk, "a", "b", "c")
    do(talk, "b", {"do": "accept", "id": key})
    do(talk, "b", {"do": "withdraw", "id": key})
    do(talk, "c", {"do": "accept", "id": key})
    assert talk.deals == []
    do(talk, "b", {"do": "accept", "id": key})
    assert [deal.signed for deal in talk.deals] == [{"a": True, "c": True, "b": True}]


def test_what_a_signer_adds_is_his_to_add_and_nobody_may_add_what_is_not_asked_for() -> None:
    asked = talks(signing_domain=lambda seat, proposal: Amount(0, 2) if seat == "b" else None)
    key = propose(asked, "a", "b", "c")
    for seat, act in (("b", {}), ("b", {"give": 3}), ("c", {"give": 1})):
        with pytest.raises(Rejection):
            do(asked, seat, {"do": "accept", "id": key, **act})
    do(asked, "c", {"do": "accept", "id": key})
    do(asked, "b", {"do": "accept", "id": key, "give": 2})
    assert asked.deals[0].signed == {"a": True, "c": True, "b": 2}
    plain = talks()
    key = propose(plain, "a", "b")
    with pytest.raises(Rejection):
        do(plain, "b", {"do": "accept", "id": key, "give": 1})


def test_only_the_last_signature_can_fail_for_another_deal() -> None:
    """Those before it learn nothing from being let through: the rule is not asked about them."""
    asked: list[list[str]] = []

    def legal(deals: list[Proposal]) -> RejectionReason | None:
        asked.append([deal.id for deal in deals])
        return RejectionReason("rules.custom", {"text": "one each"}) if len(deals) > 1 else None

    talk = talks(conflict=legal)
    first, second = propose(talk, "a", "b"), propose(talk, "c", "a", "b")
    do(talk, "a", {"do": "accept", "id": second})
    assert asked == []
    do(talk, "b", {"do": "accept", "id": first})
    with pytest.raises(Rejection, match="one each"):
        do(talk, "b", {"do": "accept", "id": second})
    assert asked[0] == [first]
    assert asked[-1] == [first, second]
    with pytest.raises(Rejection, match="one each"):
        talk.domain("b").parse(f"accept {second}")


def test_a_third_signer_learns_nothing_of_a_deal_between_two_others() -> None:
    """Whether a and b have agreed on the same thing already does not change what c may sign, nor what it is told."""

    def legal(deals: list[Proposal]) -> RejectionReason | None:
        return RejectionReason("rules.custom", {"text": f"as in {deals[0].id}"}) if len(deals) > 1 else None

    told = []
    for dealt in (False, True):
        talk = talks(conflict=legal)
        secret, open_to_all = propose(talk, "b", "a"), propose(talk, "a", "b", "c")
        do(talk, "b", {"do": "accept", "id": open_to_all})
        do(talk, "a", {"do": "accept", "id": secret} if dealt else "done")
        domain = talk.domain("c")
        told.append((domain.parse(f"accept {open_to_all}"), domain.syntax(), [*domain.options()]))
        do(talk, "c", {"do": "accept", "id": open_to_all})
        assert talk.deals[-1].id == open_to_all
    assert told[0] == told[1]


def test_who_is_no_party_can_neither_sign_nor_see_nor_be_told_why() -> None:
    def sign(seat: str, proposal: Proposal) -> None:
        raise Rejection(RejectionReason("rules.custom", {"text": f"{seat} has sold his seal"}))

    talk = talks(signing_domain=sign)
    key = propose(talk, "a", "b")
    with pytest.raises(Rejection, match="has sold his seal"):
        talk.domain("b").parse(f"accept {key}")
    said = []
    for word in (f"accept {key}", "accept a-b-7", "accept"):
        with pytest.raises(Rejection) as caught:
            talk.domain("c").parse(word)
        said.append(str(caught.value))
    assert not any("sold" in text for text in said)
    bare = talks(signing_domain=sign)
    for word, text in zip((f"accept {key}", "accept a-b-7", "accept"), said, strict=True):
        with pytest.raises(Rejection) as caught:
            bare.domain("c").parse(word)
        assert str(caught.value) == text  # as if nothing had been proposed


def told(talk: OpenNegotiation, seat: str, text: str) -> tuple[str, str]:
    """The message and the rule of a refusal."""
    with pytest.raises(Rejection) as caught:
        talk.domain(seat).parse(text, Names())
    return caught.value.problem.key, caught.value.problem.rule


def test_an_act_that_cannot_be_made_is_refused_with_its_reason() -> None:
    talk = talks(rule="9.1", proposals=2)
    assert told(talk, "a", "accept a-b-1") == told(talk, "a", "受諾") == ("negotiation.nothing_to_accept", "9.1")
    assert told(talk, "a", "withdraw a-b-1") == told(talk, "a", "撤回") == ("negotiation.nothing_to_withdraw", "9.1")
    key = propose(talk, "a", "b", "c")
    assert told(talk, "a", f"accept {key}") == ("negotiation.nothing_to_accept", "9.1")
    assert told(talk, "b", f"withdraw {key}") == ("negotiation.nothing_to_withdraw", "9.1")
    propose(talk, "a", "b")
    assert told(talk, "a", "propose b") == told(talk, "a", "prop b") == ("answer.limit", "9.1")
    assert told(talk, "a", "prompt")[0] == told(talk, "a", "donee")[0] == "answer.unknown"
    silent = OpenNegotiation(Negotiate(SEATS, lambda seat: None, parties_of, rule="9.1"))
    assert told(silent, "a", "propose b") == ("negotiation.nothing_to_propose", "9.1")


def test_a_proposal_that_is_not_open_to_a_seat_is_refused_with_what_became_of_it() -> None:
    talk = talks(rule="9.1")
    gone, signed, left, third = (propose(talk, "a", *to) for to in ("b", "b", "b", "bc"))
    mine = propose(talk, "b", "a")
    do(talk, "a", {"do": "withdraw", "id": gone})
    do(talk, "b", {"do": "accept", "id": signed})
    assert told(talk, "b", f"accept {gone}") == ("negotiation.withdrawn", "9.1")
    assert told(talk, "b", f"accept {signed}") == ("negotiation.agreed", "9.1")
    assert told(talk, "b", f"accept {mine}") == ("negotiation.signed", "9.1")
    assert told(talk, "b", f"withdraw {left}") == ("negotiation.unsigned", "9.1")
    assert told(talk, "b", f"withdraw {gone}") == ("negotiation.withdrawn", "9.1")
    assert told(talk, "a", f"withdraw {signed}") == ("negotiation.agreed", "9.1")
    for key in (gone, signed, left, mine, "a-b-9"):  # among others, open or not, or none at all
        assert told(talk, "c", f"accept {key}")[0] == "answer.unknown"
    assert talk.domain("c").parse(f"accept {third}")


def test_in_a_public_negotiation_a_proposal_of_others_is_called_so() -> None:
    talk = talks(rule="9.1", public=True)
    theirs, done = propose(talk, "a", "b"), propose(talk, "a", "b")
    propose(talk, "a", "b", "c")
    do(talk, "b", {"do": "accept", "id": done})
    assert told(talk, "c", f"accept {theirs}") == ("negotiation.others", "9.1")
    assert told(talk, "c", f"accept {done}") == ("negotiation.agreed", "9.1")


def test_what_the_parties_see_is_a_copy() -> None:
    """A view that is drawn must not be able to sign anything."""
    talk = talks()
    key = propose(talk, "a", "b")
    ((copy, _),) = talk.seen_by("b")
    copy.signed["b"] = True
    assert [*talk.open[key].signed] == ["a"]


def test_done_is_said_by_each_for_himself() -> None:
    talk = talks()
    for _ in range(3):
        do(talk, "a", "done")
    assert (talk.closed, talk.done) == (False, {"a"})
    propose(talk, "b", "c")  # a is no party, and stays done
    assert talk.done == {"a"}
    for seat in ("b", "c"):
        do(talk, seat, "done")
    assert talk.closed


def test_withdrawing_or_signing_takes_done_back() -> None:
    for act, seat in (("withdraw", "a"), ("accept", "b")):
        talk = talks()
        key = propose(talk, "a", "b", "c")
        do(talk, seat, "done")
        do(talk, seat, {"do": act, "id": key})
        assert seat not in talk.done
        do(talk, "c", "done")
        assert not talk.closed


def test_the_acts_alone_lead_to_the_same_deals_open_proposals_and_done() -> None:
    talk = talks(limit=2)
    first = propose(talk, "a", "b")
    propose(talk, "c", "a", "b")
    do(talk, "b", {"do": "accept", "id": first})
    do(talk, "c", "done")
    again = OpenNegotiation(talk.request)
    for act in talk.acts:
        again.act(act["seat"], {key: value for key, value in act.items() if key != "seat"})
    assert (again.deals, again.open, again.done) == (talk.deals, talk.open, talk.done)
    assert OpenNegotiation.replayed(talk.request, talk.acts) == talk.deals
    assert len(talk.deals) == 1


def test_terms_are_told_from_the_words_of_the_act() -> None:
    """A deal over seats: the field `seat` of the terms is not who proposes."""
    request = Negotiate(
        SEATS, lambda _: Form(seat=Choice(["b", "c"]), to=Choice(["b"])), lambda *_: ("b",), public=True
    )
    talk = OpenNegotiation(request)
    do(talk, "a", {"do": "propose", "terms": {"seat": "c", "to": "b"}})
    (proposal,) = talk.open.values()
    assert (proposal.by, proposal.terms, proposal.parties) == ("a", {"seat": "c", "to": "b"}, ("a", "b"))


def test_a_correction_leaves_standing_what_could_still_be_proposed() -> None:
    referee = to_talk(new(stake=4))
    referee.submit("amber", {"do": "propose", "to": ["blue"], "price": 2})
    referee.submit("coral", "done")
    before = [*referee.talk.acts]
    referee.fiat([{"path": "gold.blue", "value": 1}])
    assert referee.talk is not None
    assert (referee.talk.acts, referee.notes) == (before, [])
    with pytest.raises(Rejection):  # blue is as poor as he has become
        referee.submit("blue", {"do": "accept", "id": "amber-blue-1", "give": 2})
    with pytest.raises(Rejection):
        referee.submit("blue", {"do": "propose", "to": ["amber"], "price": 2})
    assert referee.waiting() == ("amber", "blue")
