#!/usr/bin/env python3
"""How many expressions mypy knows nothing of (`Any`), by room and game; no room may have more than it is allowed.

The table `MOST` only falls: who lowers a share lowers its line.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST = {"pbem.kernel": 3.4, "pbem.save": 4.4, "pbem.dev": 4.5}
"""Room or game → the share of `Any` it may have, in percent; 3 for those not named."""
ALLOWED = 3.0


def counts() -> dict[str, tuple[int, int]]:
    """Room or game → expressions that are `Any`, and all."""
    with tempfile.TemporaryDirectory() as folder:
        # Without the cache: mypy counts only what it reads again.
        command = [sys.executable, "-m", "mypy", "-p", "pbem", "-p", "games", "--cache-dir", f"{folder}/cache"]
        command += ["--any-exprs-report", folder]
        told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if told.returncode:
            sys.exit(told.stdout + told.stderr)
        lines = Path(folder, "any-exprs.txt").read_text("utf-8").splitlines()
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for line in lines:
        name, *numbers = line.split()
        parts = name.split(".")
        if len(parts) > 1 and ROOT.joinpath(*parts[:2]).is_dir():
            found[".".join(parts[:2])][0] += int(numbers[0])
            found[".".join(parts[:2])][1] += int(numbers[1])
    return {room: (some, every) for room, (some, every) in sorted(found.items())}


def main() -> None:
    """Print the shares; exit 1 if one is too large."""
    much = []
    for room, (some, every) in counts().items():
        share = 100 * some / every if every else 0.0
        most = MOST.get(room, ALLOWED)
        print(f"{room:26} {share:5.2f} %  of {every:6} expressions; at most {most:.1f}")
        if share > most:
            much.append(room)
    if much:
        sys.exit(f"too many expressions of type Any: {', '.join(much)}")


if __name__ == "__main__":
    main()
