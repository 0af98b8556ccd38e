"""Every worked example, ruling and behaviour of the facts pack has a conformance case."""

import re
from pathlib import Path

import pytest

from pbem.trial import cases

CASES = [
    c
    for path in cases.files([Path(__file__).parents[2] / "cases" / "sixteen_thirty"])
    for c in cases.load(path)
]
CITED = {
    number for case in CASES for number in re.findall(r"\b(?:[WXA]\d\d|S-\d\d)", f"{case.id} {case.rule}")
}

WORKED = [f"W{n:02}" for n in range(1, 10)]
RULINGS = [f"S-{n:02}" for n in range(1, 28)]
BEHAVIOUR = [f"X{n:02}" for n in range(1, 27)]


@pytest.mark.parametrize("number", [*WORKED, *RULINGS, *BEHAVIOUR])
def test_number_is_cited_by_a_case(number):
    assert number in CITED


def test_number_of_cases():
    assert len(CASES) >= 130
