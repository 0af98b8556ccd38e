"""Corrections of a pack field by field: what kind of value fits, whose provenance it is, what stays the caller's."""

from __future__ import annotations

import copy
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pbem.kernel.pack import Pack, PackError, digest, load_pack, merge_pack, provenance
from tests.kernel.packs import make_pack

TABLES: dict[str, dict[str, Any]] = {
    "map": {
        "spaces": [
            {"id": "alps", "name": "Alps", "near": [], "walls": 1, "height": 4.5, "ports": []},
            {"id": "bern", "name": "Bern", "near": ["alps"], "walls": "thick", "height": 0.5, "ports": []},
            {
                "id": "corsica",
                "name": "Corsica",
                "near": [],
                "height": 2.5,
                "ports": [],
                "coast": {"sea": "gulf", "fort": {"guns": 3}},
                "prov": {"shape": "knowledge atlas", "coast": "public a review"},
            },
        ],
        "trade": [{"id": "trade", "value": 1}, {"id": "bern", "value": 2}],
        "rates": {"toll": 2},
        "regions": {"north": {"name": "North", "prov": {"name": "knowledge"}}},
        "rolls": [{"id": "storm", "table": [{"kind": "wreck", "n": 1}, {"kind": "drift", "n": 2}]}],
    }
}


@pytest.fixture
def base() -> Pack:
    return make_pack("demo", copy.deepcopy(TABLES))


def merged(base: Pack, **override: Any) -> Pack:
    return merge_pack(base, {"map": override}, check=lambda tables: [])


def complaints(base: Pack, **override: Any) -> list[str]:
    with pytest.raises(PackError) as caught:
        merged(base, **override)
    return [str(flaw) for flaw in caught.value.problems]


def space(pack: Pack, ident: str) -> dict[str, Any]:
    found: dict[str, Any] = next(x for x in pack.tables["map"]["spaces"] if x["id"] == ident)
    return found


# files


def test_only_toml_files_are_data_and_they_stand_in_the_order_of_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "boxed" / "data"
    data.mkdir(parents=True)
    (tmp_path / "boxed" / "__init__.py").write_text("")
    names = [f"t{n * 7 % 20:02}" for n in range(20)]
    for name in names:
        (data / f"{name}.toml").write_text(f'things = [{{ id = "{name}" }}]\n')
    (data / "notes.txt").write_text("no TOML = = at all\n")
    (data / "t03.toml~").write_text("left by an editor\n")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        pack = load_pack("boxed")
    finally:
        sys.modules.pop("boxed", None)
    assert pack.slug == "boxed"
    assert list(pack.tables) == sorted(names)
    assert pack.tables["t03"] == {"things": [{"id": "t03"}]}


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"limits": {"stack": 4, "prov": {"stack": "hearsay"}}}, "t.limits.prov.stack: 'hearsay' must begin"),
        (
            {"limits": {"deep": {"things": [{"id": "a"}, {"id": "a"}]}}},
            "t.limits.deep.things: the id 'a' is used twice",
        ),
        ({"things": [{"id": "a", "prov": {"x": 7}}]}, "t.things.a.prov.x: 7 must begin with one of seed"),
        ({"things": [{"id": "a"}, {"x": 1}]}, "t.things: some elements have an id and some have none"),
        ({"things": [{"id": "a"}, 5]}, "t.things: some elements have an id and some have none"),
        ({"things": [{"id": "a b"}]}, "t.things: 'a b' can't be an id"),
        ({"things": [{"x": {"prov": {"y": "seen"}}}]}, "t.things.0.x.prov.y: 'seen' must begin"),
    ],
)
def test_the_place_of_a_flaw_is_named(table: dict[str, Any], says: str) -> None:
    with pytest.raises(PackError) as caught:
        make_pack("demo", {"t": table})
    (flaw,) = caught.value.problems
    assert says in str(flaw)


def test_dates_are_values_like_any_other() -> None:
    one, other = ({"t": {"printed": date(2011, 5, day)}} for day in (1, 2))
    assert digest(one) != digest(other)
    assert make_pack("demo", one).digest == digest(one)


# what stays the caller's


def test_what_the_caller_does_to_his_file_afterwards_changes_no_pack(base: Pack) -> None:
    near = ["bern"]
    override: dict[str, Any] = {"map": {"alps": {"near": near}}}
    pack = merge_pack(base, override, check=lambda tables: [])
    near.append("corsica")
    override["map"]["alps"]["walls"] = 9
    assert pack.overrides == {"map": {"alps": {"near": ["bern"]}}}
    assert space(pack, "alps")["near"] == ["bern"]
    assert pack.digest == digest(pack.tables)


