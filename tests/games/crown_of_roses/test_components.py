"""The box of Crown of Roses, and the constraints that guard a moderator's corrections."""

import copy
from typing import Any

import pytest

from games.crown_of_roses.components import HOUSES, components
from games.crown_of_roses.constraints import check
from pbem.kernel.pack import PackError, load_pack, merge_pack, provenance

PACK = load_pack("games.crown_of_roses")
C = components(PACK)


def test_the_box_is_complete():
    assert (len(C.blocks), len(C.operations), len(C.cards), len(C.offices)) == (54, 78, 110, 8)
    assert sum(m.value * m.count for m in C.markers.values()) == 100
    assert sum(len(b) for b in C.borders.values()) == 2 * 116
    assert {(b.scenario, b.players) for b in C.beginnings.values()} == {
        ("campaign", 2), ("campaign", 3), ("campaign", 4), ("short", 2),
    }  # fmt: skip


def test_no_id_stands_for_two_things():
    """Shires, blocks, cards, offices, places and houses share one space of words."""
    groups = (C.shires, C.exiles, C.regions, C.seas, C.blocks, C.offices, C.cards, C.markers, HOUSES)
    ids = [key for group in groups for key in group]
    assert len(ids) == len(set(ids))


def test_every_card_has_words_in_both_languages():
    for card in C.cards.values():
        assert card.text.en
        assert card.text.ja
        assert card.ja


def test_provenance_is_kept():
    total = provenance(PACK).total
    assert total["seed"] > 600
    assert total["reconstructed"] > 800
    assert total["moderator"] == 0


def test_the_published_pack_keeps_all_constraints():
    assert [str(problem) for problem in check(PACK.tables)] == []


WRONG: dict[str, dict[str, Any]] = {
    "A05": {"tracks": {"markers": {"ip1": {"count": 11}}}},
    "A10": {"tables": {"dice": {"red": 3}}},
    "B01": {"map": {"london": {"sv": 3}}},
    "B02": {"map": {"rutland": {"loyalty": ""}}},
    "B05": {"map": {"northumberland": {"royal": True}}},
    "B07": {"map": {"kent": {"office_estates": ["admiral"]}}},
    "B11": {"map": {"borders": {"sussex-hampshire": {"type": "wash"}}}},
    "B15": {"map": {"borders": {"northumberland-durham": {"type": "fens"}}}},
    "B16": {"map": {"borders": {"lancashire-derby": {"type": "clear"}}}},
    "B18": {"map": {"powys": {"sv": 2}}},
    "B25": {"map": {"kent": {"seas": ["english_channel", "north_sea"]}}},
    "B29": {"map": {"exile_france": {"land_from": ["kent"]}}},
    "B34": {"map": {"cambridge": {"sv": 3}}},
    "C01": {"blocks": {"lord_kent": {"steps": ["2X", "1B"]}}},
    "C02": {"blocks": {"lord_kent": {"steps": ["1B", "2B"]}}},
    "C04": {"blocks": {"lord_warwick": {"command": 3}}},
    "C08": {"blocks": {"lord_fauconberg": {"title": 2}}},
    "C23": {"blocks": {"lord_march": {"heir_order": 1}}},
    "D01": {"cards": {"clinton": {"type": "event"}}},
    "D03": {"cards": {"clinton": {"ops": 4}}},
    "D10": {"cards": {"heir_march": {"earliest_turn": 3}}},
    "D11": {"cards": {"heir_march": {"carry": 1}}},
    "E01": {"offices": {"warden": {"rank": 7}}},
    "E02": {"offices": {"admiral": {"ip": 3}}},
    "E05": {"tracks": {"level5": {"votes": 0}}},
    "E06": {"tables": {"hand": {"base": 6}}},
    "F02": {"tables": {"attrition": {"leader": 0}}},
    "F05": {"tables": {"elimination": {"charge": -1}}},
    "F06": {"tables": {"movement": {"halves": 10}}},
    "F15": {"tables": {"battle": {"pursuit_ops": 2}}},
    "G02": {"scenarios": {"campaign_4p": {"political_turns": 4}}},
    "G07": {"scenarios": {"campaign_4p": {"houses": {"york": {"heirs": ["lord_march"]}}}}},
    "G10": {"scenarios": {"campaign_4p": {"houses": {"york": {"support": 10}}}}},
    "G14": {"scenarios": {"campaign_4p": {"inactive": ["lord_march"]}}},
    "G15": {"scenarios": {"campaign_4p": {"king": "lord_york"}}},
}  # fmt: skip


@pytest.mark.parametrize("number", WRONG)
def test_a_correction_that_breaks_a_rule_is_refused(number):
    with pytest.raises(PackError) as caught:
        merge_pack(PACK, copy.deepcopy(WRONG[number]), check=check)
    assert number in {problem.rule for problem in caught.value.problems}


def test_a_correction_of_a_reconstructed_value_is_taken():
    merged = merge_pack(PACK, {"blocks": {"lord_kent": {"base": 4}}}, check=check)
    assert components(merged).blocks["lord_kent"].base == 4
