"""Choices, picks, amounts, arrangements and texts: what each takes, at the edge, and with what words it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.kernel.domains import Amount, Budget, Choice, Distribution, Domain, FreeText, Subset
from pbem.kernel.order_words import Names
from pbem.kernel.rejections import RejectionReason
from tests.kernel.every import flaw, samples, short, slip

CITIES = ["milan", "vienna", "york"]
LETTERS = list("abcdefgh")
UNKNOWN = {"type": "unknown"}


@pytest.mark.parametrize(
    "domain",
    [
        Choice(CITIES),
        Choice([1, 2, 3]),
        Subset(CITIES, 0, 3),
        Subset(CITIES, 2, 2),
        Subset(CITIES, 1, 3),
        Subset(CITIES, 0, 3, need=["york"]),
        Subset(CITIES, 1, 2, need=["york", "milan"]),
        Subset(list("abcd"), 0, 4, groups=[(["a", "b"], 1)]),
        Subset(list("abcd"), 1, 3, groups=[(["a", "b"], 1), (["c", "d"], 1)]),
        Subset(list("abcd"), 0, 3, groups=[(["a", "b", "c"], 2), (["a", "b"], 1)]),
        Subset(list("abcd"), 0, 3, groups=[(["a", "b"], 1)], need=["b", "c"]),
        Amount(0, 9),
        Amount(-3, 7, 5),
        Amount(4, 4),
        Distribution({"a": 2, "b": 1}, (0, 3)),
        Distribution({"a": 2, "b": 1}, 2),
        Distribution({"a": 2, "b": 2, "c": 2}, 2),
        Distribution({"a": 2, "b": (1, 2), "c": (0, 2)}, 5),
        Distribution({"a": (1, 2), "b": (0, 3), "c": 1}, (2, 4)),
        FreeText(),
    ],
    ids=lambda domain: f"{type(domain).__name__} {domain.syntax()}",
)
def test_a_sample_can_be_every_answer_and_nothing_else(domain: Domain) -> None:
    listed = list(domain.options())
    given = samples(domain)
    assert sorted(map(repr, given)) == sorted(map(repr, listed))
    for value in listed:
        domain.check(value)
        assert domain.parse(domain.text(value)) == value


# choice


@pytest.mark.parametrize("value", [True, 1.0, "1", [1], {"1": 1}, [], {}, 4, 0])
def test_only_a_listed_number_is_chosen(value: Any) -> None:
    assert flaw(Choice([1, 2, 3]), value).key == "answer.not_now"


@pytest.mark.parametrize("value", [1, True, ["1"], {"1": 1}, "01", "", " 1"])
def test_only_a_listed_word_is_chosen(value: Any) -> None:
    assert flaw(Choice(["1", "2"]), value).key == "answer.not_now"


def test_true_is_not_1_among_numbers_and_words() -> None:
    mixed = Choice(["1", 1, 0])
    for value in ("1", 1, 0):
        mixed.check(value)
    for other in (True, False, 1.0, 0.0):
        assert not mixed.accepts(other)
        assert not Subset(["1", 1, 0], 0, 3).accepts([other])


def test_a_refused_choice_says_what_was_chosen_and_what_comes_near() -> None:
    problem = flaw(Choice([10, 20]), 21)
    assert short(problem) == ("answer.not_now", {"word": "21"})
    assert problem.near[0] == "20"


def test_the_rule_s_own_reason_is_given_for_words_and_numbers() -> None:
    why = {
        "york": RejectionReason("rules.custom", {"text": "under siege"}, "8.2"),
        7: RejectionReason("rules.custom", {}, "8.3"),
    }
    assert flaw(Choice(["milan"], why=why.get), "york").rule == "8.2"
    assert flaw(Choice([1], why=why.get), 7).rule == "8.3"
    assert flaw(Subset([1], 0, 1, why=why.get), [7]).rule == "8.3"
    assert flaw(Choice(["milan"], why=why.get), "rome").key == "answer.not_now"
    assert flaw(Choice(["milan"], why=why.__getitem__), "rome").key == "answer.not_now"
    assert flaw(Choice(["milan"], why=why.__getitem__), ["york"]).key == "answer.not_now"


def test_a_reason_is_given_for_a_name_and_not_for_what_no_name_is() -> None:
    names = Names({"york": {"en": "City of York"}, "milan": {"en": "Milan"}}, {"york": ["Y"], "milan": ["Y"]})
    domain = Choice(
        ["milan"], why=lambda option: RejectionReason("rules.custom", {}, "8.2") if option == "york" else None
    )
    assert slip(domain, "york", names).rule == "8.2"
    assert slip(domain, "yrok", names).key == "answer.unknown"


@pytest.mark.parametrize(
    ("options", "what", "syntax"),
    [
        (LETTERS[:1], "", "a"),
        (LETTERS[:6], "", "a|b|c|d|e|f"),
        (LETTERS[:7], "", "a|b|c|d|e|…"),
        (LETTERS, "", "a|b|c|d|e|…"),
        ([1, 2], "", "1|2"),
        (LETTERS, "city", "<city>"),
    ],
)
def test_how_a_choice_is_written(options: list[Any], what: str, syntax: str) -> None:
    assert Choice(options, what).syntax() == syntax
    assert Subset(options, 0, 1, what=what).syntax() == f"0-1 of {syntax}"
    assert Subset(options, 1, 1, what=what).syntax() == f"1 of {syntax}"


@pytest.mark.parametrize(
    ("domain", "what"),
    [
        (Choice(CITIES), "a choice"),
        (Choice(CITIES, "a city"), "a city"),
        (Subset(CITIES, 1, 1), "none given"),
        (Amount(0, 9), "a number"),
        (Amount(0, 9, what="regulars"), "regulars"),
    ],
)
def test_what_is_missing_is_named(domain: Domain, what: str) -> None:
    problem = slip(domain, "")
    if what == "none given":
        assert short(problem) == ("answer.too_few", {"count": 0, "least": 1})
    else:
        assert short(problem) == ("answer.missing", {"what": what})
        assert problem.near == (tuple(CITIES) if isinstance(domain, Choice) else ())


# pick


@pytest.mark.parametrize("value", ["milan", {"milan": 1}, 1, True, {}, ""])
def test_a_pick_is_a_list(value: Any) -> None:
    assert flaw(Subset(CITIES, 0, 3), value).key == "answer.malformed"
    assert flaw(Subset(list("milan"), 0, 9), value).key == "answer.malformed"


def test_what_is_wrong_with_a_pick_is_counted() -> None:
    domain = Subset(CITIES, 2, 2)
    assert short(flaw(domain, [])) == ("answer.too_few", {"count": 0, "least": 2})
    assert short(flaw(domain, ["york"])) == ("answer.too_few", {"count": 1, "least": 2})
    assert short(flaw(domain, CITIES)) == ("answer.too_many", {"count": 3, "most": 2})
    assert short(flaw(domain, ["milan", "york", "york"])) == ("answer.twice", {"word": "york"})
    assert short(flaw(Subset([5, 6, 7], 0, 3), [6, 5, 6, 5])) == ("answer.twice", {"word": "6"})
    assert short(flaw(domain, ["milan", ["york"]])) == ("answer.not_now", {"word": "['york']"})
    domain.check(["york", "milan"])


def test_a_group_is_named_with_its_members() -> None:
    domain = Subset(list("abcd"), 0, 4, groups=[(["a", "b", "c"], 2), (["d"], 0)])
    domain.check(["a", "b"])
    assert short(flaw(domain, ["a", "b", "c"])) == ("answer.group", {"most": 2, "members": "a, b, c"})
    assert short(flaw(domain, ["d"])) == ("answer.group", {"most": 0, "members": "d"})
    assert short(flaw(Subset([1, 2], 0, 2, groups=[([1, 2], 1)]), [1, 2]))[1]["members"] == "1, 2"


def test_those_of_whom_one_is_needed_are_named() -> None:
    domain = Subset(list("abcdefghijk"), 0, 3, need=list("bcdefghijk"))
    domain.check([])
    domain.check(["a", "k"])
    problem = flaw(domain, ["a"])
    assert (problem.key, problem.near) == ("answer.need", tuple("bcdefghi"))
    assert flaw(Subset(list("ab"), 1, 2, need=["b"]), []).key == "answer.too_few"


def test_groups_that_cross_lead_no_sample_astray() -> None:
    """Whoever takes b first finds room for nobody else; two are needed."""
    domain = Subset(list("abc"), 2, 2, groups=[(["a", "b"], 1), (["b", "c"], 1)])
    assert samples(domain) == list(domain.options()) == [["a", "c"]]


def test_if_none_of_those_needed_can_be_had_nothing_is_picked() -> None:
    domain = Subset(["a", "b"], 0, 2, groups=[(["b"], 0)], need=["b"])
    assert samples(domain) == list(domain.options()) == [[]]


def test_a_pick_is_read_in_any_order_and_kept_in_that_of_the_options() -> None:
    domain = Subset([3, 1, 2], 0, 3)
    assert domain.parse("2, 1 3") == [3, 1, 2]
    assert domain.parse("1,3") == [3, 1]
    assert slip(domain, "1 1").key == "answer.unknown"
    assert slip(domain, "1 2 3 3").key in ("answer.twice", "answer.surplus")
    assert Subset(["new", "new_york"], 0, 2).parse("new york, new") == ["new", "new_york"]


def test_a_pick_as_one_word() -> None:
    assert Subset(CITIES, 0, 3).as_word([]) == "none"
    assert Subset(CITIES, 0, 3).as_word(["milan", "york"]) == "milan,york"
    assert Subset(["two words", "x"], 0, 2).as_word(["two words", "x"]) == '"""two words"" x"'


