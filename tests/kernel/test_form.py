"""Forms: fields that depend on those before, how they are written, what is refused, and what a description tells."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.kernel.domains import (
    Amount,
    Budget,
    Choice,
    Distribution,
    Domain,
    Form,
    FreeText,
    Menu,
    Optional,
    Series,
    Subset,
    Values,
    domain_from,
)
from pbem.kernel.order_words import Names, tokens
from tests.kernel.every import cut, flaw, samples, short, slip, spent

NEAR = {"milan": ["genoa", "turin"], "turin": ["milan"], "rome": []}
UNKNOWN = {"type": "unknown"}


def march() -> Form:
    """From a city to one near it; out of Turin with some regulars; from Rome nobody goes anywhere."""
    return Form(
        origin=Choice(list(NEAR)),
        to=lambda v: Choice(NEAR[v.origin]) if NEAR[v.origin] else None,
        regulars=lambda v: Amount(1, 2) if v.origin == "turin" else None,
        note=Optional(Choice(["fast", "slow"])),
        late=lambda v: Optional(Amount(7, 7)) if v.note is None else None,
    )


FORMS: list[Form] = [
    march(),
    Form(),
    Form(a=Optional(Choice(["x", "y"])), b=Optional(Amount(0, 1))),
    Form(a=Choice(["x", "y"]), b=Subset(["p", "q"], 0, 1), c=Amount(0, 1)),
    Form(a=Optional(Choice(["x"])), b=Choice(["p", "q"]), c=Choice(["r"])),
    Form({"a": Amount(0, 1)}, b=lambda v: Amount(0, v.a)),
    Form(a=Series(Choice(["x", "y"]), 0, 2), b=Series(Amount(0, 1), 1, 1)),
    Form(inner=Form(a=Choice(["x", "y"]), b=Optional(Amount(0, 0))), c=Choice(["z"])),
]


@pytest.mark.parametrize("domain", FORMS, ids=lambda domain: domain.syntax())
def test_a_sample_can_be_every_answer_and_nothing_else(domain: Form) -> None:
    listed = list(domain.options())
    assert sorted(map(repr, samples(domain))) == sorted(map(repr, listed))
    again = domain_from(domain.describe(Budget()))
    assert list(again.options()) == listed
    for value in listed:
        for copy in (domain, again):
            copy.check(value)
            assert copy.parse(copy.text(value)) == value
            (word,) = tokens(copy.as_word(value))
            assert copy.parse_word(word, Names()) == value


# what is refused


@pytest.mark.parametrize("value", [[], "milan", 1, True, ["milan"]])
def test_a_form_is_a_table(value: Any) -> None:
    assert flaw(march(), value).key == "answer.malformed"


def test_a_missing_field_is_named_with_how_to_write_it() -> None:
    problem = flaw(march(), {"origin": "turin", "to": "milan"})
    assert (short(problem), problem.near) == (("answer.missing", {"what": "regulars"}), ("<1-2>",))
    problem = slip(march(), "turin milan")
    assert (short(problem), problem.near) == (("answer.missing", {"what": "regulars"}), ("<1-2>",))
    assert short(flaw(march(), {})) == ("answer.missing", {"what": "origin"})


def test_a_field_that_does_not_apply_is_no_part_of_the_answer() -> None:
    for value in ({"origin": "rome", "to": "milan"}, {"origin": "rome", "regulars": 1}):
        word = next(name for name in value if name != "origin")
        assert short(flaw(march(), value)) == ("answer.idle_field", {"word": word})
    assert short(slip(march(), "rome regulars=1")) == ("answer.idle_field", {"word": "regulars"})
    assert short(flaw(march(), {"origin": "rome", "note": "fast", "late": 7}))[1] == {"word": "late"}


def test_the_first_strange_field_is_named_with_what_comes_near() -> None:
    problem = flaw(march(), {"regular": 1, "origin": "rome", "nota": "fast"})
    assert (short(problem), problem.near[0]) == (("answer.unknown_field", {"word": "regular"}), "regulars")
    problem = slip(march(), "rome nota=fast")
    assert (short(problem), problem.near[0]) == (("answer.unknown_field", {"word": "nota"}), "note")


def test_a_field_is_checked_by_what_stands_before_it() -> None:
    domain = march()
    for _ in range(2):  # what was worked out for one beginning serves no other
        domain.check({"origin": "turin", "to": "milan", "regulars": 2})
        domain.check({"origin": "milan", "to": "turin"})
        domain.check({"origin": "rome"})
        assert short(flaw(domain, {"origin": "turin", "to": "genoa", "regulars": 2}))[1] == {"word": "genoa"}
        assert flaw(domain, {"origin": "milan", "to": "milan"}).near == ("genoa", "turin")


def test_a_beginning_that_grows_is_another_beginning() -> None:
    """The table of what stands before a field is one and the same while it is filled."""
    domain = Form(a=Amount(0, 2), b=lambda v: Amount(v.a, v.a), c=lambda v: Amount(v.b, v.b))
    for number in (0, 2, 1, 2):
        domain.check({"a": number, "b": number, "c": number})
        assert domain.parse(f"{number} {number} {number}") == {"a": number, "b": number, "c": number}
        assert flaw(domain, {"a": number, "b": number, "c": number + 1}).key == "answer.out_of_range"


def test_what_depends_on_a_field_is_asked_only_after_that_was_checked() -> None:
    domain = march()
    assert short(flaw(domain, {"origin": "paris", "to": "milan"})) == ("answer.not_now", {"word": "paris"})
    assert slip(domain, "paris milan").key == "answer.unknown"
    assert slip(domain, "to=milan origin=paris").key == "answer.unknown"
    rows = [["x"], ["y"]]
    numbered = Form(n=Amount(0, 1), x=lambda v: Choice(rows[v.n]))
    assert numbered.parse("1 y") == {"n": 1, "x": "y"}
    assert slip(numbered, "7 y").key == slip(numbered, "x=y n=7").key == "answer.out_of_range"


# how it is written


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("turin milan 2", {"origin": "turin", "to": "milan", "regulars": 2}),
        ("regulars=2 milan origin=turin", {"origin": "turin", "to": "milan", "regulars": 2}),
        ("REGULARS = 2, turin milan", None),
        (
            "Origin=turin To=milan Regulars=1 Note=slow",
            {"origin": "turin", "to": "milan", "regulars": 1, "note": "slow"},
        ),
        ("rome late=7", {"origin": "rome", "late": 7}),
        ("rome slow", None),
        ("none", None),
        ("", None),
    ],
)
def test_words_in_order_or_by_name(text: str, value: Any) -> None:
    if value is None:
        slip(march(), text)
    else:
        assert march().parse(text) == value


def test_nothing_at_all_is_said_by_none() -> None:
    domain = Form(a=Optional(Choice(["x", "none"])), b=Optional(Amount(0, 1)))
    assert domain.parse("none") == domain.parse("") == domain.parse("なし") == {}
    assert domain.text({}) == "none"
    assert domain.parse("a=none") == {"a": "none"}
    assert short(slip(domain, "none none"))[0] == "answer.surplus"
    assert Form(a=Choice(["x", "none"])).parse("none") == {"a": "none"}


def test_a_value_that_is_named_twice_or_too_much_is_refused() -> None:
    assert short(slip(march(), "origin=rome Origin=rome")) == ("answer.twice", {"word": "origin"})
    assert short(slip(march(), "rome origin=rome")) == ("answer.surplus", {"word": "rome"})
    assert short(slip(march(), "rome x y")) == ("answer.surplus", {"word": "x y"})


def test_the_last_field_takes_all_the_words_that_are_left() -> None:
    domain = Form(to=Choice(["a"]), who=Subset(["x", "y", "z"], 0, 3), by=Optional(Amount(0, 1)))
    assert domain.parse("a x y z") == {"to": "a", "who": ["x", "y", "z"]}
    assert domain.parse("a x y by=1") == {"to": "a", "who": ["x", "y"], "by": 1}
    assert domain.parse('a "x y"') == {"to": "a", "who": ["x", "y"]}
    first = Form(who=Subset(["x", "y", "z"], 0, 3), to=Choice(["a"]))
    assert first.parse("x,y a") == {"who": ["x", "y"], "to": "a"}
    assert first.parse("x y to=a") == {"who": ["x", "y"], "to": "a"}
    assert slip(first, "x y a").key == "answer.unknown"


def test_a_quoted_word_is_no_field_by_name() -> None:
    domain = Form(to=Choice(["to=a", "a"]))
    assert domain.parse('"to=a"') == domain.parse('to="to=a"') == {"to": "to=a"}
    assert domain.parse("to=a") == {"to": "a"}


def test_text_in_a_form_stands_in_quotes_or_last() -> None:
    domain = Form(to=Choice(["a"]), say=FreeText())
    assert domain.parse("a so be it, then") == {"to": "a", "say": "so be it, then"}
    assert domain.parse('a "x = y"') == {"to": "a", "say": "x = y"}
    assert domain.parse('say="x = y" a') == {"to": "a", "say": "x = y"}
    assert domain.text({"to": "a", "say": 'x "y"'}) == 'a say="x ""y"""'
    assert domain.parse('a say="x ""y"""') == {"to": "a", "say": 'x "y"'}


