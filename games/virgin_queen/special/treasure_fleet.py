"""The treasure fleet (23.2)."""

from __future__ import annotations

from games.virgin_queen.unwritten import left

left("23.2", 7)
