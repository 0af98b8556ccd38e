"""How wide a text is on a screen."""

from __future__ import annotations

import unicodedata


def cells(text: str) -> int:
    """The cells of a text, wide letters counting two."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)
