"""Every field of every form has a word of its own in Japanese."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import games
import pbem.kernel
from pbem.data_cache import messages
from pbem.report.messages import Catalogue
from pbem.report.viewfile import names_from
from pbem.tui.model.messages import ScreenMessages
from pbem.tui.screens.answer_base import LABELS


def fields(folder: Path) -> Iterator[str]:
    """The names of the fields of all forms in the modules of a folder."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Form":
                yield from (keyword.arg for keyword in node.keywords if keyword.arg)


@pytest.mark.parametrize("game", sorted(games.BUILT_IN))
def test_fields_are_named_in_japanese(game: str) -> None:
    say, words = (
        Catalogue(games.load(game), None, "ja", names_from({"names": {}, "aliases": {}, "faces": {}})),
        ScreenMessages("ja"),
    )
    rooms = (Path(games.__file__).parent / game, Path(pbem.kernel.__file__).parent)
    found = {field for room in rooms for field in fields(room)}
    assert found
    unnamed = {
        field
        for field in found
        if not words.has(f"form.{field}") and not any(say.has(f"{prefix}.{field}") for prefix in LABELS)
    }
    assert not unnamed


KEPT = re.compile(
    r"\{\w+\}|PBEM_\w+|SHA-?256|OSC ?52|English|Enter|Backspace|Space|Ctrl|Shift|Home|End|Esc|Tab|cron|HTML|NAME=VALUE|"
    r"PATH=VALUE|\.eml|\.orders|BEGIN ORDERS|END ORDERS",
    re.IGNORECASE,
)
"""What stands in Japanese as it is: placeholders, keys, names of programs and what is typed."""


def test_no_english_word_stands_in_japanese() -> None:
    japanese = messages("pbem.tui", "ja")
    odd = {key: re.findall(r"[A-Za-z]{3,}", KEPT.sub(" ", text)) for key, text in japanese.items()}
    assert {key: words for key, words in odd.items() if words} == {}
