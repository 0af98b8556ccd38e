"""What brings points in Virgin Queen has a name in every language."""

import re
from pathlib import Path

import games.virgin_queen
from games.virgin_queen import GAME
from games.virgin_queen.events.france import LORD
from pbem.kernel.referee import components_of
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
