"""Series, menus and replies to a window: what each takes, at the edge, and with what words it refuses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from pbem.kernel.domains import (
    Amount,
    Budget,
    Choice,
    Domain,
    Form,
    FreeText,
    Menu,
    Optional,
    Reply,
    Series,
    Subset,
    domain_from,
)
from pbem.kernel.order_words import Names, tokens
from pbem.kernel.rejections import RejectionReason, because
from tests.kernel.every import flaw, samples, short, slip, spent

UNKNOWN = {"type": "unknown"}


def unused(options: Sequence[str]) -> Callable[[Sequence[Any]], Domain | None]:
    """Each item is one of those not used yet."""

    def item(so_far: Sequence[Any]) -> Domain | None:
        left = [option for option in options if option not in so_far]
        return Choice(left) if left else None

    return item


SERIES = [
    Series(Choice(["x", "y"]), 0, 2),
    Series(Choice(["x", "y"]), 2, 2),
    Series(Choice(["none", "new", "new_york"]), 1, 2),
    Series(Amount(0, 1), 1, 3),
    Series(unused("abc"), 1, 3),
    Series(unused("ab"), 0, 9),
    Series(Subset(["a", "b"], 0, 2), 0, 2),
    Series(Form(to=Choice(["a"]), n=Amount(0, 1)), 0, 2),
    Series(Series(Choice(["x"]), 0, 1), 0, 2),
    Series(Menu({"go": Choice(["a", "b"]), "stay": None}), 0, 2),
]
MENUS = [
    Menu({"pass": None}),
    Menu({"pass": None, "bid": Amount(0, 1), "go": Form(to=Choice(["a"]), by=Optional(Choice(["sea"])))}),
    Menu({"new": None, "new_york": Choice(["x"]), "none": None}),
    Menu({"all": lambda: Form(a=Optional(Choice(["x"]))), "none": lambda: None}),
]


@pytest.mark.parametrize("domain", [*SERIES, *MENUS], ids=lambda domain: f"{type(domain).__name__} {domain.syntax()}")
def test_a_sample_can_be_every_answer_and_nothing_else(domain: Domain) -> None:
    listed = list(domain.options())
    assert sorted(map(repr, samples(domain))) == sorted(map(repr, listed))
    again = domain_from(domain.describe(Budget()))
    for value in listed:
        for copy in (domain, again):
            copy.check(value)
            assert copy.parse(copy.text(value)) == value
            (word,) = tokens(copy.as_word(value))
            assert copy.parse_word(word, Names()) == value


# series


@pytest.mark.parametrize("value", ["x", {"x": 1}, {}, 1, True, ""])
def test_a_series_is_a_list(value: Any) -> None:
    assert flaw(Series(Choice(["x"])), value).key == "answer.malformed"


def test_what_is_wrong_with_a_series_is_counted() -> None:
    domain = Series(Choice(["x", "y"]), 2, 3)
    assert short(flaw(domain, ["x"])) == ("answer.too_few", {"count": 1, "least": 2})
    assert short(flaw(domain, [])) == ("answer.too_few", {"count": 0, "least": 2})
    assert short(flaw(domain, ["x"] * 4)) == ("answer.too_many", {"count": 4, "most": 3})
    assert short(flaw(domain, ["x", "z"])) == ("answer.not_now", {"word": "z"})
    assert short(slip(domain, "x y x y")) == ("answer.too_many", {"count": 4, "most": 3})
    ends = Series(unused("ab"), 0, 9)
    assert short(flaw(ends, ["b", "a", "a"])) == ("answer.too_many", {"count": 3, "most": 2})
    assert short(flaw(ends, ["a", "a"])) == ("answer.not_now", {"word": "a"})
    assert short(slip(ends, "a b a")) == ("answer.too_many", {"count": 3, "most": 2})
    assert slip(ends, "a a").key == "answer.unknown"


def test_a_series_says_why_something_is_not_its_next_item() -> None:
    def why(so_far: Sequence[str], word: str) -> RejectionReason | None:
        return because("named", "1", word=word, count=len(so_far)) if word in "abc" else None

    domain = Series(unused("ab"), 0, 2, why=why)
    for text, value in (("a a", ["a", "a"]), ("a; a", ["a", "a"])):
        for problem in (flaw(domain, value), slip(domain, text)):
            assert short(problem) == ("no.named", {"word": "a", "count": 1})
            assert problem.near == ("b",)
    assert short(slip(domain, "c")) == ("no.named", {"word": "c", "count": 0})
    assert short(slip(domain, "a b c")) == ("no.named", {"word": "c", "count": 2})  # none may follow
    assert short(slip(domain, "a b d")) == ("answer.too_many", {"count": 3, "most": 2})
    assert slip(domain, "a d").key == "answer.unknown"
    assert flaw(domain, ["a", "d"]).key == "answer.not_now"
    assert flaw(domain, [1]).key == "answer.not_now"


def test_a_series_has_99_items_if_nobody_says_otherwise() -> None:
    domain = Series(Choice(["x"]))
    domain.check([])
    domain.check(["x"] * 99)
    assert short(flaw(domain, ["x"] * 100)) == ("answer.too_many", {"count": 100, "most": 99})


def test_items_of_several_words_are_set_apart_by_semicolons() -> None:
    domain = Series(Form(to=Choice(["a", "b"]), n=Amount(0, 3)), 0, 3)
    one, other = {"to": "a", "n": 1}, {"to": "b", "n": 2}
    assert domain.text([one, other]) == "a n=1; b n=2"
    assert domain.text([one]) == "a n=1 ;"
    assert domain.text([]) == "none"
    assert domain.parse("a 1; b 2") == domain.parse("; a 1 ;; b 2;") == [one, other]
    assert domain.parse("a 1") == domain.parse("a 1;") == [one]
    assert domain.parse("none") == domain.parse("NOTHING") == []
    assert domain.parse('"a n=1"; b 2') == [one, other]


def test_an_item_with_commas_of_its_own_is_left_whole() -> None:
    domain = Series(Form(to=Choice(["a"]), who=Subset(["x", "y"], 0, 2)), 0, 2)
    assert domain.parse("a who=x,y") == domain.parse("a x,y") == [{"to": "a", "who": ["x", "y"]}]
    assert Series(Amount(0, 9)).parse("1,2 , 3,") == [1, 2, 3]
    assert Series(Choice(["x", "y"])).parse(",x,y,") == ["x", "y"]


def test_what_depends_on_an_item_is_asked_only_after_that_was_checked() -> None:
    rows = [["x"], ["y"]]
    domain = Series(lambda so_far: Choice(rows[so_far[0]]) if so_far else Amount(0, 1), 0, 2)
    assert domain.parse("1 y") == domain.parse("1; y") == [1, "y"]
    assert slip(domain, "7 y").key == slip(domain, "7; y").key == "answer.out_of_range"
    assert flaw(domain, [7, "y"]).key == "answer.out_of_range"


def test_a_text_with_a_semicolon_is_one_item() -> None:
    domain = Series(FreeText(), 0, 3)
    value = ["a; b", "c", 'say "d"']
    assert domain.parse(domain.text(value)) == value
    assert domain.parse("a ; b") == ["a", "b"]


def test_a_series_as_one_word() -> None:
    assert Series(Choice(["x", "y"])).as_word(["x", "y", "x"]) == "x,y,x"
    assert Series(Choice(["x", "none"])).as_word(["x", "none"]) == '"x ""none"""'
    assert Series(Amount(0, 9)).as_word([1, 2]) == '"1 2"'
    assert Series(Choice(["x"])).as_word([]) == '"none"'


