"""The games of examples/: packages of their own, found by entry point or folder; pages for authors show their code."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from pbem.cli.console import Exit
from pbem.kernel import domains
from pbem.kernel.order_words import NO_NAMES

ROOT = Path(__file__).parents[2]
AUCTION = ROOT / "examples" / "auction"


@pytest.fixture
def installed(tmp_path):
    """What `pip install` leaves of the package, without a network: where Python looks for it, and its entry point."""
    project = tomllib.loads((AUCTION / "pyproject.toml").read_text())["project"]
    info = tmp_path / f"pbem_auction-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = project["entry-points"]["pbem.games"]
    (info / "entry_points.txt").write_text("[pbem.games]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()))
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


@pytest.mark.parametrize(
    ("page", "package", "least"),
    [
        ("tutorials/first-game-of-your-own", "lanterns", 8),
        ("reference/yields", "fleet", 7),
        ("how-to/say-what-a-decision-turns-on", "fleet", 6),
    ],
)
def test_a_page_shows_the_lines_of_its_package(page, package, least):
    files = (ROOT / "examples" / package).rglob("*")
    texts = [joined(path.read_text("utf-8")) for path in files if path.suffix in (".py", ".toml")]
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    blocks = re.findall(r"```(?:python|toml)\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= least
    for block in blocks:
        assert any(joined(block) in text for text in texts), block


def test_the_table_of_domains_is_what_they_read():
    """A row has the domain, what the player writes (one way or several), and the value."""
    page = (ROOT / "docs/reference/yields.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+\(.*\))` \| (`.*`) \| `(.*)` \|$", page, re.MULTILINE)
    assert len(rows) >= 5
    cards = ["silk-1", "silk-4", "spice-2"]
    known = {**vars(domains), "cards": cards, "hand": cards, "seats": ["amber", "jade"], "goods": ["silk", "spice"]}
    for domain, ways, value in rows:
        for way in ways.strip("`").split("` or `"):
            assert eval(domain, known).parse(way, NO_NAMES) == ast.literal_eval(value), way


def test_the_tutorial_runs_as_printed(tmp_path):
    """Every command of the page, in its order, in an empty folder: from nothing to a game that passes all checks."""
    commands = [
        line
        for block in re.findall(
            r"```sh\n(.*?)```", (ROOT / "docs/tutorials/first-game-of-your-own.md").read_text("utf-8"), re.DOTALL
        )
        for line in block.splitlines()
    ]
    assert len(commands) >= 9
    script = "\n".join(
        line.replace("pbem dev leak-test lanterns", "pbem dev leak-test lanterns --count 6 --mail-pairs 1")
        for line in commands
        if not line.startswith("pbem play")  # needs a terminal: tests/tui/test_local_play.py plays
    )
    done = subprocess.run(
        ["bash", "-euc", f'pbem() {{ "{sys.executable}" -m pbem "$@"; }}\n{script}'],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 of 2 cases hold" in done.stdout
    assert "lanterns: nothing missing" in done.stdout
    assert "0 leaks" in done.stdout


def test_a_new_game_under_another_name_is_clean(tmp_path):
    def pbem(*words):
        env = {**os.environ, "PYTHONPATH": str(ROOT), "PBEM_GAMES": str(tmp_path / "tide_pools")}
        command = [sys.executable, "-m", "pbem", *words]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    assert pbem("dev", "new-game", "tide_pools").returncode == 0
    rules = (tmp_path / "tide_pools" / "tide_pools" / "__init__.py").read_text("utf-8")
    assert len(rules.splitlines()) < 110
    assert pbem("dev", "new-game", "tide_pools").returncode == Exit.BAD_DATA, "nothing is overwritten"
    assert pbem("dev", "lint-game", "tide_pools", "--complete").returncode == 0
    assert pbem("dev", "test-rules", "tide_pools/tests/cases").returncode == 0
    for name in ("class", "json", "virgin_queen", "Tide", "../up"):
        assert pbem("dev", "new-game", name).returncode == Exit.USAGE, name


@pytest.mark.parametrize("slug", ["lanterns", "fleet"])
def test_an_example_in_a_folder_plays_and_passes_its_checks(slug):
    folder = ROOT / "examples" / slug
    env = {**os.environ, "PBEM_GAMES": str(folder)}
    for words in (
        ("dev", "test-rules", f"{folder}/tests/cases"),
        ("dev", "lint-game", slug),
        ("dev", "fuzz", slug, "--count", "6"),
    ):
        command = [sys.executable, "-m", "pbem", *words]
        done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
