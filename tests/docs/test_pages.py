"""The docs as a stranger uses them: messages are those of the program, TOML is TOML."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from click.testing import CliRunner

from pbem.cli import main
from pbem.cli.docs import pages
from pbem.orders.grammar import read
from pbem.orders.statements import SEND
from pbem.report.catalogue import messages
from pbem.save import load
from pbem.trial import cases

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SOURCES = [*ROOT.glob("pbem/**/*.py"), *ROOT.glob("pbem/**/locale/*.toml"), *ROOT.glob("games/*.py")]
HOLE = re.compile(r"\\?[A-Z]{1,}\b|…")


def blocks(page, kind):
    """The blocks of code of a page in a language."""
    text = page.read_text("utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def plain(text):
    """Source text without quotes, line breaks and placeholders: messages are put together in many ways."""
    text = re.sub(r'["\']\s*\n\s*f?["\']', "", text)
    return re.sub(r"\s+", " ", text)


def test_messages_of_the_page_of_troubles_are_those_of_the_program():
    said = "\n".join(plain(path.read_text("utf-8")) for path in SOURCES)
    text = (DOCS / "troubleshooting.md").read_text("utf-8")
    messages = re.findall(r"^\| \*([^*]+)\*", text, re.MULTILINE)
    assert len(messages) > 15
    missing = []
    for message in messages:
        parts = [part.strip() for part in HOLE.split(message) if part.strip()]
        if not all(part.casefold() in said.casefold() for part in parts):
            missing.append(message)
    assert missing == []
    reasons = re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE)
    assert [reason for reason in reasons if f'"{reason}"' not in said] == []


@pytest.mark.parametrize("page", ["player.md", "player.ja.md"])
def test_the_players_pages_name_every_wish(page):
    text = (DOCS / page).read_text("utf-8")
    wishes = [*(f"`send {word}`" for word in SEND), "`attach view`", "`attach map`", "`attach nothing`"]
    assert [wish for wish in wishes if wish not in text] == []


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.stem)
def test_toml_is_toml_and_cases_hold(page, tmp_path):
    for number, text in enumerate(blocks(page, "toml")):
        found = tomllib.loads(text)
        assert found, text
        if "case" in found and all("answers" in case for case in found["case"]):
            file = tmp_path / f"{number}.toml"
            file.write_text(text, "utf-8")
            report = cases.run([file])
            assert report.cases == report.passed > 0, report.failed


def test_the_file_of_the_page_of_packs_is_a_pack_with_which_a_game_begins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (text,) = blocks(DOCS / "packs.md", "toml")
    Path("box.toml").write_text(text, "utf-8")
    checked = CliRunner().invoke(main, ["pack", "check", "box.toml"])
    assert checked.exit_code == 0, checked.output
    words = ["new", "sixteen_thirty", "-o", "g.toml", "--players", "4", "--pack", "box.toml"]
    begun = CliRunner().invoke(main, words)
    assert begun.exit_code == 0, begun.output
    assert load("g.toml").header.pack["cards"]["special"]["assassin"] == {"manual": True}


def test_every_toml_of_the_pages_is_carried_out():
    """A block of a page that is not on this list needs a test that does what it says."""
    carried_out = {
        "add-a-game": 3,  # the example's own files: tests/games/test_third_party.py
        "cases": 1,  # above
        "moderator": 1,  # tests/cli/test_docs.py
        "packs": 1,  # above
    }
    found = {page.stem: len(blocks(page, "toml")) for page in DOCS.glob("**/*.md")}
    assert {name: count for name, count in found.items() if count} == carried_out
    assert not [path for path in ROOT.glob("games/*/README.md") if blocks(path, "toml")]


def test_the_pages_have_titles_of_their_own():
    titles = [path.read_text("utf-8").partition("\n")[0] for path in pages().values()]
    assert all(title.startswith("# ") for title in titles)
    assert len(set(titles)) == len(titles) > 15


def test_both_pages_for_players_have_the_same_parts():
    english, japanese = ((DOCS / name).read_text("utf-8") for name in ("player.md", "player.ja.md"))
    assert english.count("\n## ") == japanese.count("\n## ")
    for word in (
        "send state",
        "send log",
        "send map",
        "send cards",
        "letters digest 7",
        "attach view",
        "BEGIN PRESS",
        "agreement:",
    ):
        assert word in english, word
        assert word in japanese, word


def test_the_japanese_page_of_orders_says_what_the_program_reads_and_writes():
    english, japanese = ((DOCS / name).read_text("utf-8") for name in ("orders.md", "orders.ja.md"))
    rows = re.findall(r"^\| .* \|$", english.partition("## Japanese")[2].partition("##")[0], re.MULTILINE)
    assert len(rows) > 8
    assert [row for row in rows if row not in japanese] == []
    for page in (english, japanese):
        found = [read(text).blocks for text in re.findall(r"^```\n(.*?)^```", page, re.DOTALL | re.MULTILINE)]
        assert len([block for blocks in found for block in blocks]) >= 3
        assert [block.problem for blocks in found for block in blocks if block.problem] == []
    texts = messages("pbem.report", "ja").values()
    told = japanese.partition("## 受領書の語")[2].partition("\n## ")[0]
    words = re.findall(r"^\| ([^|]+?) \|", told, re.MULTILINE)[2:]
    assert len(words) > 5
    assert [word for word in words if not any(word in text for text in texts)] == []


# -- the site ----------------------------------------------------------------------------------------------------------


class _Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.ids = [], set()

    def handle_starttag(self, tag, attrs):
        told = dict(attrs)
        self.links += [told[name] for name in ("href", "src") if told.get(name)]
        self.ids |= {told[name] for name in ("id", "name") if told.get(name)}


@pytest.mark.slow
@pytest.mark.skipif(
    not all(importlib.util.find_spec(package) for package in ("mkdocs", "mkdocstrings")),
    reason="no MkDocs: pip install -e .[docs]",
)
def test_the_site_builds_and_every_link_leads_somewhere(tmp_path):
    words = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "-q",
        "-f",
        ROOT / "mkdocs.yml",
        "-d",
        tmp_path,
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = {}
    for path in tmp_path.rglob("*.html"):
        found[path] = _Links()
        found[path].feed(path.read_text("utf-8"))
    assert len(found) > 25
    wrong = []
    for path, page in found.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or path.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists() or (
                parts.fragment and target in found and unquote(parts.fragment) not in found[target].ids
            ):
                wrong.append((str(path.relative_to(tmp_path)), link))
    assert wrong == []
    glossary = (tmp_path / "glossary" / "index.html").read_text("utf-8")
    assert "ハプスブルク" in glossary