@pytest.mark.parametrize(
    ("domain", "syntax"),
    [
        (Series(Choice(["x", "y"]), 0, 2), "0-2 x x|y"),
        (Series(Choice(["x", "y"]), 2, 2), "2 x x|y"),
        (Series(Choice(["x", "y"]), 0, 2, "city"), "0-2 x <city>"),
        (Series(lambda so_far: None, 0, 2), "0-2 x none"),
    ],
)
def test_how_a_series_is_to_be_written(domain: Domain, syntax: str) -> None:
    assert domain.syntax() == syntax


def test_what_a_series_tells_of_itself() -> None:
    x, a = Choice(["x"]), {"type": "choice", "options": ["a"], "what": ""}
    head: dict[str, Any] = {"type": "series", "least": 1, "most": 2, "what": "w"}
    assert Series(x, 1, 2, "w").describe(Budget()) == {**head, "each": x.describe(Budget())}
    b = {**a, "options": ["b"]}
    assert Series(unused("ab"), 1, 2, "w").describe(Budget()) == {
        **head,
        "items": [{**a, "options": ["a", "b"]}, [["a", [b, [["b", []]]]], ["b", [a, [["a", []]]]]]],
    }
    assert Series(lambda so_far: None).describe(Budget())["items"] == []


@pytest.mark.parametrize("nodes", range(30))
def test_a_description_that_runs_out_refuses_nothing_that_is_legal(nodes: int) -> None:
    wait = Menu({"wait": None, "go": Choice("xy")})
    later = Form(first=wait, then=wait, last=lambda v: Choice("xy") if "wait" in (v.first, v.then) else None)
    told = Form(name=FreeText(9), then=lambda v: Choice("xy") if v.name else None)
    for domain in (Series(unused("abc"), 0, 3), MENUS[1], Menu({"a": Choice("xyz"), "b": Choice("xyz")}), later, told):
        again = domain_from(domain.describe(Budget(nodes)))
        for value in (*domain.options(), *samples(domain)) if domain is not told else ({"name": "a", "then": "x"},):
            again.check(value)


