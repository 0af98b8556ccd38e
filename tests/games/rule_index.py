"""The table of rules in each game's README: section → modules → cases. `python -m tests.games.rule_index` writes it.

It also enters the cases that name a ruling in the table of rulings.

A case cites the sections with which the parts of its `rule` begin: `"13.2 step 3, ruling 4; 24.2"` cites 13.2 and 24.2.
It stands in the row of each section it cites, or of the nearest section above that has a row.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import games
from pbem.dev import rule_tests
from pbem.kernel.kit import Kit, RulebookSection

ROOT = Path(__file__).parents[2]
SLUGS = [entry.slug for entry in games.catalogue()]
HEADER = "| section | about | modules | cases |"
GAPS = "| section | about |"
RULINGS = "| ruling | rule | reading | kept | cases |"
"""Headers of the three tables."""
MISSING = "not written"
"""What is kept of a ruling on a section that is not written."""
_PART = re.compile(r"\s*(\d{1,2}(?:\.\d+)*|set-up|war)(?![\w.-]*\w)")


class Row(NamedTuple):
    """A line of the table, cells as they stand there."""

    section: str
    about: str
    modules: str
    cases: str

    def __str__(self) -> str:
        return f"| {' | '.join(self)} |"


def readme(slug: str) -> Path:
    """The README of a game."""
    return ROOT / "games" / slug / "README.md"


def table(slug: str, header: str = HEADER) -> list[list[str]]:
    """The rows of a table of the README, cells stripped; none if it has no such table."""
    _, _, rest = readme(slug).read_text("utf-8").partition(f"\n{header}\n")
    found = []
    for line in rest.splitlines()[1:]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def sections(slug: str) -> dict[str, RulebookSection]:
    """What the chapters of a game have registered."""
    games.load(slug)
    kit: Kit[Any] = import_module(f"games.{slug}.table").KIT
    return kit.sections


def rows(slug: str) -> list[Row]:
    """The table of rules as it stands in the README."""
    return [Row(*cells) for cells in table(slug)]


@cache
def all_cases(slug: str) -> list[rule_tests.Case]:
    """The conformance cases of a game."""
    return [case for path in rule_tests.files([ROOT / "tests" / "cases" / slug]) for case in rule_tests.load(path)]


def cited(rule: str) -> set[str]:
    """The sections that the `rule` of a case cites."""
    parts = re.split(r"[,;]| to ", re.sub(r"\([^()]*\)", "", rule))
    return {found[1].removesuffix(".0") for part in parts if (found := _PART.match(part))}


def row_of(section: str, known: Iterable[str]) -> str:
    """The section itself, or the nearest above it, that is among the known; else nothing."""
    while section and section not in known:
        section = section.rpartition(".")[0]
    return section


def cases_by_row(slug: str, known: Iterable[str]) -> dict[str, list[rule_tests.Case]]:
    """Section of a row → the cases that stand there. Under "" stand those whose sections have no row."""
    found: dict[str, list[rule_tests.Case]] = {}
    for case in all_cases(slug):
        for section in {row_of(section, known) for section in cited(case.rule)}:
            found.setdefault(section, []).append(case)
    return found


def cell(found: list[rule_tests.Case]) -> str:
    """The ids of these cases; where there are many, the files they stand in and how many there are."""
    if len(found) <= 30:
        return ", ".join(sorted(case.id for case in found))
    files = sorted({Path(case.path).name for case in found})
    return f"{len(found)} in " + ", ".join(f"`{file}`" for file in files)


def order(section: str) -> tuple[int, ...]:
    """Where a section stands in its rulebook; those without a number are 1630's."""
    return {"set-up": (0,), "war": (5, 1)}.get(section) or tuple(int(part) for part in section.split("."))


def written(slug: str) -> list[Row]:
    """The table as it should be: the written sections of the kit, with the cases that cite them."""
    found = {key: section for key, section in sections(slug).items() if section.modules}
    by_row = cases_by_row(slug, found)
    return [
        Row(key, found[key].about, ", ".join(f"`{module}`" for module in found[key].modules), cell(by_row.get(key, [])))
        for key in sorted(found, key=order)
    ]


def named(cell: str) -> list[str]:
    """The cases of a cell: `A, B to E` names four if they end in letters."""
    found = []
    for part in filter(None, cell.split(", ")):
        first, to, last = part.partition(" to ")
        ends = range(ord(first[-1]), ord(last[-1]) + 1) if to else ()
        found += [first[:-1] + chr(n) for n in ends] if to else [first]
    return found


def citing(slug: str, ruling: str) -> set[str]:
    """The cases that name a ruling."""
    word = f"ruling {ruling}" if ruling[0].isdigit() else ruling
    found = re.compile(rf"{re.escape(word)}(?![\d.]*\d)")
    return {case.id for case in all_cases(slug) if found.search(case.rule)}


def is_gap(slug: str, rule: str) -> bool:
    """Whether a section, or its chapter, is not written."""
    missing = dict(games.load(slug).missing)
    return rule in missing or rule.partition(".")[0] in missing


def rulings(slug: str) -> list[list[str]]:
    """The table of rulings with the cases that name them; a ruling is followed once its section is written."""
    rows = table(slug, RULINGS)
    for row in rows:
        own, listed = citing(slug, row[0]), named(row[4])
        if not own <= set(listed):
            row[4] = ", ".join(sorted({*listed, *own}))
        if row[3] == MISSING and row[4] and not is_gap(slug, row[1]):
            row[3] = "followed"
    return rows


def rewritten(text: str, header: str, rows: Iterable[str]) -> str:
    """The text with other rows in the table of that header."""
    head, _, rest = text.partition(f"\n{header}\n")
    rule, *after = rest.splitlines(keepends=True)
    while after and after[0].startswith("|"):
        after.pop(0)
    lines = "\n".join(rows)
    return f"{head}\n{header}\n{rule}{lines}\n{''.join(after)}"


def main() -> None:
    """Write the tables of all games, or of those named."""
    for slug in sys.argv[1:] or SLUGS:
        text = rewritten(readme(slug).read_text("utf-8"), HEADER, map(str, written(slug)))
        text = rewritten(text, RULINGS, (f"| {' | '.join(row)} |" for row in rulings(slug)))
        readme(slug).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
