"""The tables of rulings in each game's README: each with its rule, how it is read, what is kept of it, its cases.

`python -m tests.games.rule_index` enters the cases that name a ruling.
"""

from __future__ import annotations

import re

import pytest

import games
from tests.games.rule_index import MISSING, ROOT, RULINGS, SLUGS, all_cases, citing, is_gap, named, table

NUMBERS = {
    "sixteen_thirty": [f"S-{n:02}" for n in range(1, 28)],
    "imperial_struggle": [
        f"{section}.{n}"
        for section, count in {1: 17, 2: 25, 3: 11, 4: 17, 5: 4, 8: 15}.items()
        for n in range(1, count + 1)
    ],
    "crown_of_roses": [f"R-{n:02}" for n in range(1, 62)],
    "virgin_queen": [str(n) for n in range(1, 99)],
}
"""The rulings of each facts pack."""

ROWS = [(slug, row) for slug in SLUGS for row in table(slug, RULINGS)]
HELD, NO_EFFECT = ("followed", "overruled"), "no effect in play"


@pytest.mark.parametrize("slug", SLUGS)
def test_every_ruling_has_a_row(slug):
    assert [row[0] for row in table(slug, RULINGS)] == NUMBERS[slug]


@pytest.mark.parametrize(("slug", "row"), ROWS, ids=[f"{slug}-{row[0]}" for slug, row in ROWS])
def test_a_ruling_is_held_by_its_cases(slug, row):
    """Those listed are there, and all that name it are listed. What is not written yet has no case."""
    ruling, rule, reading, kept, cell = row
    game = games.load(slug)
    options = {option.id for option in game.options}
    listed, own = named(cell), re.findall(r"`(\w+)`", kept)
    assert rule
    assert reading
    assert kept in (*HELD, NO_EFFECT, MISSING) or (kept.startswith("option ") and set(own) <= options)
    constraints = {word.removeprefix("constraint ") for word in listed if word.startswith("constraint ")}
    folder = ROOT / "games" / slug
    files = (*folder.glob("constraints*.py"), *folder.glob("constraints/*.py"))
    texts = "".join(path.read_text("utf-8") for path in files)
    assert [constraint for constraint in constraints if f'"{constraint}"' not in texts] == []
    cases = {word for word in listed if not word.startswith("constraint ")}
    assert cases - {case.id for case in all_cases(slug)} == set()
    assert citing(slug, ruling) - cases == set(), "a case that names the ruling is not in its row"
    if kept in (NO_EFFECT, MISSING):
        assert not listed
    else:
        assert listed
    if kept == MISSING:
        assert is_gap(slug, rule), f"{rule} is written: name the case of {ruling}"


@pytest.mark.parametrize(("slug", "row"), ROWS, ids=[f"{slug}-{row[0]}" for slug, row in ROWS])
def test_a_ruling_that_may_be_overruled_has_cases_for_each_value(slug, row):
    values = {option.id: option for option in games.load(slug).options}
    by_id = {case.id: case for case in all_cases(slug)}
    played = [by_id[name].options for name in named(row[4]) if name in by_id]
    for own in re.findall(r"`(\w+)`", row[3]):
        default = values[own].default
        assert {str(options.get(own, default)) for options in played} > {str(default)}, own
