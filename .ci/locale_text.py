"""Write the texts of all locale files as Markdown, for textlint and codespell: `python .ci/locale_text.py FOLDER`.

One file a language, one paragraph a text. Its file and key stand before it as code, and
its placeholders are code, which textlint doesn't look at.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_PLACEHOLDER = re.compile(r"\{\w+(?::\w+)?\}")


def texts(language: str) -> Iterator[str]:
    """Return the paragraphs of a language."""
    for path in sorted(ROOT.glob(f"*/*/locale/{language}.toml")):
        for key, text in _flat(tomllib.loads(path.read_text("utf-8"))):
            line = " ".join(_PLACEHOLDER.sub(r"`\g<0>`", text.replace("`", "'")).split())
            if any(sign.isalpha() for sign in line):
                yield f"`{path.relative_to(ROOT).as_posix()} {key}` {line}\n"


def _flat(table: dict[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        elif isinstance(value, str):
            yield f"{before}{key}", value


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for language in ("en", "ja"):
        (folder / f"locale.{language}.md").write_text("\n".join(texts(language)), "utf-8")
