"""What no linter knows of, in the code of `pbem` and `games`."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def subscripted_calls(source: str) -> list[int]:
    """The lines of calls like `Form[Vote](…)`, five times as slow as `Form(…)`: annotate the variable instead."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Subscript)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id.istitle()
    ]


def test_a_subscripted_call_is_seen():
    assert subscripted_calls("a = Form[Vote](x=1)\nb: Form[Vote] = Form(x=1)\nTABLE[key](1)\nlist[str]()") == [1]


@pytest.mark.parametrize("room", ["pbem", "games"])
def test_nothing_is_called_with_a_type_in_brackets(room):
    found = {path: subscripted_calls(path.read_text("utf-8")) for path in (ROOT / room).rglob("*.py")}
    assert found
    assert {str(path.relative_to(ROOT)): lines for path, lines in found.items() if lines} == {}


def nameless(source: str) -> list[int]:
    """The lines of loops and lambdas whose variable is called `one`: it does not say what they go through."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            names = [name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)]
            found += [node.target.lineno] * ("one" in names)
        elif isinstance(node, ast.Lambda):
            found += [node.lineno] * ("one" in [arg.arg for arg in node.args.args])
    return sorted(found)


def test_a_nameless_loop_is_seen():
    assert nameless("for one in a:\n  b\n[x for x, one in c]\none = 2\nfor two in a: one") == [1, 3]


def test_a_nameless_lambda_is_seen():
    assert nameless("a.sort(key=lambda one: one.b)\nlambda two: one\nlambda a, one: a") == [1, 3]


@pytest.mark.parametrize("room", ["pbem", "games", "tests", ".ci"])
def test_a_loop_and_a_lambda_name_what_they_go_through(room):
    found = {path: nameless(path.read_text("utf-8")) for path in (ROOT / room).rglob("*.py")}
    assert found
    assert {str(path.relative_to(ROOT)): lines for path, lines in found.items() if lines} == {}


EXPLODED = re.compile(r"^\s*[)\]}]+:?  # (?!fmt:|noqa|type:)", re.MULTILINE)
"""A comment behind a closing bracket: the formatter broke the line for it; it belongs above the statement."""


def test_an_exploded_line_is_seen():
    assert EXPLODED.search("if (\n    a\n):  # why\n    b()\n")
    assert not EXPLODED.search("if a:  # why\n    b(\n        c\n    )\n]  # fmt: skip\n")


@pytest.mark.parametrize("room", ["pbem", "games", "tests", ".ci"])
def test_no_line_is_broken_for_a_comment_behind_it(room):
    found = {path: EXPLODED.findall(path.read_text("utf-8")) for path in (ROOT / room).rglob("*.py")}
    assert found
    assert [str(path.relative_to(ROOT)) for path, lines in found.items() if lines] == []


GUARDS = 4


def unexplained(source: str) -> list[str]:
    """The predicates of four guards or more (`if …: return False`) that explain less than every second one of them.

    A comment does, which says which restriction of the rulebook the guard is.
    """
    lines = source.splitlines()
    found = []
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef) and function.returns and ast.unparse(function.returns) == "bool":
            guards = [
                node
                for node in ast.walk(function)
                if isinstance(node, ast.If)
                and isinstance(node.body[0], ast.Return)
                and isinstance(node.body[0].value, ast.Constant)
            ]
            said = sum(line.lstrip().startswith("# ") for line in lines[function.lineno : function.end_lineno])
            if len(guards) >= GUARDS and 2 * said < len(guards):
                found.append(function.name)
    return found


def test_a_guard_without_a_rule_is_seen():
    guard = "    if a:\n        return False\n"
    assert unexplained("def may(a) -> bool:\n" + 4 * guard) == ["may"]
    assert unexplained("def may(a) -> bool:\n" + 2 * ("    # First: no a.\n" + 2 * guard)) == []


def test_guards_say_which_restriction_of_the_rulebook_they_are():
    found = {path: unexplained(path.read_text("utf-8")) for path in (ROOT / "games").rglob("*.py")}
    assert {str(path.relative_to(ROOT)): names for path, names in found.items() if names} == {}


LONGEST = 40
"""So many lines may a function have, from `def` to its last one (CONTRIBUTING, *Gates*)."""


def long_functions(source: str) -> list[str]:
    """The functions that are longer: their names, with how many lines they have."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno is not None:
            lines = node.end_lineno - node.lineno + 1
            found += [f"{node.name}: {lines}"] * (lines > LONGEST)
    return sorted(found)


def test_a_long_function_is_seen():
    body = "    b\n" * LONGEST
    whole = f"@c\ndef short():\n{body[6:]}\ndef long():\n{body}\nclass D:\n async def longer(\n  self): \n{body}"
    assert long_functions(whole) == ["long: 41", "longer: 42"]


@pytest.mark.parametrize("room", ["pbem", "games"])
def test_functions_are_short(room):
    found = {path: long_functions(path.read_text("utf-8")) for path in (ROOT / room).rglob("*.py")}
    assert found
    assert {str(path.relative_to(ROOT)): names for path, names in found.items() if names} == {}
