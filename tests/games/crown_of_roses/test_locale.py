"""Everything that Crown of Roses says has a text in both languages."""

import random

import pytest

from games.crown_of_roses import GAME
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee, components_of
from pbem.report.catalogue import LANGUAGES, Catalogue, messages

BOX = components_of(GAME, {})[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_missing_in_random_games(language):
    catalogue = Catalogue(GAME, BOX, language)
    source = random.Random(language)
    seats = GAME.seats_for(4, "campaign")
    setup = Setup(GAME.slug, seats, f"{77:064x}", "campaign", GAME.with_defaults({}))
    referee = Referee.new(GAME, setup, components=BOX, ask_me="always")
    for _ in range(400):
        if referee.over:
            break
        for pending in referee.pending():
            assert catalogue.render_prompt(pending)
            assert pending.kind in GAME.kinds
        seat = referee.waiting()[0]
        referee.submit(seat, referee.domain(seat).sample(source.randrange))
    for line in referee.table.lines:
        for seat in (*seats, ""):
            catalogue.render_line(line, seat)
    assert sorted(catalogue.missing) == []


@pytest.mark.parametrize("kind", GAME.kinds)
def test_every_kind_of_question_has_its_words(kind):
    for language in LANGUAGES:
        assert {f"ask.{kind}", f"kind.{kind}"} <= set(messages(GAME.package, language))
