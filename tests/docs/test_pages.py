"""The docs as a stranger uses them: messages are those of the program, TOML is TOML."""

from __future__ import annotations

import importlib.util
import posixpath
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
from pbem.data_cache import messages
from pbem.dev import rule_tests
from pbem.mail.inbox.mime import DEFAULT_LIMITS
from pbem.mail.inbox.pipeline import STRANGERS
from pbem.orders.parser import LIMITS, read
from pbem.orders.statements import SEND
from pbem.save import load

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SOURCES = [*ROOT.glob("pbem/**/*.py"), *ROOT.glob("pbem/**/locale/*.toml"), *ROOT.glob("games/*.py")]
HOLE = re.compile(r"\\?[A-Z]{1,}\b|…")


def blocks(page, *kinds):
    """The blocks of code of a page in these languages."""
    found = re.findall(r"^```(\w*)\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    return [text for kind, text in found if kind in kinds]


def plain(text):
    """Source text without quotes, line breaks and placeholders: messages are put together in many ways."""
    text = re.sub(r'["\']\s*\n\s*f?["\']', "", text)
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("page", ["how-to/troubleshoot.md", "how-to/troubleshoot.ja.md"])
def test_messages_of_the_page_of_troubles_are_those_of_the_program(page):
    said = "\n".join(plain(path.read_text("utf-8")) for path in SOURCES)
    text = (DOCS / page).read_text("utf-8")
    messages = re.findall(r"^\| \*([^*]+)\*", text, re.MULTILINE)
    assert len(messages) > 15
    missing = []
    for message in messages:
        parts = [part.strip() for part in HOLE.split(message) if part.strip()]
        if not all(part.casefold() in said.casefold() for part in parts):
            missing.append(message)
    assert missing == []
    quarantine = (DOCS / "how-to/handle-quarantine.md").read_text("utf-8")
    reasons = re.findall(r"^\| `([a-z-]+)` \|", quarantine, re.MULTILINE)
    assert len(reasons) > 4
    assert [reason for reason in reasons if f'"{reason}"' not in said] == []


@pytest.mark.parametrize("page", sorted(DOCS.glob("reference/emails*.md")), ids=lambda page: page.stem)
def test_the_page_of_emails_names_every_request(page):
    text = page.read_text("utf-8")
    wishes = [*(f"`send {word}`" for word in SEND), "`attach view`", "`attach map`", "`attach nothing`"]
    assert [wish for wish in wishes if wish not in text] == []


@pytest.mark.parametrize("page", sorted(DOCS.glob("reference/emails*.md")), ids=lambda page: page.stem)
def test_the_limits_of_an_email_are_those_of_the_program(page):
    text = page.read_text("utf-8")
    mail, orders = DEFAULT_LIMITS, LIMITS
    rows = [
        f"{mail.size >> 20} MB",
        f"{mail.text >> 20} MB",
        f"{orders.email:,}",
        f"{orders.rows:,}",
        f"{STRANGERS:,}",
    ]
    limits = text[text.index("\n## Limits\n" if "\n## Limits\n" in text else "\n## 上限\n") :]
    assert [row for row in rows if row not in limits] == []


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.stem)
def test_toml_is_toml_and_cases_hold(page, tmp_path):
    for number, text in enumerate(blocks(page, "toml")):
        found = tomllib.loads(text)
        assert found, text
        if "case" in found and all("answers" in case for case in found["case"]):
            file = tmp_path / f"{number}.toml"
            file.write_text(text, "utf-8")
            report = rule_tests.run([file])
            assert report.cases == report.passed > 0, report.failed


def test_the_file_of_the_page_of_packs_is_a_pack_with_which_a_game_begins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (text,) = blocks(DOCS / "how-to/correct-your-copy.md", "toml")
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
        "correct-your-copy": 1,  # above
        "find-what-needs-you": 1,  # test_moderator_page.py
        "find-what-needs-you.ja": 1,
        "first-game-of-your-own": 3,  # the example's own files: tests/games/test_third_party.py
        "say-what-a-decision-turns-on": 2,  # the example's own files: tests/games/test_third_party.py
        "write-a-rule-test": 1,  # above
    }
    found = {page.stem: len(blocks(page, "toml")) for page in DOCS.glob("**/*.md")}
    assert {name: count for name, count in found.items() if count} == carried_out
    assert not [path for path in ROOT.glob("games/*/README.md") if blocks(path, "toml")]


