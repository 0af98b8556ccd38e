"""What Virgin Queen says has a text in both languages, and what it tells a seat is rendered."""

import random

import pytest

from games.virgin_queen import GAME
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee, components_of
from pbem.report.catalogue import LANGUAGES, Catalogue

BOX = components_of(GAME, {})[1]


@pytest.mark.parametrize(("players", "scenario"), [(6, "campaign"), (3, "tournament")])
def test_nothing_is_missing_in_random_games(players, scenario):
    catalogues = [Catalogue(GAME, BOX, language) for language in LANGUAGES]
    source = random.Random(f"words {players}")
    setup = Setup(GAME.slug, GAME.seats_for(players, scenario), f"{players + 77:064x}", scenario)
    referee = Referee.new(GAME, setup, components=BOX, ask_me="always")
    for _ in range(900):
        if referee.over:
            break
        for pending in referee.pending():
            assert all(catalogue.render_prompt(pending) for catalogue in catalogues)
            assert pending.kind in GAME.kinds
        seat = referee.waiting()[0]
        referee.submit(seat, referee.domain(seat).sample(source.randrange))
    for line in referee.table.lines:
        for catalogue in catalogues:
            for seat in (*setup.seats, ""):
                catalogue.render_line(line, seat)
    assert [sorted(catalogue.missing) for catalogue in catalogues] == [[], []]
