"""Every field of every form has a word of its own in Japanese."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import games
import pbem.kernel
from pbem.report.catalogue import Catalogue
from pbem.report.viewfile import names_from
from pbem.tui.model.words import Words
from pbem.tui.screens.answer import LABELS


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
        Words("ja"),
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
