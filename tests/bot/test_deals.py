"""Deals of a bot: it signs what is clearly good for it, proposes nothing, and can't be probed."""

from __future__ import annotations

from random import Random

import games
from pbem.bot import EFFORTS, Position, choose
from pbem.bot.worlds import sample_world
from pbem.kernel.game import Setup
from pbem.kernel.journal import CheckpointRecord
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import ALWAYS

SEATS = ("amber", "black", "green")


def talking() -> Referee:
    """1630 at an exchange of amber with black."""
    game = games.load("sixteen_thirty")
    marks: list[CheckpointRecord] = []
    setup = Setup(game.slug, SEATS, "12" * 32, "standard", game.with_defaults({}))
    referee = Referee.new(game, setup, ask_me=ALWAYS, on_mark=marks.append)
    draw = Random(5)
    while referee.talk is None:
        seat = referee.waiting()[0]
        kind = referee.pending()[0].kind
        value = "amber" if kind == "partner" and seat != "amber" else referee.domain(seat).sample(draw.randrange)
        referee.submit(seat, value)
    return referee


def offered(give: int, want: str) -> tuple[Referee, str, str]:
    """The first of the two offers his first cards for one card of a kind that the other holds."""
    referee = talking()
    assert referee.talk is not None
    by, to = referee.talk.request.seats
    hands = {seat: referee.table.state.players[seat].hand for seat in (by, to)}
    kind = referee.components.meant[hands[to][0]][0] if want == "first" else want
    referee.submit(by, {"do": "propose", "give": sorted(hands[by])[:give], "want": [kind]})
    return referee, by, to


def test_three_cards_for_one_are_taken_or_left_the_same_each_time() -> None:
    referee, _, to = offered(3, "first")
    position = Position.of(referee)
    first = choose(position, to, EFFORTS["low"])
    assert first == choose(position, to, EFFORTS["high"])
    assert first == "done" or first["do"] == "accept"


def test_a_gift_is_signed() -> None:
    """Three cards for one: with three seats each card is worth more than none."""
    signed = [
        choose(Position.of(r), to, EFFORTS["low"], seed) for seed in range(3) for r, _, to in [offered(3, "first")]
    ]
    assert any(isinstance(act, dict) and act["do"] == "accept" for act in signed)


def test_in_his_world_the_proposer_holds_what_he_says() -> None:
    referee, by, to = offered(3, "first")
    position = Position.of(referee)
    heard = referee.talk.shown(next(iter(referee.talk.open.values())))
    for seed in range(20):
        there = sample_world(position, to, Random(seed))
        proposal = next(iter(there.talk.open.values()))
        hand = there.table.state.players[by].hand
        assert set(proposal.terms["give"]) <= set(hand)
        assert there.talk.shown(proposal) == heard
        assert len(hand) == len(referee.table.state.players[by].hand)


def test_what_others_have_offered_each_other_is_not_in_its_world() -> None:
    referee, _, _ = offered(3, "first")
    third = next(seat for seat in SEATS if seat not in referee.talk.request.seats)
    assert sample_world(Position.of(referee), third, Random(1)).talk.open == {}
