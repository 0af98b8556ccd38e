"""The box of Virgin Queen: the published pack keeps its constraints, and what is worked out from it is right."""

import copy
from typing import get_type_hints

import msgspec
import pytest

from games.virgin_queen import GAME
from games.virgin_queen.components import components
from games.virgin_queen.constraints import check
from games.virgin_queen.scenario_data import ScenarioRow
from pbem.kernel.pack import PackError, load_pack, merge_pack, provenance

PACK = load_pack(GAME.package)
BOX = components(PACK)


def test_the_published_pack_keeps_its_constraints():
    assert check(PACK.tables) == []


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        (("map", "spaces", "vienna", "connections"), ["linz"], "A15"),
        (("map", "spaces", "vienna", "type"), "town", "A01"),
        (("map", "spaces", "london", "port"), ["north_sea", "irish_sea", "ionian_sea"], "A14"),
        (("cards", "cards", "papal-bull", "cp"), 3, "A69"),
        (("units", "treasures", "vp1", "count"), 3, "A64"),
        (("units", "naval_pools", "hre", "count"), 2, "A49"),
    ],
)
def test_a_correction_against_the_rules_is_refused(path, value, rule):
    table, array, ident, field = path
    with pytest.raises(PackError) as caught:
        merge_pack(PACK, {table: {array: {ident: {field: value}}}}, check=check)
    assert rule in {problem.rule for problem in caught.value.problems}


def test_a_correction_within_the_rules_is_taken():
    merged = merge_pack(PACK, {"units": {"army_leaders": {"alva": {"battle": 3}}}}, check=check)
    assert components(merged).generals["alva"].battle == 3
    assert BOX.generals["alva"].battle == 2


def test_constraints_see_what_is_missing():
    tables = copy.deepcopy(dict(PACK.tables))
    tables["cards"]["cards"].pop()
    assert [problem.rule for problem in check(tables)] == ["A67", "A68", "A70"]


def test_every_fact_of_the_map_says_where_it_comes_from():
    found = provenance(PACK)
    assert found.total["seed"] > 600
    assert found.total["reconstructed"] > 1500
    assert all("prov" in space for space in PACK.tables["map"]["spaces"])


def test_what_is_worked_out():
    assert len(BOX.spaces) == 172
    assert len(BOX.treasures) == 30
    assert len(BOX.homes["protestant"]) == 19
    assert BOX.hops[()]["vienna"]["buda"] == 2
    assert BOX.hops[()]["london"]["amsterdam"] <= 3
    assert BOX.hops[()]["vienna"]["vienna"] == 0
    assert BOX.gates["antwerp"] == ("flushing", "flushing")
    assert BOX.gates["brielle"] == ("rotterdam", "brielle")
    assert set(BOX.areas) == {"netherlands", "france", "england", "scotland"}


def test_every_scenario_card_and_person_is_known():
    for scenario in BOX.scenarios.values():
        assert set(scenario["removed_cards"]) <= set(BOX.cards)
        assert {entry["leader"] for entry in scenario["leaders"]} <= set(BOX.generals)
        assert {entry["space"] for entry in scenario["units"]} <= set(BOX.spaces)
        assert {entry["owner"] for entry in scenario["units"]} <= set(BOX.land_pools)
        assert {entry["owner"] for entry in scenario["ships"]} <= set(BOX.naval_pools)


@pytest.mark.parametrize("row", BOX.scenarios.values(), ids=BOX.scenarios)
def test_numbers_words_and_lists_of_a_scenario_are_what_the_code_takes_them_for(row):
    for field, kind in get_type_hints(ScenarioRow).items():
        if field in row and "dict" not in str(kind) and "Row" not in str(kind):
            assert msgspec.convert(row[field], kind) == row[field], field
