"""The table of this game, typed, and the kit with which its chapters register."""

from __future__ import annotations

from games.virgin_queen.components import QueenComponents
from games.virgin_queen.state import QueenState
from pbem.kernel import kit, table

Table = table.Table[QueenState, QueenComponents]
KIT: kit.Kit[Table] = kit.Kit()
HIT = 5
"""A die that shows so much hits, in battle, piracy, espionage and revolts."""
