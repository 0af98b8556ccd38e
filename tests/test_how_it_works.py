"""how-it-works.md names files and functions: they are there, and the picture leaves no file of the inbox out."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs/explanation/how-it-works.md").read_text("utf-8")
STEP = re.compile(r"(pbem/[\w/]+\.py) +([A-Za-z_]\w+)")
BESIDE = {"__init__.py"}


def test_every_file_is_there():
    named = re.findall(r"pbem/[\w/]+\.py", TEXT)
    assert len(named) > 15
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_every_step_is_a_function_or_class_of_its_file():
    steps = STEP.findall(TEXT)
    assert len(steps) > 12
    for file, name in steps:
        tree = ast.parse((ROOT / file).read_text("utf-8"))
        defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        assert name in defined, f"{file} has no {name}"


def test_every_value_of_the_way_is_a_class_of_values():
    tree = ast.parse((ROOT / "pbem/mail/inbox/stages.py").read_text("utf-8"))
    values = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    drawn = re.findall(r"^ ([A-Z]\w+)", TEXT.split("```")[1], re.MULTILINE)
    assert drawn == ["Received", "Email", "Claim", "Change", "EmailOutcome"]
    assert set(drawn) <= values


def test_no_file_of_the_inbox_is_left_out():
    files = {path.name for path in (ROOT / "pbem/mail/inbox").glob("*.py")}
    assert files - BESIDE == {name for name in files if re.search(rf"\b{name}", TEXT)}
