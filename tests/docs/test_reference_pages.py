"""The generated parts of the reference pages are what the program says today: `python .ci/reference_pages.py`."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from pbem.save.settings import SETTINGS

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".ci" / "reference_pages.py"
PAGES = sorted(
    path for path in (ROOT / "docs/reference").glob("*.md") if "<!-- generated" in path.read_text("utf-8")
)


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("reference_pages", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_is_what_generates_it(page, generator):
    text = page.read_text("utf-8")
    assert text == generator.written(text), "not today's: python .ci/reference_pages.py"


def test_a_change_of_the_program_is_found(generator, monkeypatch):
    text = (ROOT / "docs/reference/exit-codes.md").read_text("utf-8")
    monkeypatch.setitem(generator.TEXTS["exits"]["4"], "meaning", "Something else.")
    assert generator.written(text) != text


def test_every_generated_part_is_on_a_page(generator):
    found = [
        name for page in PAGES for name in re.findall(r"<!-- generated: (\S+) -->", page.read_text("utf-8"))
    ]
    assert sorted(found) == sorted(generator.PARTS)


@pytest.mark.parametrize("name", SETTINGS)
def test_the_example_of_a_setting_is_a_value_of_it(name, generator):
    assert SETTINGS[name].value(name, generator.TEXTS["settings"][name]["example"]) not in ("", [], None)


def test_no_text_is_left_of_what_is_gone(generator):
    assert set(generator.TEXTS["settings"]) == set(SETTINGS)
    assert set(generator.TEXTS["screens"]) == set(generator.SCREENS)


def test_a_cell_stays_a_cell(generator):
    assert generator._cell("a | `b<c>` <d>\n e") == "a \\| `b<c>` &lt;d> e"