def test_a_pick_tells_all_of_itself() -> None:
    domain = Subset((1, 2, 3), 1, 2, groups=[((1, 2), 1)], need=(3,), what="die")
    assert domain.describe(Budget()) == {
        "type": "pick",
        "options": [1, 2, 3],
        "least": 1,
        "most": 2,
        "groups": [{"members": [1, 2], "most": 1}],
        "need": [3],
        "what": "die",
    }


@pytest.mark.parametrize(
    "domain", [Choice(CITIES), Subset(CITIES, 0, 3), Distribution(dict.fromkeys(CITIES, 2), (0, 6))]
)
def test_a_description_takes_a_node_for_each_option(domain: Domain) -> None:
    budget = Budget(4)
    assert domain.describe(budget)["type"] != "unknown"
    assert budget.left == 1
    assert domain.describe(Budget(3))["type"] != "unknown"
    assert domain.describe(Budget(2)) == UNKNOWN


# amount


@pytest.mark.parametrize("value", [True, False, 2.0, "2", [2], {}])
def test_an_amount_is_a_whole_number(value: Any) -> None:
    assert short(flaw(Amount(0, 9), value)) == ("answer.not_a_number", {"word": str(value)})


def test_an_amount_at_the_edge() -> None:
    domain = Amount(2, 8, 3)
    for value in (2, 5, 8):
        domain.check(value)
    for value in (1, 9, -2):
        assert short(flaw(domain, value)) == ("answer.out_of_range", {"value": value, "least": 2, "most": 8})
    assert short(flaw(domain, 4)) == ("answer.step", {"value": 4, "least": 2, "step": 3})
    assert list(Amount(0, 10, 4).options()) == samples(Amount(0, 10, 4)) == [0, 4, 8]
    assert (Amount(1, 9).syntax(), Amount(3, 3).syntax()) == ("<1-9>", "<3>")


