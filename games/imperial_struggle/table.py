"""The table of this game: its state and its components, typed."""

from __future__ import annotations

from games.imperial_struggle.components import StruggleComponents
from games.imperial_struggle.state import StruggleState
from pbem.kernel import kit, table

Table = table.Table[StruggleState, StruggleComponents]
KIT: kit.Kit[Table] = kit.Kit()
