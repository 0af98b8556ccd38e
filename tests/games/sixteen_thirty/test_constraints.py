"""What a correction of the box may be and may not be, at the very edge, and how a moderator is told (A01-A14, X13)."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from games.sixteen_thirty.components import components
from games.sixteen_thirty.constraints import check
from pbem.kernel.pack import PackError, load_pack, merge_pack

PACK = load_pack("games.sixteen_thirty")
COUNTRIES = list(components(PACK).countries)
SPECIALS = ("vote", "improvement", "army", "status", "leader", "assassin", "unrest")


def said(**override: Any) -> list[str]:
    """What a moderator is told of his corrections, with the numbers of the constraints."""
    with pytest.raises(PackError) as caught:
        merge_pack(PACK, override, check=check)
    return [str(flaw) for flaw in caught.value.problems]


def taken(**override: Any) -> None:
    components(merge_pack(PACK, override, check=check))


def tables(**arrays: Any) -> dict[str, Any]:
    """The tables of the box with some things replaced: `cards__special=[…]`."""
    found = copy.deepcopy(PACK.tables)
    for address, value in arrays.items():
        table, _, array = address.partition("__")
        found[table][array] = value
    return found


def flaws(**arrays: Any) -> list[str]:
    return list(map(str, check(tables(**arrays))))


# how it is told

TOLD = [
    ({"countries": {"england": {"status": 2}}}, "countries.england.status is 1 in the rulebook, not 2 [A01]"),
    ({"countries": {"poland": {"army_ability": 1}}}, "countries.poland.army_ability is 0 in the rulebook, not 1 [A01]"),
    ({"countries": {"france": {"side": "blue"}}}, "countries.france.side is neutral in the rulebook, not blue [A02]"),
    (
        {"countries": {"poland": {"water_defence": True}}},
        "countries.poland.water_defence is false in the rulebook, not true [A03]",
    ),
    (
        {"countries": {"spain": {"adjacent": ["france", "england", "spain"]}}},
        "countries.spain.adjacent names itself, or a neighbour twice [A04]",
    ),
    (
        {"countries": {"spain": {"adjacent": ["france", "england", "portugal"]}}},
        "countries.spain.adjacent: there is no country portugal [A04]",
    ),
    (
        {"countries": {"spain": {"adjacent": ["france", "england", "poland"]}}},
        "countries.spain is adjacent to poland, but poland is not adjacent to spain [A04]",
    ),
    ({"constants": {"limits": {"status_max": 8}}}, "constants.limits.status_max is 7 in the rulebook, not 8 [A05]"),
    ({"counters": {"draw": {"total": 20}}}, "counters.draw.total is 18 in the rulebook, not 20 [A06]"),
    ({"counters": {"spain": {"count": 3}}}, "there are 18 counters in the rulebook, not 19 [A06]"),
    ({"counters": {"draw": {"players": {"5": 4}}}}, "counters.draw.players.5 is 3 in the rulebook, not 4 [A07]"),
    ({"constants": {"players": {"least": 2}}}, "constants.players.least is 3 in the rulebook, not 2 [A07]"),
    (
        {"cards": {"spain": {"copies": []}}},
        "cards.spain.copies must count cards with 1, 2, 3… votes, at least one in all [A08]",
    ),
    (
        {"cards": {"open": {"copies": [0, 0]}}},
        "cards.open.copies must count cards with 1, 2, 3… votes, at least one in all [A08]",
    ),
    (
        {"cards": {"england": {"copies": [0, 9, 3]}}},
        "the examples play an England 1, so cards.england.copies must begin with 1 or more [A08]",
    ),
    ({"cards": {"unrest": {"count": 0}}}, "cards.unrest.count is 0, but the rulebook has that card [A09]"),
    ({"constants": {"hand": {"deal": 12}}}, "constants.hand.deal is 13 in the rulebook, not 12 [A12]"),
    ({"turns": {"turn-10": {"ends_on": 5}}}, "turns.turn-10.ends_on is 5, but turn 10 always ends the game (6) [A13]"),
    (
        {"turns": {"turn-3": {"ends_on": 1}}},
        "turns.turn-3.ends_on is 1, but only the last few turns have an end number [A13]",
    ),
    ({"turns": {"turn-8": {"ends_on": 6}}}, "turns.turn-8.ends_on is 6, but before turn 10 it must be 0 to 5 [A13]"),
    ({"turns": {"turn-8": {"turn": 9}}}, "there are 10 turns, in order [A13]"),
    (
        {"constants": {"limits": {"neighbours_only": 3}}},
        "constants.limits.neighbours_only is 2 in the rulebook (1 in a note), not 3 [X13]",
    ),
    ({"constants": {"war": {"leader": 3}}}, "constants.war.leader is 2 in the rulebook, not 3 [X16]"),
]


@pytest.mark.parametrize(("override", "says"), TOLD, ids=[says for _, says in TOLD])
def test_a_refusal_names_the_place_the_rulebook_and_the_number(override: dict[str, Any], says: str) -> None:
    assert said(**override) == [says]


def test_a04_those_whom_no_chain_reaches_are_named() -> None:
    apart = "france, denmark, netherlands, sweden, german_princes, hapsburg_empire, poland"
    assert said(
        countries={
            "spain": {"adjacent": ["england"]},
            "england": {"adjacent": ["spain"]},
            "france": {"adjacent": ["netherlands", "german_princes"]},
            "netherlands": {"adjacent": ["france", "german_princes"]},
        }
    ) == [f"no chain of neighbours joins spain to {apart} [A04]"]


def test_a04_a_country_by_itself_is_named() -> None:
    """The first of the list: whoever begins to walk there reaches nobody."""
    alone = {
        "spain": {"adjacent": []},
        "england": {"adjacent": ["france", "netherlands"]},
        "france": {"adjacent": ["england", "netherlands", "german_princes"]},
    }
    apart = "england, france, denmark, netherlands, sweden, german_princes, hapsburg_empire, poland"
    assert said(countries=alone) == [f"no chain of neighbours joins spain to {apart} [A04]"]


# at the edge


def counters(*counts: int) -> list[dict[str, Any]]:
    return [{"id": country, "count": count} for country, count in zip(COUNTRIES, counts, strict=True)]


def test_a06_a_country_may_have_no_counter_but_not_fewer() -> None:
    assert flaws(counters__counters=counters(0, 3, 3, 3, 3, 3, 1, 1, 1)) == []
    assert flaws(counters__counters=counters(-1, 4, 3, 3, 3, 3, 1, 1, 1)) == [
        "a country can't have fewer than no counters [A06]"
    ]


def test_a06_some_country_has_two_counters() -> None:
    assert flaws(counters__counters=counters(*[2] * 9)) == []
    ones = "one player can hold two counters of a country, so some country must have two [A06]"
    assert flaws(counters__counters=counters(*[1] * 9)) == ["there are 18 counters in the rulebook, not 9 [A06]", ones]
    assert ones in flaws(counters__counters=[])


def test_a06_every_country_has_an_entry_among_the_counters() -> None:
    listed = counters(*[2] * 9)
    listed[-1]["id"] = "portugal"
    assert flaws(counters__counters=listed) == ["each of the nine countries needs an entry among the counters [A06]"]


def test_a08_every_country_has_influence_cards_and_england_a_1() -> None:
    influence = copy.deepcopy(PACK.tables["cards"]["influence"])
    missing = "each of the nine countries needs influence cards [A08]"
    assert flaws(cards__influence=[e for e in influence if e["id"] != "poland"]) == [missing]
    assert flaws(cards__influence=[e for e in influence if e["id"] != "england"]) == [
        missing,
        "the examples play an England 1, so cards.england.copies must begin with 1 or more [A08]",
    ]
    england = "the examples play an England 1, so cards.england.copies must begin with 1 or more [A08]"
    assert england in said(cards={"england": {"copies": []}})
    taken(cards={"england": {"copies": [1, 9, 3]}})


def test_a08_no_card_of_a_number_of_votes_is_legal_but_not_fewer() -> None:
    taken(cards={"spain": {"copies": [0, 0, 8]}})
    assert said(cards={"spain": {"copies": [9, -1]}}) == [
        "cards.spain.copies must count cards with 1, 2, 3… votes, at least one in all [A08]"
    ]


def test_a09_the_seven_specials_and_no_other() -> None:
    special = copy.deepcopy(PACK.tables["cards"]["special"])
    listed = f"the special cards are {', '.join(SPECIALS)} [A09]"
    assert flaws(cards__special=special[1:]) == [listed]
    assert flaws(cards__special=[*special, {**special[0], "id": "plague"}]) == [listed]
    taken(cards={special: {"count": 1} for special in SPECIALS})


def deck(influence: int, opens: int, specials: int) -> list[str]:
    """What is wrong with a deck of so many cards of countries, Open cards and specials."""
    each, more = divmod(influence, len(COUNTRIES))
    countries = [{"id": c, "copies": [each + (more if at == 0 else 0)]} for at, c in enumerate(COUNTRIES)]
    kinds = [{"id": s, "count": specials - 6 if s == "vote" else 1} for s in SPECIALS]
    return flaws(cards__influence=countries, cards__open={"copies": [opens]}, cards__special=kinds)


@pytest.mark.parametrize(
    ("numbers", "says"),
    [
        ((80, 20, 59), []),
        ((80, 20, 60), ["most cards are influence cards of a country, but here 80 of 160 [A10]"]),
        ((80, 21, 40), ["only a small number of cards are Open, but here 21 next to 80 of a country [A10]"]),
        ((50, 8, 20), []),
        ((50, 8, 19), ["six players are dealt 78 cards, but the deck has 77 [A11]"]),
    ],
)
def test_a10_a11_the_mix_and_the_size_of_the_deck(numbers: tuple[int, int, int], says: list[str]) -> None:
    assert deck(*numbers) == says


def test_a13_end_numbers_from_the_second_half_on() -> None:
    taken(turns={"turn-6": {"ends_on": 0}, "turn-7": {"ends_on": 0}, "turn-9": {"ends_on": 5}})
    taken(turns={"turn-6": {"ends_on": 5}})
    for turn in range(1, 6):
        assert said(turns={f"turn-{turn}": {"ends_on": 1}})[0].endswith("[A13]")
    assert said(turns={"turn-9": {"ends_on": 6}})[0].endswith("it must be 0 to 5 [A13]")
    assert said(turns={"turn-9": {"ends_on": -1}})[0].endswith("it must be 0 to 5 [A13]")


def test_a13_ten_turns_in_order_each_once() -> None:
    turns = PACK.tables["turns"]["turns"]
    wrong = ["there are 10 turns, in order [A13]"]
    assert flaws(turns__turns=turns[:-1]) == wrong
    assert flaws(turns__turns=[*turns, {"id": "turn-11", "turn": 11, "ends_on": 6}]) == wrong
    assert flaws(turns__turns=[*turns, {**turns[-1], "id": "again"}]) == wrong
    assert flaws(turns__turns=turns[::-1]) == wrong


def test_a14_no_phase_is_left_out() -> None:
    assert flaws(turns__phases=PACK.tables["turns"]["phases"][:-1]) == [
        "the phases of a turn are remove, draw, exchange, specials, vote, repeat, end [A14]"
    ]


def test_x13_the_rule_or_its_note() -> None:
    for status in (1, 2):
        taken(constants={"limits": {"neighbours_only": status}})
    for status in (0, 3):
        assert said(constants={"limits": {"neighbours_only": status}})[0].endswith("[X13]")


WAR = {
    "X16": ("dice", "leader", "no_army", "unrest", "water_defence", "water_status"),
    "X17": ("winner_status", "loser_status", "loser_army", "loser_ability"),
    "X18": ("tie_army",),
}


@pytest.mark.parametrize(("rule", "name"), [(rule, name) for rule, names in WAR.items() for name in names])
def test_x16_to_x18_every_number_of_a_war_is_the_rulebook_s(rule: str, name: str) -> None:
    number = PACK.tables["constants"]["war"][name]
    assert said(constants={"war": {name: number + 1}}) == [
        f"constants.war.{name} is {number} in the rulebook, not {number + 1} [{rule}]"
    ]


@pytest.mark.parametrize("name", ["deal", "limit", "draw", "display", "exchange", "specials"])
def test_a12_every_number_of_cards_is_the_rulebook_s(name: str) -> None:
    number = PACK.tables["constants"]["hand"][name]
    assert said(constants={"hand": {name: number - 1}}) == [
        f"constants.hand.{name} is {number} in the rulebook, not {number - 1} [A12]"
    ]


@pytest.mark.parametrize("country", COUNTRIES)
@pytest.mark.parametrize("field", ["status", "army_size", "army_ability"])
def test_a01_every_number_of_the_set_up_table_is_the_rulebook_s(country: str, field: str) -> None:
    entry = next(e for e in PACK.tables["countries"]["countries"] if e["id"] == country)
    (text,) = said(countries={country: {field: entry[field] + 1}})
    assert text.startswith(f"countries.{country}.{field} is {entry[field]} in the rulebook")
    assert text.endswith("[A01]")
