"""Treasure Fleet (#7; text in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen.events.common import event
from games.virgin_queen.special.treasure_fleet import treasure_fleet
from games.virgin_queen.table import Table
from pbem.kernel.game import Rule


@event("treasure-fleet")
def run(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[None]:
    """Resolve #7: execute the procedure of the treasure fleet (23.2)."""
    yield from treasure_fleet(table)
