"""What a refusal offers is taken when it is sent again, in every game."""

from __future__ import annotations

from random import Random

import pytest

import games
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.orders.apply import execute_block
from pbem.orders.parser import read, shortened

SPOILT = ("zzz", "with", "nothing", "42", "and")


def spoilt(text: str, chance: Random) -> str:
    """An answer with a word gone, another word in its place, or a letter lost."""
    words = text.split()
    at = chance.randrange(len(words))
    match chance.randrange(4):
        case 0 if len(words) > 1:
            del words[at]
        case 1:
            words[at] = chance.choice(SPOILT)
        case 2 if len(words[at]) > 3:
            cut = chance.randrange(len(words[at]))
            words[at] = words[at][:cut] + words[at][cut + 1 :]
        case _:
            words.insert(at, chance.choice(SPOILT))
    return " ".join(words)


def sent(referee: Referee, seat: str, line: str, number: int):
    (block,) = read(f"BEGIN ORDERS g {seat}\n{line}\nEND ORDERS").blocks
    return execute_block(referee, block, game="g", seat=seat, via=f"letter {number}")


@pytest.mark.parametrize("slug", games.BUILT_IN)
@pytest.mark.parametrize("seed", range(2))
def test_the_line_that_a_refusal_offers_is_taken(slug, seed):
    game, chance = games.load(slug), Random(seed)
    seats = game.seats_for(max(game.scenario().seats))
    setup = Setup(slug, seats, f"{seed:02d}" * 32, game.scenario().id, game.with_defaults({}))
    referee = Referee.new(game, setup)
    offered = taken = 0
    for number in range(400):
        if referee.over or offered == 40:
            break
        seat = referee.waiting()[0]
        domain = referee.domain(seat)
        text = domain.text(domain.sample(chance.randrange))
        wrong = f"{referee.q}: {spoilt(text, chance)}"
        receipt = sent(referee, seat, wrong, number) if chance.random() < 0.5 else None
        if receipt is not None and receipt.refused and not receipt.accepted:
            (refused,) = receipt.refused
            assert refused.text == shortened(wrong)  # the words as they were read
            lines = [refused.offer] if refused.offer else refused.ways
            if lines:
                offered += 1
                again = sent(referee, seat, chance.choice(lines), number + 1000)
                assert not again.refused, (refused, lines, again.refused)
                taken += 1
                continue
        if receipt is None or receipt.refused:
            try:
                referee.submit(seat, domain.sample(chance.randrange))
            except Rejection:
                continue
    assert offered == taken
    assert taken >= 10
