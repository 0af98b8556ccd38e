"""The tables of the README are true: rule sections with modules and cases, rulings with cases."""

import re
from pathlib import Path

import pytest

import games.imperial_struggle
from games.imperial_struggle import GAME
from pbem.trial import cases

HOME = Path(games.imperial_struggle.__file__).parent
CASES = [
    case
    for path in cases.files([Path(__file__).parents[2] / "cases" / "imperial_struggle"])
    for case in cases.load(path)
]
ROWS = [
    [cell.strip() for cell in line.strip("|\n").split("|")]
    for line in (HOME / "README.md").read_text("utf-8").splitlines()
    if re.match(r"\| \d", line) and line.count("|") == 5
]
RULINGS = [
    [cell.strip() for cell in line.strip("|\n").split("|")]
    for line in (HOME / "README.md").read_text("utf-8").splitlines()
    if re.match(r"\| \d", line) and line.count("|") == 3
]
_RULINGS = re.compile(r"rulings? [\d., and]*")
_SECTION = re.compile(r"(?<![\d.#-])\d{1,2}(?:\.\d+)+|(?<![\d.#-])1[012](?![\d.])")


def cited():
    """Section → the ids of the cases that cite it, sorted."""
    found = {}
    for case in CASES:
        for section in set(_SECTION.findall(_RULINGS.sub("", case.rule))):
            found.setdefault(section, []).append(case.id)
    return {section: sorted(ids) for section, ids in found.items()}


def test_every_cited_section_has_a_row():
    assert sorted(row[0] for row in ROWS) == sorted(cited())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_row(row):
    section, _, modules, listed = row
    assert listed.split(", ") == cited()[section]
    for module in modules.split(", "):
        assert (HOME / module.strip("`")).is_file(), module


def test_number_of_cases():
    assert len(CASES) >= 290


@pytest.mark.parametrize("number", [f"#{n}" for n in range(1, 42)] + [f"M-{n}" for n in range(1, 27)])
def test_every_card_has_a_case(number):
    assert any(re.search(rf"{number}(?!\d)", case.rule) for case in CASES)


def test_every_worked_example_has_a_case():
    ids = {case.id[:3] for case in CASES}
    assert {f"W{n:02}" for n in range(1, 13)} <= ids


def test_every_ruling_has_a_case():
    wanted = [
        f"{section}.{n}"
        for section, count in {1: 17, 2: 25, 3: 11, 4: 17, 5: 4, 8: 15}.items()
        for n in range(1, count + 1)
    ]
    assert [row[0] for row in RULINGS] == wanted
    ids = {case.id for case in CASES}
    for ruling, listed in RULINGS:
        if ruling not in ("1.8", "1.9"):  # no effect in play
            assert set(listed.split(", ")) <= ids, ruling


def test_every_option_is_told():
    text = (HOME / "README.md").read_text("utf-8")
    for option in GAME.options:
        assert f"| `{option.id}` | {option.default} |" in text
