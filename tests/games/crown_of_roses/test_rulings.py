"""The tables of rulings and house rules in the README: each with the cases that hold it."""

import re

import pytest

from games.crown_of_roses import GAME
from games.crown_of_roses.options import READINGS
from tests.games.rule_index import all_cases, table

CASES = {case.id: case for case in all_cases("crown_of_roses")}
RULINGS = {row[0]: row[1:] for row in table("crown_of_roses", "| ruling | reading | kept | cases |")}
HOUSE_RULES = {
    row[0].strip("`"): row[1:] for row in table("crown_of_roses", "| option | by default | or | cases |")
}


def named(cell):
    """The cases of a cell: `A, B to E` names four if they end in letters."""
    found = []
    for part in cell.split(", "):
        first, to, last = part.partition(" to ")
        found += (
            [first] if not to else [first[:-1] + chr(n) for n in range(ord(first[-1]), ord(last[-1]) + 1)]
        )
    return found


def test_every_ruling_has_a_row():
    assert list(RULINGS) == [f"R-{n:02}" for n in range(1, 62)]


@pytest.mark.parametrize("ruling", RULINGS)
def test_a_ruling_is_held_by_the_cases_that_cite_it(ruling):
    _, kept, listed = RULINGS[ruling]
    citing = {case.id for case in CASES.values() if ruling in re.findall(r"R-\d\d", case.rule)}
    assert set(named(listed)) == citing != set()
    options = re.findall(r"`(\w+)`", kept)
    assert kept in ("followed", "overruled") or options
    assert set(options) <= {option.id for option in GAME.options}


def test_every_reading_that_may_be_overruled_has_a_row():
    assert list(HOUSE_RULES) == [option.id for option in READINGS]


@pytest.mark.parametrize("option", READINGS, ids=lambda option: option.id)
def test_a_house_rule_has_cases_for_both_values(option):
    listed = [CASES[one] for one in named(HOUSE_RULES[option.id][-1])]
    values = {case.options.get(option.id, option.default) for case in listed}
    assert values == set(option.domain.options())
