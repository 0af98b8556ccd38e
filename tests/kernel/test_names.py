"""Under which words a thing is known, how far a name reaches in a line, and when a word must be quoted."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pbem.kernel.domains import Choice, Form, Series, Subset
from pbem.kernel.order_words import (
    Names,
    WordCursor,
    is_plain,
    is_quoted,
    is_single_quoted_word,
    listed_words,
    normalize_text,
    normalize_word,
    option_word,
    parts,
    quote,
    raw_of,
    tokens,
)
from pbem.kernel.rejections import Rejection
from tests.kernel.every import short, slip

NAMES = Names(
    {"paris": {"en": "Île de la Cité", "ja": "パリ"}, "rome": {"en": "Roma"}, "bern": {"ja": "ベルン"}, "ghent": {}},
    {"paris": ["P", "Lutetia"], "rome": ["R"], "bern": ["R", "Bear City"]},
    {"card-1": "Old Guard", "card-2": "Old Guard", "card-3": "Old Fox"},
)


def refused(word: str, options: Sequence[object]) -> tuple[str, tuple[str, ...]]:
    with pytest.raises(Rejection) as caught:
        NAMES.pick(word, options)
    problem = caught.value.problem
    assert problem.args == {"word": word}
    return problem.key, problem.near


# display names


@pytest.mark.parametrize(
    ("key", "language", "name"),
    [
        ("paris", "en", "Île de la Cité"),
        ("paris", "ja", "パリ"),
        ("paris", "fr", "Île de la Cité"),
        ("rome", "ja", "Roma"),
        ("bern", "en", "bern"),
        ("ghent", "ja", "ghent"),
        ("nowhere", "en", "nowhere"),
    ],
)
def test_the_name_in_a_language_else_in_english_else_the_id(key: str, language: str, name: str) -> None:
    assert NAMES.of(key, language) == name
    if language == "en":
        assert NAMES.of(key) == name


def test_an_empty_name_is_none() -> None:
    assert Names({"rome": {"en": "Roma", "ja": ""}}).of("rome", "ja") == "Roma"


@pytest.mark.parametrize(
    "word", ["paris", "PARIS", "île-de-la-cité", "パリ", "lutetia", "bear_city", "old guard", "Ghent", "Roma"]
)
def test_what_is_known(word: str) -> None:
    assert NAMES.known(word)


@pytest.mark.parametrize("word", ["pari", "card", "old", "nowhere", "fr"])
def test_what_is_not_known(word: str) -> None:
    assert not NAMES.known(word)


@pytest.mark.parametrize(
    ("word", "key"),
    [("Bern", "bern"), ("lutetia", "paris"), ("Roma", "rome"), ("R", None), ("pa", None), ("nowhere", None)],
)
def test_the_one_thing_that_a_word_means(word: str, key: str | None) -> None:
    assert NAMES.meant(word) == key


def test_an_id_means_itself_though_it_be_another_s_name() -> None:
    names = Names({"york": {"en": "York"}, "duke": {"en": "York"}}, {"duke": ["York"]})
    assert names.meant("York") == "york"
    assert names.meant("Duke") == "duke"
    assert names.pick("york", ["duke", "york"]) == "york"
    assert names.pick("york", ["duke"]) == "duke"


def test_an_id_is_a_name_however_it_is_written() -> None:
    names = Names({"new-york": {}})
    for word in ("new-york", "New York", "NEW_YORK"):
        assert names.meant(word) == "new-york"
        assert names.known(word)


def test_a_name_that_is_told_twice_is_one_name() -> None:
    names = Names({"york": {"en": "Eboracum", "ja": "Eboracum"}}, {"york": ["eboracum"]})
    assert names.meant("Eboracum") == "york"
    assert names.pick("Eboracum", ["york", "leeds"]) == "york"


# which option is meant


@pytest.mark.parametrize(
    ("word", "options", "found"),
    [
        ("new_york", ["new-york", "new_york"], "new_york"),  # as it is written before all
        ("New York", ["york", "new-york"], "new-york"),
        ("r", ["rome", "ghent"], "rome"),  # the alias of two, of whom one can be meant
        ("ILE DE LA", ["paris", "rome"], None),
        ("Île-de-la", ["paris", "rome"], "paris"),  # the beginning of a name
        ("bear c", ["bern"], None),  # an alias is not short for anything
        ("ghe", ["rome", "ghent"], "ghent"),
        ("old fox", ["card-1", "card-3"], "card-3"),
        ("Old-Guard", ["card-2", "card-1"], "card-2"),
        ("card", ["card-2", "card-1"], "card-2"),  # equal pieces: the first of those that are legal
        ("7", [17, 7, 70], 7),
    ],
)
def test_what_a_word_means_among_what_is_legal(word: str, options: list[object], found: object) -> None:
    if found is None:
        assert refused(word, options)[0] == "answer.unknown"
    else:
        assert NAMES.pick(word, options) == found


def test_what_could_be_more_than_one_thing_is_asked_back() -> None:
    assert refused("R", ["rome", "bern"]) == ("answer.ambiguous", ("rome", "bern"))
    assert refused("card", ["card-3", "card-2", "card-1"]) == ("answer.ambiguous", ("card-3", "card-2"))
    many = [f"x{n}" for n in range(10)]
    assert refused("x", many) == ("answer.ambiguous", tuple(many[:8]))


def test_what_is_known_and_not_legal_is_told_apart_from_what_is_not_known() -> None:
    assert refused("Lutetia", ["rome"])[0] == "answer.not_now"
    assert refused("old guard", ["card-3"])[0] == "answer.not_now"
    assert refused("Atlantis", ["rome"])[0] == "answer.unknown"
    assert refused("7", [17, 70])[0] == "answer.unknown"
    assert refused("", ["rome"])[0] == "answer.unknown"


def test_nothing_is_exact_that_could_be_two_things() -> None:
    assert NAMES.exact("R", ["rome", "bern"]) is None
    assert NAMES.exact("R", ["bern"]) == "bern"
    assert NAMES.exact("rom", ["rome"]) is None
    assert NAMES.exact("roma", ["rome", "bern"]) == "rome"


# how far a name reaches


CITIES = {"n": "New York", "the-h": "The Hague", "far": "The Far Isle of the Winds", "york": "York", "new": "New"}
TOWNS = Names({key: {"en": name} for key, name in CITIES.items()})
TWO = Form(a=Choice(list(CITIES)), b=Choice(list(CITIES)))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("New York York", {"a": "n", "b": "york"}),
        ("York New", {"a": "york", "b": "new"}),
        ('New "York"', {"a": "new", "b": "york"}),
        ('"New" York', {"a": "new", "b": "york"}),
        ('"New York" The Hague', {"a": "n", "b": "the-h"}),
        ("a=York New York", {"a": "york", "b": "n"}),
    ],
)
def test_the_longest_name_is_read_and_quotes_hold_it_together(text: str, value: dict[str, str]) -> None:
    assert TWO.parse(text, TOWNS) == value


def test_a_name_has_five_words_at_most() -> None:
    names = Names({"a": {"en": "one two three four five"}, "b": {"en": "one two three four five six"}})
    assert Choice(["a", "b"]).parse("one two three four five", names) == "a"
    assert slip(Choice(["b"]), "one two three four five six", names).key == "answer.surplus"
    assert Choice(["b"]).parse('"one two three four five six"', names) == "b"
    assert Subset(["a", "york"], 0, 2).parse("one two three four five, york", names) == ["a", "york"]


@pytest.mark.parametrize("text", ["New York, York", "New York , York", "New York,York", "New York,, York,"])
def test_commas_set_names_apart(text: str) -> None:
    assert Series(Choice(list(CITIES))).parse(text, TOWNS) == ["n", "york"]
    assert Subset(list(CITIES), 0, 5).parse(text, TOWNS) == ["n", "york"]


def test_commas_with_and_without_blanks() -> None:
    for domain in (Series(Choice(list(CITIES))), Subset(list(CITIES), 0, 5)):
        assert sorted(domain.parse("York, New York,The Hague , New", TOWNS)) == ["n", "new", "the-h", "york"]


def test_names_of_several_words_late_in_a_line() -> None:
    domain = Series(Choice(list(CITIES)))
    line = " ".join(["York"] * 7 + ["New York", "The Hague", "New"])
    assert domain.parse(line, TOWNS) == ["york"] * 7 + ["n", "the-h", "new"]


def test_an_id_of_several_words_is_not_short_for_a_longer_one() -> None:
    assert Choice(["new-york", "new-york-city"]).parse("New York") == "new-york"
    assert Choice(["new-york", "new-york-city"]).parse("new_york CITY") == "new-york-city"


def test_a_comma_within_quotes_sets_nothing_apart() -> None:
    assert Series(Choice(["a,b", "a", "b"])).parse('"a,b" a,b') == ["a,b", "a", "b"]


# the cursor


def test_a_cursor_at_its_end() -> None:
    reader = WordCursor(tokens("one two"))
    assert bool(reader)
    assert (reader.peek(), reader.take("x"), reader.take("x"), reader.peek()) == ("one", "one", "two", "")
    assert not reader
    reader.end()
    assert not reader.nothing()
    with pytest.raises(Rejection) as caught:
        reader.take("a number")
    assert short(caught.value.problem) == ("answer.missing", {"what": "a number"})


def test_what_is_left_is_told_as_it_was_written() -> None:
    reader = WordCursor(tokens('a "b c" d=e'))
    reader.take("x")
    with pytest.raises(Rejection) as caught:
        reader.end()
    assert short(caught.value.problem) == ("answer.surplus", {"word": "b c d=e"})
    assert reader.rest() == '"b c" d=e'
    assert (bool(reader), reader.rest()) == (False, "")


@pytest.mark.parametrize("word", ["none", "None", "NOTHING", "なし", "-"])
def test_the_words_for_an_empty_list(word: str) -> None:
    assert Subset(["a"], 0, 1).parse(word) == []
    assert Series(Choice(["a"])).parse(word) == []
    assert slip(Subset(["a"], 0, 1), f"{word} a").key == "answer.surplus"


def test_a_thing_that_is_called_none_is_quoted() -> None:
    domain = Subset(["none", "after", "a"], 0, 3)
    assert domain.parse('"none"') == ["none"]
    assert domain.text(["none", "after", "a"]) == '"none" "after" a'
    assert domain.parse("none") == []


def test_a_missing_name_offers_the_first_eight() -> None:
    with pytest.raises(Rejection) as caught:
        WordCursor([]).option(list(range(10)), "a die")
    assert short(caught.value.problem) == ("answer.missing", {"what": "a die"})
    assert caught.value.problem.near == tuple("01234567")


# quotes


@pytest.mark.parametrize(
    ("text", "plain"),
    [("a", True), ("a-b_c+1", True), ("-1", True), ("+1", True), ("ヴ", True), ("a.b", True), ("a:b", True)]
    + [(text, False) for text in ("", "a b", 'a"', "a,b", "a=b", "a;b", "(a)", "#", "a\tb", "?")],
)
def test_what_can_stand_without_quotes(text: str, plain: bool) -> None:
    assert is_plain(text) is plain
    assert raw_of(text) == (text if plain else quote(text))
    assert option_word(text, [text]) == (text if plain else quote(text))
    assert listed_words(["x", text]) == (f"x,{text}" if plain else None)


@pytest.mark.parametrize("word", ["none", "Nothing", "なし", "-", "unless", "AFTER"])
def test_words_that_mean_something_else_are_quoted(word: str) -> None:
    assert option_word(word, [word]) == quote(word)
    assert listed_words(["a", word]) is None


def test_a_word_that_begins_a_longer_option_is_quoted() -> None:
    options = ["new", "New-York", "newark", "york"]
    assert [option_word(option, options) for option in options] == ['"new"', "New-York", "newark", "york"]
    assert option_word("NEW", options) == '"NEW"'
    assert option_word("new", ["new", "newark"]) == "new"
    assert listed_words(options) == "new,New-York,newark,york"


def test_numbers_are_written_as_they_are() -> None:
    assert (option_word(7, [7, 70]), listed_words([7, 70])) == ("7", "7,70")


@pytest.mark.parametrize(
    ("text", "one"),
    [('"a"', True), ('"a ""b"" c"', True), ('""', True), ('"a" "b"', False), ("a", False), ('"a', False)],
)
def test_one_quoted_word_and_nothing_else(text: str, one: bool) -> None:
    assert is_single_quoted_word(text) is one
    assert (len(tokens(text)) == 1 and is_quoted(tokens(text)[0])) is one


def test_a_mark_within_quotes_cuts_nothing() -> None:
    assert parts('a "b;c" ; d;;') == ['a "b;c"', "d", "", ""]
    assert parts("a,b; c", ",") == ["a", "b; c"]
    assert parts("") == [""]


def test_quotes_of_all_kinds_and_blanks_are_made_straight() -> None:
    assert normalize_text("  „a“  \t ”b“\n") == '"a" "b"'
    assert normalize_word('"New - York"') == "new_york"
    assert normalize_word("ＳＴ．  Ｊｏｈｎ") == "st._john"
