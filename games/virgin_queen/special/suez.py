"""The Suez canal (23.1)."""

from __future__ import annotations

from games.virgin_queen.table import KIT
from games.virgin_queen.unwritten import part

KIT.chapter("23.1", "the Ottomans: the Suez canal")
part("23.1", 1)