def test_words_after_a_field_left_out_are_named() -> None:
    domain = Form(a=Optional(Choice(["x"])), b=Choice(["p"]), c=Amount(0, 1), d=Choice(["q"]))
    assert domain.text({"a": "x", "b": "p", "c": 1, "d": "q"}) == "a=x b=p c=1 d=q"
    assert domain.text({"b": "p", "c": 1, "d": "q"}) == "b=p c=1 d=q"
    assert domain.as_word({"b": "p", "c": 1, "d": "q"}) == '"b=p c=1 d=q"'


def test_an_arrangement_in_a_form_is_named_or_last() -> None:
    domain = Form(to=Choice(["a"]), stack=Distribution({"foot": 3, "horse": 2}, (0, 5)))
    assert domain.parse('a stack="foot=2 horse=1"') == {"to": "a", "stack": {"foot": 2, "horse": 1}}
    assert domain.text({"to": "a", "stack": {"foot": 2}}) == 'a stack="foot=2"'
    cities = Form(to=Choice(["a"]), stack=Distribution({"new york": 3}, (0, 3)))
    assert cities.parse('a "new york"=2') == {"to": "a", "stack": {"new york": 2}}


def test_a_field_that_does_not_apply_leaves_no_trace() -> None:
    domain = Form(a=Choice(["x"]), b=lambda v: None, c=Choice(["p"]))
    assert domain.text({"a": "x", "c": "p"}) == "x p"
    assert domain.parse("x p") == {"a": "x", "c": "p"}


