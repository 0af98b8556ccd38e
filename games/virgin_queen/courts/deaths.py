"""Deaths of royals (21.4), leaders (5.1) and rulers (23.2 to 23.5), and of Mary, Queen of Scots (23.3)."""

from __future__ import annotations

from games.virgin_queen.state import ENGLAND, FRANCE, GONE, HRE, SPAIN, Betrothal
from games.virgin_queen.table import KIT, Table

KIT.chapter("21.4", "death of a betrothed royal", "courts/deaths.py")
KIT.chapter("23.4", "France: Paris, deaths of rulers", "courts/deaths.py")
KIT.chapter("23.5", "the Empire: deaths of rulers", "courts/deaths.py", "events/courts.py", "victory.py")

MARY, ELIZABETH = "mary_queen_of_scots", "elizabeth_i"
VIRGIN_QUEEN = "the-virgin-queen"
SECTIONS = {SPAIN: "23.2", ENGLAND: "23.3", FRANCE: "23.4", HRE: "23.5"}
ELIZABETH_DIED = "elizabeth_died"
"""In `Power.used` of England: until the turn ends every English Catholic rebellion has Mary's bonus (23.3)."""


def part(table: Table, couple: Betrothal) -> None:
    """21.4 End a betrothal: both are free again, and a wedding marker on one of them is returned."""
    state = table.state
    state.betrothed.remove(couple)
    for royal in couple.couple:
        state.royals[royal].state = "free"
    if state.wedding_marker in couple.couple:
        state.wedding_marker = ""


def royal_dies(table: Table, royal: str) -> None:
    """21.4 Remove a dead royal; a betrothal ends without a bonus. The wed are out of the game already."""
    if leaves_chart(table, royal):
        table.log("event.royal_dies", rule="21.4", royal=royal)


def leaves_chart(table: Table, royal: str) -> bool:
    """21.4 Take a royal off the chart and end the betrothal; return False if it had left before."""
    state = table.state
    entry = state.royals[royal]
    if entry.state in ("dead", "wed"):
        return False
    for betrothal in [couple for couple in state.betrothed if royal in couple.couple]:
        part(table, betrothal)
        table.log("event.betrothal_ends", rule="21.4", couple=betrothal.couple)
    entry.state = "dead"
    return True


def leader_dies(table: Table, leader: str) -> None:
    """5.1 Remove a dead leader, also as a royal (21.4) and as a ruler (23.4)."""
    state = table.state
    entry = state.leaders[leader]
    entry.at, entry.captor = GONE, ""
    table.log("event.dies", rule="5.1", leader=leader)
    for key, royal in table.c.royals.items():
        if royal.leader == leader:
            royal_dies(table, key)
    if state.powers[FRANCE].ruler == leader and not state.powers[FRANCE].ruler_dead:
        ruler_dies(table, FRANCE)


def ruler_dies(table: Table, power: str) -> None:
    """23.2 to 23.5 Kill the ruler of a power: no more bonus cards, another administrative rating.

    The ruler is removed as a royal if not wed, and as a leader. With Elizabeth a captive Mary dies too, and The
    Virgin Queen leaves the game.
    """
    state, c = table.state, table.c
    own = state.powers[power]
    own.ruler_dead = True
    table.log("courts.ruler_dies", rule=SECTIONS[power], power=power, ruler=own.ruler)
    if own.ruler in c.royals:
        royal_dies(table, own.ruler)
    if own.ruler in state.leaders and state.leaders[own.ruler].at != GONE:
        leader_dies(table, own.ruler)
    if power == ENGLAND:
        own.used[ELIZABETH_DIED] = 1
        # It is revealed whether England held the card: its spring choice of home card (10) was secret.
        for pile in (own.hand, own.home, own.home_dropped):
            if VIRGIN_QUEEN in pile:
                pile.remove(VIRGIN_QUEEN)
                state.removed.append(VIRGIN_QUEEN)
                key = "courts.held_card_gone" if pile is own.hand else "courts.card_gone"
                table.log(key, rule="23.3", power=ENGLAND, card=VIRGIN_QUEEN, reveals=True)
        if state.mary == "captive":
            execute_mary(table)


def execute_mary(table: Table) -> None:
    """23.3 Execute Mary: -1 VP for England."""
    table.state.mary = "executed"
    table.state.powers[ENGLAND].vp["mary_executed"] = -1
    table.log("courts.mary_executed", rule="23.3", power=ENGLAND)
    royal_dies(table, MARY)
