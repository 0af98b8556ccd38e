"""Pages of the site that are made from files outside `docs`, and the links to them.

A hook of MkDocs. The games' READMEs, CONTRIBUTING and others become pages. A link to a page's source becomes a
link to the page. A link that leads to no page fails the build.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

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

_LINK = re.compile(r"(!?\[(?:[^\[\]]|\[[^\]]*\])*\])\(([^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```[^\n]*$)", re.DOTALL | re.MULTILINE)


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made."""
    from mkdocs.structure.files import File

    for source, path in COPIES.items():
        files.append(File.generated(config, path, content=(ROOT / source).read_text("utf-8")))
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
    """Return the text of a file of the repository with the links of its page. LookupError names a dead link."""
    parts = _FENCE.split(markdown)
    parts[::2] = [_LINK.sub(lambda found: f"{found[1]}({_target(found[2], source)})", part) for part in parts[::2]]
    return "".join(parts)


def _target(link: str, source: str) -> str:
    path, mark, anchor = link.partition("#")
    if not path or ":" in path:
        return link
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if target not in COPIES and not (target.startswith("docs/") and (ROOT / target).is_file()):
        raise LookupError(f"{source}: the link to '{link}' leads to no page. Link a page, or name the file.")
    page, place = (COPIES.get(file, file.removeprefix("docs/")) for file in (target, source))
    return f"{posixpath.relpath(page, posixpath.dirname(place) or '.')}{mark}{anchor}"
