#!/usr/bin/env python3
"""Print the lowest versions that pyproject.toml allows, as constraints for pip: `pip install -c FILE .`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    """One line for each dependency of the programme itself that names a lower bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    keyring = project["optional-dependencies"]["keyring"]
    for line in [*project["dependencies"], *keyring]:
        found = re.match(r"([\w.-]+)\s*>=\s*([\w.]+)", line)
        if found:
            print(f"{found[1]}=={found[2]}")


if __name__ == "__main__":
    main()