def test_the_pages_have_titles_of_their_own():
    titles = [path.read_text("utf-8").partition("\n")[0] for path in pages().values()]
    assert all(title.startswith("# ") for title in titles)
    assert len(set(titles)) == len(titles) > 15


TUTORIALS = sorted(DOCS.glob("tutorials/*.ja.md"))


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_has_the_same_parts_in_both_languages(page):
    english, japanese = (
        page.with_name(page.name.replace(".ja", "")).read_text("utf-8"),
        page.read_text("utf-8"),
    )
    assert english.count("\n## ") == japanese.count("\n## ")
    kept = ("BEGIN ORDERS", "BEGIN PRESS", "pbem ")
    assert [word for word in kept if (word in english) != (word in japanese)] == []


IMPERATIVES = re.compile(
    r"(Avoid|Back|Connect|Correct|Find|Handle|Hold|Install|Play|Publish|Run|Say|Schedule|Set|Troubleshoot|Upgrade|Verify|Write)\b"
)


@pytest.mark.parametrize("page", sorted(DOCS.glob("how-to/*.md")), ids=lambda page: page.stem)
def test_the_title_of_a_how_to_is_an_imperative(page):
    if page.name.endswith(".ja.md"):
        return
    title = page.read_text("utf-8").partition("\n")[0].removeprefix("# ")
    assert IMPERATIVES.match(title)
    assert page.stem.split("-")[0] == title.split()[0].casefold()


def test_the_japanese_page_of_orders_says_what_the_program_reads_and_writes():
    english, japanese = (
        (DOCS / name).read_text("utf-8") for name in ("reference/orders.md", "reference/orders.ja.md")
    )
    rows = re.findall(r"^\| .* \|$", english.partition("## Japanese")[2].partition("##")[0], re.MULTILINE)
    assert len(rows) > 8
    assert [row for row in rows if row not in japanese] == []
    for name in ("reference/orders.md", "reference/orders.ja.md"):
        found = [read(text).blocks for text in blocks(DOCS / name, "", "text")]
        assert len([block for blocks in found for block in blocks]) >= 3
        assert [block.problem for blocks in found for block in blocks if block.problem] == []
    texts = messages("pbem.report", "ja").values()
    told = japanese.partition("## 受領書の語")[2].partition("\n## ")[0]
    words = re.findall(r"^\| ([^|]+?) \|", told, re.MULTILINE)[2:]
    assert len(words) > 5
    assert [word for word in words if not any(word in text for text in texts)] == []


# -- the site ----------------------------------------------------------------------------------------------------------


