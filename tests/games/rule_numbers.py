"""Where the numbers of a rulebook stand in the code of its game; the numbers themselves are in `rule_numbers.toml`.

A number counts where it stands in a docstring, a comment or another string (`rule="13.2"`). A chapter without sections,
whose number has no point, counts where it is written `17.0`, is a string of its own (`KIT.chapter("17", …)`), begins a
text or a bracket: else any count or price would do.
"""

from __future__ import annotations

import io
import re
import tokenize
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

_TEXTS = {"COMMENT", "STRING", "FSTRING_MIDDLE"}
_SECTION = re.compile(r"(?<![\w.#-])\d{1,2}(?:\.\d{1,2})+(?![\w-]|\.\d)")
_BEGINS = re.compile(r"""[rf]?["'# ]*(\d{1,2}|set-up|war)(?=["']+$| [A-Z]|[,:;] )""")
_BRACKETS = re.compile(r"\((\d{1,2})(?=\)|[,:;] )")


class Numbers(NamedTuple):
    """The numbers of the rules of a book, and those of its parts that hold no rule, with what they are."""

    rules: list[str]
    out: dict[str, str]


def numbers() -> dict[str, Numbers]:
    """The numbers of each rulebook."""
    read = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {slug: Numbers(book["rules"], book["out"]) for slug, book in read.items()}


def cited(source: str) -> set[str]:
    """The numbers that a module names."""
    found: set[str] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if tokenize.tok_name[token.type] not in _TEXTS:
            continue
        text = token.string
        found.update(number.removesuffix(".0") for number in _SECTION.findall(text))
        if whole := _BEGINS.match(text):
            found.add(whole[1])
        found.update(_BRACKETS.findall(text))
    return found


def places(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Number → the modules that name it."""
    found: dict[str, list[str]] = {}
    for module, source in sources.items():
        for number in cited(source):
            found.setdefault(number, []).append(module)
    return found