def test_fields_may_be_given_as_a_table_and_by_name() -> None:
    assert Form({"a": Amount(0, 1)}, b=Amount(2, 3)).syntax() == "a=<0-1> b=<2-3>"
    assert Form({"a": Amount(0, 1)}).syntax() == Form(a=Amount(0, 1)).syntax() == "a=<0-1>"


def test_how_a_form_is_to_be_written() -> None:
    assert march().syntax() == "<origin> to=<to> regulars=<regulars> [note=fast|slow] late=<late>"
    assert Form(n=Amount(0, 3)).syntax() == "n=<0-3>"
    assert Form().syntax() == ""


# what a description tells


def described(domain: Domain, nodes: int = 4000) -> dict[str, Any]:
    return domain.describe(Budget(nodes))


def test_a_field_is_described_for_each_case_that_it_reads() -> None:
    fields = described(march())["fields"]
    assert [field["name"] for field in fields] == ["origin", "to", "regulars", "note", "late"]
    assert [field["reads"] for field in fields] == [[], ["origin"], ["origin"], [], ["note"]]
    assert [key for key, _ in fields[1]["cases"]] == [["milan"], ["turin"], ["rome"]]
    assert fields[1]["cases"][0][1]["options"] == ["genoa", "turin"]
    assert fields[1]["cases"][2][1] == {}
    assert [key for key, _ in fields[4]["cases"]] == [[{"missing": True}], ["fast"], ["slow"]]
    assert fields[4]["cases"][0][1]["type"] == "optional"
    assert fields[3] == {
        "name": "note",
        "reads": [],
        "cases": [[[], {"type": "optional", "inner": {"type": "choice", "options": ["fast", "slow"], "what": ""}}]],
    }


def test_two_beginnings_that_read_alike_are_one_case() -> None:
    domain = Form(
        a=Choice(["x", "y"]),
        b=lambda v: Amount(0, 1),
        c=lambda v: Choice(["p"] if v.b else ["q"]),
        d=lambda v: Amount(5, 5) if v.a == "x" else None,
    )
    fields = described(domain)["fields"]
    assert [field["reads"] for field in fields] == [[], [], ["b"], ["a"]]
    assert [len(field["cases"]) for field in fields] == [1, 1, 2, 2]


def test_cases_of_1_and_true_and_the_word_are_told_apart() -> None:
    domain = Form(a=Choice(["1", 1, "2", 2]), b=lambda v: Choice([type(v.a).__name__ + str(v.a)]))
    cases = described(domain)["fields"][1]["cases"]
    assert [(key, case["options"]) for key, case in cases] == [
        (["1"], ["str1"]),
        ([1], ["int1"]),
        (["2"], ["str2"]),
        ([2], ["int2"]),
    ]


