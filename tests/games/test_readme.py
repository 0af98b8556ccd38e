"""The tables of each game's README are true: section, modules, cases; what is not written; rulings, cards, options."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import games
from tests.games.rule_index import (
    GAPS,
    SLUGS,
    Row,
    all_cases,
    cases_by_row,
    cited,
    readme,
    row_of,
    rows,
    sections,
    table,
)
from tests.games.rule_index import written as written_rows

ROWS = [(slug, row) for slug in SLUGS for row in rows(slug)]


def home(slug: str) -> Path:
    return readme(slug).parent


def gaps(slug: str) -> dict[str, str]:
    """The table of what is not written."""
    return dict(table(slug, GAPS))


@cache
def text(path: Path, docstrings: bool) -> str:
    """What a module says, or all modules of a folder: whole, or its docstrings."""
    if path.is_dir():
        return "\n".join(text(file, docstrings) for file in sorted(path.rglob("*.py")))
    if not docstrings:
        return path.read_text("utf-8")
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    nodes = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, kinds)]
    return "\n".join(ast.get_docstring(node) or "" for node in nodes)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_table_is_up_to_date(slug: str) -> None:
    """If not: `python -m tests.games.rule_index`."""
    assert rows(slug) == written_rows(slug)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_table_is_that_of_the_kit(slug: str) -> None:
    assert {row.section for row in rows(slug)} == set(sections(slug))


@pytest.mark.parametrize("slug", SLUGS)
def test_every_section_that_a_case_cites_has_a_row(slug: str) -> None:
    known = {row.section for row in rows(slug)} | set(gaps(slug))
    assert [case.id for case in cases_by_row(slug, known).get("", [])] == []


@pytest.mark.parametrize(("slug", "row"), ROWS, ids=[f"{slug}-{row.section}" for slug, row in ROWS])
def test_a_search_for_the_section_finds_its_modules(slug: str, row: Row) -> None:
    """In a docstring, a comment, or the rule that a question or line cites."""
    modules = re.findall(r"`([^`]+)`", row.modules)
    found = re.compile(rf"(?<![\w.#-]){re.escape(row.section)}(?![\w-])")
    numbered = "." in row.section  # else any number would do
    assert 1 <= len(modules) <= 3  # files, or folders
    assert [module for module in modules if not found.search(text(home(slug) / module, not numbered))] == []


@pytest.mark.parametrize("slug", SLUGS)
def test_a_search_for_any_section_that_a_case_cites_finds_a_module_of_its_row(slug: str) -> None:
    by_section = {row.section: row for row in rows(slug)}
    lost = []
    for section in {number for case in all_cases(slug) for number in cited(case.rule)}:
        row = by_section.get(row_of(section, by_section))
        found = re.compile(rf"(?<![\w.#-]){re.escape(section)}(?![\w-])")
        modules = re.findall(r"`([^`]+)`", row.modules) if row else []
        if row and not any(found.search(text(home(slug) / module, "." not in section)) for module in modules):
            lost.append(section)
    assert lost == []


@pytest.mark.parametrize("slug", SLUGS)
def test_the_readme_and_the_warning_name_the_same_gaps(slug: str) -> None:
    assert gaps(slug) == dict(games.load(slug).missing)


@pytest.mark.parametrize("slug", SLUGS)
def test_no_section_is_written_and_missing(slug: str) -> None:
    whole = {section for section in gaps(slug) if "." not in section}
    assert whole & {row.section.partition(".")[0] for row in rows(slug)} == set()


CITED = {
    "sixteen_thirty": [
        *(f"S-{n:02}" for n in range(1, 28)), *(f"W{n:02}" for n in range(1, 10)), *(f"X{n:02}" for n in range(1, 27))
    ],
    "imperial_struggle": [*(f"#{n}" for n in range(1, 42)), *(f"M-{n}" for n in range(1, 27))],
}  # fmt: skip
"""What is cited next to sections, each at least once: 1630's rulings and examples, the cards of Imperial Struggle."""


@pytest.mark.parametrize(("slug", "mark"), [(slug, mark) for slug in CITED for mark in CITED[slug]])
def test_every_ruling_card_and_example_has_a_case(slug: str, mark: str) -> None:
    assert any(re.search(rf"{mark}(?!\d)", f"{case.id} {case.rule}") for case in all_cases(slug))


CHAPTERS = {
    "sixteen_thirty": ["set-up", "1", "2", "3", "4", "5", "war", "6", "7"],
    "imperial_struggle": [str(n) for n in range(2, 9)],
    "crown_of_roses": [str(n) for n in (6, 7, 8, 9, 10, *range(12, 17), *range(18, 29))],
    "virgin_queen": [str(n) for n in (2, 3, 5, *range(7, 26), 27)],
}


@pytest.mark.parametrize("slug", SLUGS)
def test_every_chapter_is_written_or_missing(slug: str) -> None:
    told = {row.section for row in rows(slug)} | set(gaps(slug))
    assert [chapter for chapter in CHAPTERS[slug] if not {s for s in told if row_of(s, [chapter])}] == []


def test_a_case_cites_the_sections_with_which_its_parts_begin() -> None:
    assert cited("13.2 step 3 (9.1, X2), ruling 4.1; 24 steps 1 and 2, #12, 4.1.3 to 4.1.6") == {
        "13.2", "24", "4.1.3", "4.1.6"}  # fmt: skip
    assert cited("war: rewards, S-20, set-up table (A01), warfare") == {"war", "set-up"}


@pytest.mark.parametrize("slug", SLUGS)
def test_every_option_is_told(slug: str) -> None:
    told = readme(slug).read_text("utf-8")
    assert [option.id for option in games.load(slug).options if f"`{option.id}`" not in told] == []


# ---------------------------------------------------------------------------- Imperial Struggle alone


def test_every_worked_example_of_imperial_struggle_has_a_case() -> None:
    ids = {case.id[:3] for case in all_cases("imperial_struggle")}
    assert {f"W{n:02}" for n in range(1, 13)} <= ids
