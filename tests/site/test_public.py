"""The pages are the same in all worlds that differ only in what some seat may not know.

Here from checkpoints of random games; `pbem dev leak-test --mail-pairs` does it with letters on their way
(pbem/dev/leak_test_mail.py).
"""

from random import Random

import msgspec
import pytest

import games
from pbem.dev.random_game import random_setup, sampler
from pbem.kernel.referee import Referee
from pbem.kernel.standing_orders import ALWAYS
from pbem.report.build import build
from pbem.report.messages import Catalogue
from pbem.report.model import ReportContext
from pbem.site import pages
from pbem.site.public_history import PublicHistory, ReplayPage

LANGUAGES = ("en", "ja")


def drawn(referee):
    """All pages of a game as it stands, with a replay of one step."""
    reports = {}
    for language in LANGUAGES:
        say = Catalogue(referee.game, referee.components, language, referee.names)
        reports[language] = build(
            referee, "", language, lines=referee.table.lines[-20:], frame=ReportContext("pair"), catalogue=say
        )
    return pages.of_game(PublicHistory("pair", "", reports, steps=[ReplayPage(reports)]), LANGUAGES)


def play(referee, below, most):
    for _ in range(most):
        if referee.now is None:
            return
        seat = referee.waiting()[0]
        referee.submit(seat, referee.domain(seat).sample(below) if referee.talk is None else "done")


DEAR = ("crown_of_roses", "virgin_queen")


@pytest.mark.parametrize(
    "slug", [pytest.param(slug, marks=pytest.mark.slow) if slug in DEAR else slug for slug in games.BUILT_IN]
)
def test_what_a_seat_may_not_know_changes_no_page(slug):
    game = games.load(slug)
    changed = 0
    for number in range(2):
        random = Random(f"pages:{slug}:{number}")
        scenario = game.scenarios[number % len(game.scenarios)]
        players = max(scenario.seats)
        marks = []
        setup = random_setup(game, random, scenario.id, scenario.seats[players])
        referee = Referee.new(game, setup, ask_me=ALWAYS, on_mark=marks.append)
        play(referee, sampler(random), 150)
        for mark in random.sample(marks, min(2, len(marks))):
            a = Referee.resume(game, setup, [], mark, ask_me=ALWAYS)
            for seat in setup.seats:
                scratch = Referee(game, setup)
                scratch.table.state = msgspec.json.decode(mark.state, type=game.state)
                game.conceal(scratch.table, seat, sampler(random))
                hidden = msgspec.structs.replace(mark, state=msgspec.json.encode(scratch.table.state))
                changed += hidden.state != mark.state
                b = Referee.resume(game, setup, [], hidden, ask_me=ALWAYS)
                if [line.args for line in a.table.lines] == [line.args for line in b.table.lines]:
                    assert drawn(a) == drawn(b), seat
    assert changed
