"""Gaining intelligence (19.1)."""

from __future__ import annotations

from games.virgin_queen.table import KIT
from games.virgin_queen.unwritten import left

KIT.chapter("19.1", "gaining intelligence")
left("19.1", 91, 102)
