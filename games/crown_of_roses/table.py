"""The table of this game: its state and its components, typed."""

from __future__ import annotations

from games.crown_of_roses.components import RosesComponents
from games.crown_of_roses.state import RosesState
from pbem.kernel import kit, table

Table = table.Table[RosesState, RosesComponents]
KIT: kit.Kit[Table] = kit.Kit()
