"""The table of this game: its state and its components, typed."""

from __future__ import annotations

from games.crown_of_roses.components import Components
from games.crown_of_roses.state import State
from pbem.kernel import kit, table

Table = table.Table[State, Components]
KIT: kit.Kit[Table] = kit.Kit()
