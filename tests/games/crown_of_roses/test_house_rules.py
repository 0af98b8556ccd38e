"""The table of house rules in the README: each with cases for both values."""

import pytest

from games.crown_of_roses.options import READINGS
from tests.games.rule_index import all_cases, named, table

CASES = {case.id: case for case in all_cases("crown_of_roses")}
HOUSE_RULES = {row[0].strip("`"): row[1:] for row in table("crown_of_roses", "| option | by default | or | cases |")}


def test_every_reading_that_may_be_overruled_has_a_row():
    assert list(HOUSE_RULES) == [option.id for option in READINGS]


@pytest.mark.parametrize("option", READINGS, ids=lambda option: option.id)
def test_a_house_rule_has_cases_for_both_values(option):
    listed = [CASES[name] for name in named(HOUSE_RULES[option.id][-1])]
    values = {case.options.get(option.id, option.default) for case in listed}
    assert values == set(option.domain.options())
