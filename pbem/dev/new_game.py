"""The tutorial game under another name, for `pbem dev new-game`. It passes its rule tests and leaks nothing."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

SLUG, TITLE = "lanterns", {"en": "Lanterns", "ja": "灯籠"}


class NameTaken(ValueError):
    """A name that isn't a valid package name or is in use; the message says which."""


def template() -> Path:
    """Return the folder of the tutorial game: in the wheel next to this module, in a checkout under `examples`."""
    here = Path(str(files("pbem.dev"))) / SLUG
    return here if here.is_dir() else here.parents[2] / "examples" / SLUG


def new_game(name: str, folder: Path, taken: Sequence[str] = ()) -> list[Path]:
    """Write the game into `folder` and return the files. Raises FileExistsError, or `NameTaken`."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        raise NameTaken(f"'{name}': use lower-case letters, digits and _, beginning with a letter")
    if name in {*sys.stdlib_module_names, "pbem", "games", *taken}:
        raise NameTaken(f"'{name}' is already a game or a module here")
    title = name.replace("_", " ").title()
    written = []
    for source in sorted(path for path in template().rglob("*") if path.is_file()):
        if "__pycache__" in source.parts or source.name == "README.md":
            continue
        text = source.read_text("utf-8").replace(SLUG, name)
        for word in TITLE.values():
            text = text.replace(word, title)
        target = folder / str(source.relative_to(template())).replace(SLUG, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
        written.append(target)
    return written
