"""Cards of foreign wars (23.7): 71, 72 (texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen.events.common import announce, event, played
from games.virgin_queen.special import foreign_war
from games.virgin_queen.table import Table
from pbem.kernel.game import Rule

FEWEST = 2
"""The foreign army is one die, but at least this many."""


def _war(card: str) -> None:
    foe = foreign_war.FIGHTS[card]

    def aim(table: Table, power: str) -> Rule[Mapping[str, Any]]:
        yield from ()
        return announce(table, power, card, {"target": foe})

    @event(card, lambda table, power: played(table, foe), aim)
    def run(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[None]:
        """Resolve #71, #72: the Ottomans or the Empire send an army; a die gives the enemy's strength."""
        yield from foreign_war.send(table, card)
        roll = table.roll(1, "foreign.rolls", rule="6.1", power=power, card=card).total
        foreign_war.begin(table, card, max(FEWEST, roll))


for _card in foreign_war.FIGHTS:
    _war(_card)
