"""Every option that a rulebook gives is offered, and a case takes it: the rows of `may.toml`."""

from __future__ import annotations

import json
import re
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

import games
from pbem.dev.rule_test_files import Case, RuleTestStep
from tests.games.rule_index import SLUGS, all_cases

BOOKS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("may.toml").read_text("utf-8"))
UNASKED = ("auto", "view")
TALK = ("propose", "accept", "withdraw", "done")


class Option(NamedTuple):
    """A row: the section, the option, what offers it, and the case that takes it, or why nobody is asked."""

    section: str
    option: str
    offered: str
    case: str


ROWS = [(slug, Option(*row)) for slug in SLUGS for row in BOOKS[slug]["options"]]
ASKED = [(slug, row) for slug, row in ROWS if ":" in row.offered]


def said(step: RuleTestStep) -> str:
    """What an answer of a case says, one way to write it or the other."""
    if step.text is not None:
        return step.text
    return "" if step.value is msgspec.UNSET else json.dumps(step.value, ensure_ascii=False)


def takes(step: RuleTestStep, offered: str) -> bool:
    """Whether an answer takes what is offered by a question of a kind, or as an action."""
    how, _, rest = offered.partition(":")
    name, _, word = rest.partition(" ")
    text = said(step)
    if step.refuse is not None:
        return False
    if how == "action":
        do = step.value.get("do", "") if isinstance(step.value, dict) else re.split(r"[^\w-]", text)[0]
        return do == name or (len(do) > 3 and name.startswith(do))  # a unique beginning will do
    kind = step.kind or ("negotiation" if text.partition(" ")[0] in TALK else "")
    return kind == name and word in text.replace('"', "")


def lacking(slug: str, row: Option, cases: dict[str, Case]) -> str:
    """What is wrong with a row, "" if nothing is."""
    game = games.load(slug)
    how, _, rest = row.offered.partition(":")
    known = import_module(f"games.{slug}.table").KIT.actions if how == "action" else game.question_kinds
    if rest.partition(" ")[0] not in known:
        return f"the game knows no {row.offered}"
    if row.case not in cases:
        return f"there is no case {row.case}"
    if not any(takes(step, row.offered) for step in cases[row.case].answers):
        return f"case {row.case} does not take it"
    return ""


@pytest.mark.parametrize("slug", SLUGS)
def test_every_option_is_offered_and_taken(slug: str) -> None:
    cases = {case.id: case for case in all_cases(slug)}
    wrong = {row: why for _, row in ASKED if _ == slug and (why := lacking(slug, row, cases))}
    assert wrong == {}


@pytest.mark.parametrize("slug", SLUGS)
def test_what_is_not_asked_says_why(slug: str) -> None:
    rest = [row for _, row in ROWS if _ == slug and ":" not in row.offered]
    assert [row for row in rest if row.offered not in (*UNASKED, "missing") or not row.case] == []
    missing = [row.section for row in rest if row.offered == "missing"]
    assert missing == BOOKS[slug].get("missing", [])  # nothing is missing unawares


def test_nothing_is_missing() -> None:
    assert [slug for slug in SLUGS if BOOKS[slug].get("missing")] == []


def test_a_row_is_wrong_whose_kind_or_case_is_not_there() -> None:
    cases = {case.id: case for case in all_cases("virgin_queen")}
    row = Option("12.2", "take control", "action:control", "MA11")
    assert lacking("virgin_queen", row, cases) == ""
    assert "knows no" in lacking("virgin_queen", row._replace(offered="action:contral"), cases)
    assert "knows no" in lacking("virgin_queen", row._replace(offered="kind:controls"), cases)
    assert "no case" in lacking("virgin_queen", row._replace(case="MA00"), cases)
    assert "does not take" in lacking("virgin_queen", row._replace(case="MA12"), cases)
