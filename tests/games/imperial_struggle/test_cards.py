"""Events, Ministry cards, Advantages and wars: the data agree with the code, and every card stands in a case."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from games import load
from games.imperial_struggle import costs
from games.imperial_struggle.action_points import LIMITS
from games.imperial_struggle.advantages import WORD_KINDS, places
from games.imperial_struggle.card_constraints import CARD_CONSTRAINTS, POINT_LIMITS
from games.imperial_struggle.card_constraints import SPECIALS as KNOWN_SPECIALS
from games.imperial_struggle.constraints import check
from games.imperial_struggle.events.effects import BASE, BONUS, effect_of
from games.imperial_struggle.ministries.core import ABILITIES
from games.imperial_struggle.state import SEATS
from games.imperial_struggle.table import KIT
from games.imperial_struggle.wars.fight import SPECIALS
from pbem.kernel.pack import PackError, load_pack, merge_pack
from pbem.kernel.referee import components_of

GAME = load("imperial_struggle")
C = components_of(GAME, {})[1]
CASES = Path(__file__).parents[2] / "cases" / "imperial_struggle"
FILES = (
    "events_succession", "events_empire", "events_revolution", "ministries", "advantages", "wars", "wars_later",
    "card_options",
)  # fmt: skip
TEXT = "\n".join((CASES / f"{name}.toml").read_text("utf-8") for name in FILES)


def test_every_card_stands_in_a_case() -> None:
    """All 41 Events are played, all 26 Ministry cards and 22 Advantages are there, all 15 theaters are fought."""
    assert [key for key in C.events if f'event {key}"' not in TEXT and f"event {key} " not in TEXT] == []
    for group in (C.ministries, C.advantages):
        assert [key for key in group if key not in TEXT] == []
    assert [t.id for war in C.wars.values() for t in war.theaters if f"theaters.{t.id}" not in TEXT] == []


@pytest.mark.parametrize("key", list(C.events))
def test_each_version_of_an_event_does_something(key: str) -> None:
    """A base effect in code or points in the data, for each side; a bonus exactly if there is a condition."""
    event = C.events[key]
    for seat in SEATS:
        granted = {g.when for g in event.grants if g.side in ("both", seat)}
        assert effect_of(BASE, key, seat) is not None or "base" in granted
        has_bonus = effect_of(BONUS, key, seat) is not None or "bonus" in granted
        assert has_bonus == (event.condition.kind != "none")


def test_effects_belong_to_events_and_versions() -> None:
    """No effect is registered for a card or a version that does not exist."""
    for entry in (*KIT.entries[BASE], *KIT.entries[BONUS]):
        key, _, side = entry.partition("/")
        assert side in (("",) if C.events[key].versions == "both" else SEATS), entry


def test_limits_of_granted_points_are_rules() -> None:
    """Every limit named in the data is one that the rules know."""
    assert {g.limit for event in C.events.values() for g in event.grants} - {""} <= set(LIMITS)


def test_counts_of_the_box() -> None:
    """15, 15 and 11 Events; 13 Ministry cards a side; 22 Advantages; theaters 4, 4, 4, 3."""
    assert Counter(e.era for e in C.events.values()) == {"succession": 15, "empire": 15, "revolution": 11}
    assert sorted(e.number for e in C.events.values()) == list(range(1, 42))
    assert Counter(m.side for m in C.ministries.values()) == {"britain": 13, "france": 13}
    assert sorted(m.number for m in C.ministries.values()) == list(range(1, 27))
    assert len(C.advantages) == 22
    assert [len(war.theaters) for war in C.wars.values()] == [4, 4, 4, 3]


def test_words_of_ministries_name_their_abilities() -> None:
    """Every word uses an exhaustible ability of a card in the box."""
    for card, abilities in ABILITIES.items():
        for ability in abilities:
            number = int(ability.key.partition("/")[2])
            assert C.ministries[card].abilities[number - 1].exhaust, ability.key
            assert ability.word in KIT.actions


def test_advantages_do_something_somewhere() -> None:
    """Each has a word or cheapens something; those that name spaces find some."""
    for key, tile in C.advantages.items():
        assert tile.kind in WORD_KINDS or key in costs.ADVANTAGES or tile.kind == "build-squadron"
        if tile.target.space_type:
            assert places(C, key), key


@pytest.mark.parametrize("war", list(C.wars))
def test_spoils_rows_leave_no_gap(war: str) -> None:
    """From the lowest margin of a theater on, each winner has exactly one row; specials are known."""
    for theater in C.wars[war].theaters:
        for winner in SEATS:
            rows = [r for r in theater.spoils if r.winner in ("either", winner)]
            for margin in range(min(r.min for r in rows), 40):
                assert sum(r.min <= margin <= r.max for r in rows) == 1, (theater.id, winner, margin)
        assert {name for r in theater.spoils for name in r.special} <= set(SPECIALS)


def test_war_tile_sets_are_alike() -> None:
    """Both sides have the same 16 basic tiles, and all eight Bonus sets are equal in play."""
    faces = {
        (seat, war): Counter((t.value, t.symbol) for t in C.war_tiles.values() if t.side == seat and t.war == war)
        for seat in SEATS
        for war in ("", *C.wars)
    }
    assert faces["britain", ""] == faces["france", ""]
    assert faces["britain", ""].total() == 16
    bonus = [faces[seat, war] for seat in SEATS for war in C.wars]
    assert all(same == bonus[0] and same.total() == 12 for same in bonus)


def test_the_published_pack_keeps_the_constraints_of_cards() -> None:
    """B15 to B20 hold, and their words are those of the rules."""
    tables = load_pack("games.imperial_struggle").tables
    assert [list(constraint(tables)) for _, constraint in CARD_CONSTRAINTS] == [[]] * 6
    assert set(KNOWN_SPECIALS) == set(SPECIALS)
    assert set(POINT_LIMITS) - {""} <= set(LIMITS)


@pytest.mark.parametrize(
    ("rule", "override"),
    [
        ("B15", {"events": {"tax-reform": {"action": "naval"}}}),
        ("B15", {"events": {"tax-reform": {"condition": {"keyword": "luck"}}}}),
        ("B16", {"ministries": {"john-law": {"abilities": {"system": {"limit": "always"}}}}}),
        ("B17", {"advantages": {"wheat": {"kind": "bread"}}}),
        ("B18", {"wars": {"wars": {"wss": {"theaters": {"spain": {"countries": ["utopia"]}}}}}}),
        ("B20", {"wars": {"conquest": {"refusal_vp": [1, 2]}}}),
        ("B20", {"wars": {"special": {"usa_territories": ["albany"]}}}),
    ],
)
def test_what_a_moderator_cannot_do_to_cards(rule: str, override: dict[str, Any]) -> None:
    """A correction that the rules could not act upon is refused with its number."""
    with pytest.raises(PackError) as caught:
        merge_pack(load_pack("games.imperial_struggle"), override, check=check)
    assert rule in [flaw.rule for flaw in caught.value.problems]


def test_spoils_with_a_gap_are_refused() -> None:
    """B19: a margin without a row, or with two."""
    tables = load_pack("games.imperial_struggle").tables
    rows = tables["wars"]["wars"][0]["theaters"][0]["spoils"]
    for wrong in (rows[1:2], [*rows, rows[0]]):
        theater = {**tables["wars"]["wars"][0]["theaters"][0], "spoils": wrong}
        patched = {**tables, "wars": {**tables["wars"], "wars": [{"id": "wss", "theaters": [theater]}]}}
        found = dict(CARD_CONSTRAINTS)["B19"](patched)
        assert any("margin" in text for text in found)
