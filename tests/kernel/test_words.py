"""Words of an order: tokens and quotes, names, near misses; problems and their sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pbem.kernel
from pbem.kernel.domains import (
    Amount,
    Choice,
    Distribution,
    Domain,
    Form,
    FreeText,
    Menu,
    Optional,
    Reply,
    Series,
    Subset,
)
from pbem.kernel.order_words import Names, WordCursor, is_quoted, normalize_text, normalize_word, parts, quote, tokens
from pbem.kernel.rejections import Rejection, RejectionReason, closest_words, english_phrases, rejection

NAMES = Names(
    {
        "english_channel": {"en": "English Channel", "ja": "イギリス海峡"},
        "england": {"en": "England", "ja": "イングランド"},
        "ile": {"en": "Île de France"},
    },
    {"england": ["ENG", "GB"], "english_channel": ["GB"]},
    {"c1": "Five Regulars", "c2": "Five Regulars", "c3": "Envoy"},
)


def refusal(domain: Domain, text: str, names: Names = NAMES) -> RejectionReason:
    with pytest.raises(Rejection) as caught:
        domain.parse(text, names)
    return caught.value.problem


# -- tokens ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("move vienna", ["move", "vienna"]),
        ("  a\t b  ", ["a", "b"]),
        ("regulars = 4", ["regulars=4"]),
        ("a , b ,c", ["a,b,c"]),
        ('"new york" x', ["new york", "x"]),
        ('to="new  york"', ["to=new york"]),
        ("“new york”", ["new york"]),
        ("ｍｏｖｅ　ｖｉｅｎｎａ　ｒｅｇｕｌａｒｓ＝４", ["move", "vienna", "regulars=4"]),
        ('a="b ""c d"" e"', ['a=b "c d" e']),
        ('""', [""]),
        ('say "x', ["say", "x"]),
        ("", []),
    ],
)
def test_tokens(text: str, words: list[str]) -> None:
    assert tokens(text) == words


@given(st.text())
def test_a_quoted_text_is_one_word(text: str) -> None:
    (word,) = tokens(quote(normalize_text(text)))
    assert word == normalize_text(text)
    assert is_quoted(word)
    (outer,) = tokens(quote(quote(normalize_text(text))))
    assert tokens(outer) == [normalize_text(text)]


@given(st.text(), st.text())
def test_parts_are_not_cut_inside_quotes(one: str, other: str) -> None:
    one, other = quote(normalize_text(one)), quote(normalize_text(other))
    assert parts(f"{one} ; {other};") == [one, other, ""]


# -- names -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("england", "england"),
        ("ENG", "england"),
        ("イングランド", "england"),
        ("English-Channel", "english_channel"),
        ("englis", "english_channel"),
        ("イギリス", "english_channel"),
    ],
)
def test_a_name_an_alias_or_a_unique_beginning(word: str, meant: str) -> None:
    assert NAMES.pick(word, ["england", "english_channel", "ile"]) == meant


def test_names_of_several_words() -> None:
    pair = Form(a=Choice(["england", "english_channel", "ile"]), b=Choice(["england", "ile"]))
    assert pair.parse("English Channel Île de France", NAMES) == {"a": "english_channel", "b": "ile"}


@pytest.mark.parametrize(
    ("word", "options", "key", "near"),
    [
        ("eng", ["england", "english_channel"], None, ()),  # an alias is more than a beginning
        ("engl", ["england", "english_channel"], "answer.ambiguous", ("england", "english_channel")),
        ("GB", ["england", "english_channel"], "answer.ambiguous", ("england", "english_channel")),
        ("GB", ["english_channel", "ile"], None, ()),
        ("englang", ["england", "ile"], "answer.unknown", ("england",)),
        ("England", ["ile"], "answer.not_now", ("ile",)),
        ("xyzzy", ["england", "ile"], "answer.unknown", ("england", "ile")),
    ],
)
def test_a_near_miss_is_offered_and_never_taken(
    word: str, options: Sequence[str], key: str | None, near: tuple[str, ...]
) -> None:
    if key is None:
        assert NAMES.pick(word, options) == options[0]
        return
    with pytest.raises(Rejection) as caught:
        NAMES.pick(word, options)
    assert caught.value.problem.key == key
    assert caught.value.problem.near == near


def test_equal_pieces_are_interchangeable() -> None:
    assert NAMES.pick("five regulars", ["c2", "c3"]) == "c2"
    assert NAMES.pick("Five-Regulars", ["c1", "c2"]) == "c1"


def test_a_number_is_no_beginning_of_a_number() -> None:
    assert Choice([1, 10, 12]).parse("1") == 1
    assert refusal(Choice([10, 25]), "1").key == "answer.unknown"


def test_the_rule_s_own_reason_is_given_under_any_name() -> None:
    reasons = {"england": RejectionReason("rules.custom", {"text": "at war"}, "9.1")}
    domain = Choice(["ile"], why=lambda option: reasons[option])
    assert refusal(domain, "ENG").rule == "9.1"
    assert refusal(domain, "イングランド").rule == "9.1"
    assert refusal(domain, "xyzzy").key == "answer.unknown"
    assert refusal(Subset(["ile"], 1, 1, why=reasons.get), "England").rule == "9.1"
    for value in ("england", ["x"], {}, 3, "nowhere"):
        with pytest.raises(Rejection):
            domain.check(value)


# -- near words in every domain ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("domain", "text", "word"),
    [
        (Choice(["milan", "vienna"]), "mylan", "milan"),
        (Subset(["milan", "vienna"], 0, 2), "vienna mylan", "milan"),
        (Distribution({"milan": 3, "vienna": 3}, (0, 6)), "mylan=2", "milan"),
        (Distribution({"milan": 3, "vienna": 3}, (0, 6)), "mylan 2", "milan"),
        (Series(Choice(["milan", "vienna"])), "vienna mylan", "milan"),
        (Form(to=Choice(["milan", "vienna"])), "to=mylan", "milan"),
        (Form(to=Choice(["milan"]), regulars=Optional(Amount(0, 3))), "milan regular=3", "regulars"),
        (Menu({"march": None, "pass": None}), "mahch", "march"),
        (Reply(Choice(["go", "pass"]), ["england"]), "go unless englnd", "england"),
    ],
)
def test_unknown_words_offer_near_ones(domain: Domain, text: str, word: str) -> None:
    assert refusal(domain, text, Names()).near[0] == word


def test_values_offer_near_ones() -> None:
    for domain, value, word in (
        (Choice(["milan"]), "mylan", "milan"),
        (Subset(["milan"], 1, 1), ["mylan"], "milan"),
        (Distribution({"milan": 3}, (0, 3)), {"mylan": 1}, "milan"),
        (Menu({"march": None}), "mahch", "march"),
        (Form(to=Choice(["milan"])), {"to": "milan", "too": 1}, "to"),
        (Reply(Choice(["go"]), ["spain"]), {"plan": [{"answer": "go", "unless": ["spane"]}]}, "spain"),
    ):
        with pytest.raises(Rejection) as caught:
            domain.check(value)
        assert caught.value.problem.near[0] == word


# -- how answers are written -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("domain", "text", "value", "canonical"),
    [
        (Subset(["a", "b", "c"], 0, 3), "c, a", ["a", "c"], "a c"),
        (Subset(["a", "b", "c"], 0, 3), "なし", [], "none"),
        (Distribution({"a": 3, "b": 2}, (0, 5)), "b 2, a=1", {"a": 1, "b": 2}, "a=1 b=2"),
        (Distribution({"a": 3, "b": 2}, (0, 5)), "a=0", {}, "none"),
        (Series(Choice(["a", "b"])), "a,b a", ["a", "b", "a"], "a b a"),
        (Form(some=Series(Choice(["new", "new_york"]))), "some=new,new-york", {"some": ["new", "new_york"]}, "some=new,new_york"),  # noqa: E501
        (Form(some=Subset(["new", "new_york"], 0, 2)), "some=new-york,new", {"some": ["new", "new_york"]}, "some=new,new_york"),  # noqa: E501
        (Series(Subset(["a", "b"], 0, 2)), "a,b; none; b", [["a", "b"], [], ["b"]], "a b; none; b"),
        (Form(to=Choice(["a"]), n=Amount(0, 3)), "a 2", {"to": "a", "n": 2}, "a n=2"),
        (Form(to=Choice(["a"]), n=Amount(0, 3)), "n=2 to=a", {"to": "a", "n": 2}, "a n=2"),
        (
            Form(to=Choice(["a"]), who=Subset(["x", "y"], 0, 2), note=Optional(FreeText())),
            'a x,y note="hello, world"',
            {"to": "a", "who": ["x", "y"], "note": "hello, world"},
            'a who=x,y note="hello, world"',
        ),
        (Menu({"say": FreeText(), "bid": Amount(0, 9)}), "say I agree, if you pay", {"do": "say", "with": "I agree, if you pay"}, 'say "I agree, if you pay"'),  # noqa: E501
        (Menu({"bid": Amount(0, 9)}), "b +3", {"do": "bid", "with": 3}, "bid 3"),
        (Form(items=Series(Form(what=FreeText(), n=Amount(0, 3)))), 'items="what=""a b"" n=1; n=2 what=c"', {"items": [{"what": "a b", "n": 1}, {"what": "c", "n": 2}]}, 'items="what=""a b"" n=1; what=""c"" n=2"'),  # noqa: E501
        (Reply(Menu({"pass": None, "go": Form(to=Choice(["a"]))}), ["e", "f"]), "go a unless e, f; pass", {"plan": [{"answer": {"do": "go", "to": "a"}, "unless": ["e", "f"]}, {"answer": "pass"}]}, "go a unless e,f; pass"),  # noqa: E501
        (Reply(Choice(["go"]), ["e", "f"]), "go after anyone unless e", {"plan": [{"answer": "go", "unless": ["e"], "after": ["anyone"]}]}, "go unless e after anyone"),  # noqa: E501
    ],
)  # fmt: skip
def test_how_answers_are_written(domain: Domain, text: str, value: object, canonical: str) -> None:
    assert domain.parse(text) == value
    assert domain.text(value) == canonical


@pytest.mark.parametrize(
    ("domain", "text", "key"),
    [
        (Amount(0, 9), "3 4", "answer.surplus"),
        (Amount(0, 9), "", "answer.missing"),
        (Amount(0, 9), "1_0", "answer.not_a_number"),
        (Amount(0, 9), "9" * 5000, "answer.not_a_number"),
        (Amount(0, 9, 3), "4", "answer.step"),
        (Amount(0, 9), "11", "answer.out_of_range"),
        (Subset(["a", "b"], 1, 2), "a a", "answer.unknown"),
        (Subset(["a", "b"], 2, 2), "a", "answer.too_few"),
        (Subset(["a", "b"], 1, 1), "a b", "answer.too_many"),
        (Subset(["a", "b"], 0, 2, groups=[(["a", "b"], 1)]), "a b", "answer.group"),
        (Subset(["a", "b"], 0, 2, need=["b"]), "a", "answer.need"),
        (Distribution({"a": 3}, (0, 3)), "a=1 a=2", "answer.twice"),
        (Distribution({"a": 3, "b": 3}, 4), "a=1", "answer.total"),
        (Form(a=Amount(0, 1)), "a=0 a=1", "answer.twice"),
        (Form(a=Amount(0, 1)), "0 1", "answer.surplus"),
        (Form(a=Amount(0, 1), b=Amount(0, 1)), "1", "answer.missing"),
        (Series(Amount(0, 1), 0, 2), "0 0 0", "answer.too_many"),
        (FreeText(3), "hello", "answer.too_long"),
        (FreeText(), "bell \x07", "answer.malformed"),
        (Reply(Choice(["go"]), ["e"]), "go; go unless e", "answer.plan"),
        (Reply(Choice(["go"]), ["e"]), "go unless", "answer.missing"),
        (Reply(Choice(["go"]), ["e"]), "go unless e unless e", "answer.twice"),
    ],
)
def test_what_is_refused(domain: Domain, text: str, key: str) -> None:
    assert refusal(domain, text, Names()).key == key


# -- problems ----------------------------------------------------------------------------------------------------------


def sources() -> dict[str, str]:
    folder = Path(pbem.kernel.__file__).parent
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))}


def test_every_key_in_use_has_an_english_sentence() -> None:
    used = set()
    for name, text in sources().items():
        used |= set(re.findall(r'(?:rejection|RejectionReason)\(\s*"([a-z_.]+)"', text))
        if name != "rejections.py":
            used |= set(re.findall(r'"((?:answer|rules|pack)\.[a-z_]+)"', text))
    assert used <= set(english_phrases()) | {key for key in used if key.startswith("pack.")}
    assert {"answer.missing", "correction.path", "answer.plan"} <= used


def test_sentences_take_what_they_are_given() -> None:
    for key, sentence in english_phrases().items():
        fields = re.findall(r"{(\w+)}", sentence)
        said = str(RejectionReason(key, {field: f"<{field}>" for field in fields}))
        assert all(f"<{field}>" in said for field in fields)
    assert str(RejectionReason("answer.missing")) == "the answer isn't complete. Missing: {what}"
    assert str(RejectionReason("game.unheard_of", {"x": 1})) == "game.unheard_of"
    assert str(rejection("answer.need", rule="4.2", near=["a", "b"])).endswith("(legal: a, b) [4.2]")


def test_a_problem_cites_the_innermost_rule() -> None:
    assert RejectionReason("rules.custom").under("3.1").rule == "3.1"
    assert RejectionReason("rules.custom", rule="9").under("3.1").rule == "9"


def test_nearest_words() -> None:
    assert closest_words("mylan", ["vienna", "milan"]) == ("milan",)
    assert closest_words("?", ["a", "b"]) == ("a", "b")
    assert closest_words("x" * 10_000, ["a"]) == ("a",)


def test_fold() -> None:
    assert (
        normalize_word(" New-York ") == normalize_word("new_york") == normalize_word("ＮＥＷ　ＹＯＲＫ") == "new_york"
    )


def test_a_reader_tells_what_is_missing() -> None:
    with pytest.raises(Rejection) as caught:
        WordCursor([]).option(["a", "b"], "a city")
    assert (caught.value.problem.args, caught.value.problem.near) == ({"what": "a city"}, ("a", "b"))


def test_a_list_of_names_with_blanks_may_have_commas() -> None:
    names = Names({key: {"en": name} for key, name in CITIES.items()})
    cities = list(CITIES)
    assert Subset(cities, 0, 3).parse("New York, The Hague, Milan", names) == cities
    assert Subset(cities, 0, 3).parse("milan , The Hague", names) == ["the-hague", "milan"]
    assert Series(Choice(cities)).parse("The Hague, New York,milan", names) == ["the-hague", "new-york", "milan"]


CITIES = {"new-york": "New York", "the-hague": "The Hague", "milan": "Milan"}
