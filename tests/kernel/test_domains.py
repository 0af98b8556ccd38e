"""The contract of every answer domain, held over random nested domains."""

from __future__ import annotations

import json
import tomllib
from itertools import islice
from typing import Any

import tomli_w
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pbem.kernel import domains
from pbem.kernel.domains import Budget, Domain, domain_from
from pbem.kernel.rejections import Rejection, english_phrases
from tests.kernel.domains import WORDS, Random, anything, listable, mutated, toml

often = settings(max_examples=250, suppress_health_check=list(HealthCheck))


def test_the_names_before_0_2_still_work() -> None:
    assert (domains.Arrange, domains.Pick) == (domains.Distribution, domains.Subset)


def refusal(domain: Domain, value: Any) -> Rejection | None:
    """None if `value` is accepted. Any other exception than `Rejection` fails the test."""
    found = None
    try:
        domain.check(value)
    except Rejection as refused:
        found = refused
    assert found is None or (found.problem.key in english_phrases() and str(found))
    return found


def cut(description: Any) -> bool:
    if isinstance(description, dict):
        return description.get("type") == "unknown" or any(map(cut, description.values()))
    return isinstance(description, list) and any(map(cut, description))


def plain(data: Any) -> bool:
    """Whether `data` is made of TOML values only (and no tuples, which a file would not give back)."""
    if isinstance(data, dict):
        return all(isinstance(key, str) and plain(item) for key, item in data.items())
    return all(map(plain, data)) if isinstance(data, list) else isinstance(data, str | int | float | bool)


@often
@given(anything, st.data())
def test_a_sample_is_accepted_and_its_text_means_the_same(domain: Domain, data: st.DataObject) -> None:
    value = domain.sample(Random(data))
    domain.check(value)
    assert domain.parse(domain.text(value)) == value
    assert plain(value)


@often
@given(anything)
def test_every_option_is_accepted_and_its_text_means_the_same(domain: Domain) -> None:
    for value in islice(domain.options(), 200):
        domain.check(value)
        assert domain.parse(domain.text(value)) == value


@often
@given(listable)
def test_options_are_all_different(domain: Domain) -> None:
    listed = [repr(value) for value in islice(domain.options(), 200)]
    assert listed
    assert len(set(listed)) == len(listed)


@often
@given(anything, toml)
def test_any_toml_value_is_accepted_or_refused(domain: Domain, value: Any) -> None:
    if refusal(domain, value) is None:
        assert domain.parse(domain.text(value)) is not None


@often
@given(anything, st.data())
def test_a_mutated_answer_is_accepted_or_refused(domain: Domain, data: st.DataObject) -> None:
    value = data.draw(mutated(domain.sample(Random(data))))
    if refusal(domain, value) is None:
        again = domain.parse(domain.text(value))
        assert domain.text(again) == domain.text(domain.parse(domain.text(again)))


@often
@given(anything, st.text(max_size=30) | st.lists(st.sampled_from([*WORDS, ";", "=", ",", '"', "3"])).map(" ".join))
def test_any_text_is_read_or_refused(domain: Domain, text: str) -> None:
    try:
        value = domain.parse(text)
    except Rejection:
        return
    domain.check(value)
    assert domain.parse(domain.text(value)) == value


@often
@given(anything, st.data())
def test_the_text_of_an_answer_survives_a_careless_hand(domain: Domain, data: st.DataObject) -> None:
    """Blanks around an order, and full-width blanks and marks, change nothing."""
    value = domain.sample(Random(data))
    text = domain.text(value)
    assert domain.parse(f"  {text}\t") == value
    if '"' not in text:
        wide = text.replace(" ", "　").replace("=", "＝").replace(";", "；").replace(",", "，")
        assert domain.parse(wide) == value


@often
@given(anything, st.data())
def test_a_description_gives_the_same_verdicts(domain: Domain, data: st.DataObject) -> None:
    description = domain.describe(Budget())
    assert plain(description)
    assert json.loads(json.dumps(description)) == description
    again = domain_from(tomllib.loads(tomli_w.dumps(description)))
    value = domain.sample(Random(data))
    again.check(value)
    if cut(description):
        return
    assert again.text(value) == domain.text(value)
    assert again.parse(domain.text(value)) == value
    changed = data.draw(mutated(value))
    assert refusal(domain, changed) is not None or refusal(again, changed) is None


@often
@given(listable, st.data())
def test_a_description_of_what_can_be_listed_has_no_gap(domain: Domain, data: st.DataObject) -> None:
    description = domain.describe(Budget())
    if cut(description):
        return
    again = domain_from(description)
    value = data.draw(mutated(domain.sample(Random(data))) | toml)
    one, other = refusal(domain, value), refusal(again, value)
    assert (one and one.problem.key) == (other and other.problem.key)
    assert list(islice(again.options(), 200)) == list(islice(domain.options(), 200))
    assert again.describe(Budget()) == description


@often
@given(anything, st.integers(0, 40))
def test_a_description_keeps_to_its_budget(domain: Domain, nodes: int) -> None:
    value = next(iter(domain.options()), None)
    again = domain_from(domain.describe(Budget(nodes)))
    if value is not None:
        again.check(value)


@often
@given(anything)
def test_syntax_is_one_line(domain: Domain) -> None:
    syntax = domain.syntax()
    assert syntax == "" or "\n" not in syntax
