"""An act that costs nothing and leaves the question open is done once, also where each answer makes a checkpoint."""

from __future__ import annotations

import msgspec

import games
from pbem.bot import Effort, Position, choose
from pbem.bot.search import act_of, free_acts_done
from pbem.kernel.domains import Menu
from pbem.kernel.journal import Move
from pbem.kernel.referee import Referee
from tests.bot.positions import positions


def _changed() -> tuple[Referee, str, str]:
    """Crown of Roses after a change of money by a seat that is asked again (9.1): referee, seat, kind of question."""
    for referee, _ in positions("crown_of_roses", 0, every=1):
        for pending in referee.pending():
            domain = referee.domain(pending.seat)
            if isinstance(domain, Menu) and "change" in domain.words:
                form = domain.entry("change")
                assert form is not None
                change = domain.outer("change", form, form.sample(lambda n: 0))
                referee.submit(pending.seat, change)
                return referee, pending.seat, pending.kind
    raise AssertionError("nobody can change money")


def test_money_is_changed_once() -> None:
    referee, seat, kind = _changed()
    position = Position.of(referee)
    assert [pending.kind for pending in referee.pending()] == [kind]
    assert not position.moves  # there is a checkpoint between: the moves since then tell nothing
    assert free_acts_done(position, seat, kind) == {"change"}
    assert {act_of(choose(position, seat, Effort(0.1), seed)) for seed in range(8)}.isdisjoint({"change"})


def test_moves_of_others_and_other_questions_between_do_not_matter() -> None:
    referee, seat, kind = _changed()
    position = Position.of(referee)
    other = next(each for each in referee.table.seats if each != seat)

    def done(*moves: tuple[str, str, str]) -> set[str]:
        later = [Move(position.recent[-1].n + at, 0, *move) for at, move in enumerate(moves, 1)]
        return free_acts_done(msgspec.structs.replace(position, recent=(*position.recent, *later)), seat, kind)

    assert done((other, kind, "done"), (seat, "surprise_step", "pass")) == {"change"}
    assert done((seat, kind, "done")) == set()


def test_free_actions_of_virgin_queen_are_free_acts() -> None:
    """Don John's command (10), and the way aboard and ashore (23.2): else a bot of Spain changes it for ever."""
    assert sorted(games.load("virgin_queen").free_acts) == ["command", "disembark", "embark"]
