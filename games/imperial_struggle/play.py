"""The sequence of play (2.1, 4.0): Peace Turns (2.3), wars between them (2.4), each phase in the module of its chapter.

A Peace Turn goes from `turn` (upkeep to deal) over `ministry`, `initiative` and eight times `action` to `close`, which
leads to the next `turn`, to a `war` or to the end. A war leads to the next `turn`, perhaps by `planning` (12.2).
"""

from __future__ import annotations

from games.imperial_struggle import rounds, scoring, tiles, upkeep, wartime
from games.imperial_struggle.table import KIT

__all__ = ["play", "rounds", "scoring", "tiles", "upkeep", "wartime"]

play = KIT.play
