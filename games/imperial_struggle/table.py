"""The table of this game: its state and its components, typed."""

from __future__ import annotations

from games.imperial_struggle.components import Components
from games.imperial_struggle.state import State
from pbem.kernel import kit, table

Table = table.Table[State, Components]
KIT: kit.Kit[Table] = kit.Kit()
