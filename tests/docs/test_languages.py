"""The Japanese pages: each has an English one, the site says its language, and no line break becomes a blank."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
JAPANESE = sorted([*DOCS.rglob("*.ja.md"), *ROOT.glob("*.ja.md")])


@pytest.fixture(scope="module")
def hook():
    spec = importlib.util.spec_from_file_location("docs_languages", ROOT / ".ci" / "docs_languages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", JAPANESE, ids=lambda page: page.name)
def test_a_japanese_page_has_an_english_one_with_the_same_chapters(page):
    english = page.with_name(page.name.replace(".ja.md", ".md"))
    chapters = [len(re.findall(r"^##+ ", part.read_text("utf-8"), re.MULTILINE)) for part in (page, english)]
    assert chapters[0] == chapters[1]


@pytest.mark.parametrize("page", JAPANESE, ids=lambda page: page.name)
def test_no_line_of_a_japanese_paragraph_goes_on_in_the_next(page, hook):
    text = page.read_text("utf-8")
    assert hook.joined(text) == text


def test_lines_are_joined_where_no_blank_belongs(hook):
    assert hook.joined("答えを\n書きます。\n\n次の段落。") == "答えを書きます。\n\n次の段落。"
    assert hook.joined("設定は\n`grace`\nです。\n- 項目") == "設定は`grace`です。\n- 項目"
    assert hook.joined("手順:\n1. 読む\n2. 書く") == "手順:\n1. 読む\n2. 書く"
    assert hook.joined("```\n文は\n文\n```") == "```\n文は\n文\n```"
    assert hook.joined("two\nlines") == "two\nlines"


def test_a_page_in_both_languages_has_a_switch(hook):
    def file(name):
        return SimpleNamespace(src_uri=name, url=name.removesuffix(".md") + "/")

    pages = [file(name) for name in ("a/b.md", "a/b.ja.md", "c.md")]
    hook.on_files(SimpleNamespace(documentation_pages=lambda: pages), None)
    for source, languages in (("a/b.md", ["en", "ja"]), ("a/b.ja.md", ["en", "ja"]), ("c.md", [])):
        config = SimpleNamespace(extra={})
        hook.on_page_context({}, SimpleNamespace(file=file(source)), config)
        assert [entry["lang"] for entry in config.extra["alternate"]] == languages
    assert hook.on_post_page('<html lang="en" class="x">', SimpleNamespace(file=pages[1])).startswith(
        '<html lang="ja"'
    )


@pytest.mark.slow
@pytest.mark.skipif(not importlib.util.find_spec("mkdocs"), reason="no MkDocs: pip install -e .[docs]")
def test_the_built_site_says_the_language_of_each_page(tmp_path):
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path)))
    for page in DOCS.rglob("*.ja.md"):
        place = page.relative_to(DOCS)
        html = (tmp_path / place.with_suffix("") / "index.html").read_text("utf-8")
        assert '<html lang="ja"' in html, place
        assert re.search(r'hreflang="?en"?', html), place
    assert '<html lang="en"' in (tmp_path / "explanation/performance/index.html").read_text("utf-8")
