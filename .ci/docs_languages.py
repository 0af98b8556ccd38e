"""The languages of the site: a switch on pages that are there in both, `<html lang>`, and Japanese line breaks.

A hook of MkDocs. The Japanese page of `PAGE.md` is `PAGE.ja.md`.
"""

from __future__ import annotations

import re
from typing import Any

_PAGES: dict[str, Any] = {}
NAMES = {"en": "English", "ja": "日本語"}
_FENCE = re.compile(r"(^```.*?^```[^\n]*$)", re.DOTALL | re.MULTILINE)
_WIDE = "[\u3000-\u30ff\u3400-\u9fff\uff01-\uff60]"
_BREAK = re.compile(rf"(?<={_WIDE})\n(?=[\w`「（]|\[)(?!\d+\. )|(?<=[\w`)）」])\n(?={_WIDE})")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Join the lines of Japanese paragraphs: a browser shows a line break as a blank."""
    return joined(markdown) if language_of(page.file.src_uri) == "ja" else markdown


def on_files(files: Any, config: Any) -> Any:
    """Remember the pages, so that each finds the other language."""
    _PAGES.clear()
    _PAGES.update({file.src_uri: file for file in files.documentation_pages()})
    return files


def on_page_context(context: Any, page: Any, config: Any, **_: Any) -> Any:
    """Name the page in both languages, for the switch in the head of the theme."""
    found = {language: _PAGES.get(source) for language, source in both(page.file.src_uri).items()}
    links = [{"name": NAMES[lang], "lang": lang, "link": file.url} for lang, file in found.items() if file]
    config.extra["alternate"] = links if len(links) > 1 else []
    return context


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Say in which language a page is."""
    return output.replace('<html lang="en"', f'<html lang="{language_of(page.file.src_uri)}"', 1)


def language_of(source: str) -> str:
    """Return the language of a page by its name."""
    return "ja" if source.endswith(".ja.md") else "en"


def both(source: str) -> dict[str, str]:
    """Return the page in each language."""
    stem = source.removesuffix(".md").removesuffix(".ja")
    return {"en": f"{stem}.md", "ja": f"{stem}.ja.md"}


def joined(markdown: str) -> str:
    """Return the text without line breaks inside of Japanese paragraphs."""
    parts = _FENCE.split(markdown)
    parts[::2] = [_BREAK.sub("", part) for part in parts[::2]]
    return "".join(parts)