def test_a_tree_is_told_whole_or_not_at_all() -> None:
    domain = Series(unused("abc"), 0, 3)
    assert domain.describe(Budget(spent(domain)))["type"] == "series"
    assert domain.describe(Budget(spent(domain) - 1)) == UNKNOWN


def test_a_long_tree_is_unknown_as_a_whole_and_a_long_list_is_not() -> None:
    letters = "abcdefghij"
    assert Series(unused(letters), 0, 10).describe(Budget()) == UNKNOWN
    assert Series(Choice(letters), 0, 99).describe(Budget(10))["each"]["type"] == "choice"
    assert Series(Choice(letters), 0, 99).describe(Budget(9))["each"] == UNKNOWN


# menu


def menu() -> Menu:
    return Menu({"pass": None, "bid": Amount(0, 9), "go": Form(to=Choice(["a", "b"]), by=Optional(Amount(1, 1)))})


@pytest.mark.parametrize("value", [1, True, [], ["pass"], {}, {"do": 1}, {"do": ["pass"]}, {"pass": 1}, {"with": 3}])
def test_a_menu_takes_a_word_or_a_table_with_one(value: Any) -> None:
    assert flaw(menu(), value).key == "answer.malformed"


def test_what_is_wrong_beside_a_word_is_told() -> None:
    domain = menu()
    for good in ("pass", {"do": "bid", "with": 3}, {"do": "go", "to": "a"}, {"do": "go", "to": "a", "by": 1}):
        domain.check(good)
    problem = flaw(domain, "bit")
    assert (short(problem), problem.near[0]) == (("answer.not_now", {"word": "bit"}), "bid")
    problem = flaw(domain, "bid")
    assert (short(problem), problem.near) == (("answer.missing", {"what": "bid"}), ("bid <0-9>",))
    assert flaw(domain, "go").near == ("go <to> [by=<1>]",)
    for malformed in (
        {"do": "pass"},
        {"do": "pass", "with": 1},
        {"do": "bid"},
        {"do": "bid", "to": 3},
        {"do": "bid", "with": 3, "to": "a"},
    ):
        assert flaw(domain, malformed).key == "answer.malformed"
    assert flaw(domain, {"do": "bid", "with": 10}).key == "answer.out_of_range"
    assert short(flaw(domain, {"do": "go", "with": 3}))[0] == "answer.missing"
    assert short(flaw(domain, {"do": "go", "to": "a", "with": 3})) == ("answer.unknown_field", {"word": "with"})


