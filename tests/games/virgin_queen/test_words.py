"""What brings points in Virgin Queen has a name in every language."""

import re
from pathlib import Path
from typing import Any

import games.virgin_queen
from games.virgin_queen import GAME
from games.virgin_queen.events.france import LORD
from games.virgin_queen.evidence.shared import means, note, words
from pbem.kernel.referee import components_of
from pbem.report.answer_faces import face
from pbem.report.messages import Catalogue

ROOT = Path(games.virgin_queen.__file__).parent
BOX = components_of(GAME, {})[1]


def test_what_brings_points_is_told_in_words():
    """The table of powers has `Paris 3, slave trader -1`: each kind that the code or a scenario awards has a name."""
    code = [path.read_text("utf-8") for path in ROOT.rglob("*.py")]
    kinds = {kind for text in code for kind in re.findall(r'award\(table, [^"]*?"(\w+)"', text)}
    kinds |= {kind for text in code for kind in re.findall(r'(?:vp|stock)\["(\w+)"\]', text)}
    kinds |= {entry["kind"] for scenario in BOX.scenarios.values() for entry in scenario["bonus_vp"]} | {
        LORD,
        "piracy",
        "circumnavigation",
    }
    assert {"paris", "slave_trader", "virginia_dare", "fortress"} <= kinds
    say = Catalogue(GAME, BOX, "ja")
    assert sorted(kind for kind in kinds if say.value(f"{kind} 1").isascii()) == []


def test_who_acts_for_two_powers_reads_which_of_them_proposes():
    said = {"do": "propose", "partner": "france", "of": ["peace"]}
    for language, alone, named in (
        ("en", "peace with France", "Spain: peace with France"),
        ("ja", "フランスと和平", "スペインがフランスと和平"),
    ):
        say = Catalogue(GAME, BOX, language)
        assert face("negotiation", said, say)[0] == alone
        assert face("negotiation", {**said, "power": "spain"}, say)[0] == named


def test_a_word_means_what_is_told_of_it_and_other_answers_what_they_name():
    def other(look, answer):
        return means(note("dies"), rank=len(answer["with"]))

    told = words({"pass": note("waits"), "stay": lambda look: note("stays", power=look)}, other)
    assert [fact.key for fact in told(None, "pass").follows] == ["waits"]
    spain: Any = "spain"  # a look is handed on as it is
    assert told(spain, "stay").follows == (note("stays", power="spain"),)
    assert told(None, {"do": "go", "with": ["york"]}).rank == 1
    assert words({})(None, "pass") is None
