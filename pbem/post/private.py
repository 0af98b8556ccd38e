"""Files that their owner alone may read: they tell who has not answered, or hold letters."""

from __future__ import annotations

import os


def private(path: str, flags: int) -> int:
    """An opener for such a file (`open(…, opener=private)`)."""
    return os.open(path, flags, 0o600)