def test_the_rule_s_own_reason_why_a_word_is_not_there() -> None:
    why = {"sail": RejectionReason("rules.custom", {"text": "no ships"}, "7.1")}
    domain = Menu({"pass": None}, why=why.get)
    assert flaw(domain, "sail").rule == flaw(domain, {"do": "sail", "to": "a"}).rule == "7.1"
    assert slip(domain, "Sail a").rule == slip(domain, "sail").rule == "7.1"
    assert flaw(domain, "sai").key == "answer.not_now"
    assert slip(domain, "sai").key == "answer.unknown"
    assert slip(Menu({"pass": None}), "sail").key == "answer.unknown"


def test_a_word_is_drawn_as_often_as_it_stands_in_the_bag() -> None:
    drawn: list[int] = []

    def below(n: int) -> int:
        drawn.append(n)
        return n - 1

    assert Menu({"a": None, "b": None}, bag=["a", "b", "a"]).sample(below) == "a"
    assert Menu({"a": None, "b": None}, bag=["b"]).sample(below) == "b"
    assert Menu({"a": None, "b": None}).sample(below) == "b"
    assert Menu({"a": None}).sample(below) == "a"
    assert drawn == [3, 2]
    assert samples(Menu({"a": None, "b": None, "c": None}, bag=["c", "a"])) == ["c", "a"]


def test_what_a_word_needs_is_built_when_it_is_taken_and_once() -> None:
    built: list[str] = []

    def lazy() -> Domain:
        built.append("go")
        return Choice(["a", "b"])

    table: dict[str, Any] = {"pass": None, "go": lazy}
    domain = Menu(table)
    domain.check("pass")
    assert list(domain.words) == ["pass", "go"]
    assert flaw(domain, "stay").key == "answer.not_now"
    assert built == []
    domain.check({"do": "go", "with": "a"})
    assert domain.parse("go b") == {"do": "go", "with": "b"}
    assert built == ["go"]
    assert table == {"pass": None, "go": lazy}  # the caller's own
    assert domain.entries["pass"] is None
    with pytest.raises(KeyError):
        domain.entry("stay")


def test_what_a_word_needs_is_built_for_a_sample() -> None:
    assert samples(Menu({"go": lambda: Choice(["a"]), "pass": lambda: None})) == [{"do": "go", "with": "a"}, "pass"]
    Menu({"pass": lambda: None}).check("pass")
    assert flaw(Menu({"pass": lambda: None}), {"do": "pass"}).key == "answer.malformed"


def test_how_a_menu_is_written() -> None:
    domain = menu()
    assert domain.syntax() == "pass | bid <0-9> | go <to> [by=<1>]"
    assert domain.text("pass") == domain.as_word("pass") == "pass"
    assert domain.text({"do": "go", "to": "a", "by": 1}) == "go a by=1"
    assert domain.as_word({"do": "bid", "with": 3}) == '"bid 3"'
    free = Menu({"all": Form(a=Optional(Amount(0, 1))), "all_but": None})
    assert free.text({"do": "all"}) == '"all"'
    assert free.parse('"all"') == {"do": "all"}
    assert free.parse('"all" none') == {"do": "all"}
    assert short(slip(domain, "")) == ("answer.missing", {"what": "a word"})
    assert short(slip(domain, "pass 3")) == ("answer.surplus", {"word": "3"})


def test_a_word_whose_form_may_be_empty_can_stand_alone() -> None:
    entries = {"pass": None, "go": Form(by=Optional(Amount(1, 2))), "to": Form(to=Choice(["a", "b"]))}
    first = Menu(entries, alone=True)
    for domain in (first, domain_from(first.describe(Budget()))):
        for value in ("pass", "go", {"do": "go", "by": 2}, {"do": "to", "to": "a"}):
            domain.check(value)
            assert domain.parse(domain.text(value)) == value
        assert flaw(domain, "to").key == "answer.missing"
        assert [value for value in domain.options() if value in ("go", {"do": "go"})] == ["go"]


