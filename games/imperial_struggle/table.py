"""The table of this game: its state and its components, typed."""

from __future__ import annotations

from games.imperial_struggle.components import Components
from games.imperial_struggle.state import State
from pbem.kernel import table

Table = table.Table[State, Components]
