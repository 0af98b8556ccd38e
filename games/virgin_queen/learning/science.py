"""Scientific bonuses (22.2): who has which, and what they do where no other chapter says so."""

from __future__ import annotations

from games.virgin_queen.table import KIT, Table

KIT.chapter("22.2", "scientists and scientific bonuses")


def on_offer(table: Table, power: str) -> list[str]:
    """22.2 The bonuses that a power can use and nobody has (ruling 80)."""
    taken = {bonus for own in table.state.powers.values() for bonus in own.science}
    return [key for key, one in table.c.science.items() if key not in taken and power in one["powers"]]
