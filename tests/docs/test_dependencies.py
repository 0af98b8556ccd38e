"""No dependency without a reason: docs/explanation/performance.md names each, and nothing that is none."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOOLS = {"test", "docs", "browser", "dev"}
"""Extras of those who develop; pyproject.toml says next to each what it is for."""


def test_every_dependency_has_a_reason():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [needs for extra, needs in project["optional-dependencies"].items() if extra not in TOOLS]
    needed = {re.match(r"[\w.-]+", need)[0] for needs in (project["dependencies"], *extras) for need in needs}
    section = (
        (ROOT / "docs/explanation/performance.md")
        .read_text("utf-8")
        .partition("## Dependencies")[2]
        .partition("\n## ")[0]
    )
    rows = [row.split(" | ") for row in re.findall(r"^\| (.+) \|$", section, re.MULTILINE)][1:]
    named = [name for row in rows for name in re.sub(r" \(.*\)", "", row[0]).split(", ")]
    assert sorted(named) == sorted(needed)
    assert all(len(row) == 3 and all(cell.strip() for cell in row) for row in rows)