def by_stack() -> Form:
    """Who leads goes by the stack, in which the order of the kinds means nothing."""
    return Form(
        stack=Distribution({"foot": 1, "horse": 1}, (0, 2)), leader=lambda v: Choice([f"of {sum(v.stack.values())}"])
    )


def rare() -> Form:
    """The last field reads one that does not always apply."""
    return Form(
        a=Choice(["x", "y", "z"]),
        b=lambda v: Choice(["p", "q"]) if v.a == "x" else None,
        c=lambda v: Choice([f"after {v.b}"]),
    )


@pytest.mark.parametrize("nodes", range(40))
@pytest.mark.parametrize("domain", [march(), by_stack(), rare()], ids=["march", "stack", "rare"])
def test_a_description_is_whole_or_says_that_it_is_not(domain: Form, nodes: int) -> None:
    description = domain.describe(Budget(nodes))
    again = domain_from(description)
    for value in domain.options():
        again.check(value)
    if not cut(description):
        assert list(again.options()) == list(domain.options())


def test_what_is_too_large_is_unknown_as_a_whole() -> None:
    wide = Form(a=Choice(list("abcdefghij")), b=lambda v: Choice([v.a + c for c in "0123456789"]))
    assert described(wide)["type"] == "form"
    assert described(wide, 40) == UNKNOWN
    assert described(wide, spent(wide))["type"] == "form"
    assert described(wide, spent(wide) - 1) == UNKNOWN


def test_fields_that_nobody_reads_are_not_multiplied_out() -> None:
    hundred = [f"c{n}" for n in range(100)]
    domain = Form(
        a=Choice(hundred), b=Choice(hundred), c=Choice(hundred), d=lambda v: Amount(1, 1 + len(v.a)), e=FreeText()
    )
    description = described(domain)
    assert not cut(description)
    assert len(description["fields"][3]["cases"]) == 100
    assert spent(domain) < 1000


def test_the_order_of_a_table_that_is_read_means_nothing() -> None:
    again = domain_from(described(by_stack()))
    again.check({"stack": {"horse": 1, "foot": 1}, "leader": "of 2"})
    assert flaw(again, {"stack": {"horse": 1, "foot": 1}, "leader": "of 1"}).key == "answer.not_now"


def test_what_reads_a_field_that_does_not_apply_is_described() -> None:
    again = domain_from(described(rare()))
    assert list(again.options()) == list(rare().options())
    assert flaw(again, {"a": "y", "c": "after p"}).key == "answer.not_now"


def test_a_field_that_is_only_looked_for_is_read() -> None:
    domain = Form(a=Optional(Choice(["x", "y"])), b=lambda v: Choice(["p"]) if "a" in v else None)
    again = domain_from(described(domain))
    assert list(again.options()) == list(domain.options()) == [{}, {"a": "x", "b": "p"}, {"a": "y", "b": "p"}]


def test_a_field_that_is_read_only_in_a_rare_case_is_described_too() -> None:
    """No sample tells that `b` matters: only one beginning in a thousand reads it."""
    domain = Form(
        a=Choice(list(range(1000))), b=Choice(["x", "y"]), c=lambda v: Choice([v.b]) if v.a == 777 else Choice(["z"])
    )
    again = domain_from(domain.describe(Budget(20_000)))
    again.check({"a": 777, "b": "y", "c": "y"})
    assert flaw(again, {"a": 777, "b": "y", "c": "x"}).key == "answer.not_now"
    assert flaw(again, {"a": 1, "b": "y", "c": "y"}).key == "answer.not_now"


def test_fields_are_values_by_name_and_none_if_left_out() -> None:
    values = Values({"a": 1})
    assert (values.a, values.b) == (1, None)


def test_a_form_in_a_menu_leaves_the_word_alone() -> None:
    domain = Menu({"go": Form(to=Choice(["a"])), "do": Form(do=Optional(Choice(["b"])))})
    domain.check({"do": "go", "to": "a"})
    assert short(flaw(domain, {"do": "go", "to": "a", "by": 1}))[1] == {"word": "by"}
    assert short(flaw(domain, {"do": "go"})) == ("answer.missing", {"what": "to"})


def test_an_optional_field_is_as_its_domain() -> None:
    inner = Amount(2, 3)
    domain = Optional(inner)
    assert list(domain.options()) == samples(domain) == [2, 3]
    assert (domain.syntax(), domain.text(2), domain.as_word(2), domain.parse("3")) == ("<2-3>", "2", "2", 3)
    assert flaw(domain, 4).key == "answer.out_of_range"
    assert domain.describe(Budget()) == {"type": "optional", "inner": inner.describe(Budget())}