@pytest.mark.parametrize(
    ("text", "number"), [("+3", 3), ("-2", -2), ("007", 7), ("９", 9), ("1" * 18, None), ("1" * 19, "many")]
)
def test_how_a_number_is_written(text: str, number: Any) -> None:
    domain = Amount(-5, 9)
    if isinstance(number, int):
        assert domain.parse(text) == number
    else:
        assert slip(domain, text).key == ("answer.not_a_number" if number else "answer.out_of_range")


# arrange


@pytest.mark.parametrize("value", [[], ["a"], "a=1", 3, True])
def test_an_arrangement_is_a_table(value: Any) -> None:
    assert flaw(Distribution({"a": 3}, (0, 3)), value).key == "answer.malformed"


@pytest.mark.parametrize(
    "text", ["New York=2, york=1", "new york 2 york 1", '"new york"=2 York = 1', ", york=1, New York=2"]
)
def test_places_of_several_words_need_no_quotes(text: str) -> None:
    assert Distribution({"new york": 2, "york": 1}, (0, 3)).parse(text) == {"new york": 2, "york": 1}


def test_names_of_several_words_behind_a_comma_are_whole() -> None:
    assert Subset(["new", "new york", "york"], 0, 3).parse(", new york, york") == ["new york", "york"]


def test_what_is_wrong_with_an_arrangement_is_told_with_its_place() -> None:
    domain = Distribution({"a": (1, 3), "b": 2}, (2, 4))
    domain.check({"a": 2})
    domain.check({"a": 3, "b": 1})
    for wrong in (0, True, 1.0, "1", [1]):
        assert short(flaw(domain, {"a": wrong})) == ("answer.not_a_number", {"word": str(wrong)})
    assert short(flaw(domain, {"a": 1, "c": 1})) == ("answer.not_now", {"word": "c"})
    assert short(flaw(domain, {"b": 2})) == ("answer.out_of_range", {"value": "a=0", "least": 1, "most": 3})
    assert short(flaw(domain, {"a": 1, "b": 3}))[1] == {"value": "b=3", "least": 0, "most": 2}
    assert short(flaw(domain, {"a": 1, "b": -1}))[1] == {"value": "b=-1", "least": 0, "most": 2}
    assert short(flaw(domain, {"a": 1})) == ("answer.total", {"value": 1, "least": 2, "most": 4})
    assert short(flaw(domain, {"a": 3, "b": 2})) == ("answer.total", {"value": 5, "least": 2, "most": 4})


