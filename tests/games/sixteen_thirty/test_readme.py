"""The table of the README is true: every case stands in one row, every module and case it names is there."""

from pathlib import Path

import pytest

import games.sixteen_thirty
from pbem.trial import cases

HOME = Path(games.sixteen_thirty.__file__).parent
FOLDER = Path(__file__).parents[2] / "cases" / "sixteen_thirty"
IDS = sorted(case.id for path in cases.files([FOLDER]) for case in cases.load(path))
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (HOME / "README.md").read_text("utf-8").splitlines()
    if line.startswith("| ") and line.count("|") == 5 and not line.startswith("| Rule")
]


def test_every_case_stands_in_one_row():
    assert sorted(one for row in ROWS for one in row[3].split(", ")) == IDS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_modules_of_a_row_are_there(row):
    for module in row[2].split(", "):
        assert (HOME / module.strip("`")).is_file(), module


def test_every_phase_and_the_war_have_a_row():
    assert [row[0] for row in ROWS] == ["set-up", "1", "2", "3", "4", "5", "war", "6", "7"]


def test_there_are_enough_cases():
    assert len(IDS) >= 130


@pytest.mark.parametrize("number", range(1, 28))
def test_every_ruling_has_a_case(number):
    wanted = f"S-{number:02}"
    rules = [case.rule for path in cases.files([FOLDER]) for case in cases.load(path)]
    assert any(wanted in rule for rule in rules), wanted