def test_each_word_has_its_share_of_a_description() -> None:
    """One that is too large leaves room for those after it; what one does not use the next may have."""
    domain = Menu({"many": Choice(list(range(100))), "few": Choice(["a", "b"]), "none": None})
    entries = domain.describe(Budget(30))["entries"]
    assert (entries["many"], entries["few"]["options"], entries["none"]) == (UNKNOWN, ["a", "b"], {})
    again = domain_from(domain.describe(Budget(30)))
    assert again.parse("many 42") == {"do": "many", "with": "42"}  # the referee will know better
    for value in ({"do": "many", "with": 42}, {"do": "many", "with": "42"}):
        again.check(value)
        assert again.text(value) == "many 42"
    again.check({"do": "many", "to": "x", "by": 1})
    last = Menu({"none": None, "few": Choice(["a"]), "many": Choice(list(range(28)))})
    budget = Budget(30)
    assert len(last.describe(budget)["entries"]["many"]["options"]) == 28
    assert budget.left == 1
    assert last.describe(Budget(28))["entries"]["many"] == UNKNOWN


# reply


def reply() -> Reply:
    return Reply(Menu({"pass": None, "go": Form(to=Choice(["a", "b"]))}), ["spain", "france"])


GO = {"do": "go", "to": "a"}


@pytest.mark.parametrize(
    "value",
    [
        {"plan": []},
        {"plan": "pass"},
        {"plan": 1},
        {"plan": True},
        {"plan": {"answer": "pass"}},
        {"plan": [{"answer": GO, "unless": ["spain"]}], "by": 1},
        {"plan": ["pass"]},
        {"plan": [{"unless": ["spain"]}]},
        {"plan": [{"answer": GO, "unless": []}]},
        {"plan": [{"answer": GO, "unless": "spain"}]},
        {"plan": [{"answer": GO, "if": ["spain"]}]},
        {"plan": [{"answer": GO, "unless": {"spain": 1}}]},
    ],
)
def test_what_is_no_plan(value: Any) -> None:
    assert flaw(reply(), value).key == "answer.malformed"


def test_every_answer_of_a_plan_but_the_last_needs_a_condition() -> None:
    first, last = {"answer": GO, "unless": ["spain"]}, {"answer": "pass"}
    reply().check({"plan": [first, last]})
    reply().check({"plan": [first]})
    reply().check({"plan": [first, {"answer": "pass", "after": ["anyone"]}]})
    reply().check({"plan": [{"answer": GO, "unless": ["spain"], "after": ["france", "anyone"]}, last]})
    for wrong in ([last], [last, first], [first, last, last], [last, last]):
        assert flaw(reply(), {"plan": wrong}).key == "answer.plan"


def test_a_plan_has_eight_answers_at_most() -> None:
    step = {"answer": GO, "unless": ["spain"]}
    reply().check({"plan": [step] * 8})
    assert short(flaw(reply(), {"plan": [step] * 9})) == ("answer.too_many", {"count": 9, "most": 8})


def test_every_answer_and_seat_of_a_plan_is_checked() -> None:
    good = {"answer": GO, "unless": ["spain"]}
    assert short(flaw(reply(), {"plan": [good, {"answer": "stay"}]})) == ("answer.not_now", {"word": "stay"})
    problem = flaw(reply(), {"plan": [{"answer": GO, "unless": ["spain", "frence"]}]})
    assert (short(problem), problem.near[0]) == (("answer.not_now", {"word": "frence"}), "france")
    assert short(flaw(reply(), {"plan": [{"answer": GO, "after": [3]}]})) == ("answer.not_now", {"word": "3"})
    assert flaw(reply(), {"plan": 1, "do": "go"}).key == "answer.malformed"


