"""The draw phase (12; house cards and hands: 10.2, 12.4), and the end of lasting cards (10.4)."""

from __future__ import annotations

from games.crown_of_roses.blocks import leave
from games.crown_of_roses.components import RosesComponents
from games.crown_of_roses.query import control, king_house, operations
from games.crown_of_roses.state import INACTIVE, RosesState
from games.crown_of_roses.table import KIT, Table
from games.crown_of_roses.tie_breaks import ranked
from pbem.kernel.game import Play

KIT.chapter("10.4", "lasting cards", "draw.py", "action.py")
KIT.chapter("12.1", "hands", "draw.py")
KIT.chapter("12.3", "bonus draws", "draw.py")
KIT.chapter("12.4", "house cards and hands", "draw.py")
KIT.chapter("13", "number of impulses", "draw.py")


@KIT.phase("draw")
def draw_phase(table: Table) -> Play:
    """Draw cards, most influence first; the smallest hand gives the number of impulses (12.0, 13.0)."""
    state = table.state
    playing = [key for key, house in state.houses.items() if not house.out]
    income = {key: house.income for key, house in state.houses.items()}
    for house in (yield from ranked(table, playing, income, "draw", "12.0")):
        draw(table, house, due(table, house))
    state.impulses = min(len(operations(table.c, state.houses[key].hand)) for key in playing)
    state.impulse = 1
    state.phase = "command" if state.impulses else "influence"
    table.log("impulse.count", rule="13.0", count=state.impulses)


def bonus(table: Table, house: str) -> int:
    """Return the number of bonus cards, before the limit of 12.1 (12.3)."""
    state, c = table.state, table.c
    hand = c.numbers.hand
    found = c.support[state.houses[house].support].cards
    found += hand.london if control(table, "london") == house else 0
    found += hand.calais if control(table, "calais") == house else 0
    found += hand.king if king_house(state) == house else 0
    found += hand.warwick if len(state.houses) < 4 and state.blocks["lord_warwick"].owner == house else 0
    return found


def due(table: Table, house: str) -> int:
    """Return the number of cards to draw: five and up to four more, less operations cards kept (12.1, 12.2)."""
    hand = table.c.numbers.hand
    carried = len(operations(table.c, table.state.houses[house].hand))
    most = min(hand.base + min(bonus(table, house), hand.max_bonus), hand.maximum)
    return max(0, most - carried)


def draw(table: Table, house: str, count: int) -> list[str]:
    """Draw cards into a hand; the discards are shuffled when the deck is empty (12.0). Returns the cards drawn."""
    drawn = [card for card in (take_top(table) for _ in range(count)) if card]
    table.state.houses[house].hand += drawn
    table.log("draw.cards", rule="12.0", house=house, count=len(drawn), private={house: {"cards": drawn}})
    return drawn


def take_top(table: Table) -> str:
    """Return the top card of the deck, "" if there is none even after a reshuffle."""
    state = table.state
    if not state.deck and state.discards:
        state.deck, state.discards = state.discards, []
        table.shuffle(state.deck)
        table.log("draw.reshuffle", rule="12.0")
    return state.deck.pop() if state.deck else ""


def discard(table: Table, card: str) -> None:
    """Discard an operations card; a house card leaves the game (10.4, 14.2)."""
    c: RosesComponents = table.c
    (table.state.removed if c.cards[card].house else table.state.discards).append(card)


OPERATIONS = "ops_phase"
COMBAT = ("combat_step", "until_end_of_combat_step")
KING = "until_king_phase_or_eliminated"
LASTING = (OPERATIONS, *COMBAT, KING)
"""Durations of cards that are on the table for a time."""


def _end(table: Table, *durations: str) -> None:
    state: RosesState = table.state
    over = [card for card in state.lasting if table.c.cards[card].duration in durations]
    for card in over:
        state.lasting.remove(card)
        discard(table, card)
    if over:
        table.log("lasting.over", rule="10.4", cards=over)


def impulse_over(table: Table) -> None:
    """End Embassy, Love Day and additions to command after the combat of an impulse (14.2.2)."""
    state: RosesState = table.state
    state.boosts, state.embassy = {}, None
    _end(table, *COMBAT)


def operations_over(table: Table) -> str:
    """Return the phase after the last impulse (13.2, 14.1.3): with Affairs of State the King Phase."""
    state: RosesState = table.state
    _end(table, OPERATIONS)
    after = "king" if state.affairs else "influence"
    state.affairs = False
    return after


def dismiss_events(table: Table) -> None:
    """Remove rebels from the map; mercenaries become inactive, with their cards (24.1.2, `blocks.leave`)."""
    state: RosesState = table.state
    state.rebels = {}
    for key, block in state.blocks.items():
        if table.c.blocks[key].kind == "mercenary" and block.owner:
            leave(table, key, INACTIVE)
