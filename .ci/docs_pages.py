"""Pages of the docs that are made of what stands elsewhere, and links that lead out of `docs`.

A hook of MkDocs. The games' READMEs, CONTRIBUTING and others become pages; house rules and the glossary are written
from the games; a link to a page's source leads to the page, a link to other files of the repository becomes their name.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import games  # noqa: E402
from pbem.kernel.referee import components_of  # noqa: E402
from pbem.report.catalogue import messages  # noqa: E402

COPIES = {
    **{f"games/{slug}/README.md": f"games/{slug}.md" for slug in games.BUILT_IN},
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "examples/README.md": "examples.md",
    "README.md": "index.md",
}
"""Files of the repository and the pages that they are."""

_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```[^\n]*$)", re.DOTALL | re.MULTILINE)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    made = {COPIES[source]: (ROOT / source).read_text("utf-8") for source in COPIES if source != "README.md"}
    made["games/options.md"] = "\n".join(options())
    made["glossary.md"] = "\n".join(glossary())
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links as they are on the site."""
    place = page.file.src_uri
    source = next((source for source, path in COPIES.items() if path == place), f"docs/{place}")
    parts = _FENCE.split(markdown)
    parts[::2] = [_LINK.sub(lambda found: _linked(found, source, place), part) for part in parts[::2]]
    return "".join(parts)


def _linked(found: re.Match[str], source: str, place: str) -> str:
    text, link = found[1], found[2]
    path, mark, anchor = link.partition("#")
    if not path or ":" in path:
        return found[0]
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if target in COPIES:
        target = COPIES[target]
    elif target.startswith("docs/"):
        target = target.removeprefix("docs/")
    elif place in ("glossary.md", "games/options.md"):
        return found[0]
    else:
        return text
    return f"[{text}]({posixpath.relpath(target, posixpath.dirname(place) or '.')}{mark}{anchor})"


def options() -> Iterator[str]:
    """The house rules of every game."""
    yield "# House rules\n"
    yield "`pbem new GAME --option NAME=VALUE` chooses; what is not chosen is as the table says.\n"
    for slug in games.BUILT_IN:
        game = games.load(slug)
        yield f"## {game.title['en']} ({game.title['ja']})\n"
        if not game.options:
            yield "None.\n"
            continue
        yield "| option | default | what it means | 意味 | rule |"
        yield "|---|---|---|---|---|"
        for option in game.options:
            values = f"`{option.id}`: {_cell(option.domain.syntax())}"
            default = option.default
            shown = str(default).lower() if isinstance(default, bool) else str(default)
            english, japanese = _cell(option.text["en"]), _cell(option.text.get("ja", ""))
            yield f"| {values} | `{shown}` | {english} | {japanese} | {option.rule} |"
        yield ""


def glossary() -> Iterator[str]:
    """Words of the games in English and Japanese, from the names and messages that letters use."""
    yield "# Glossary\n"
    yield "The words of letters and screens in both languages (用語集). Orders take either, and the id.\n"
    for slug in games.BUILT_IN:
        game = games.load(slug)
        names = game.names(components_of(game, {})[1])
        yield f"## {game.title['en']} ({game.title['ja']})\n"
        rows = {(text.get("en", ""), text.get("ja", "")): key for key, text in names.names.items()}
        texts = [messages(game.package, language) for language in ("en", "ja")]
        for key, english in texts[0].items():
            if key.startswith(("kind.", "word.", "table.", "track.")) and "{" not in english:
                rows.setdefault((english, texts[1].get(key, "")), key.partition(".")[2])
        yield "| English | 日本語 | id |"
        yield "|---|---|---|"
        for (english, japanese), key in sorted(rows.items(), key=lambda row: row[0][0].casefold()):
            if english and japanese and english != japanese:
                yield f"| {_cell(english)} | {_cell(japanese)} | `{key}` |"
        yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
