"""The table of this game: its state and its components, typed."""

from __future__ import annotations

from games.sixteen_thirty.components import ThirtyComponents
from games.sixteen_thirty.state import ThirtyState
from pbem.kernel import kit, table

Table = table.Table[ThirtyState, ThirtyComponents]
KIT: kit.Kit[Table] = kit.Kit()

SEATS = ("amber", "black", "green", "ivory", "pink", "violet")
"""The seats of a game of six; fewer players take the first of them."""
