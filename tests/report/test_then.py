"""What a letter says may follow in the same letter: the next lines of the turn, by what their writer may know."""

from __future__ import annotations

from random import Random

import pytest

import games
from pbem.kernel.domains import PASS
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee
from pbem.kernel.rejections import Rejection
from pbem.report.messages import Catalogue
from pbem.report.question_text import asked_of

TURNS = [
    ("sixteen_thirty", 4, "special", ["call"]),
    ("imperial_struggle", 2, "tile", ["act"]),
    ("crown_of_roses", 4, "use", ["action"]),
    ("virgin_queen", 6, "impulse", ["action"]),
]


def played(slug: str, players: int, seed: int, moves: int):
    """A game at random: the referee after each answer."""
    game, random = games.load(slug), Random(seed)
    scenario = game.scenarios[0]
    setup = Setup(slug, scenario.seats[players], f"{seed:064x}", scenario.id, game.with_defaults({}))
    referee = Referee.new(game, setup)
    for _ in range(moves):
        if referee.now is None:
            return
        yield referee
        seat = referee.waiting()[0]
        value = "done" if referee.talk is not None else referee.domain(seat).sample(random.randrange)
        try:
            referee.submit(seat, value)
        except Rejection:
            referee.submit(seat, PASS)


@pytest.mark.parametrize(("slug", "players", "kind", "next_kinds"), TURNS, ids=[turn[0] for turn in TURNS])
def test_the_next_lines_are_those_of_the_next_question(slug, players, kind, next_kinds) -> None:
    """Whatever is open, a letter can be written; the state stays as it is; what is told then comes."""
    told, came = 0, set()
    for referee in played(slug, players, 3, 400):
        for pending in referee.pending():
            before = referee.digest()
            found = referee.game.likely_next(referee.table.private_copy(), pending.seat, pending.kind)
            assert set(found) <= set(referee.game.question_kinds)
            assert referee.digest() == before
            if pending.kind == kind:
                told += bool(set(next_kinds) & set(found))
            came.add(pending.kind)
    assert told
    assert came.issuperset(next_kinds)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_letter_tells_them_with_their_grammar(language: str) -> None:
    for referee in played("crown_of_roses", 4, 3, 400):
        pending = referee.pending()[0]
        if pending.kind == "use" and not pending.answered:
            say = Catalogue(referee.game, referee.components, language, referee.names)
            asked = asked_of(referee, pending.seat, say)
            assert asked is not None
            assert "move <" in asked.then[0]
            assert "done" in asked.then[0]
            assert "go <" in asked.then[1]
            return
    raise AssertionError("the question never came")