def _hook():
    """The hook that makes pages and rewrites links."""
    spec = importlib.util.spec_from_file_location("docs_pages", ROOT / ".ci" / "docs_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOOK = _hook()
PAGE_OF = {
    path.relative_to(ROOT).as_posix(): path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")
}
PAGE_OF |= HOOK.COPIES
"""Source of a page → its place on the site."""


@pytest.mark.parametrize("source", sorted(PAGE_OF))
def test_every_link_of_a_page_leads_to_a_page(source):
    text = (ROOT / source).read_text("utf-8")
    assert HOOK.rewritten(text, source).count("](") == text.count("](")


@pytest.mark.parametrize(
    "link", ["nowhere.md", "../pbem/kernel/game.py", "../examples", "tutorials", "../README.md"]
)
def test_a_link_that_leads_to_no_page_fails_the_build(link):
    with pytest.raises(LookupError, match="leads to no page"):
        HOOK.rewritten(f"See [this]({link}).", "docs/index.md")
    with pytest.raises(LookupError, match="leads to no page"):
        HOOK.rewritten(f"![this]({link})", "docs/index.md")


def test_links_are_rewritten_from_where_their_source_is():
    text = "[a](../../CONTRIBUTING.md#gates) [b](../reference/orders.md) [c](https://x.example) `[d](e.md)`"
    text = text.replace(" `[d](e.md)`", "\n```text\n[d](e.md)\n```\n")
    assert HOOK.rewritten(text, "docs/how-to/install.md") == text.replace(
        "../../CONTRIBUTING.md#gates", "../contributing.md#gates"
    )
    text = "[a](docs/index.md) [b](games/virgin_queen/README.md)"
    assert HOOK.rewritten(text, "CONTRIBUTING.md") == "[a](index.md) [b](reference/games/virgin-queen.md)"


class _Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.ids = [], set()

    def handle_starttag(self, tag, attrs):
        told = dict(attrs)
        self.links += [told[name] for name in ("href", "src") if told.get(name)]
        self.ids |= {told[name] for name in ("id", "name") if told.get(name)}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The built site: file → its links and anchors."""
    folder = tmp_path_factory.mktemp("site")
    words = ["build", "--strict", "-q", "-f", ROOT / "mkdocs.yml", "-d", folder]
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = {}
    for path in folder.rglob("*.html"):
        found[path] = _Links()
        found[path].feed(path.read_text("utf-8"))
    return folder, found


def _led_to(path, link):
    """The file and the anchor that a link of a built page leads to; None outside the site."""
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return None
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    return target / "index.html" if target.is_dir() else target, unquote(parts.fragment)


built = pytest.mark.skipif(
    not all(importlib.util.find_spec(package) for package in ("mkdocs", "mkdocstrings")),
    reason="no MkDocs: pip install -e .[docs]",
)


@pytest.mark.slow
@built
def test_every_link_of_the_site_leads_somewhere(site):
    folder, found = site
    assert len(found) > 40
    wrong = []
    for path, page in found.items():
        for link in page.links if path.name != "404.html" else ():
            led = _led_to(path, link)
            if led is None:
                continue
            target, anchor = led
            if not target.exists() or (anchor and target in found and anchor not in found[target].ids):
                wrong.append((str(path.relative_to(folder)), link))
    assert wrong == []
    assert "ハプスブルク" in (folder / "reference" / "glossary" / "index.html").read_text("utf-8")


def _file(folder, page):
    """The built file of a page, or of a picture."""
    place = Path(page)
    if place.suffix != ".md":
        return folder / place
    return folder / (place.parent if place.stem == "index" else place.with_suffix("")) / "index.html"


@pytest.mark.slow
@built
def test_every_link_of_a_source_page_is_a_link_of_its_built_page(site):
    folder, found = site
    checked, missing = 0, []
    for source, page in PAGE_OF.items():
        path = _file(folder, page)
        there = {_led_to(path, link) for link in found[path].links}
        text = HOOK.rewritten((ROOT / source).read_text("utf-8"), source)
        for _, link in HOOK._LINK.findall("".join(HOOK._FENCE.split(text)[::2])):
            if ":" in link:
                continue
            target, _, anchor = link.partition("#")
            led = (
                _file(folder, posixpath.normpath(posixpath.join(posixpath.dirname(page), target)))
                if target
                else path
            )
            checked += 1
            if (led, unquote(anchor)) not in there:
                missing.append((source, link))
    assert missing == []
    assert checked > 100


@pytest.mark.parametrize(
    "page",
    [
        *sorted(DOCS.rglob("*.md")),
        *sorted(ROOT.glob("games/*/README.md")),
        *sorted(ROOT.glob("examples/**/README.md")),
        *sorted(ROOT.glob("*.md")),
    ],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_modules_that_a_page_names_are_there(page):
    files = {
        f"/{path.relative_to(ROOT).as_posix()}"
        for folder in ("pbem", "games", "examples", "tests", ".ci")
        for path in (ROOT / folder).rglob("*.py")
    }
    named = re.findall(r"`((?:[\w.]+/)*\w+\.py)(?:::\w+)?`", page.read_text("utf-8"))
    assert [name for name in named if not any(file.endswith(f"/{name}") for file in files)] == []


@pytest.mark.parametrize("page", sorted(ROOT.glob("games/*/README.md")), ids=lambda page: page.parent.name)
def test_names_of_modules_in_the_readme_of_a_game_are_there(page):
    modules: dict[str, str] = {}
    for path in page.parent.rglob("*.py"):
        modules[path.stem] = modules.get(path.stem, "") + path.read_text("utf-8")
    spans = re.findall(r"`([^`\n]+)`", page.read_text("utf-8"))
    named = [found for span in spans for found in re.findall(r"\b(\w+)\.([A-Z]\w+)\b", span)]
    assert [
        f"{module}.{name}" for module, name in named if not re.search(rf"\b{name}\b", modules.get(module, ""))
    ] == []
