"""The tables of the README are true: sections that cases cite, their modules, and what is not written."""

import re
from pathlib import Path

import pytest

import games.crown_of_roses
from games.crown_of_roses.coverage import MISSING
from games.crown_of_roses.rules import PHASES, SECTIONS
from pbem.trial import cases

HOME = Path(games.crown_of_roses.__file__).parent
README = (HOME / "README.md").read_text("utf-8")
FOLDER = Path(__file__).parents[2] / "cases" / "crown_of_roses"
CASES = [case for path in cases.files([FOLDER]) for case in cases.load(path)]
ROWS = [
    cells
    for line in README.splitlines()
    if line.startswith("| ") and len(cells := [cell.strip() for cell in line.strip("|\n").split("|")]) == 4
][1:]
_SECTION = re.compile(r"(?<![\w.-])\d{1,2}(?:\.\d+)*")


def cited():
    """Section → the ids of the cases that cite it, sorted."""
    found = {}
    for case in CASES:
        for section in set(_SECTION.findall(re.sub(r"\(.*?\)", "", case.rule))):
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


def test_every_phase_without_a_rule_is_named_as_missing():
    for phase, section in SECTIONS.items():
        assert phase in PHASES or section in MISSING, phase


@pytest.mark.parametrize("section", MISSING)
def test_what_is_missing_stands_in_the_readme(section):
    start = README.index("## What is not written")
    table = README[start : README.index("## What is written")]
    numbers = {
        number
        for line in table.splitlines()
        for number in _SECTION.findall(line.split("|")[1] if "|" in line else "")
    }
    spans = [tuple(map(int, pair)) for pair in re.findall(r"(\d+) to (\d+)", table)]
    chapter = section.partition(".")[0]
    near = (
        section in numbers
        or section.rpartition(".")[0] in numbers
        or ".".join(section.split(".")[:2]) in numbers
    )
    assert near or any(low <= int(chapter) <= high for low, high in spans), section
