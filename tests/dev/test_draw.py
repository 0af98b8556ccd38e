"""`python -m tests.draw`: emails and screens of random games, for a reader with fresh eyes."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from tests.draw import draw


def drawn(*words: str) -> str:
    found = CliRunner().invoke(draw, words)
    assert found.exit_code == 0, found.output
    return found.output


def test_each_kind_of_question_comes_once_and_a_seed_draws_the_same_emails():
    text = drawn("sixteen_thirty", "--count", "3", "--rare")
    kinds = re.findall(r"^##### \d · sixteen_thirty en · \w+ · (\w+)", text, re.MULTILINE)
    assert len(kinds) == len({*kinds}) == 3
    assert text.count("\nSubject: ") == 3
    assert drawn("sixteen_thirty", "--count", "3", "--rare") == text


@pytest.mark.parametrize(("size", "rows"), [("80x24", 24), ("100x30", 30)])
def test_a_screen_has_the_size_asked_for(size, rows):
    text = drawn("sixteen_thirty", "--count", "1", "--lang", "ja", "--screen", size)
    assert len(text.partition("\n")[2].rstrip("\n").split("\n")) == rows
