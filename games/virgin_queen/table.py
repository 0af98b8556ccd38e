"""The table of this game, typed, and the kit with which its chapters register what they hold."""

from __future__ import annotations

from games.virgin_queen.components import Components
from games.virgin_queen.state import State
from pbem.kernel import kit, table

Table = table.Table[State, Components]
KIT: kit.Kit[Table] = kit.Kit()
