"""Affairs of State (14.1.3): a card from the deck is used instead, and the phase ends with the impulse."""

from __future__ import annotations

from games.crown_of_roses.draw import take_top
from games.crown_of_roses.events.common import event
from games.crown_of_roses.state import ActionStep
from games.crown_of_roses.table import KIT, Table
from pbem.kernel.game import Play


@event("affairs_of_state")
def affairs_of_state(table: Table, house: str, card: str) -> Play:
    """57 The top card is shown and discarded: a mandatory event, else OPS; the phase ends after combat."""
    state = table.state
    state.affairs = True
    drawn = take_top(table)
    if not drawn:
        return
    state.discards.append(drawn)
    face = table.c.cards[drawn]
    table.log("affairs.drawn", rule="14.1.3", house=house, card=drawn, ops=face.ops, learns=True)
    if face.type == "mandatory":
        yield from KIT.entries["event"][drawn].run(table, house, drawn)
    else:
        state.step = ActionStep(house, drawn, face.ops)
