"""How the box of 1630 Something is sorted: which card names which country, joins which pile, and what it is called."""

from __future__ import annotations

from typing import Any

import pytest

from games.sixteen_thirty.components import ThirtyCard, ThirtyComponents, components, face_of
from games.sixteen_thirty.constraints import check
from pbem.kernel.pack import load_pack, merge_pack

PACK = load_pack("games.sixteen_thirty")


def box_with(**override: Any) -> ThirtyComponents:
    return components(merge_pack(PACK, override, check=check))


@pytest.fixture(scope="module")
def box() -> ThirtyComponents:
    return components(PACK)


def cards(box: ThirtyComponents, kind: str) -> list[ThirtyCard]:
    return [card for card in box.cards.values() if card.kind == kind]


def test_a_card_is_of_a_country_or_open_or_special(box: ThirtyComponents) -> None:
    assert all(card.country and card.votes and not card.special for card in cards(box, "influence"))
    assert all(card.votes and not card.country and not card.special for card in cards(box, "open"))
    assert all(card.special and not card.country and not card.votes for card in cards(box, "special"))
    assert list(box.deck) == list(box.cards)


def test_which_cards_name_a_country(box: ThirtyComponents) -> None:
    assert set(box.naming) == set(box.countries)
    for country, named in box.naming.items():
        assert named == {key for key, card in box.cards.items() if card.country == country}
        assert named
        assert all(box.named[key] == country for key in named)
    assert sum(map(len, box.naming.values())) == len(box.named) == len(cards(box, "influence"))


def test_open_cards_join_any_pile_and_others_only_that_of_their_country(box: ThirtyComponents) -> None:
    opened = {card.id for card in cards(box, "open")}
    assert opened
    for country, fits in box.fits.items():
        assert fits == box.naming[country] | opened


def test_what_a_special_does(box: ThirtyComponents) -> None:
    assert set(box.special) == {card.id for card in cards(box, "special")}
    assert box.special["vote-a"] == "vote"
    assert box.special["assassin-a"] == "assassin"


def test_what_the_moderator_carries_out() -> None:
    assert components(PACK).manual == frozenset()
    box = box_with(cards={"leader": {"manual": True}, "england": {"manual": True}, "open": {"manual": True}})
    assert box.manual == {"leader"}
    assert {card.id for card in box.cards.values() if card.manual} == {
        card.id
        for card in box.cards.values()
        if card.special == "leader" or card.country == "england" or card.kind == "open"
    }


@pytest.mark.parametrize(
    ("key", "kind", "face"),
    [
        ("england-2a", "england", "england-2"),
        ("hapsburg_empire-1b", "hapsburg_empire", "hapsburg_empire-1"),
        ("open-1c", "open", "open-1"),
        ("vote-b", "vote", "vote"),
        ("unrest-a", "unrest", "unrest"),
    ],
)
def test_what_a_card_may_be_called(box: ThirtyComponents, key: str, kind: str, face: str) -> None:
    face_of.cache_clear()
    assert box.meant[key] == (kind, face)
    assert face_of(key) == face


def test_copies_of_a_card_differ_by_a_letter_and_share_a_face() -> None:
    box = box_with(cards={"vote": {"count": 30}, "england": {"copies": [28, 9, 3]}})
    assert {face_of(key) for key in box.cards if key.startswith("vote-")} == {"vote"}
    assert {face_of(key) for key in box.naming["england"]} == {"england-1", "england-2", "england-3"}
    assert [key for key in box.deck if key.startswith("vote-")][24:28] == ["vote-y", "vote-z", "vote-aa", "vote-ab"]


def test_the_names_of_cards(box: ThirtyComponents) -> None:
    assert (box.cards["england-2a"].name, box.cards["england-2a"].ja) == ("England 2", "イングランド 2")
    assert (box.cards["open-1a"].name, box.cards["open-1a"].votes) == ("Open 1", 1)
    assert box.cards["vote-a"].name == "Vote"
    assert {card.votes for card in cards(box, "influence")} == {1, 2, 3}
