"""Scientific bonuses (22.2): which power has which, and the treasure that brings one (11).

Where they act: Telescope 13.2, 13.3, 16.1; Ravelin and Excavation 15.1, Excavation also 23.1; Anatomy 14; Dry Dock
16.2, 17.3; Map Projection 16.1; Plantation 8.4, 17.4; Coastal Fortification 8.2; Cryptography 19; Observatory 22.2.
"""

from __future__ import annotations

from games.virgin_queen.query import seat_of
from games.virgin_queen.table import KIT, Table
from pbem.kernel.domains import Choice
from pbem.kernel.game import Rule

KIT.chapter("22.2", "scientists and scientific bonuses", "learning/")
_ask_bonus = KIT.question("science", "22.2")

OBSERVATORY, ANATOMY, EXCAVATION = "observatory", "anatomy", "excavation"


def on_offer(table: Table, power: str) -> list[str]:
    """22.2 Return the bonuses that a power can use and no power has (ruling 80)."""
    taken = {bonus for own in table.state.powers.values() for bonus in own.science}
    return [key for key, science in table.c.science.items() if key not in taken and power in science["powers"]]


def has(table: Table, power: str, bonus: str) -> bool:
    """Return whether a major power has a bonus."""
    own = table.state.powers.get(power)
    return own is not None and bonus in own.science


def gain(table: Table, power: str, bonus: str) -> None:
    """22.2 Give a bonus to a power; no other can get it then."""
    table.state.powers[power].science.append(bonus)
    table.log("science.gained", rule="22.2", power=power, bonus=bonus)


@KIT.entry("science", "22.2", lambda table, power, _: bool(on_offer(table, power)))
def treasure(table: Table, power: str, _: None) -> Rule[None]:
    """11 Spend a treasure for a bonus at once, as if by patronage."""
    offer = on_offer(table, power)
    bonus = offer[0]
    if len(offer) > 1:
        bonus = yield from _ask_bonus(seat_of(table.state, power), Choice(offer, "bonus"), bonus, power=power)
    gain(table, power, bonus)