def test_a_total_is_no_more_and_no_less_than_the_places_can_take() -> None:
    assert Distribution({"a": 2, "b": 1}, (0, 99)).syntax() == "0-3 over a=<0-2> b=<0-1>"
    assert Distribution({"a": (1, 2), "b": (2, 2)}, (0, 9)).syntax() == "3-4 over a=<1-2> b=<2-2>"
    assert Distribution({"a": 5}, 3).syntax() == "3 over a=<0-5>"
    six, seven = (dict.fromkeys(LETTERS[:n], 1) for n in (6, 7))
    assert Distribution(six, 1).syntax().endswith("f=<0-1>")
    assert Distribution(seven, 1).syntax().endswith("f=<0-1> …")


def test_how_an_arrangement_is_written() -> None:
    domain = Distribution({"new york": 3, "b": 2, "x=y": 9}, (0, 14))
    assert domain.text({"b": 1, "x=y": 2, "new york": 3}) == '"new york"=3 b=1 "x=y"=2'
    assert domain.parse("b=0 new york 2") == domain.parse('"new york"=2') == {"new york": 2}
    assert domain.parse('"x=y" 3, b 1') == domain.parse('b=1 "x=y"=3') == {"b": 1, "x=y": 3}
    assert domain.parse("none") == domain.parse("b=0") == {}
    assert domain.parse('b=1,"new york"=2') == domain.parse(",b 1,new york 2,") == {"b": 1, "new york": 2}
    assert short(slip(domain, "b=1 b 1")) == ("answer.twice", {"word": "b"})
    assert short(slip(domain, "b")) == ("answer.missing", {"what": "a number"})
    assert short(slip(domain, "b=two")) == ("answer.not_a_number", {"word": "two"})
    assert domain.as_word({"b": 1}) == '"b=1"'
    assert domain.text({}) == "none"


def test_an_arrangement_tells_all_of_itself() -> None:
    assert Distribution({"a": (1, 2), "b": 3}, (2, 9), "stack").describe(Budget()) == {
        "type": "arrange",
        "places": {"a": [1, 2], "b": [0, 3]},
        "least": 2,
        "most": 5,
        "what": "stack",
    }


# text


@pytest.mark.parametrize("value", [1, True, [], {}, " a", "a ", "a  b", "a\nb", "“a”", "ａ", "\x1b[2J", "\ud800"])
def test_what_is_no_line_of_text(value: Any) -> None:
    assert flaw(FreeText(), value).key == "answer.malformed"


def test_a_text_at_its_length() -> None:
    domain = FreeText(5)
    domain.check("")
    domain.check("a b c")
    assert short(flaw(domain, "abcdef")) == ("answer.too_long", {"most": 5})
    assert (domain.syntax(), FreeText(5, "why").syntax()) == ('"text"', '"why"')
    assert FreeText(5, "why").describe(Budget()) == {"type": "text", "most": 5, "what": "why"}


def test_a_text_is_read_with_or_without_quotes() -> None:
    domain = FreeText()
    assert domain.parse('"a = b"') == "a = b"
    assert domain.parse('say "a b" now') == 'say "a b" now'
    assert domain.parse("x=1, y") == "x=1, y"
    assert domain.parse('"a" "b"') == '"a" "b"'
    assert domain.parse("") == ""
    assert domain.parse_word("a b", Names()) == "a b"
