"""The writer of TOML: values and the order of every dict survive, whatever the keys and texts."""

from __future__ import annotations

import math
import tomllib
from enum import Enum
from typing import Any

import msgspec
import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from pbem.save import Unwritable, toml_writer
from pbem.save.key_positions import line_of, positions
from pbem.save.to_plain import plain
from pbem.save.toml_reader import parse, typed

AWKWARD = [
    '"""', 'a"""', '"', "\\", "\n", 'x\n"', "a\r\nb", "[checkpoint]\n[[moves]]", "x\n[[moves]]\n",
    "\n\n# end of save\n",    "\x00\x7f", "é\n  王冠 ",
]  # fmt: skip
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.sampled_from(AWKWARD)
scalars = st.booleans() | st.integers(-(2**63), 2**63 - 1) | texts | st.floats(allow_nan=False, allow_infinity=True)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=25
)
tables = st.dictionaries(texts, values, max_size=6)


def order(value: Any) -> Any:
    """The value with dicts as lists of pairs, so that comparing it compares the order."""
    if isinstance(value, dict):
        return [(key, order(item)) for key, item in value.items()]
    if isinstance(value, list):
        return [order(item) for item in value]
    return (type(value), value)


@given(tables)
def test_values_and_order_survive(table: dict[str, Any]) -> None:
    back = tomllib.loads(toml_writer.section("checkpoint", table))["checkpoint"]
    assert order(back) == order(table)


@given(st.lists(tables, max_size=4))
def test_lists_of_tables_survive(listed: list[dict[str, Any]]) -> None:
    back = tomllib.loads(toml_writer.sections("queue", listed)).get("queue", [])
    assert order(back) == order(listed)


@given(tables)
def test_writing_what_was_read_gives_the_same_text(table: dict[str, Any]) -> None:
    text = toml_writer.section("checkpoint", table)
    assert toml_writer.section("checkpoint", tomllib.loads(text)["checkpoint"]) == text


@given(tables)
def test_no_text_can_pass_for_a_section(table: dict[str, Any]) -> None:
    text = toml_writer.section("press", {"text": "\n".join(str(key) for key in table), **table})
    assert not any(line in ("[checkpoint]", "[[moves]]", toml_writer.END) for line in text.split("\n"))


def test_a_mixed_dict_keeps_its_order_where_tomli_w_does_not() -> None:
    mixed = {"first": [{"a": 1}], "second": 2, "third": {"b": 3}, "fourth": 4}
    assert list(tomllib.loads(tomli_w.dumps({"x": mixed}))["x"]) != list(mixed)
    assert list(tomllib.loads(toml_writer.section("x", mixed))["x"]) == list(mixed)


def test_layout() -> None:
    state = {
        "turn": 3,
        "powers": {
            "france": {"status": 2, "allies": {}, "stack": [{"kind": "foot", "n": n} for n in range(5)]},
            "spain": {"status": 1, "allies": {"savoy": True}},
        },
        "text": "one\ntwo",
    }
    order_kept = toml_writer.section("state", {"turn": 3, "text": state["text"], "powers": state["powers"]})
    assert order_kept == (
        '[state]\nturn = 3\ntext = """\none\ntwo"""\n\n'
        "[state.powers.france]\nstatus = 2\nallies = {}\nstack = [\n"
        + "".join(f'  {{ kind = "foot", n = {n} }},\n' for n in range(5))
        + "]\n\n[state.powers.spain]\nstatus = 1\n\n[state.powers.spain.allies]\nsavoy = true\n\n"
    )
    assert toml_writer.section("state", state).startswith("[state]\nturn = 3\npowers = { france = {")


def test_floats() -> None:
    text = toml_writer.section("x", {"a": math.nan, "b": -math.inf, "c": 1e300, "d": 1.0})
    back = tomllib.loads(text)["x"]
    assert math.isnan(back["a"])
    assert (back["b"], back["c"], back["d"]) == (-math.inf, 1e300, 1.0)


# -- structs ---------------------------------------------------------------------------------------------------------


class Side(Enum):
    LEFT = "left"


class Inner(msgspec.Struct, tag="inner"):
    a: int | None = None
    b: dict[str, int | None] = {}


class Other(msgspec.Struct, tag="other"):
    c: str


class Outer(msgspec.Struct, rename={"kind": "type"}):
    table: dict[str, list[Inner]]
    number: int
    kind: str
    maybe: Inner | Other | None = None
    pair: tuple[int, str] = (0, "")
    side: Side = Side.LEFT
    wrong: int | None = 3


inners = st.builds(Inner, a=st.none() | st.integers(0, 9), b=st.dictionaries(texts, st.integers(0, 9), max_size=3))
outers = st.builds(
    Outer,
    table=st.dictionaries(texts, st.lists(inners, max_size=3), max_size=4),
    number=st.integers(-5, 5),
    kind=texts,
    maybe=st.none() | inners | st.builds(Other, c=texts),
    pair=st.tuples(st.integers(0, 3), texts),
    side=st.just(Side.LEFT),
    wrong=st.integers(0, 3),
)


@given(outers)
def test_structs_survive(outer: Outer) -> None:
    text = toml_writer.section("x", plain(outer))
    back: Outer = typed(tomllib.loads(text)["x"], Outer, ("x",), text)
    assert back == outer
    assert list(back.table) == list(outer.table)
    assert toml_writer.section("x", plain(back)) == text


def test_none_is_left_out_only_where_reading_gives_none_again() -> None:
    assert "maybe" not in plain(Outer({}, 1, "k"))
    with pytest.raises(Unwritable) as caught:
        plain(Outer({}, 1, "k", wrong=None), "checkpoint.state")
    assert caught.value.key == "checkpoint.state.wrong"
    with pytest.raises(Unwritable) as caught:
        plain(Outer({"t": [Inner(b={"x": None})]}, 1, "k"), "checkpoint.state")
    assert caught.value.key == "checkpoint.state.table.t[0].b.x"


@pytest.mark.parametrize("value", [{1: 2}, {"a": object()}, {"a": {1, 2}}], ids=["key", "object", "set"])
def test_what_toml_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(Unwritable):
        plain({"deep": value}, "x")


# -- lines -----------------------------------------------------------------------------------------------------------


@given(tables)
def test_every_key_is_on_its_line(table: dict[str, Any]) -> None:
    text = toml_writer.section("x", table)
    lines = text.split("\n")
    found = positions(text)
    for key in table:
        assert ("x", key) in found
        assert toml_writer.key(key) in lines[found["x", key] - 1]


def test_lines_of_hand_written_toml() -> None:
    text = """# title
[a."b.c"] # comment ] [
x = [ # one
  1,
  { y = '#', z = [2,
   3] },
]
'k' . "l" = \"\"\"
[no]
k = 1\"\"\"
when = 1979-05-27 07:32:00
[[m]]
n = 1
[[m]]
n = 2
[m.sub]
o = 3
"""
    assert parse(text)["m"][1]["sub"] == {"o": 3}
    expected = {
        ("a", "b.c"): 2,
        ("a", "b.c", "x", 0): 3,
        ("a", "b.c", "x", 1, "y"): 3,
        ("a", "b.c", "x", 1, "z", 1): 3,
        ("a", "b.c", "k", "l"): 8,
        ("a", "b.c", "when"): 11,
        ("m", 0, "n"): 13,
        ("m", 1): 14,
        ("m", 1, "n"): 15,
        ("m", 1, "sub", "o"): 17,
        ("m", 1, "sub", "missing"): 16,
        ("nowhere",): 0,
    }
    assert {path: line_of(text, path) for path in expected} == expected
