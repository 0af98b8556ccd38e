"""Cards of the special procedures (23.2, 23.7): 7, 71, 72, 99, 104 (texts in `data/cards.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.virgin_queen import fleets, impulse
from games.virgin_queen.events.common import announce, choose, event, played
from games.virgin_queen.special import armada, foreign_war
from games.virgin_queen.special.armada_actions import UPGRADE, in_yard
from games.virgin_queen.special.treasure_fleet import treasure_fleet
from games.virgin_queen.state import ARMADA, SPAIN
from games.virgin_queen.table import Table
from pbem.kernel.game import Rule

WORKS = (
    UPGRADE, "regular_aboard", "mercenary_aboard", "naval_move", "armada_lift", "armada_land", "embark", "disembark",
    "assault", "command",
)  # fmt: skip
"""#99 What its CP may be spent on."""
INDULGENCE = (UPGRADE, "regular_aboard")
AFTER_PLACING, INDULGENCE_CP = 3, 6
FEWEST_FOES = 2
"""#71, #72 The foreign army is a die, but no fewer."""


def yards(table: Table) -> list[str]:
    """23.2 Return where the Armada may be built: Seville, Corunna, Lisbon, under Spain and without unrest."""
    state = table.state
    if state.armada or state.powers[SPAIN].used.get(armada.LOST):
        return []
    ports = table.c.special["armada"]["ports"]
    return [at for at in ports if state.control[at] == SPAIN and at not in state.unrest]


@event("spanish-armada", lambda table, power: bool(table.state.armada or yards(table)))
def spanish_armada(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[None]:
    """Resolve #99: build the Armada with strength 2, then 3 CP for it; all CP of the card if it sails already."""
    state, card = table.state, "spanish-armada"
    points = table.c.cards[card].cp
    if not state.armada:
        at = yield from choose(table, SPAIN, card, "place", yards(table))
        state.armada = int(table.c.special["armada"]["start_strength"])
        fleets.put(table, at, SPAIN, SPAIN, {ARMADA: 1})
        table.log("build.ship", rule="23.2", power=SPAIN, space=at, owner=SPAIN, kind=ARMADA)
        points = AFTER_PLACING
    yield from impulse.spend(table, SPAIN, points, "event", WORKS)


@event("armada-indulgence", lambda table, power: in_yard(table))
def armada_indulgence(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[None]:
    """Resolve #104: 6 CP for upgrades and regulars aboard, in Seville, Corunna or Lisbon."""
    yield from impulse.spend(table, SPAIN, INDULGENCE_CP, "event", INDULGENCE)


@event("treasure-fleet")
def sail_treasure_fleet(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[None]:
    """#7 The procedure of the treasure fleet (23.2)."""
    yield from treasure_fleet(table)


def _foreign_war(card: str) -> None:
    foe = foreign_war.FIGHTS[card]

    def aim(table: Table, power: str) -> Rule[Mapping[str, Any]]:
        yield from ()
        return announce(table, power, card, {"target": foe})

    @event(card, lambda table, power: played(table, foe), aim)
    def run(table: Table, power: str, aim: Mapping[str, Any]) -> Rule[None]:
        """#71, #72 The Ottomans or the Empire send an army; then a die tells how strong the enemy is."""
        yield from foreign_war.send(table, card)
        roll = table.roll(1, "foreign.rolls", rule="6.1", power=power, card=card).total
        foreign_war.begin(table, card, max(FEWEST_FOES, roll))


for _card in foreign_war.FIGHTS:
    _foreign_war(_card)
