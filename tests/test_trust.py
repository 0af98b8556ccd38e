"""docs/explanation/trust.md: every attack that it says is prevented, told or noticed has a test that plays it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs/explanation/trust.md").read_text("utf-8")
ROWS = [row.strip("|").split("|") for row in TEXT.splitlines() if row.startswith("| ") and "`test_" in row]
_TEST = re.compile(r"`(test_\w+\.py)::(test_\w+)`")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip()[:40])
def test_a_row_names_tests_that_are_there(row: list[str]) -> None:
    named = _TEST.findall(row[-1])
    assert named, row[0]
    for file, test in named:
        (path,) = (ROOT / "tests").rglob(file)
        assert f"def {test}(" in path.read_text("utf-8"), test


def test_the_number_of_planted_leaks_is_that_of_the_files() -> None:
    files = sorted((ROOT / "tests" / "leaks").glob("*.toml"))
    count = sum(len(tomllib.loads(file.read_text("utf-8"))["leak"]) for file in files)
    folder = ROOT / "docs/explanation"
    assert f"plants {count} leaks" in (folder / "secrecy.md").read_text("utf-8")
    assert f"{count}個の漏れ" in (folder / "secrecy.ja.md").read_text("utf-8")
    assert count >= 60


def test_what_is_not_prevented_is_said() -> None:
    rows = [row for row in TEXT.splitlines() if "**not prevented**" in row]
    assert len(rows) == 1
    others = [row for row in TEXT.splitlines() if row.startswith("| ") and "`test_" not in row and row not in rows]
    heads = [row for row in others if row.startswith("| attack |")]
    table = TEXT.partition("## Attacks")[2].partition("\n## ")[0]
    assert [row for row in others if row in table] == heads
    assert len(heads) == 1
    assert len(ROWS) > 15


def test_the_japanese_page_names_the_same_tests() -> None:
    japanese = (ROOT / "docs/explanation/trust.ja.md").read_text("utf-8")
    assert _TEST.findall(japanese) == _TEST.findall(TEXT)
    assert japanese.count("**防げません**") == 1
