"""The box of Imperial Struggle: its counts, what follows from them, and what a moderator may not break (B01 to B15)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from games.imperial_struggle.components import StruggleComponents, components
from games.imperial_struggle.constraints import CONSTRAINTS, check
from pbem.kernel.pack import PackError, load_pack, merge_pack, provenance

PACK = load_pack("games.imperial_struggle")


@pytest.fixture(scope="module")
def box() -> StruggleComponents:
    return components(PACK)


def broken(**override: Any) -> list[str]:
    with pytest.raises(PackError) as caught:
        merge_pack(PACK, override, check=check)
    return [flaw.rule for flaw in caught.value.problems]


def test_the_published_pack_keeps_every_constraint() -> None:
    assert check(PACK.tables) == []
    assert [rule for rule, _ in CONSTRAINTS] == [f"B{n:02}" for n in range(1, 16)]


def test_counts(box: StruggleComponents) -> None:
    assert len(box.spaces) == 112
    assert Counter(space.type for space in box.spaces.values()) == {
        "political": 36, "market": 41, "naval": 11, "territory": 18, "fort": 6,
    }  # fmt: skip
    assert (len(box.events), len(box.ministries), len(box.advantages)) == (41, 26, 22)
    assert (len(box.investments), len(box.awards), len(box.commodities)) == (24, 8, 6)
    assert [len(war.theaters) for war in box.wars.values()] == [4, 4, 4, 3]
    for seat in ("britain", "france"):
        assert len(box.basic_tiles(seat)) == 16
        assert all(len(box.bonus_tiles(seat, war)) == 12 for war in box.wars)


def test_lines_of_the_rulebook(box: StruggleComponents) -> None:
    """3.2.6 names the conquest lines of Louisbourg; 7.2.2 the one from Vandavasi to Pondicherry."""
    assert set(box.spaces["louisbourg"].lines) == {"acadia", "quebec-montreal", "halifax"}
    assert "vandavasi" in box.spaces["pondicherry"].lines
    assert box.spaces["gibraltar"].lines == ()


def test_what_is_worked_out(box: StruggleComponents) -> None:
    assert set(box.anchors["massachusetts-bay"]) == {"gulf-of-maine", "northern-colonies"}
    assert set(box.neighbours["massachusetts-bay"]) == {"georges-bank"}
    assert set(box.guards["karaikal"]) == {"vandavasi"}
    assert box.fed["savoy"] == ("mediterranean-intrigue",)
    assert len(box.prestige) == sum(space.prestige for space in box.spaces.values())


def test_each_fact_says_where_it_comes_from() -> None:
    found = provenance(PACK)
    assert found.total["reconstructed"] == 0
    for entry in PACK.tables["map"]["spaces"]:
        assert {"region", "type", "cost", "setup", "x", "y"} <= set(entry["prov"])


@pytest.mark.parametrize(
    ("rule", "override"),
    [
        ("B03", {"map": {"spaces": {"louisbourg": {"lines": ["acadia"]}}}}),
        ("B04", {"map": {"spaces": {"georgia": {"commodity": "wool"}}}}),
        ("B05", {"map": {"spaces": {"georgia": {"cost": 0}}}}),
        ("B06", {"map": {"spaces": {"biscay": {"setup": "france"}}}}),
        ("B07", {"tiles": {"investments": {"eco4-dip-a": {"minor_points": 3}}}}),
        ("B09", {"setup": {"limits": {"rounds": 5}}}),
        ("B10", {"setup": {"costs": {"squadron": 3}}}),
        ("B11", {"wars": {"wars": {"was": {"after": 2}}}}),
        ("B13", {"ministries": {"ministries": {"voltaire": {"keywords": ["wit"]}}}}),
        ("B14", {"map": {"spaces": {"chesapeake": {"setup": "france"}}}}),
        ("B15", {"setup": {"start": {"debt_limit": 99}}}),
        ("B15", {"setup": {"start": {"france_box": 2}}}),
    ],
)
def test_what_a_moderator_cannot_correct_away(rule: str, override: dict[str, Any]) -> None:
    assert rule in broken(**override)
