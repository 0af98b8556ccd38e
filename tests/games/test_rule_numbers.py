"""A reader finds any number of a rulebook by one search, and has at most three files to open to follow it."""

from __future__ import annotations

import re

import pytest

from tests.games.rule_index import ROOT, SLUGS, row_of, rows
from tests.games.rule_numbers import cited, numbers, places

NUMBERS = numbers()
MOST = 3
"""The files to open, where the table of the README does not say in which the rule itself stands."""


def sources(slug: str) -> dict[str, str]:
    """Module → its text."""
    home = ROOT / "games" / slug
    return {path.relative_to(home).as_posix(): path.read_text("utf-8") for path in home.rglob("*.py")}


def lost(slug: str, found: dict[str, list[str]]) -> list[str]:
    """The numbers of rules that no module names, or too many, none of which stands in their row of the README."""
    modules = {row.section: tuple(re.findall(r"`([^`]+)`", row.modules)) for row in rows(slug)}
    missed = []
    for number in NUMBERS[slug].rules:
        files = found.get(number, [])
        # A row names files, and folders with a slash behind them.
        main = [file for file in files if file.startswith(modules.get(row_of(number, modules), ("?",)))]
        if not files or (len(files) > MOST and not main):
            missed.append(number)
    return missed


def test_every_game_has_its_numbers() -> None:
    assert set(NUMBERS) == set(SLUGS)
    for slug, book in NUMBERS.items():
        assert len(book.rules) == len(set(book.rules))
        assert not [row.section for row in rows(slug) if row.section not in book.rules and "." in row.section]


@pytest.mark.parametrize("slug", SLUGS)
def test_a_search_finds_every_number(slug: str) -> None:
    assert lost(slug, places(sources(slug))) == []


def test_a_number_that_nobody_names_is_missed() -> None:
    found = places(sources("imperial_struggle"))
    assert found.pop("3.4.5")
    assert lost("imperial_struggle", found) == ["3.4.5"]


def test_a_number_in_many_files_of_which_none_is_the_first_to_open_is_missed() -> None:
    found = places(sources("imperial_struggle"))
    found["3.2.2"] = ["a.py", "b.py", "c.py", "d.py"]
    assert lost("imperial_struggle", found) == ["3.2.2"]


def test_what_names_a_number() -> None:
    assert cited('"""Interception (13.2, 9.1.1)."""\nx = no("late", "14.0")  # 7.2: why') == {
        "13.2", "9.1.1", "14", "7.2"}  # fmt: skip
    assert cited('KIT.chapter("17", "sea", "sea.py")\n"""18 Muster."""\n"""Wars (19)."""') == {"17", "18", "19"}
    assert cited('price = 2.5\n"""Card #3.1, R-4.2; 12 men, 3 of them."""') == set()