def test_a_reply_without_conditions_is_the_answer_itself() -> None:
    assert list(reply().options()) == ["pass", GO, {"do": "go", "to": "b"}]
    assert reply().parse("go a") == reply().parse('"go a"') == GO
    assert reply().text(GO) == "go a"
    assert reply().as_word("pass") == "pass"
    assert reply().as_word(GO) == '"go a"'
    assert reply().syntax() == "pass | go <to>"
    several = Reply(Series(Form(to=Choice(["a"]), n=Amount(0, 1))), ["spain"])
    assert several.text([{"to": "a", "n": 0}, {"to": "a", "n": 1}]) == "a n=0; a n=1"


@pytest.mark.parametrize(
    ("text", "plan", "canonical"),
    [
        ("go a unless spain", [{"answer": GO, "unless": ["spain"]}], "go a unless spain"),
        ("go a UNLESS Spain, fra", [{"answer": GO, "unless": ["spain", "france"]}], "go a unless spain,france"),
        (
            "go a unless spain france; pass;",
            [{"answer": GO, "unless": ["spain", "france"]}, {"answer": "pass"}],
            "go a unless spain,france; pass",
        ),
        (
            "go a after anyone unless spain",
            [{"answer": GO, "unless": ["spain"], "after": ["anyone"]}],
            "go a unless spain after anyone",
        ),
    ],
)
def test_how_a_plan_is_written(text: str, plan: list[Any], canonical: str) -> None:
    assert reply().parse(text) == {"plan": plan}
    assert reply().text({"plan": plan}) == canonical
    assert reply().parse(canonical) == {"plan": plan}
    (word,) = tokens(reply().as_word({"plan": plan}))
    assert reply().parse_word(word, Names()) == {"plan": plan}


def test_what_is_wrong_with_a_written_plan_is_told() -> None:
    assert short(slip(reply(), "go a unless"))[1] == {"what": "a seat"}
    assert slip(reply(), "go a unless").near == ("spain", "france", "anyone")
    assert short(slip(reply(), "go a unless spain Unless france")) == ("answer.twice", {"word": "unless"})
    assert slip(reply(), "go a unless portugal").key == "answer.unknown"
    assert slip(reply(), "go c unless spain").key == "answer.unknown"
    assert slip(reply(), "go a b unless spain").key == "answer.surplus"
    assert slip(reply(), "pass; go a unless spain").key == "answer.plan"


def test_words_like_conditions_within_an_answer_are_quoted() -> None:
    domain = Reply(Choice(["after", "unless", "go"]), ["spain"])
    for value in ("after", "unless", {"plan": [{"answer": "unless", "after": ["spain"]}, {"answer": "after"}]}):
        assert domain.parse(domain.text(value)) == value
    said = Reply(FreeText(), ["spain"])
    for text in ("not after spain", "a; b", "", {"plan": [{"answer": "x; after", "unless": ["spain"]}]}):
        assert said.parse(said.text(text)) == text


def test_a_sample_is_a_pass_an_answer_or_now_and_then_a_plan() -> None:
    given = samples(reply())
    plain = [value for value in given if "plan" not in value]
    plans = [value["plan"] for value in given if "plan" in value]
    assert sorted(map(str, plain)) == sorted(map(str, reply().options()))
    assert all(len(plan) == 1 and plan[0]["answer"] != "pass" for plan in plans)
    told = {(word, seat) for (step,) in plans for word in ("unless", "after") for seat in step.get(word, ())}
    assert told == {(word, seat) for word in ("unless", "after") for seat in ("spain", "france", "anyone")}
    for value in given:
        reply().check(value)


def test_what_a_reply_tells_of_itself() -> None:
    description = reply().describe(Budget())
    assert (description["type"], description["seats"]) == ("reply", ["spain", "france"])
    again = domain_from(description)
    plan = {"plan": [{"answer": GO, "after": ["anyone"]}, {"answer": "pass"}]}
    again.check(plan)
    assert again.text(plan) == reply().text(plan)
    assert again.describe(Budget()) == description
