"""Write all texts of the program as Markdown, for textlint and codespell: `python .ci/locale_text.py FOLDER`.

`locale.LANGUAGE.md` has the texts of the locale files, `code.md` the docstrings of the code, one paragraph a text.
Its file and key or line are before it as code, and its placeholders are code, which textlint doesn't look at.
"""

from __future__ import annotations

import ast
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


def docstrings() -> Iterator[str]:
    """Return the docstrings of the code, of attributes as well, without the examples in them."""
    for path in sorted(path for top in ("pbem", "games") for path in (ROOT / top).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    said = " ".join(text.partition(">>>")[0].split())
                    yield f"`{path.relative_to(ROOT).as_posix()}:{node.lineno}` {said}\n"


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
    (folder / "code.md").write_text("\n".join(docstrings()), "utf-8")
