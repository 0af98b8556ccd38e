"""The box of 1630 Something: its numbers, and what a moderator's correction may not break (A01-A14)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from games.sixteen_thirty.components import ThirtyCard, ThirtyComponents, components
from games.sixteen_thirty.constraints import check
from pbem.kernel.pack import BilingualText, Pack, PackError, load_pack, merge_pack, provenance

PACK = load_pack("games.sixteen_thirty")


@pytest.fixture(scope="module")
def box() -> ThirtyComponents:
    return components(PACK)


def corrected(**override: Any) -> Pack:
    return merge_pack(PACK, override, check=check)


def broken(**override: Any) -> list[str]:
    with pytest.raises(PackError) as caught:
        corrected(**override)
    return [flaw.rule for flaw in caught.value.problems]


# the data


def test_a01_the_set_up_table(box: ThirtyComponents) -> None:
    assert {c.id: (c.status, c.army_size, c.army_ability) for c in box.countries.values()} == {
        "spain": (5, 2, 1),
        "england": (1, 1, 0),
        "france": (3, 2, 1),
        "denmark": (1, 1, 0),
        "netherlands": (2, 1, 1),
        "sweden": (2, 1, 1),
        "german_princes": (5, 1, 0),
        "hapsburg_empire": (5, 3, 1),
        "poland": (2, 1, 0),
    }
    assert {c.side for c in box.countries.values()} == {"neutral"}
    assert [c.id for c in box.countries.values() if c.water_defence] == ["england", "sweden"]


def test_countries_have_names_in_both_languages_and_short_aliases(box: ThirtyComponents) -> None:
    assert {c.id: (c.name, c.ja, c.aliases) for c in box.countries.values()} == {
        "spain": ("Spain", "スペイン", ("es", "西")),
        "england": ("England", "イングランド", ("en", "英", "英国", "イギリス")),
        "france": ("France", "フランス", ("fr", "仏")),
        "denmark": ("Denmark", "デンマーク", ("dk", "丁")),
        "netherlands": ("Netherlands", "オランダ", ("nl", "蘭", "ネーデルランド", "ネーデルラント")),
        "sweden": ("Sweden", "スウェーデン", ("se", "瑞")),
        "german_princes": ("German Princes", "ドイツ諸侯", ("de", "独", "ドイツ")),
        "hapsburg_empire": ("Hapsburg Empire", "ハプスブルク帝国", ("hb", "墺", "ハプスブルク", "神聖ローマ帝国")),
        "poland": ("Poland", "ポーランド", ("pl", "波")),
    }
    assert box.countries["german_princes"].capital == BilingualText("Frankfurt", "フランクフルト")
    assert (box.countries["england"].lat, box.countries["england"].lon) == (51.51, -0.13)


def test_a04_adjacency(box: ThirtyComponents) -> None:
    borders = {tuple(sorted((c.id, other))) for c in box.countries.values() for other in c.adjacent}
    assert borders == {
        ("denmark", "german_princes"),
        ("denmark", "sweden"),
        ("england", "france"),
        ("england", "netherlands"),
        ("england", "spain"),
        ("france", "german_princes"),
        ("france", "netherlands"),
        ("france", "spain"),
        ("german_princes", "hapsburg_empire"),
        ("german_princes", "netherlands"),
        ("german_princes", "poland"),
        ("german_princes", "sweden"),
        ("hapsburg_empire", "poland"),
        ("poland", "sweden"),
    }


def test_a08_to_a11_the_deck(box: ThirtyComponents) -> None:
    cards = box.cards.values()
    assert len(box.deck) == len(box.cards) == 160
    assert set(box.deck) == set(box.cards)
    assert Counter(card.kind for card in cards) == {"influence": 108, "open": 8, "special": 44}
    for country in box.countries:
        assert Counter(card.votes for card in cards if card.country == country) == {1: 4, 2: 5, 3: 3}
    assert Counter(card.votes for card in cards if card.kind == "open") == {1: 3, 2: 3, 3: 2}
    assert Counter(card.special for card in cards if card.special) == {
        "vote": 8,
        "improvement": 4,
        "army": 6,
        "status": 6,
        "leader": 8,
        "assassin": 6,
        "unrest": 6,
    }


def test_every_physical_card_has_its_own_id(box: ThirtyComponents) -> None:
    text = BilingualText(
        "Lies face up in your pile of England and gives its votes in every ballot of that country.",
        "イングランドのパイルに表向きで置く。イングランドの議決のたびに、記された数だけ票になる。",
    )
    assert box.cards["england-2a"] == ThirtyCard(
        "england-2a", "influence", "England 2", "イングランド 2", text, country="england", votes=2
    )
    assert [card for card in box.deck if card.startswith("german_princes-1")] == [
        f"german_princes-1{x}" for x in "abcd"
    ]
    assert [card for card in box.deck if card.startswith("open-3")] == ["open-3a", "open-3b"]
    assert [card for card in box.deck if card.startswith("leader")] == [f"leader-{x}" for x in "abcdefgh"]
    assert (box.cards["leader-c"].special, box.cards["leader-c"].votes, box.cards["leader-c"].country) == (
        "leader",
        0,
        None,
    )


def test_a06_a07_the_counters(box: ThirtyComponents) -> None:
    assert Counter(box.counters) == dict.fromkeys(box.countries, 2)
    assert len(box.counters) == 18
    assert box.draw == {3: 4, 4: 4, 5: 3, 6: 3}


def test_a12_to_a14_numbers_turns_and_phases(box: ThirtyComponents) -> None:
    assert (box.hand.deal, box.hand.limit, box.hand.draw) == (13, 13, 4)
    assert (box.hand.display, box.hand.exchange, box.hand.specials) == (3, 3, 2)
    assert box.ends_on == {1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 1, 8: 2, 9: 3, 10: 6}
    assert box.last_turn == 10
    assert (box.players.least, box.players.most) == (3, 6)
    assert [phase.id for phase in box.phases] == ["remove", "draw", "exchange", "specials", "vote", "repeat", "end"]


def test_x13_x16_to_x18_limits_and_war(box: ThirtyComponents) -> None:
    war, limits = box.war, box.limits
    assert (limits.status_min, limits.status_max, limits.neighbours_only) == (0, 7, 2)
    assert (war.dice, war.leader, war.no_army, war.unrest, war.water_defence, war.water_status) == (2, 2, -1, -1, 1, 1)
    assert (war.winner_status, war.loser_status, war.loser_army, war.loser_ability, war.tie_army) == (1, -1, -1, -1, -1)


def test_the_provenance_of_the_box() -> None:
    found = provenance(PACK)
    assert found.total == {"seed": 101, "public": 0, "knowledge": 27, "reconstructed": 44, "moderator": 0}
    assert Counter((table, field) for table, _, field in found.reconstructed) == {
        ("cards", "copies"): 10,
        ("cards", "count"): 7,
        ("counters", "count"): 9,
        ("countries", "adjacent"): 9,
        ("turns", "ends_on"): 9,
    }


def test_everything_a_reader_sees_is_in_both_languages() -> None:
    def labels(node: Any) -> list[dict[str, Any]]:
        if isinstance(node, list):
            return [found for item in node for found in labels(item)]
        if not isinstance(node, dict):
            return []
        here = [node] if {"name", "ja", "en"} & set(node) else []
        return here + [found for key, item in node.items() if key != "prov" for found in labels(item)]

    found = labels(PACK.tables)
    assert len(found) > 60
    for label in found:
        assert label["ja"]
        assert not label["ja"].isascii()
        assert label.get("name") or label.get("en")


# corrections


def test_the_published_pack_holds_every_constraint() -> None:
    assert check(PACK.tables) == []


def test_reconstructed_numbers_may_change_within_the_rules() -> None:
    box = components(
        corrected(
            cards={
                "england": {"copies": [3, 5, 3, 1]},
                "open": {"copies": [6, 4, 2]},
                "vote": {"count": 30, "manual": True},
            },
            turns={"turn-6": {"ends_on": 1}, "turn-9": {"ends_on": 5}},
            counters={"spain": {"count": 3}, "poland": {"count": 1}},
            countries={"spain": {"adjacent": ["france"]}, "england": {"adjacent": ["france", "netherlands"]}},
            constants={"limits": {"neighbours_only": 1}},
        )
    )
    assert box.cards["england-4a"].votes == 4
    assert box.cards["vote-ad"].manual
    assert not box.cards["army-a"].manual
    assert (box.ends_on[6], box.counters.count("spain"), box.limits.neighbours_only) == (1, 3, 1)


def test_a_corrected_fact_is_the_moderators_and_changes_the_digest() -> None:
    pack = corrected(turns={"turn-9": {"ends_on": 4}})
    assert provenance(pack).moderator == [("turns", "turn-9", "ends_on")]
    assert provenance(pack).total["reconstructed"] == 43
    assert pack.digest != PACK.digest


@pytest.mark.parametrize(
    ("rule", "override"),
    [
        ("A01", {"countries": {"england": {"status": 2}}}),
        ("A01", {"countries": {"spain": {"army_size": 3}}}),
        ("A01", {"countries": {"poland": {"army_ability": 1}}}),
        ("A02", {"countries": {"france": {"side": "blue"}}}),
        ("A03", {"countries": {"denmark": {"water_defence": True}}}),
        ("A03", {"countries": {"sweden": {"water_defence": False}}}),
        ("A04", {"countries": {"spain": {"adjacent": ["france", "england", "poland"]}}}),
        ("A04", {"countries": {"spain": {"adjacent": ["france", "england", "spain"]}}}),
        ("A04", {"countries": {"spain": {"adjacent": ["france", "england", "england"]}}}),
        ("A04", {"countries": {"spain": {"adjacent": ["france", "england", "portugal"]}}}),
        ("A05", {"constants": {"limits": {"status_max": 8}}}),
        ("A05", {"constants": {"limits": {"status_min": 1}}}),
        ("A06", {"counters": {"spain": {"count": 3}}}),
        ("A06", {"counters": {"spain": {"count": -1}, "poland": {"count": 5}}}),
        ("A06", {"counters": {"draw": {"total": 20}}}),
        ("A07", {"counters": {"draw": {"players": {"5": 4}}}}),
        ("A07", {"constants": {"players": {"most": 7}}}),
        ("A08", {"cards": {"england": {"copies": [0, 9, 3]}}}),
        ("A08", {"cards": {"spain": {"copies": [5, -1, 3]}}}),
        ("A08", {"cards": {"spain": {"copies": []}}}),
        ("A08", {"cards": {"open": {"copies": [0, 0]}}}),
        ("A09", {"cards": {"unrest": {"count": 0}}}),
        ("A10", {"cards": {"vote": {"count": 80}}}),
        ("A10", {"cards": {"open": {"copies": [10, 10, 10]}}}),
        ("A12", {"constants": {"hand": {"deal": 12}}}),
        ("A12", {"constants": {"hand": {"specials": 3}}}),
        ("A13", {"turns": {"turn-10": {"ends_on": 5}}}),
        ("A13", {"turns": {"turn-3": {"ends_on": 1}}}),
        ("A13", {"turns": {"turn-8": {"ends_on": 6}}}),
        ("A13", {"turns": {"turn-8": {"ends_on": -1}}}),
        ("A13", {"turns": {"turn-8": {"turn": 9}}}),
        ("X13", {"constants": {"limits": {"neighbours_only": 3}}}),
        ("X16", {"constants": {"war": {"leader": 3}}}),
        ("X17", {"constants": {"war": {"loser_army": -2}}}),
        ("X18", {"constants": {"war": {"tie_army": 0}}}),
    ],
)
def test_a_correction_against_the_rules_is_refused_by_number(rule: str, override: dict[str, Any]) -> None:
    assert broken(**override) == [rule]


def test_a04_two_halves_of_europe_are_refused() -> None:
    assert broken(
        countries={
            "spain": {"adjacent": ["england"]},
            "england": {"adjacent": ["spain"]},
            "france": {"adjacent": ["netherlands", "german_princes"]},
            "netherlands": {"adjacent": ["france", "german_princes"]},
        }
    ) == ["A04"]


def test_a11_a_deck_too_small_for_six_is_refused() -> None:
    small = {country: {"copies": [4, 1]} for country in components(PACK).countries}
    specials = {
        special: {"count": 1} for special in ("vote", "improvement", "army", "status", "leader", "assassin", "unrest")
    }
    assert broken(cards={**small, **specials}) == ["A11"]


@pytest.mark.parametrize(
    ("rule", "table", "array"),
    [
        ("A01", "countries", "countries"),
        ("A06", "counters", "counters"),
        ("A08", "cards", "influence"),
        ("A09", "cards", "special"),
    ],
)
def test_a_pack_that_lacks_a_thing_is_refused_by_number(rule: str, table: str, array: str) -> None:
    entries = PACK.tables[table][array]
    tables = {**PACK.tables, table: {**PACK.tables[table], array: entries[:-1]}}
    assert rule in [flaw.rule for flaw in check(tables)]


def test_a14_the_phases_keep_their_order() -> None:
    turns = PACK.tables["turns"]
    tables = {**PACK.tables, "turns": {**turns, "phases": turns["phases"][::-1]}}
    assert [flaw.rule for flaw in check(tables)] == ["A14"]


def test_all_broken_constraints_are_listed() -> None:
    assert broken(countries={"england": {"status": 2, "side": "red"}}, turns={"turn-1": {"ends_on": 1}}) == [
        "A01",
        "A02",
        "A13",
    ]
