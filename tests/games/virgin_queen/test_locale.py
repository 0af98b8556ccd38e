"""What Virgin Queen says has a text in both languages, and what it tells a seat is rendered."""

import random
import re
from pathlib import Path

import pytest

import games.virgin_queen
from games.virgin_queen import GAME
from games.virgin_queen.events.france import LORD
from pbem.kernel.game import Setup
from pbem.kernel.referee import Referee, components_of
from pbem.report.catalogue import LANGUAGES, Catalogue

ROOT = Path(games.virgin_queen.__file__).parent
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


def test_what_brings_points_is_told_in_words():
    """The table of powers has `Paris 3, slave trader -1`: each kind that the code or a scenario awards has a name."""
    code = [path.read_text("utf-8") for path in ROOT.rglob("*.py")]
    kinds = {kind for text in code for kind in re.findall(r'award\(table, [^"]*?"(\w+)"', text)}
    kinds |= {kind for text in code for kind in re.findall(r'(?:vp|stock)\["(\w+)"\]', text)}
    kinds |= {entry["kind"] for one in BOX.scenarios.values() for entry in one["bonus_vp"]} | {
        LORD,
        "piracy",
        "circumnavigation",
    }
    assert {"paris", "slave_trader", "virginia_dare", "fortress"} <= kinds
    say = Catalogue(GAME, BOX, "ja")
    assert sorted(kind for kind in kinds if say.value(f"{kind} 1").isascii()) == []
