"""Pages of the site that are made from files outside `docs`, and the links to them.

A hook of MkDocs. The games' READMEs, CONTRIBUTING and others become pages; house rules and the glossary are written
from the games. A link to a page's source becomes a link to the page. A link that leads to no page fails the build.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(ROOT))

import games  # noqa: E402
from pbem.kernel.referee import components_of  # noqa: E402
from pbem.report.catalogue import messages  # noqa: E402

COPIES = {
    "games/sixteen_thirty/README.md": "reference/games/1630.md",
    "games/imperial_struggle/README.md": "reference/games/imperial-struggle.md",
    "games/virgin_queen/README.md": "reference/games/virgin-queen.md",
    "games/crown_of_roses/README.md": "reference/games/crown-of-roses.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "examples/README.md": "examples.md",
}
"""Files of the repository and the pages that they become."""

MADE = {"reference/house-rules.md": lambda: options(), "reference/glossary.md": lambda: glossary()}
"""Pages that are written from the games, as long as `docs` has no file of that name."""

_LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```[^\n]*$)", re.DOTALL | re.MULTILINE)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    made = {path: (ROOT / source).read_text("utf-8") for source, path in COPIES.items()}
    made |= {path: "\n".join(lines()) for path, lines in MADE.items() if not (DOCS / path).is_file()}
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rewrite the links of a page for the site."""
    place = page.file.src_uri
    source = next((source for source, path in COPIES.items() if path == place), f"docs/{place}")
    try:
        return rewritten(markdown, source)
    except LookupError as problem:
        from mkdocs.exceptions import PluginError

        raise PluginError(str(problem)) from None


def rewritten(markdown: str, source: str) -> str:
    """The text of a file of the repository with the links of its page. LookupError names a link without a target."""
    parts = _FENCE.split(markdown)
    parts[::2] = [_LINK.sub(lambda found: f"{found[1]}({_target(found[2], source)})", part) for part in parts[::2]]
    return "".join(parts)


def _target(link: str, source: str) -> str:
    path, mark, anchor = link.partition("#")
    if not path or ":" in path:
        return link
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    page = COPIES.get(target, target.removeprefix("docs/"))
    if not (target in COPIES or page in MADE or (page != target and (ROOT / target).is_file())):
        raise LookupError(f"{source}: the link to '{link}' leads to no page. Link a page, or name the file in backticks.")
    place = COPIES.get(source, source.removeprefix("docs/"))
    return f"{posixpath.relpath(page, posixpath.dirname(place) or '.')}{mark}{anchor}"


def options() -> Iterator[str]:
    """Write the house rules of every game."""
    yield "# House rules\n"
    yield "Choose with `pbem new GAME --option NAME=VALUE`. The default applies to the rest.\n"
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
    """Write the words of the games in English and Japanese, from the names and messages that emails use."""
    yield "# Glossary\n"
    yield "The words of emails and screens in both languages (用語集). Orders take either, and the id.\n"
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
