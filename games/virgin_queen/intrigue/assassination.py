"""Assassinations (19.3)."""

from __future__ import annotations

from games.virgin_queen.table import KIT
from games.virgin_queen.unwritten import left, part

KIT.chapter("19.3", "assassinations")
left("19.3", 105)
part("19.3", 89)
