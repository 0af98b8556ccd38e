"""Everything that Imperial Struggle says has a text in both languages, and what it tells a seat is rendered."""

import random

import pytest

from games.imperial_struggle import GAME
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee, components_of
from pbem.report.catalogue import LANGUAGES, Catalogue, messages

BOX = components_of(GAME, {})[1]


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_missing_in_random_games(language):
    catalogue = Catalogue(GAME, BOX, language)
    for number in range(3):
        source = random.Random(f"{language}{number}")
        setup = Setup(GAME.slug, ("britain", "france"), f"{number + 77:064x}", options=GAME.with_defaults({}))
        referee = Referee.new(GAME, setup, components=BOX, ask_me="always")
        while not referee.over:
            for pending in referee.pending():
                assert catalogue.render_prompt(pending)
                assert pending.kind in GAME.kinds
            seat = referee.waiting()[0]
            referee.submit(seat, referee.domain(seat).sample(source.randrange))
        for line in referee.table.lines:
            for seat in ("britain", "france", ""):
                catalogue.render_line(line, seat)
    assert sorted(catalogue.missing) == []


def test_every_kind_of_question_has_its_words():
    for language in LANGUAGES:
        texts = messages(GAME.package, language)
        for kind in GAME.kinds:
            assert {key.removesuffix(".one") for key in texts} >= {f"ask.{kind}", f"kind.{kind}"}, kind
