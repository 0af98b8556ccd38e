"""The table of this game: its state and its components, typed."""

from __future__ import annotations

from games.virgin_queen.components import Components
from games.virgin_queen.state import State
from pbem.kernel import table

Table = table.Table[State, Components]
