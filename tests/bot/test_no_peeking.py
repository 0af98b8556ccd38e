"""An understudy knows what its seat may know: in two truths that are the same to it, it chooses the same."""

from __future__ import annotations

from itertools import islice
from random import Random

import msgspec
import pytest

from pbem.bot import Effort, Position, choose
from pbem.bot.positions import below
from pbem.kernel.referee import Referee
from tests.bot.positions import SLUGS, positions


def _concealed(position: Position, state: bytes, seat: str, seed: int) -> bytes:
    game = position.game
    referee = Referee(game, position.setup, components=position.components)
    referee.table.state = msgspec.json.decode(state, type=game.state)
    game.conceal(referee.table, seat, below(Random(seed)))
    return msgspec.json.encode(referee.table.state, order="deterministic")


@pytest.mark.parametrize("slug", SLUGS)
def test_conceal_is_canonical(slug: str) -> None:
    """The world it deals is a function of what the seat may know and of the seed: from another truth it is the same."""
    for number in range(3):
        for at, (referee, position) in enumerate(islice(positions(slug, number), 12)):
            truth = msgspec.json.encode(referee.table.state, order="deterministic")
            for seat in referee.table.seats:
                other = _concealed(position, truth, seat, at + 1)
                assert _concealed(position, truth, seat, at) == _concealed(position, other, seat, at)


class _Otherwise(Position):
    """The same position in another truth, which is the same to one seat."""

    seat: str = ""
    seed: int = 0

    def clone(self) -> Referee:
        referee = super().clone()
        self.game.conceal(referee.table, self.seat, below(Random(self.seed)))
        referee.look_anew()
        return referee


def _same(slug: str, wanted: int, effort: Effort) -> int:
    tried = 0
    for number in range(100):
        for referee, position in positions(slug, number, every=0.03):
            if referee.talk is not None:
                continue
            for seat in referee.waiting():
                fields = {name: getattr(position, name) for name in Position.__struct_fields__}
                other = _Otherwise(**fields, seat=seat, seed=tried)
                choice = choose(position, seat, effort, tried)
                assert choice == choose(other, seat, effort, tried)
                assert referee.domain(seat).accepts(choice)  # what it was shown is so in its worlds too
                tried += 1
                if tried == wanted:
                    return tried
    return tried


@pytest.mark.parametrize("slug", SLUGS)
def test_the_choice_is_the_same_in_paired_truths(slug: str) -> None:
    assert _same(slug, 12, Effort(4, 0.15)) == 12


@pytest.mark.slow
@pytest.mark.parametrize("slug", SLUGS)
def test_the_choice_is_the_same_in_400_paired_truths(slug: str) -> None:
    assert _same(slug, 400, Effort(6, 0.2)) == 400
