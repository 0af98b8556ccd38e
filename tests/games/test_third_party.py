"""The auction of examples/: a game in a package of its own, found by its entry point; its page shows its own code."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
AUCTION = ROOT / "examples" / "auction"
PAGE = ROOT / "docs" / "add-a-game.md"


@pytest.fixture
def installed(tmp_path):
    """What `pip install` leaves of the package, without a network: where Python looks for it, and its entry point."""
    project = tomllib.loads((AUCTION / "pyproject.toml").read_text())["project"]
    info = tmp_path / f"pbem_auction-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    points = project["entry-points"]["pbem.games"]
    (info / "entry_points.txt").write_text(
        "[pbem.games]\n" + "".join(f"{k} = {v}\n" for k, v in points.items())
    )
    return os.pathsep.join(map(str, (ROOT, AUCTION, tmp_path)))


def test_the_tests_of_the_package_pass(installed):
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "tests"],
        cwd=AUCTION,
        env={**os.environ, "PYTHONPATH": installed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\b6 passed", done.stdout), done.stdout


def joined(text: str) -> str:
    """The text on one line: a page indents it as it likes."""
    return " ".join(text.split())


def test_the_page_shows_the_lines_of_the_package():
    files = [
        joined(path.read_text("utf-8")) for path in AUCTION.rglob("*") if path.suffix in (".py", ".toml")
    ]
    blocks = re.findall(r"```(?:python|toml)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) >= 8
    for block in blocks:
        assert any(joined(block) in text for text in files), block
