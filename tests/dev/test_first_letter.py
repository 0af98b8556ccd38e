"""What the first letter of a run does not import: each of these takes a hundredth of what it costs, or more."""

from __future__ import annotations

import os
import subprocess
import sys

import games
from tests.bench import cold

NOT_NEEDED = (
    "concurrent.futures",
    "difflib",
    "importlib.metadata",
    "importlib.resources",
    "json",
    "logging",
    "mailbox",
    "multiprocessing",
    "rich",
    "ssl",
    "subprocess",
    "tempfile",
    "textual",
)


def test_one_letter_is_taken_in_with_few_modules(tmp_path):
    letter = cold._letter(tmp_path, games.load("sixteen_thirty"))
    # The first run may have to parse the tables of the game; from then on they are kept (pbem/data_cache.py).
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    for run in ("first", "second"):
        words = letter.prepare(tmp_path / run)
        code = (
            "import sys\nfrom pbem.cli import main\n"
            f"try: main({words[2:]!r})\n"
            f"finally: print([name for name in {NOT_NEEDED!r} if name in sys.modules], file=sys.stderr)"
        )
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        assert "taken" in done.stdout + done.stderr
    assert done.stderr.rstrip().endswith("[]")