# whose provenance it is


def test_a_table_at_the_top_of_a_file_carries_the_provenance_of_what_is_in_it(base: Pack) -> None:
    pack = merged(base, rates={"toll": 3})
    assert pack.tables["map"]["rates"] == {"toll": 3, "prov": {"toll": "moderator"}}
    assert "prov" not in pack.tables["map"]
    assert provenance(pack).moderator == [("map", "rates", "toll")]


def test_a_table_in_a_table_of_an_entry_is_one_field_of_that_entry(base: Pack) -> None:
    pack = merged(base, corsica={"coast": {"fort": {"guns": 5}}})
    assert space(pack, "corsica")["coast"] == {"sea": "gulf", "fort": {"guns": 5}}
    assert space(pack, "corsica")["prov"] == {"shape": "knowledge atlas", "coast": "moderator"}


def test_a_corrected_fact_is_listed_under_its_whole_address(base: Pack) -> None:
    pack = merged(base, regions={"north": {"name": "Septentrion"}}, trade={"trade": {"value": 5}, "bern": {"value": 6}})
    assert provenance(pack).moderator == [
        ("map", "trade.trade", "value"),  # "trade" alone is the array
        ("map", "trade.bern", "value"),  # "bern" alone could be the space
        ("map", "regions.north", "name"),
    ]


def test_a_source_may_be_named_for_a_field_that_had_none_and_for_one_that_is_no_field(base: Pack) -> None:
    pack = merged(
        base, alps={"prov": {"height": "knowledge survey"}}, corsica={"prov": {"shape": "public a photograph"}}
    )
    assert space(pack, "alps")["prov"] == {"height": "knowledge survey"}
    assert space(pack, "corsica")["prov"]["shape"] == "public a photograph"
    for slip, meant in (("hight", "height"), ("shap", "shape")):
        says = f"map.corsica.prov.{slip} is unknown (legal: {meant}"
        assert [says in text for text in complaints(base, corsica={"prov": {slip: "seed"}})] == [True]


# what kind of value fits


def test_a_list_that_is_empty_takes_what_its_siblings_hold(base: Pack) -> None:
    assert space(merged(base, corsica={"near": ["alps"]}), "corsica")["near"] == ["alps"]
    misfits: tuple[list[Any], ...] = ([3], [{}], [["alps"]], [True])
    for wrong in misfits:
        (text,) = complaints(base, corsica={"near": wrong})
        assert text.startswith("map.corsica.near has an element that does not fit")
    assert space(merged(base, spaces={"bern": {"near": []}}), "bern")["near"] == []


def test_a_list_that_is_empty_everywhere_takes_anything(base: Pack) -> None:
    assert space(merged(base, alps={"ports": ["quay", 3]}), "alps")["ports"] == ["quay", 3]


def test_the_entry_s_own_value_shows_what_fits(base: Pack) -> None:
    assert space(merged(base, alps={"walls": 2}), "alps")["walls"] == 2
    assert space(merged(base, spaces={"bern": {"walls": "thin"}}), "bern")["walls"] == "thin"
    assert complaints(base, alps={"walls": "thin"}) == ["map.alps.walls must be a whole number, not a text"]
    assert complaints(base, spaces={"bern": {"walls": 2}}) == [
        "map.spaces.bern.walls must be a text, not a whole number"
    ]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("far", "a text"),
        (True, "true or false"),
        ([1.5], "a list"),
        ({"m": 1}, "a table"),
        (date(2011, 5, 1), "a date or time"),
    ],
)
def test_what_is_no_number_is_none(base: Pack, value: Any, kind: str) -> None:
    assert complaints(base, alps={"height": value}) == [f"map.alps.height must be a number, not {kind}"]


@pytest.mark.parametrize(
    "row",
    [
        {"kind": 3, "n": 1},
        {"kind": "calm", "n": "one"},
        {"kind": "calm", "number": 1},
        {"kind": "calm", "n": 1, "x": 1},
        "calm",
        3,
    ],
)
def test_a_row_of_another_shape_does_not_fit(base: Pack, row: Any) -> None:
    rows = [{"kind": "calm", "n": 1}, row]
    assert complaints(base, storm={"table": rows}) == [f"map.storm.table has an element that does not fit: {row!r}"]


def test_a_table_without_id_has_none_to_correct(base: Pack) -> None:
    assert complaints(base, rates={"id": "tolls"}) == ["map.rates.id is unknown (legal: toll)"]
