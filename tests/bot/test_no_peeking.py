"""A bot knows what its seat may know: in two truths that are the same to it, it chooses the same."""

from __future__ import annotations

from itertools import islice
from random import Random

import msgspec
import pytest

from pbem.bot import Effort, Position, choose
from pbem.bot.worlds import below, sample_world
from pbem.kernel.domains import Budget
from pbem.kernel.referee import Referee
from tests.bot.positions import SLUGS, positions


def _concealed(position: Position, state: bytes, seat: str, seed: int) -> bytes:
    game = position.game
    referee = Referee(game, position.setup)
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
        referee.refresh()
        return referee


class _Elsewhere(Position):
    """The same game in another truth since its last checkpoint: what was asked since was asked there."""

    seat: str = ""
    seed: int = 0

    def clone(self) -> Referee:
        game, table = self.game, Referee(self.game, self.setup).table
        table.state = msgspec.json.decode(self.mark.state, type=game.state)
        game.conceal(table, self.seat, below(Random(self.seed)))
        state = msgspec.json.encode(table.state)
        fields = {name: getattr(self, name) for name in Position.__struct_fields__}
        mark = msgspec.structs.replace(self.mark, state=state)
        return Position(**{**fields, "mark": mark}).clone()


def _public(referee: Referee) -> list[tuple[str, str, dict[str, object]]]:
    return [(pending.seat, pending.kind, pending.about) for pending in referee.pending()]


def _questions_to_others(slug: str, number: int, every: float) -> int:
    """How many questions to others were the same in two truths, of one random game; one that is not is an error."""
    compared = 0
    for referee, position in positions(slug, number, every=every):
        waiting = referee.waiting()
        if referee.talk is not None or position.moves or len(waiting) < 2:
            continue
        fields = {name: getattr(position, name) for name in Position.__struct_fields__}
        for seat in waiting:
            ours = sample_world(position, seat, Random(5))
            theirs = sample_world(_Elsewhere(**fields, seat=seat, seed=7), seat, Random(5))
            if _public(theirs) != _public(ours) or theirs.table.state != ours.table.state:
                continue  # the other truth went another way
            for other in waiting:
                if other != seat:
                    described = [w.domain(other).describe(Budget(3_000)) for w in (ours, theirs)]
                    kind = next(pending.kind for pending in referee.pending() if pending.seat == other)
                    assert described[0] == described[1], f"{kind} for {other} in the world of {seat}"
                    compared += 1
    return compared


@pytest.mark.parametrize("slug", SLUGS)
def test_questions_to_others_are_built_from_the_world(slug: str) -> None:
    assert sum(_questions_to_others(slug, number, 0.5) for number in range(3)) > 10


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
    assert _same(slug, 12, Effort(0.15)) == 12


@pytest.mark.slow
@pytest.mark.parametrize("slug", SLUGS)
def test_the_choice_is_the_same_in_400_paired_truths(slug: str) -> None:
    assert _same(slug, 400, Effort(0.2)) == 400
