"""Boxes that hold widgets side by side or below each other and draw nothing but their background.

Textual draws and keeps each line of a container as if it had a text: for a room of eight boxes some two thousand.
"""

from __future__ import annotations

from typing import ClassVar

from textual.containers import Horizontal, Vertical


class Columns(Horizontal):
    """Widgets side by side, without a border."""

    BLANK: ClassVar[bool] = True


class Rows(Vertical):
    """Widgets below each other, without a border."""

    BLANK: ClassVar[bool] = True
