"""Component packs: conventions of data files, a moderator's corrections, provenance."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from pbem.kernel.pack import Pack, PackError, digest, load_pack, merge_pack, problem, provenance
from pbem.kernel.rejections import RejectionReason
from tests.kernel.packs import make_pack

TABLES: dict[str, dict[str, Any]] = {
    "map": {
        "size": [100, 50],
        "spaces": [
            {
                "id": "milan",
                "name": "Milan",
                "ja": "ミラノ",
                "value": 2,
                "x": 1.5,
                "near": ["vienna"],
                "port": {"sea": "gulf", "walls": 1},
                "prov": {"value": "seed 4.1", "near": "reconstructed", "port": "public a review"},
            },
            {"id": "vienna", "name": "Vienna", "ja": "ウィーン", "value": 3, "x": 2.0, "near": [], "key": True},
        ],
        "seas": [{"id": "gulf", "name": "Gulf", "ja": "湾"}, {"id": "milan-sound", "name": "Sound", "ja": "瀬戸"}],
        "limits": {"stack": 4, "prov": {"stack": "seed 5.2"}},
        "region": {"north": {"name": "North", "prov": {"name": "knowledge"}}},
    },
    "cards": {
        "home": [
            {
                "id": "raid",
                "name": "Raid",
                "text": {"en": "Raid a port.", "ja": "港を襲う。"},
                "options": [{"kind": "dice", "n": 1}],
            }
        ],
        "away": [{"id": "raid", "name": "Far raid", "ops": 2}, {"id": "truce", "name": "Truce", "ops": 1}],
    },
}


@pytest.fixture
def base() -> Pack:
    return make_pack("demo", copy.deepcopy(TABLES))


def fine(tables: dict[str, Any]) -> list[RejectionReason]:
    return []


def merged(base: Pack, **override: Any) -> Pack:
    return merge_pack(base, override, check=fine)


def complaints(base: Pack, **override: Any) -> list[str]:
    with pytest.raises(PackError) as caught:
        merged(base, **override)
    return [str(flaw) for flaw in caught.value.problems]


def space(pack: Pack, ident: str) -> dict[str, Any]:
    found: dict[str, Any] = next(x for x in pack.tables["map"]["spaces"] if x["id"] == ident)
    return found


# loading


def test_a_pack_is_read_from_a_package_once() -> None:
    pack = load_pack("games.sixteen_thirty")
    assert pack.slug == "sixteen_thirty"
    assert list(pack.tables) == ["cards", "constants", "counters", "countries", "turns"]
    assert pack.overrides == {}
    assert load_pack("games.sixteen_thirty") is pack


def test_a_game_without_data_files_has_an_empty_pack():
    assert load_pack("pbem.kernel").tables == {}


@pytest.mark.parametrize(
    ("entries", "says"),
    [
        ([{"id": "a"}, {"id": "a"}], "the id 'a' is used twice"),
        ([{"id": "a"}, {"name": "b"}], "some have none"),
        ([{"id": "a b"}], "'a b' can't be an id"),
        ([{"id": 7}], "7 can't be an id"),
        ([{"id": "a", "prov": {"x": "guessed"}}], "t.things.a.prov.x: 'guessed' must begin with one of seed"),
        ([{"id": "a", "prov": {"x": ""}}], "must begin with"),
        ([{"id": "a", "prov": "seed"}], "t.things.a.prov must be a table"),
        ([{"id": "a", "parts": [{"id": "b"}, {"id": "b"}]}], "t.things.a.parts: the id 'b' is used twice"),
    ],
)
def test_data_files_that_break_the_conventions_are_refused(entries: list[Any], says: str) -> None:
    with pytest.raises(PackError) as caught:
        make_pack("demo", {"t": {"things": entries}})
    assert says in str(caught.value)


# digest


def test_the_digest_ignores_key_order_and_nothing_else() -> None:
    assert digest({"t": {"a": 1, "b": "é"}}) == digest({"t": {"b": "é", "a": 1}})
    assert digest({"t": {"a": [1, 2]}}) != digest({"t": {"a": [2, 1]}})
    assert digest({"t": {"ja": "ミラノ"}}) != digest({"t": {"ja": "ミラン"}})
    assert digest({"t": {"prov": {"a": "seed"}}}) != digest({"t": {"prov": {"a": "public"}}})


def test_the_digest_is_the_same_on_every_machine() -> None:
    assert (
        digest({"t": {"ja": "ミラノ", "x": 1.5, "on": True}})
        == "2369bbd7437a5f78c4005a6ffcac766820eb826d887ec084a4ade27a764eafc4"
    )


# corrections


def test_an_entry_is_corrected_by_id_and_the_base_stays(base: Pack) -> None:
    pack = merged(base, map={"milan": {"value": 5}})
    assert space(pack, "milan")["value"] == 5
    assert space(pack, "milan")["prov"] == {"value": "moderator", "near": "reconstructed", "port": "public a review"}
    assert base.tables == TABLES
    assert pack.digest not in ("", base.digest)
    assert pack.overrides == {"map": {"milan": {"value": 5}}}


def test_the_array_may_be_named(base: Pack) -> None:
    assert (
        merged(base, map={"spaces": {"milan": {"value": 5}}}).digest == merged(base, map={"milan": {"value": 5}}).digest
    )


def test_a_moderator_may_name_his_source(base: Pack) -> None:
    pack = merged(base, map={"milan": {"value": 5, "prov": {"value": "knowledge printed map"}}})
    assert space(pack, "milan")["prov"]["value"] == "knowledge printed map"


def test_a_source_alone_may_be_corrected(base: Pack) -> None:
    pack = merged(base, map={"milan": {"prov": {"near": "knowledge printed map"}}})
    assert space(pack, "milan")["prov"]["near"] == "knowledge printed map"
    assert space(pack, "milan")["near"] == ["vienna"]


def test_a_field_that_only_siblings_have_may_be_set(base: Pack) -> None:
    assert space(merged(base, map={"milan": {"key": False}}), "milan")["key"] is False


def test_tables_inside_entries_are_merged_and_sourced_at_the_entry(base: Pack) -> None:
    milan = space(merged(base, map={"milan": {"port": {"walls": 3}}}), "milan")
    assert milan["port"] == {"sea": "gulf", "walls": 3}
    assert milan["prov"]["port"] == "moderator"


def test_constants_and_top_level_values_are_corrected(base: Pack) -> None:
    pack = merged(base, map={"limits": {"stack": 5}, "size": [200, 80], "region": {"north": {"name": "Septentrion"}}})
    assert pack.tables["map"]["limits"] == {"stack": 5, "prov": {"stack": "moderator"}}
    assert pack.tables["map"]["size"] == [200, 80]
    assert pack.tables["map"]["prov"] == {"size": "moderator"}
    assert pack.tables["map"]["region"]["north"]["prov"] == {"name": "moderator"}


def test_lists_are_replaced_whole(base: Pack) -> None:
    pack = merged(
        base, map={"vienna": {"near": ["milan"]}}, cards={"home": {"raid": {"options": [{"kind": "ship", "n": 2}]}}}
    )
    assert space(pack, "vienna")["near"] == ["milan"]
    assert pack.tables["cards"]["home"][0]["options"] == [{"kind": "ship", "n": 2}]


def test_an_entry_with_a_text_can_be_made_manual(base: Pack) -> None:
    pack = merged(base, cards={"home": {"raid": {"manual": True}}})
    assert pack.tables["cards"]["home"][0]["manual"] is True
    assert complaints(base, cards={"truce": {"manual": True}}) == ["cards.truce.manual is unknown (legal: name, ops)"]


def test_whole_numbers_serve_as_numbers(base: Pack) -> None:
    x = space(merged(base, map={"milan": {"x": 3}}), "milan")["x"]
    assert (x, type(x)) == (3.0, float)


def test_an_empty_file_changes_nothing(base: Pack) -> None:
    assert merged(base) is base


def test_a_corrected_pack_is_not_corrected_again(base: Pack) -> None:
    with pytest.raises(PackError, match="published pack"):
        merged(merged(base, map={"milan": {"value": 5}}), map={"milan": {"value": 6}})


@pytest.mark.parametrize(
    ("override", "says"),
    [
        ({"mep": {}}, "mep is unknown (legal: map)"),
        ({"map": {"milano": {"value": 1}}}, "map.milano is unknown (legal: milan, milan-sound)"),
        ({"map": {"spaces": {"milann": {}}}}, "map.spaces.milann is unknown (legal: milan, vienna)"),
        ({"map": {"milan": {"valu": 1}}}, "map.milan.valu is unknown (legal: value)"),
        ({"map": {"limits": {"stak": 1}}}, "map.limits.stak is unknown (legal: stack)"),
        ({"map": {"milan": {"port": {"sae": "gulf"}}}}, "map.milan.port.sae is unknown (legal: sea)"),
        ({"map": {"milan": {"prov": {"valeu": "seed"}}}}, "map.milan.prov.valeu is unknown (legal: value)"),
        ({"map": {"milan": {"prov": {"value": "hearsay"}}}}, "map.milan.prov.value: 'hearsay' must begin with one of"),
        ({"map": {"milan": {"prov": "seed"}}}, "map.milan.prov must be a table"),
        ({"map": {"milan": {"id": "mailand"}}}, "map.milan.id: ids are stable"),
        ({"map": {"milan": {"value": "5"}}}, "map.milan.value must be a whole number, not a text"),
        ({"map": {"milan": {"value": True}}}, "map.milan.value must be a whole number, not true or false"),
        ({"map": {"milan": {"value": 2.5}}}, "map.milan.value must be a whole number, not a number"),
        ({"map": {"milan": {"key": 1}}}, "map.milan.key must be true or false, not a whole number"),
        ({"map": {"milan": {"name": "x" * 2001}}}, "map.milan.name is too long: 2,001 characters, at most 2,000"),
        ({"map": {"milan": {"near": "vienna"}}}, "map.milan.near must be a list, not a text"),
        ({"map": {"vienna": {"near": [3]}}}, "map.vienna.near has an element that does not fit: 3"),
        ({"map": {"milan": {"port": 3}}}, "map.milan.port is a table of sea, walls, not a whole number"),
        ({"map": {"milan": 3}}, "map.milan is an entry: correct its fields"),
        ({"map": {"spaces": [{"id": "milan"}]}}, "address one by its id, [map.spaces.milan]"),
        ({"map": 3}, "map is a table, write [map.…]"),
        ({"cards": {"raid": {"name": "x"}}}, "cards.raid is ambiguous: write cards.home.raid or cards.away.raid"),
        (
            {"cards": {"home": {"raid": {"options": [{"knd": "x"}]}}}},
            "cards.home.raid.options has an element that does not fit",
        ),
    ],
)
def test_a_correction_that_does_not_fit_is_named(base: Pack, override: dict[str, Any], says: str) -> None:
    assert [says in complaint for complaint in complaints(base, **override)] == [True]


def test_everything_wrong_is_listed_at_once(base: Pack) -> None:
    assert len(complaints(base, map={"milan": {"value": "x", "vlaue": 1}, "limits": {"stack": []}}, crads={})) == 4


def test_the_constraints_of_the_game_are_all_listed_by_number(base: Pack) -> None:
    def check(tables: dict[str, Any]) -> list[RejectionReason]:
        assert tables["map"]["limits"]["stack"] == 9
        return [problem("too high", rule="A05"), problem("too many", rule="A06")]

    with pytest.raises(PackError) as caught:
        merge_pack(base, {"map": {"limits": {"stack": 9}}}, check=check)
    assert [flaw.rule for flaw in caught.value.problems] == ["A05", "A06"]
    assert str(caught.value) == "too high [A05]\ntoo many [A06]"


# provenance


def test_provenance_counts_tags_per_table_and_in_all(base: Pack) -> None:
    found = provenance(base)
    assert found.tables["map"] == {"seed": 2, "public": 1, "knowledge": 1, "reconstructed": 1, "moderator": 0}
    assert found.tables["cards"] == dict.fromkeys(found.total, 0)
    assert found.total == found.tables["map"]
    assert found.reconstructed == [("map", "milan", "near")]


def test_provenance_lists_corrections_as_a_moderator_addresses_them(base: Pack) -> None:
    pack = merged(base, cards={"away": {"raid": {"ops": 3}}, "truce": {"ops": 3}}, map={"milan": {"near": []}})
    found = provenance(pack)
    assert found.reconstructed == []
    assert found.moderator == [("map", "milan", "near"), ("cards", "away.raid", "ops"), ("cards", "truce", "ops")]


def test_of_any_number_of_mistakes_the_first_hundred_are_told(base):
    with pytest.raises(PackError) as found:
        merge_pack(base, {"map": {f"x{at}": {} for at in range(200_000)}}, check=lambda tables: [])
    assert len(found.value.problems) == 101
    assert "map.x99 is unknown" in str(found.value)
