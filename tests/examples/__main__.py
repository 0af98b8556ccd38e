"""`python -m tests.examples [--into FOLDER] [GAME]...`: write saves/ and examples/ again; the same bytes every time."""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path

from tests.examples.kit import build_all

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("slugs", nargs="*")
parser.add_argument("--into", type=Path, default=Path())
given = parser.parse_args()
for path in build_all(given.into, given.slugs):
    print(path)  # noqa: T201
if not given.slugs:
    crontab = files("pbem.cli") / "templates" / "crontab"
    (given.into / "examples" / "crontab").write_text(crontab.read_text("utf-8"), "utf-8")
