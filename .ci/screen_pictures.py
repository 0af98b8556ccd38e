"""Draw the pictures of the terminal that the pages show: `python .ci/screen_pictures.py`."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from pbem.tui import screenshots  # noqa: E402

PICTURES = {"tui-map": ("spain", "map", (144, 45)), "tui-questions": ("protestant", "questions", (160, 46))}
"""Picture → seat, screen, columns and lines."""

for name, (seat, screen, size) in PICTURES.items():
    screenshots.SIZE = size
    with tempfile.TemporaryDirectory() as folder:
        save = Path(shutil.copy(ROOT / "saves" / "vq-interception.toml", folder))
        for picture in screenshots.shoot(save, Path(folder) / "shots", seat=seat, language="en"):
            if picture.stem == screen:
                shutil.copyfile(picture, ROOT / "docs" / "img" / f"{name}.svg")
