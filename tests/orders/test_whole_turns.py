"""A whole turn in one letter comes to the same as its answers one by one, and the receipt tells of each line."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

import games
from pbem.kernel.game import Game, Setup
from pbem.kernel.questions import Ask
from pbem.kernel.referee import Move, Referee
from pbem.kernel.rejections import Rejection
from pbem.orders.apply import execute_block
from pbem.orders.parser import read
from pbem.orders.receipt import Receipt

SLUGS = [known.slug for known in games.catalogue() if known.status == "ready"]
LOOKS = 400
"""Answers into each game."""


def new(game: Game) -> tuple[Setup, Referee]:
    setup = Setup(game.slug, game.seats_for(max(game.scenario().seats)), "22" * 32, game.scenario().id,
                  game.with_defaults({}))  # fmt: skip
    return setup, Referee.new(game, setup)


def own_turn(referee: Referee, random: Random, most: int = 5) -> list[tuple[str, str]]:
    """Play on at random as long as one seat is asked in its own turn; its answers as lines with their kinds."""
    assert isinstance(referee.now, Ask)
    seat, lines = referee.now.seat, []
    while (
        isinstance(referee.now, Ask) and referee.now.seat == seat and referee.now.pace == "turn" and len(lines) < most
    ):
        referee.table.held.clear()
        domain, kind = referee.domain(seat), referee.now.kind
        value = domain.sample(random.randrange)
        lines.append((kind, domain.text(value)))
        referee.submit(seat, value)
        if seat in referee.table.held:  # something that he could not know: he would be asked
            break
    return lines


def by_letter(referee: Referee, seat: str, lines: list[str]) -> Receipt:
    text = "\n".join([f"BEGIN ORDERS g {seat}", *lines, "END ORDERS"])
    (block,) = read(text).blocks
    return execute_block(referee, block, game="g", at="t", via="<whole>")


@pytest.mark.parametrize("slug", SLUGS)
def test_a_whole_turn_in_one_letter(slug: str) -> None:
    game = games.load(slug)
    setup, referee = new(game)
    random = Random(3)
    told = 0
    for _ in range(LOOKS):
        if referee.over:
            break
        if not isinstance(referee.now, Ask) or referee.now.pace != "turn":
            for seat in referee.waiting():
                try:
                    referee.submit(
                        seat, referee.domain(seat).sample(random.randrange) if referee.talk is None else "done"
                    )
                except Rejection:
                    referee.submit(seat, "done")
            continue
        seat = referee.now.seat
        before: list[Move] = list(referee.moves)
        lines = own_turn(referee, random)
        if len(lines) < 2 or told >= 6:
            continue
        told += 1
        again = Referee.resume(game, setup, before)
        again.standing, again.settings = [], []
        receipt = by_letter(again, seat, [text for _, text in lines])
        assert not receipt.refused, str(receipt)
        assert [accepted.fate for accepted in receipt.accepted] == ["answered"] + ["used"] * (len(lines) - 1), str(
            receipt
        )
        assert [accepted.line for accepted in receipt.accepted] == [*range(2, 2 + len(lines))]
        assert msgspec.json.encode(again.table.state) == msgspec.json.encode(referee.table.state)
        assert again.q == referee.q
    assert told >= 3


@pytest.mark.parametrize("slug", SLUGS)
def test_where_a_turn_stops_the_receipt_says_why(slug: str) -> None:
    """A line that turns out wrong is refused with its reason, and those behind it because of it."""
    game = games.load(slug)
    setup, referee = new(game)
    random = Random(5)
    for _ in range(LOOKS):
        if isinstance(referee.now, Ask) and referee.now.pace == "turn":
            seat, before = referee.now.seat, list(referee.moves)
            lines = own_turn(referee, random, 2)
            if len(lines) == 2:
                break
            continue
        for seat in referee.waiting():
            referee.submit(seat, referee.domain(seat).sample(random.randrange) if referee.talk is None else "done")
    again = Referee.resume(game, setup, before)
    receipt = by_letter(again, seat, [lines[0][1], "no such thing", lines[1][1]])
    assert [accepted.fate for accepted in receipt.accepted] == ["answered"]
    assert [(refused.line, refused.problem.key == "orders.behind") for refused in receipt.refused] == [
        (3, False),
        (4, True),
    ]
    assert receipt.open[0].answer == ""
