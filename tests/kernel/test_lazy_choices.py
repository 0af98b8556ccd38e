"""A lazy choice is the same as one that lists its options, and never offers what it barred."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pbem.kernel.domains import Amount, Choice, Domain, LazyChoice, LazyMenu, Menu, lazy_choice, lazy_menu
from pbem.kernel.order_words import Names
from pbem.kernel.rejections import Rejection, RejectionReason

WORDS = ("milan", "genoa", "turin", "siena")
GOOD = ("genoa", "siena")
STRANGE: tuple[Any, ...] = ("", "rome", 1, True, None, [], ["genoa"], {}, {"do": "genoa"}, {"do": ["genoa"]})


def why(option: Any) -> RejectionReason | None:
    return RejectionReason("rules.custom", {"text": f"{option} is besieged"}, "7") if option in WORDS else None


def some(order: Any = None) -> tuple[LazyChoice, list[str]]:
    """The choice of the good ones, and which were tried."""
    asked: list[str] = []

    def fits(option: str) -> bool:
        asked.append(option)
        return option in GOOD

    return lazy_choice(WORDS, fits, "town", order, why), asked


def verdict(domain: Domain, value: Any) -> str:
    try:
        domain.check(value)
    except Rejection as refused:
        return str(refused)
    return "accepted"


@pytest.mark.parametrize("value", [*WORDS, *STRANGE], ids=repr)
def test_a_choice_that_is_tried_gives_the_verdicts_of_one_that_lists(value: Any) -> None:
    domain, _ = some()
    assert verdict(domain, value) == verdict(Choice(GOOD, "town", why), value)


def test_each_option_is_tried_once_and_only_what_is_asked_for() -> None:
    domain, asked = some()
    for _ in range(2):
        domain.check("siena")
    assert asked == ["siena"]
    for _ in range(2):
        assert list(domain.options()) == [*GOOD]
    assert sorted(asked) == sorted(WORDS)


def test_options_are_listed_in_the_order_that_is_given() -> None:
    assert list(some(("siena", "rome", "turin", "genoa", "milan"))[0].options()) == ["siena", "genoa"]


def test_whether_there_is_any() -> None:
    assert some()[0].any()
    assert not lazy_choice(WORDS, lambda _: False).any()
    assert lazy_choice(WORDS, lambda option: option == WORDS[-1]).any()


def test_a_sample_is_an_option_and_every_option_comes_up() -> None:
    below = random.Random(3).randrange
    assert {some()[0].sample(below) for _ in range(60)} == {*GOOD}
    with pytest.raises(AssertionError):
        lazy_choice(WORDS, lambda _: False).sample(below)


def menu(*, cheap: bool = False) -> tuple[LazyMenu, list[str]]:
    built: list[str] = []

    def build(word: str) -> Domain | None:
        built.append(word)
        return Amount(1, 3) if word in GOOD else None

    can = (lambda word: word in GOOD) if cheap else None
    return lazy_menu(WORDS, build, ("pass", "wait"), None, can, why), built


LISTED = Menu({"genoa": Amount(1, 3), "siena": Amount(1, 3), "pass": None, "wait": None}, None, why)


@pytest.mark.parametrize(
    "value",
    [
        *WORDS,
        "pass",
        "wait",
        {"do": "pass"},
        *STRANGE,
        *({"do": word, "with": amount} for word in ("genoa", "milan", "pass") for amount in (1, 4)),
        {"do": "genoa", "with": 1, "and": 2},
    ],
    ids=repr,
)
@pytest.mark.parametrize("cheap", [False, True])
def test_a_menu_that_is_tried_gives_the_verdicts_of_one_that_lists(value: Any, cheap: bool) -> None:
    assert verdict(menu(cheap=cheap)[0], value) == verdict(LISTED, value)


@pytest.mark.parametrize("cheap", [False, True])
def test_a_menu_lists_the_same_words_and_samples_all_of_them(cheap: bool) -> None:
    domain, built = menu(cheap=cheap)
    assert list(domain.entries) == list(LISTED.entries)
    assert not (cheap and set(built) - set(GOOD))  # what is barred need not be worked out
    assert list(domain.options()) == list(LISTED.options())
    below = random.Random(5).randrange
    seen = {str(domain.sample(below)) for _ in range(200)}
    assert seen == {str(value) for value in LISTED.options()}
    assert len(built) == len(set(built))


def test_a_bag_says_how_likely_each_word_is_and_may_hold_what_is_barred() -> None:
    domain = lazy_menu(WORDS, menu()[0].build, ("pass",), ("milan", "milan", "genoa", "genoa", "pass"))
    below = random.Random(7).randrange
    seen = [domain.sample(below) for _ in range(300)]
    for value in seen:
        domain.check(value)
    words = [value if isinstance(value, str) else value["do"] for value in seen]
    assert set(words) == {"genoa", "pass"}
    assert words.count("genoa") > words.count("pass")
    barred = lazy_menu(WORDS, lambda _: None, (), ("milan",))
    with pytest.raises(AssertionError):
        barred.sample(below)


@pytest.mark.parametrize(
    "value", ["rome", "", {"do": "rome"}, {"do": "rome", "with": 1}, {"do": "pass", "with": 1}], ids=repr
)
def test_what_is_no_word_is_never_looked_up(value: Any) -> None:
    """Rules look their words up in tables: a slip of a player's pen must not break off everybody's game."""
    towns = dict.fromkeys(WORDS, True)
    for domain in (
        lazy_choice(WORDS, lambda option: towns[option]),
        lazy_menu(WORDS, lambda word: Amount(1, 3) if towns[word] else None, ("pass",)),
    ):
        with pytest.raises(Rejection):
            domain.check(value)


def test_words_are_read_as_of_one_that_lists() -> None:
    names = Names()
    for text in ("genoa 2", "gen 2", "pass", "milan 1", "rome 1", "genoa", "genoa 9", ""):
        said = []
        for domain in (menu()[0], LISTED):
            try:
                said.append(str(domain.parse(text, names)))
            except Rejection as refused:
                said.append(str(refused))
        assert said[0] == said[1]
